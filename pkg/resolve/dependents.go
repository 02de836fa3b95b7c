package resolve

import (
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// objectNeeds is an object of the document and what it can't be without.
type objectNeeds struct {
	id    metadata.ObjectID
	needs []need
}

// Dependents returns the objects that need one of ids, directly or by way of another
// object, in the order of their descriptions. What goes together with its table isn't
// among them when the table itself is in ids.
func (s *Schema) Dependents(ids ...metadata.ObjectID) []metadata.ObjectID {
	return s.dependents(ids, func(need) bool { return true })
}

// TypeDependents returns the objects that depend on the type of a column in ids, in the
// order of their descriptions.
func (s *Schema) TypeDependents(ids ...metadata.ObjectID) []metadata.ObjectID {
	return s.dependents(ids, func(n need) bool { return n.onType })
}

func (s *Schema) dependents(ids []metadata.ObjectID, counts func(need) bool) []metadata.ObjectID {
	var found []metadata.ObjectID
	gone := make(map[metadata.ObjectID]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	for _, source := range s.Sources {
		var own []metadata.ObjectID
		for _, id := range ids {
			if id.Source == source.Name {
				own = append(own, id)
			}
		}
		if len(own) > 0 {
			found = append(found, source.dependents(own, counts)...)
		}
	}
	for _, id := range found {
		gone[id] = true
	}
	remote := s.remoteDependents(gone, counts)
	found = append(found, remote...)
	for _, id := range remote { // which rules of permissions may need
		if source := s.Source(id.Source); source != nil && id.Kind == metadata.ObjectRemoteRelationship {
			for _, also := range source.dependents([]metadata.ObjectID{id}, counts) {
				if !gone[also] {
					gone[also] = true
					found = append(found, also)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b metadata.ObjectID) int { return strings.Compare(s.Describe(a), s.Describe(b)) })
	return found
}

func (s *Source) dependents(ids []metadata.ObjectID, counts func(need) bool) []metadata.ObjectID {
	g := graph{
		gone: make(map[metadata.ObjectID]bool, len(ids)), about: map[catalog.Name]bool{}, loaded: map[*Table]bool{},
		objects: slices.Concat(s.functionNeeds(), s.modelNeeds(), s.publishedNeeds()),
	}
	for _, id := range ids {
		g.add(id)
	}
	var found []metadata.ObjectID
	for again := true; again; {
		again = false
		g.load(s.Tables)
		for _, o := range g.objects {
			if g.gone[o.id] || !slices.ContainsFunc(o.needs, func(n need) bool { return counts(n) && g.gone[n.id] }) {
				continue
			}
			g.add(o.id)
			found = append(found, o.id)
			again = true
		}
	}
	return slices.DeleteFunc(found, func(id metadata.ObjectID) bool { return g.gone[owner(id)] })
}

// Needs calls f with each object that is defined on one of the tables, with each tracked function,
// and with what that object can't be without, one thing at a time. Objects that can't be used
// may be left out.
func (s *Schema) Needs(tables map[metadata.SourceTable]bool, f func(id, need metadata.ObjectID)) {
	for _, source := range s.Sources {
		objects := source.functionNeeds()
		for _, t := range source.Tables {
			if !tables[metadata.SourceTable{Source: source.Name, Name: t.Meta.Table}] {
				continue
			}
			objects = append(objects, t.needs()...)
			for _, use := range t.check().lookups {
				f(use.id, metadata.ObjectID{Kind: metadata.ObjectTable, Source: use.lookup.Source, Table: use.lookup.Table})
			}
		}
		for _, o := range objects {
			for _, n := range o.needs {
				f(o.id, n.id)
			}
		}
	}
}

// graph is the part of the graph of dependencies that may matter: what the objects of
// those tables need that look at a table or function where something is gone.
type graph struct {
	gone    map[metadata.ObjectID]bool
	about   map[catalog.Name]bool
	loaded  map[*Table]bool
	objects []objectNeeds
}

func (g *graph) add(id metadata.ObjectID) {
	g.gone[id] = true
	g.about[id.Table] = true
}

// load adds the objects of the tables that look at what g is about.
func (g *graph) load(tables []*Table) {
	for _, t := range tables {
		if !g.loaded[t] && g.touches(t) {
			g.loaded[t] = true
			g.objects = append(g.objects, t.needs()...)
		}
	}
}

func (g *graph) touches(t *Table) bool {
	deps := t.check().deps
	return g.about[t.Meta.Table] ||
		slices.ContainsFunc(deps.tables, func(d tableDep) bool { return g.about[d.name] }) ||
		slices.ContainsFunc(deps.functions, func(d functionDep) bool { return g.about[d.name] })
}

// functionNeeds lists what the tracked functions and their permissions need.
func (s *Source) functionNeeds() []objectNeeds {
	var list []objectNeeds
	for _, f := range s.Functions {
		id := functionID(f)
		list = append(list, objectNeeds{id, []need{{id: tableID(f.Returns)}}})
		for _, p := range f.Meta.Permissions {
			list = append(list, objectNeeds{
				metadata.ObjectID{Kind: metadata.ObjectFunctionPermission, Source: s.Name, Table: f.Meta.Function, Role: p.Role},
				[]need{{id: id}, {id: permissionID(f.Returns, selectKind, p.Role)}},
			})
		}
	}
	return list
}

// owner is the object that id goes together with; the zero ID for one that stands alone.
func owner(id metadata.ObjectID) metadata.ObjectID {
	switch id.Kind {
	case metadata.ObjectFunction, metadata.ObjectTable, metadata.ObjectNativeQuery, metadata.ObjectStoredProcedure, metadata.ObjectLogicalModel,
		metadata.ObjectPublishedChanges:
		return metadata.ObjectID{}
	case metadata.ObjectFunctionPermission:
		return metadata.ObjectID{Kind: metadata.ObjectFunction, Source: id.Source, Table: id.Table}
	}
	return metadata.ObjectID{Kind: metadata.ObjectTable, Source: id.Source, Table: id.Table}
}

// Describe is the text of an object in dependency errors:
// `permission stock.clerk.select in source "default"`.
func (s *Schema) Describe(id metadata.ObjectID) string {
	table := s.Document.Display(id.Source, id.Table)
	var what string
	switch id.Kind {
	case metadata.ObjectSource:
		return "source " + id.Source
	case metadata.ObjectInheritedRole:
		return "role " + id.Role
	case metadata.ObjectRemoteSchema:
		return "remote schema " + id.Remote
	case metadata.ObjectRemotePermission:
		return "remote schema permission " + id.Remote + "." + quote(id.Role)
	case metadata.ObjectRemoteTypeRelation:
		return "remote_relationship " + id.Name + " on type " + id.Type + " in remote schema " + id.Remote
	case metadata.ObjectTable:
		what = "table " + table
	case metadata.ObjectFunction:
		what = "function " + table
	case metadata.ObjectFunctionPermission:
		what = "function permission " + table + "." + id.Role
	case metadata.ObjectNativeQuery:
		what = "native query " + id.Name
	case metadata.ObjectStoredProcedure:
		what = "stored procedure " + table
	case metadata.ObjectLogicalModel:
		what = "logical model " + id.Name
	case metadata.ObjectPublishedChanges:
		what = "published changes " + id.Name
	case metadata.ObjectColumn:
		what = "column " + table + "." + id.Name
	case metadata.ObjectConstraint:
		what = "constraint " + table + "." + id.Name
	case metadata.ObjectObjectRelation, metadata.ObjectArrayRelation:
		what = "relationship " + table + "." + id.Name
	case metadata.ObjectComputedField:
		what = "computed field " + table + "." + id.Name
	case metadata.ObjectRemoteRelationship:
		what = "remote relationship " + table + "." + id.Name
	case metadata.ObjectEventTrigger:
		what = "event-trigger " + table + "." + id.Name
	default:
		if id.Table == (catalog.Name{}) {
			table = id.Name
		}
		what = "permission " + table + "." + id.Role + "." + strings.TrimSuffix(id.Kind, "_permission")
	}
	return what + " in source " + quote(id.Source)
}

func tableID(t *Table) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectTable, Source: t.Source.Name, Table: t.Meta.Table}
}

func columnID(t *Table, column string) metadata.ObjectID {
	return fieldID(t, metadata.ObjectColumn, column)
}

func constraintID(t *Table, constraint string) metadata.ObjectID {
	return fieldID(t, metadata.ObjectConstraint, constraint)
}

// fieldID names a part of a table.
func fieldID(t *Table, kind, name string) metadata.ObjectID {
	return metadata.ObjectID{Kind: kind, Source: t.Source.Name, Table: t.Meta.Table, Name: name}
}

func permissionID(t *Table, kind permissionKind, role string) metadata.ObjectID {
	return metadata.ObjectID{Kind: kind.object(), Source: t.Source.Name, Table: t.Meta.Table, Role: role}
}

func functionID(f *Function) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectFunction, Source: f.Source.Name, Table: f.Meta.Function}
}
