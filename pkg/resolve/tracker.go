package resolve

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// tracker notes what the resolution of an object looked at.
type tracker struct {
	deps deps
	// needs are the objects that this one can't be without; they are noted only when
	// wanted.
	needs  []need
	wanted bool
	// lookups are what rules take from other sources.
	lookups []ir.Lookup
}

// deps is what a memoised result rests on: it holds as long as all of this is the same.
type deps struct {
	tables    []tableDep
	functions []functionDep
}

// tableDep is a table as it was seen; version is nil for one that wasn't tracked.
type tableDep struct {
	name    catalog.Name
	version *version
}

// version stands for a base without keeping it in memory: unused results would otherwise keep old
// tables alive, and these their results in turn.
type version struct{ _ byte }

type functionDep struct {
	name      catalog.Name
	overloads []*catalog.Function
}

// need is one edge of the graph of dependencies. onType reports whether the object also depends on the
// type of the column.
type need struct {
	id     metadata.ObjectID
	onType bool
}

func (k *tracker) table(s *Source, name catalog.Name) {
	for _, d := range k.deps.tables {
		if d.name == name {
			return
		}
	}
	k.deps.tables = append(k.deps.tables, tableDep{name, s.version(name)})
}

func (k *tracker) function(s *Source, name catalog.Name) {
	for _, d := range k.deps.functions {
		if d.name == name {
			return
		}
	}
	k.deps.functions = append(k.deps.functions, functionDep{name, s.Catalog.Functions[name]})
}

func (k *tracker) need(id metadata.ObjectID) { k.add(need{id: id}) }

func (k *tracker) needType(id metadata.ObjectID) { k.add(need{id: id, onType: true}) }

func (k *tracker) add(n need) {
	if k.wanted && !slices.Contains(k.needs, n) {
		k.needs = append(k.needs, n)
	}
}

// join adds what other rests on.
func (k *tracker) join(other deps) {
	for _, d := range other.tables {
		if !slices.Contains(k.deps.tables, d) {
			k.deps.tables = append(k.deps.tables, d)
		}
	}
	for _, d := range other.functions {
		if !slices.ContainsFunc(k.deps.functions, func(o functionDep) bool { return o.name == d.name }) {
			k.deps.functions = append(k.deps.functions, d)
		}
	}
}

// hold reports whether everything is still the same in s.
func (d deps) hold(s *Source) bool {
	for _, t := range d.tables {
		if s.version(t.name) != t.version {
			return false
		}
	}
	for _, f := range d.functions {
		if !slices.Equal(s.Catalog.Functions[f.name], f.overloads) {
			return false
		}
	}
	return true
}
