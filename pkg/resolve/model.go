package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// The rows of a logical model are resolved to a Table that the database doesn't have: then
// permissions, inherited roles, conditions and orderings are those of tables.

// TableKey names a table, or what is read like one: the rows of a native query, of a stored procedure, those of a
// logical model, or those of a computed field of the table. Exactly one of the other members is set.
type TableKey struct {
	Table         catalog.Name
	ComputedField string
	NativeQuery   string
	Procedure     catalog.Name
	LogicalModel  string
}

// Key is the name by which other versions of the schema find the table.
func (t *Table) Key() TableKey {
	switch {
	case t.NativeQuery != nil:
		return t.NativeQuery.key()
	case t.model != nil:
		return TableKey{LogicalModel: t.model.name}
	case t.fieldsOf != nil:
		return TableKey{Table: t.fieldsOf.table, ComputedField: t.fieldsOf.field}
	}
	return TableKey{Table: t.Meta.Table}
}

// Relation returns the table or model with the key, or nil.
func (s *Source) Relation(k TableKey) *Table {
	switch {
	case k.LogicalModel != "":
		return s.models[k.LogicalModel]
	case k.NativeQuery != "", k.Procedure != catalog.Name{}:
		if q := s.answering(k); q != nil {
			return q.Rows
		}
		return nil
	case k.ComputedField != "":
		if t := s.Table(k.Table); t != nil {
			if f := t.ComputedField(k.ComputedField); f != nil && f.Listed {
				return f.Returns
			}
		}
		return nil
	}
	return s.Table(k.Table)
}

// IsModel reports whether the rows belong to a logical model, not to a table.
func (t *Table) IsModel() bool { return t.model != nil }

// Embedded is a field of a logical model whose values are rows of a logical model.
type Embedded struct {
	Column *Column
	Target *Table
	Array  bool
	// NonNull reports whether the model rules out that there is none.
	NonNull bool
}

// model is a logical model, by itself or as the rows of a native query.
type model struct {
	name        string // of the logical model
	typeName    string
	fields      []metadata.LogicalModelField
	description *string
	permissions []*metadata.Permission[metadata.SelectPermission]
	// origin is what the model was made of, to tell whether that is still the same.
	origin [2]any
}

func trackedModel(m *metadata.LogicalModel) *model {
	return &model{
		name: m.Name, typeName: m.Name, fields: m.Fields, description: m.Description, permissions: m.SelectPermissions,
		origin: [2]any{m},
	}
}

// modelBuilder resolves the logical models and native queries of a source.
type modelBuilder struct {
	*Source
	prev *Source
	// named are the types of the database that aren't built in, by name; made when needed.
	named map[string]catalog.Type
}

// buildModels resolves logical models and native queries; those with a problem are left out.
func (s *Source) buildModels(prev *Source) {
	if len(s.Meta.LogicalModels)+len(s.Meta.NativeQueries)+len(s.procedures()) == 0 {
		return
	}
	b := modelBuilder{Source: s, prev: prev}
	s.models = make(map[string]*Table, len(s.Meta.LogicalModels))
	problems := map[metadata.ObjectID]problem{}
	for _, m := range s.Meta.LogicalModels {
		t := b.table(trackedModel(m), nil)
		if t.base.problem != "" {
			problems[modelID(s, m.Name)] = problemf("%s", t.base.problem)
			continue
		}
		s.models[m.Name] = t
	}
	b.linkModels(problems)
	b.buildNativeQueries(problems)
	s.modelProblems = s.reportModels(problems)
}

// linkModels finds the models that fields embed. A model that embeds what isn't there can't be
// used itself.
func (b modelBuilder) linkModels(problems map[metadata.ObjectID]problem) {
	for again := true; again; {
		again = false
		for _, m := range b.Meta.LogicalModels {
			t := b.models[m.Name]
			if t == nil {
				continue
			}
			if p := b.link(t); p.reason != "" {
				problems[modelID(b.Source, m.Name)] = p
				delete(b.models, m.Name)
				again = true
			}
		}
	}
}

// link sets what the fields of t embed.
func (b modelBuilder) link(t *Table) problem {
	t.Embedded = nil
	for i, f := range t.model.fields {
		name := f.Type.Model()
		if name == "" {
			continue
		}
		target := b.models[name]
		if target == nil {
			return problem{reason: fmt.Sprintf("logical model %q is not tracked", name), bare: true}
		}
		if f.Type.Array != nil && f.Type.Array.Array != nil {
			return problemf("field %q is a list of lists of a logical model, which is not supported", f.Name)
		}
		t.Embedded = append(t.Embedded, &Embedded{
			Column: t.Columns[i], Target: target, Array: f.Type.Array != nil, NonNull: !f.Type.Nullable,
		})
	}
	return problem{}
}

// table makes the rows of a model. It shares its base with the version before when nothing
// changed that the base is made of.
func (b modelBuilder) table(m *model, query *NativeQuery) *Table {
	c := &catalog.Table{Name: catalog.Name{Name: m.typeName}, Kind: catalog.KindView, RowEstimate: -1}
	for _, f := range m.fields {
		c.Columns = append(c.Columns, &catalog.Column{
			Name: f.Name, Type: b.fieldType(f.Type), Nullable: f.Type.Nullable, Comment: f.Description,
		})
	}
	description := ""
	if m.description != nil {
		description = *m.description
	}
	key := TableKey{LogicalModel: m.name}
	if query != nil {
		key = query.key()
	}
	var base *base
	if old := b.prev.Relation(key); old != nil && old.base.head == b.head && old.model.origin == m.origin && sameColumns(old.Catalog, c) {
		base = old.base
	} else {
		base = newBase(b.head, &metadata.Table{
			Table:             catalog.Name{Name: m.name},
			Configuration:     &metadata.TableConfiguration{CustomName: m.typeName, Comment: &description},
			SelectPermissions: m.permissions,
		}, c, nil, nil)
		for i, f := range m.fields {
			if i < len(base.columns) {
				base.columns[i].Embeds = f.Type.Model() != ""
			}
		}
	}
	return &Table{
		Source: b.Source, Meta: base.meta, Catalog: base.catalog, Name: base.id.text, Description: base.description,
		RootFields: base.rootFields, Columns: base.columns, NativeQuery: query, model: m, base: base,
	}
}

func sameColumns(a, b *catalog.Table) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(a, b *catalog.Column) bool {
		return a.Name == b.Name && a.Nullable == b.Nullable && sameType(a.Type, b.Type) && a.Type.ID == b.Type.ID
	})
}

// fieldType is the type of a field's values in the database; objects are read as JSON.
func (b *modelBuilder) fieldType(t metadata.LogicalModelType) catalog.Type {
	if t.Model() != "" {
		return b.Dialect.Builtin(backend.TypeJSON)
	}
	dims := 0
	for t.Array != nil {
		t, dims = *t.Array, 1
	}
	c := b.scalar(t.Scalar)
	c.Dims = max(c.Dims, dims)
	return c
}

// scalar is the type of that name. One that is neither built in nor used by a table or
// function is left to the database.
func (b *modelBuilder) scalar(name string) catalog.Type {
	if t, ok := b.Dialect.NamedType(name); ok {
		return t
	}
	element, array := strings.CutSuffix(name, "[]")
	if b.named == nil {
		b.named = b.Catalog.NamedTypes()
	}
	t, ok := b.named[element]
	if !ok {
		t = catalog.Type{Name: element}
	}
	if array {
		t.Dims = 1
	}
	return t
}

// nativeColumns are the fields of the model as columns that are read.
func (t *Table) nativeColumns() []ir.NativeColumn {
	columns := make([]ir.NativeColumn, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = ir.NativeColumn{Name: c.Name, Type: c.Type, Embeds: c.Embeds}
	}
	return columns
}

// Relation reads the embedded rows.
func (e *Embedded) Relation() ir.Embedded {
	return ir.Embedded{Column: e.Column.Name, Array: e.Array, Columns: e.Target.nativeColumns()}
}

// reportModels are the inconsistent logical models, native queries and procedures, and the permissions of
// the others that can't be used.
func (s *Source) reportModels(problems map[metadata.ObjectID]problem) []metadata.Inconsistency {
	var list []metadata.Inconsistency
	report := func(id metadata.ObjectID, definition any) bool {
		p, bad := problems[id]
		if bad {
			list = append(list, inconsistent(id, definition, p.reason))
		}
		return bad
	}
	for _, m := range s.Meta.LogicalModels {
		if !report(modelID(s, m.Name), m) {
			list = append(list, s.models[m.Name].modelPermissionProblems()...)
		}
	}
	for _, m := range s.Meta.NativeQueries {
		if !report(nativeQueryID(s, m.RootField), m) && m.Returns.Inline != nil {
			list = append(list, s.NativeQuery(m.RootField).Rows.modelPermissionProblems()...)
		}
	}
	for _, m := range s.procedures() {
		report(procedureID(s, m), m)
	}
	return list
}

func (t *Table) modelPermissionProblems() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, p := range t.model.permissions {
		var found problem
		if p.Role == session.Admin {
			found = problem{reason: "cannot define permission for admin role", path: "$.role"}
		} else if _, err := parseDefinition(t, p.Role, &p.Permission, &tracker{}); err != nil {
			found = permissionProblem(err)
		}
		if found.reason == "" {
			continue
		}
		id := metadata.ObjectID{Kind: metadata.ObjectSelectPermission, Source: t.Source.Name, Name: t.model.name, Role: p.Role}
		i := inconsistent(id, struct {
			Source       string `json:"source"`
			LogicalModel string `json:"logical_model"`
			Role         string `json:"role"`
			Permission   any    `json:"permission"`
		}{t.Source.Name, t.model.name, p.Role, p.Permission},
			fmt.Sprintf("in logical model %q: in permission for role %q: %s", t.model.name, p.Role, found.reason))
		i.Path = found.path
		list = append(list, i)
	}
	return list
}

func modelID(s *Source, name string) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectLogicalModel, Source: s.Name, Name: name}
}
