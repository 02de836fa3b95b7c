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
	role      string
	tables    []tableDep
	functions []functionDep
	// volatile plans are good for one generation only.
	volatile bool
	// checked is the last generation that the plan is known to be good for.
	checked atomic.Uint64
}

// tableDep is a table and what the role may read of it. Permissions are parsed anew when
// something changed that they refer to.
type tableDep struct {
	source     string
	name       catalog.Name
	version    any
	permission *resolve.SelectPermission
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
	out := &planned{Prepared: prepared, role: role, volatile: len(p.Tables) == 0}
	for _, t := range p.Tables {
		out.tables = append(out.tables, tableDep{
			source: t.Source.Name, name: t.Meta.Table, version: t.Version(), permission: t.Permission,
		})
	}
	for _, f := range p.Functions {
		out.functions = append(out.functions, functionDep{source: f.Source.Name, function: f.Function, meta: f.Meta})
	}
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
		t := source.Table(d.name)
		if t == nil || t.Version() != d.version || t.SelectPermission(p.role) != d.permission {
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
