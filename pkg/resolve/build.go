package resolve

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Findings is what the metadata service found out about sources and remote schemas.
type Findings struct {
	// Catalogs and SourceErrors are as in Build.
	Catalogs     map[string]*catalog.Source
	SourceErrors map[string]string
	// Remotes is what remote schemas answered to introspection, RemoteErrors why the last
	// introspection failed.
	Remotes      map[string]json.RawMessage
	RemoteErrors map[string]string
}

// Build is New without remote schemas. There is a catalog for each source that is usable, and in
// sourceErrors the reason for each one that isn't consistent (a source may have both: the
// catalog from before it became unreachable). prev, which may be nil, is the schema of
// the version before, made with the same options: what did not change since is taken over.
func Build(doc *metadata.Document, catalogs map[string]*catalog.Source, sourceErrors map[string]string, prev *Schema, o Options) *Schema {
	return New(doc, Findings{Catalogs: catalogs, SourceErrors: sourceErrors}, prev, o)
}

// New resolves doc with the findings about its sources and remote schemas.
func New(doc *metadata.Document, found Findings, prev *Schema, o Options) *Schema {
	catalogs := found.Catalogs
	s := &Schema{Document: doc, catalogs: catalogs, sourceErrors: found.SourceErrors, options: o}
	s.roles = newRoleSet(doc.InheritedRoles)
	if prev != nil && s.roles.equal(prev.roles) {
		s.roles = prev.roles
	}
	if prev != nil {
		s.endpoints.Store(prev.endpoints.Load())
	}
	s.Roles = s.roles.byName
	for _, m := range doc.Sources {
		c := catalogs[m.Name]
		if c == nil || unsupported(m, o) != "" {
			continue
		}
		d, err := o.Kinds.Dialect(m.Kind, c, m.Configuration)
		if err != nil {
			continue // see sourceProblem
		}
		var before *Source
		if prev != nil {
			before = prev.Source(m.Name)
		}
		s.Sources = append(s.Sources, buildSource(m, c, d, s.roles, before, o))
	}
	slices.SortFunc(s.Sources, func(a, b *Source) int { return strings.Compare(a.Name, b.Name) })
	if prev != nil {
		s.typeNames.Store(prev.typeNames.Load().follow(prev.Sources, s.Sources))
	}
	s.setActions(prev)
	s.setRenamed(prev)
	s.buildRemotes(found, prev)
	return s
}

// nothing is what a source without a version before is compared with.
var nothing = &Source{head: &head{}}

func buildSource(m *metadata.Source, c *catalog.Source, d backend.Dialect, roles *roleSet, prev *Source, o Options) *Source {
	if prev == nil {
		prev = nothing
	}
	if prev.Meta == m && prev.Catalog == c && prev.roles == roles {
		return prev
	}
	h := newHead(m, d, o)
	if *h == *prev.head {
		h = prev.head
	}
	s := &Source{
		Name: m.Name, Kind: m.Kind, Meta: m, Catalog: c, Dialect: h.dialect,
		Convention: h.convention, Namespace: h.namespace(), head: h, roles: roles, env: o.Env, code: o.Code, QueryTags: m.Tags(),
	}
	s.buildTables(prev)
	for _, t := range s.Tables {
		before := prev.tables[t.Meta.Table]
		if before != nil && before.base != t.base {
			before = nil
		}
		t.buildRelationships(before)
		if len(t.Meta.RemoteRelationships) > 0 {
			s.remote = append(s.remote, t)
		}
		t.buildComputedFields(before)
	}
	s.buildFunctions(prev)
	s.buildModels(prev)
	return s
}

// buildTables makes the tables without what they refer to.
func (s *Source) buildTables(prev *Source) {
	s.bases = make(map[catalog.Name]*base, len(s.Meta.Tables))
	enums := map[catalog.Name]*Enum{}
	for _, m := range s.Meta.Tables {
		if !m.IsEnum {
			continue
		}
		b := s.base(prev, m, nil)
		s.bases[m.Table] = b
		if b.enum != nil {
			enums[m.Table] = b.enum
		}
	}
	usable := 0
	for _, m := range s.Meta.Tables {
		b := s.bases[m.Table]
		if b == nil {
			b = s.base(prev, m, enumRefs(s.Catalog.Tables[m.Table], enums))
			s.bases[m.Table] = b
		}
		if b.problem == "" {
			usable++
		}
	}
	s.Tables = make([]*Table, 0, usable)
	s.tables = make(map[catalog.Name]*Table, usable)
	all := make([]Table, usable)
	for _, m := range s.Meta.Tables {
		b := s.bases[m.Table]
		if b.problem != "" || s.tables[m.Table] != nil {
			continue
		}
		t := &all[len(s.Tables)]
		*t = Table{
			Source: s, Meta: m, Catalog: b.catalog, Name: b.id.text, Description: b.description,
			RootFields: b.rootFields, Columns: b.columns, PrimaryKey: b.primaryKey, base: b,
		}
		if b.enum != nil {
			t.EnumValues = b.enum.EnumValues
		}
		s.Tables = append(s.Tables, t)
		s.tables[m.Table] = t
	}
}

// base is the base of a table, that of prev when it is the same.
func (s *Source) base(prev *Source, m *metadata.Table, refs []*Enum) *base {
	c := s.Catalog.Tables[m.Table]
	var values []catalog.EnumValue
	if m.IsEnum {
		values = s.Catalog.Enums[m.Table]
	}
	if b := prev.bases[m.Table]; b != nil && b.is(s.head, m, c, refs, values) {
		return b
	}
	return newBase(s.head, m, c, refs, values)
}

// version stands for the base of a table that can be used; nil for any other table.
func (s *Source) version(name catalog.Name) *version {
	if t := s.tables[name]; t != nil {
		return t.base.version
	}
	return nil
}
