package queryexecutor

import (
	"slices"
	"sync/atomic"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plancache"
)

// planned is a plan that is kept, and what it rests on. It survives changes of the metadata
// that don't touch that, and keeps nothing else of the version it was made with.
type planned struct {
	*execute.Prepared
	role string
	// session is what the plan uses of the session, when its answer may be cached.
	session   plan.SessionUse
	tables    []tableDep
	writes    []writeDep
	functions []functionDep
	tags      []tagsDep
	remotes   []*resolve.Remote
	lookups   []lookupDep
	// volatile plans are good for one generation only.
	volatile bool
	// checked is the last generation that the plan is known to be good for.
	checked atomic.Uint64
}

// tableDep is a table and what the role may read of it. Permissions are parsed anew when
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

// newPlans is an empty cache of plans.
func newPlans(size int) *plancache.Cache[planned] { return plancache.New[planned](size) }

func newPlanned(prepared *execute.Prepared, p *plan.Plan, role string, generation uint64) *planned {
	out := &planned{Prepared: prepared, role: role, remotes: p.Remotes, volatile: len(p.Tables)+len(p.Writes)+len(p.Remotes) == 0 || prepared.Introspects() || prepared.CallsActions()}
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
		out.lookups = append(out.lookups, lookupDep{l.Table.Source.Name, l.Table.Meta.Table, l.Table.Version()})
	}
	out.dependOnTags(p)
	out.checked.Store(generation)
	return out
}

// good reports whether the plan is good for a state.
func (p *planned) good(s *state) bool {
	if p.checked.Load() == s.generation {
		return true
	}
	if p.volatile || !p.holds(s.schema) {
		return false
	}
	p.checked.Store(s.generation)
	return true
}

func (p *planned) holds(s *resolve.Schema) bool {
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

// tagsDep is what the statements for a source say of themselves.
type tagsDep struct {
	source string
	tags   metadata.QueryTags
}

func (d tagsDep) holds(s *resolve.Schema) bool {
	source := s.Source(d.source)
	return source != nil && source.QueryTags == d.tags
}

// dependOnTags notes the tags of all sources that the plan has statements for.
func (p *planned) dependOnTags(of *plan.Plan) {
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
