package resolve

import (
	"slices"
	"strings"

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
	gone := make(map[metadata.ObjectID]bool, len(ids))
	sources := map[string]bool{}
	for _, id := range ids {
		gone[id] = true
		sources[id.Source] = true
	}
	var objects []objectNeeds
	for _, source := range s.Sources {
		if sources[source.Name] {
			objects = append(objects, source.needs()...)
		}
	}
	var found []metadata.ObjectID
	for again := true; again; {
		again = false
		for _, o := range objects {
			if gone[o.id] || !slices.ContainsFunc(o.needs, func(n need) bool { return counts(n) && gone[n.id] }) {
				continue
			}
			gone[o.id] = true
			// Nothing else needs the type of a column that only follows an enum table.
			again = again || o.id.Kind != metadata.ObjectColumn
			found = append(found, o.id)
		}
	}
	found = slices.DeleteFunc(found, func(id metadata.ObjectID) bool { return gone[owner(id)] })
	slices.SortFunc(found, func(a, b metadata.ObjectID) int { return strings.Compare(Describe(a), Describe(b)) })
	return found
}

// owner is the object that id goes together with; the zero ID for one that stands alone.
func owner(id metadata.ObjectID) metadata.ObjectID {
	switch id.Kind {
	case metadata.ObjectFunction, metadata.ObjectTable:
		return metadata.ObjectID{}
	case metadata.ObjectFunctionPermission:
		return metadata.ObjectID{Kind: metadata.ObjectFunction, Source: id.Source, Table: id.Table}
	}
	return metadata.ObjectID{Kind: metadata.ObjectTable, Source: id.Source, Table: id.Table}
}

// Describe is the text of an object in dependency errors:
// `permission stock.clerk.select in source "default"`.
func (s *Schema) Describe(id metadata.ObjectID) string { return Describe(id) }

// Describe is Schema.Describe, which needs no schema.
func Describe(id metadata.ObjectID) string {
	table := id.Table.String()
	var what string
	switch id.Kind {
	case metadata.ObjectSource:
		return "source " + id.Source
	case metadata.ObjectInheritedRole:
		return "role " + id.Role
	case metadata.ObjectTable:
		what = "table " + table
	case metadata.ObjectFunction:
		what = "function " + table
	case metadata.ObjectFunctionPermission:
		what = "function permission " + table + "." + id.Role
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
