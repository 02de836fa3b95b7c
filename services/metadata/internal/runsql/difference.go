package runsql

import (
	"reflect"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// difference describes the changes of the tracked objects of one source. All names are from before.
type difference struct {
	source *metadata.Source
	// dropped are tables, columns, constraints and functions that are gone.
	dropped []metadata.ObjectID
	renames resolve.Renames
	// retyped are columns of another type, unless they were renamed too.
	retyped []metadata.ObjectID
	// functions are the remaining ones, in the catalogs before and after.
	functions []changedFunction
}

// changedFunction is a function that metadata names, with all that has its name now.
type changedFunction struct {
	name      catalog.Name
	before    *catalog.Function
	overloads []*catalog.Function
}

// compare finds what happened between two catalogs of a source.
func compare(source *metadata.Source, before, after *catalog.Source) *difference {
	d := &difference{source: source, renames: resolve.Renames{
		Source:  source.Name,
		Tables:  map[catalog.Name]catalog.Name{},
		Columns: map[catalog.Name]map[string]string{},
	}}
	byID := make(map[string]*catalog.Table, len(after.Tables))
	for _, t := range after.Tables {
		byID[t.ID] = t
	}
	delete(byID, "")
	for _, m := range source.Tables {
		old := before.Tables[m.Table]
		if old == nil {
			continue // was inconsistent before
		}
		if now := byID[old.ID]; now != nil {
			d.table(old, now, (*catalog.Column).Is)
		} else if now := after.Tables[m.Table]; now != nil {
			// Dropped and created again, or without an ID: the same table as far as its columns have their names.
			d.table(old, now, func(a, b *catalog.Column) bool { return a.Name == b.Name })
		} else {
			d.dropped = append(d.dropped, d.id(metadata.ObjectTable, m.Table, ""))
		}
	}
	for _, name := range functionNames(source) {
		d.function(name, before.Functions[name], after.Functions[name])
	}
	return d
}

func (d *difference) id(kind string, table catalog.Name, name string) metadata.ObjectID {
	return metadata.ObjectID{Kind: kind, Source: d.source.Name, Table: table, Name: name}
}

func (d *difference) table(old, now *catalog.Table, same func(a, b *catalog.Column) bool) {
	if old == now {
		return
	}
	if old.Name != now.Name {
		d.renames.Tables[old.Name] = now.Name
	}
	for _, a := range old.Columns {
		i := slices.IndexFunc(now.Columns, func(b *catalog.Column) bool { return same(a, b) })
		switch {
		case i < 0:
			d.dropped = append(d.dropped, d.id(metadata.ObjectColumn, old.Name, a.Name))
		case now.Columns[i].Name != a.Name:
			if d.renames.Columns[old.Name] == nil {
				d.renames.Columns[old.Name] = map[string]string{}
			}
			d.renames.Columns[old.Name][a.Name] = now.Columns[i].Name
		case !reflect.DeepEqual(now.Columns[i].Type, a.Type):
			d.retyped = append(d.retyped, d.id(metadata.ObjectColumn, old.Name, a.Name))
		}
	}
	d.constraints(old, now)
}

// constraints finds dropped keys. One that was created again over the same columns is still there.
func (d *difference) constraints(old, now *catalog.Table) {
	for _, a := range old.ForeignKeys {
		if !slices.ContainsFunc(now.ForeignKeys, func(b catalog.ForeignKey) bool {
			return a.ID != "" && a.ID == b.ID || slices.Equal(a.Columns, b.Columns) && a.Target == b.Target
		}) {
			d.dropped = append(d.dropped, d.id(metadata.ObjectConstraint, old.Name, a.Name))
		}
	}
	for _, a := range old.Uniques {
		if !slices.ContainsFunc(now.Uniques, func(b catalog.Constraint) bool {
			return a.ID != "" && a.ID == b.ID || slices.Equal(a.Columns, b.Columns)
		}) {
			d.dropped = append(d.dropped, d.id(metadata.ObjectConstraint, old.Name, a.Name))
		}
	}
}

// function compares the functions of a name. A function that was renamed, or dropped and created with
// other arguments, is gone.
func (d *difference) function(name catalog.Name, before, after []*catalog.Function) {
	if len(before) != 1 {
		return // was inconsistent before
	}
	if !slices.ContainsFunc(after, before[0].Is) {
		d.dropped = append(d.dropped, d.id(metadata.ObjectFunction, name, ""))
		return
	}
	d.functions = append(d.functions, changedFunction{name, before[0], after})
}

// functionNames are the functions that metadata names: tracked ones, those of computed fields, and stored
// procedures.
func functionNames(source *metadata.Source) []catalog.Name {
	var names []catalog.Name
	for _, f := range source.Functions {
		names = append(names, f.Function)
	}
	for _, p := range source.StoredProcedures {
		names = append(names, p.StoredProcedure)
	}
	for _, t := range source.Tables {
		for _, f := range t.ComputedFields {
			names = append(names, f.Definition.Function)
		}
	}
	slices.SortFunc(names, func(a, b catalog.Name) int {
		return strings.Compare(a.Schema+"\x00"+a.Name, b.Schema+"\x00"+b.Name)
	})
	return slices.Compact(names)
}
