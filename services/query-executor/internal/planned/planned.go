// Package planned keeps plans across changes of the metadata. A Plan knows what it depends on,
// and is used again as long as that is the same.
package planned

import (
	"slices"
	"sync/atomic"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plancache"
)

// Plan is a plan that is kept, and what it depends on. It survives changes of the metadata
// that don't touch that, and keeps nothing else of the version it was made with. It is safe for
// concurrent use.
type Plan struct {
	*execute.Prepared
	// Session is what the plan uses of the session, when its answer may be cached.
	Session plan.SessionDeps
	// Reads are the tables that the answer is read from, by source, when it may be cached with tags.
	Reads map[string][]catalog.Name
	// Inserts are those of the plan, for one that takes its place.
	Inserts []*insert.Tree

	role      string
	tables    []tableDep
	writes    []writeDep
	functions []functionDep
	tags      []tagsDep
	remotes   []*resolve.Remote
	lookups   []lookupDep
	// volatile plans are valid for one generation only.
	volatile bool
	// checked is the last generation that the plan is known to be valid for.
	checked atomic.Uint64
}

// tableDep is a table and what the role may read of it. Permissions are parsed again when
// something changed that they refer to.
type tableDep struct {
	source     string
	key        resolve.TableKey
	version    any
	permission *resolve.SelectPermission
}

// writeDep is a table and what the role may do with it.
type writeDep struct {
	source   string
	name     catalog.Name
	version  any
	insert   *resolve.InsertPermission
	update   *resolve.UpdatePermission
	deletion *resolve.DeletePermission
}

func (d *writeDep) holds(s *resolve.Schema, role string) bool {
	source := s.Source(d.source)
	if source == nil {
		return false
	}
	t := source.Table(d.name)
	return t != nil && *d == dependOn(t, role)
}

func dependOn(t *resolve.Table, role string) writeDep {
	return writeDep{
		source: t.Source.Name, name: t.Meta.Table, version: t.Version(),
		insert: t.InsertPermission(role), update: t.UpdatePermission(role), deletion: t.DeletePermission(role),
	}
}

type functionDep struct {
	source   string
	function *catalog.Function
	// meta is nil for the function of a computed field.
	meta *metadata.Function
}

// NewCache returns an empty cache of about so many plans.
func NewCache(size int) *plancache.Cache[Plan] { return plancache.New[Plan](size) }

// New returns the plan of a role, which was made with the schema of a generation: a number that
// counts the versions of the metadata that the process has followed.
func New(prepared *execute.Prepared, p *plan.Plan, role string, generation uint64) *Plan {
	out := &Plan{
		Prepared: prepared, role: role, remotes: p.Remotes, Inserts: p.Inserts,
		volatile: len(p.Tables)+len(p.Writes)+len(p.Remotes) == 0 || prepared.Needs().Any(execute.NeedsSchema|execute.NeedsActions),
	}
	for _, t := range p.Tables {
		out.tables = append(out.tables, tableDep{
			source: t.Source.Name, key: t.Key(), version: t.Version(), permission: t.Permission,
		})
	}
	for _, w := range p.Writes {
		out.writes = append(out.writes, dependOn(w.Table.Table, role))
	}
	for _, f := range p.Functions {
		out.functions = append(out.functions, functionDep{source: f.Source.Name, function: f.Function, meta: f.Meta})
	}
	for _, l := range p.Lookups {
		out.lookups = append(out.lookups, lookupDep{
			source: l.Table.Source.Name, name: l.Table.Meta.Table, version: l.Table.Version(),
		})
	}
	out.dependOnTags(p)
	out.checked.Store(generation)
	return out
}

// Valid reports whether the plan can be used with the schema of a generation.
func (p *Plan) Valid(generation uint64, s *resolve.Schema) bool {
	if p.checked.Load() == generation {
		return true
	}
	if p.volatile || !p.holds(s) {
		return false
	}
	p.checked.Store(generation)
	return true
}

func (p *Plan) holds(s *resolve.Schema) bool {
	for _, d := range p.tables {
		source := s.Source(d.source)
		if source == nil {
			return false
		}
		t := source.Relation(d.key)
		if t == nil || t.Version() != d.version || t.SelectPermission(p.role) != d.permission {
			return false
		}
	}
	for i := range p.writes {
		if !p.writes[i].holds(s, p.role) {
			return false
		}
	}
	for _, r := range p.remotes {
		if s.Remote(r.Name) != r {
			return false
		}
	}
	for _, d := range p.lookups {
		if !d.holds(s) {
			return false
		}
	}
	for _, d := range p.tags {
		if !d.holds(s) {
			return false
		}
	}
	for _, d := range p.functions {
		if !d.holds(s.Source(d.source), p.role) {
			return false
		}
	}
	return true
}

// lookupDep is a table that a rule takes values from.
type lookupDep struct {
	source  string
	name    catalog.Name
	version any
}

func (d lookupDep) holds(s *resolve.Schema) bool {
	source := s.Source(d.source)
	if source == nil {
		return false
	}
	t := source.Table(d.name)
	return t != nil && t.Version() == d.version
}

// tagsDep is the comments of statements for a source.
type tagsDep struct {
	source string
	tags   metadata.QueryTags
}

func (d tagsDep) holds(s *resolve.Schema) bool {
	source := s.Source(d.source)
	return source != nil && source.QueryTags == d.tags
}

// dependOnTags notes the tags of all sources that the plan has statements for.
func (p *Plan) dependOnTags(of *plan.Plan) {
	add := func(s *resolve.Source) {
		if d := (tagsDep{s.Name, s.QueryTags}); !slices.Contains(p.tags, d) {
			p.tags = append(p.tags, d)
		}
	}
	for _, t := range of.Tables {
		add(t.Source)
	}
	for _, w := range of.Writes {
		add(w.Source)
	}
	for _, f := range of.Functions {
		add(f.Source)
	}
}

func (d functionDep) holds(s *resolve.Source, role string) bool {
	if !slices.Contains(s.Catalog.Functions[d.function.Name], d.function) {
		return false
	}
	if d.meta == nil {
		return true
	}
	i := slices.IndexFunc(s.Functions, func(f *resolve.Function) bool { return f.Meta == d.meta })
	return i >= 0 && s.Functions[i].Allowed(role)
}
