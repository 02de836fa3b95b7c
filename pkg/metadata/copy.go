package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/catalog"
)

// The functions of this file return changed copies that share everything else.

// withSource puts s instead of the source of its name.
func (d *Document) withSource(s *Source) *Document {
	n := *d
	n.Sources = inserted(d.Sources, s, func(s *Source) string { return s.Name })
	return &n
}

func (d *Document) withoutSource(name string) *Document {
	n := *d
	n.Sources = removed(d.Sources, func(s *Source) string { return s.Name }, name)
	return &n
}

// withTable puts t instead of the table of its name in s.
func (d *Document) withTable(s *Source, t *Table) *Document {
	n := *s
	n.Tables = insertedName(s.Tables, t, func(t *Table) catalog.Name { return t.Table })
	return d.withSource(&n)
}

func (d *Document) withoutTable(source string, table catalog.Name) *Document {
	return d.Without(tableID(source, table))
}

// withFunction puts f instead of the function of its name in s.
func (d *Document) withFunction(s *Source, f *Function) *Document {
	n := *s
	n.Functions = insertedName(s.Functions, f, func(f *Function) catalog.Name { return f.Function })
	return d.withSource(&n)
}

func insertedName[T any](list []T, e T, name func(T) catalog.Name) []T {
	i, found := slices.BinarySearchFunc(list, name(e), func(e T, n catalog.Name) int { return name(e).Compare(n) })
	list = slices.Clone(list)
	if found {
		list[i] = e
		return list
	}
	return slices.Insert(list, i, e)
}

// Without returns the document without the named objects. What isn't there is ignored.
func (d *Document) Without(ids ...ObjectID) *Document {
	n := *d
	bySource := map[string][]ObjectID{}
	for _, id := range ids {
		switch id.Kind {
		case ObjectInheritedRole:
			n.InheritedRoles = removed(n.InheritedRoles, roleName, id.Role)
		case ObjectRESTEndpoint:
			n.RESTEndpoints = removed(n.RESTEndpoints, endpointName, id.Name)
		case ObjectCollectionQuery:
			n.withoutQuery(id)
		case ObjectOpenTelemetry:
			n.OpenTelemetry = withoutTelemetry(&n, id.Name)
		case ObjectAction:
			n.Actions = removed(n.Actions, rawName, id.Name)
		case ObjectActionPermission:
			n.Actions = withoutActionPermission(n.Actions, id)
		case ObjectCustomTypes:
			n.CustomTypes = nil
		case ObjectCronTrigger:
			n.CronTriggers = removed(n.CronTriggers, rawName, id.Name)
		case ObjectRemoteSchema, ObjectRemotePermission, ObjectRemoteTypeRelation:
			n.RemoteSchemas = withoutRemote(n.RemoteSchemas, id)
		case ObjectSource:
			n.Sources = removed(n.Sources, func(s *Source) string { return s.Name }, id.Source)
		default:
			bySource[id.Source] = append(bySource[id.Source], id)
		}
	}
	for _, name := range sortedKeys(bySource) {
		if s := n.Source(name); s != nil {
			n.Sources = inserted(n.Sources, s.without(bySource[name]), func(s *Source) string { return s.Name })
		}
	}
	return &n
}

func (s *Source) without(ids []ObjectID) *Source {
	n := *s
	tables := map[catalog.Name]*Table{}
	gone := map[ObjectID]bool{}
	for _, id := range ids {
		switch id.Kind {
		case ObjectTable, ObjectFunction:
			gone[id] = true
		case ObjectNativeQuery:
			n.NativeQueries = removed(n.NativeQueries, nativeQueryName, id.Name)
		case ObjectStoredProcedure:
			n.StoredProcedures = removed(n.StoredProcedures, storedProcedureKey, procedureKey(id.Table))
		case ObjectLogicalModel:
			n.LogicalModels = removed(n.LogicalModels, logicalModelName, id.Name)
		case ObjectPublishedChanges:
			n.PublishedChanges = removed(n.PublishedChanges, publishedName, id.Name)
		case ObjectFunctionPermission:
			n.Functions = withoutFunctionPermission(n.Functions, id)
		default:
			if id.Kind == ObjectSelectPermission && id.Name != "" {
				n.withoutModelPermission(id)
				continue
			}
			t := tables[id.Table]
			if t == nil {
				if t = s.Table(id.Table); t == nil {
					continue
				}
				c := *t
				t = &c
				tables[id.Table] = t
			}
			t.remove(id)
		}
	}
	n.Tables = make([]*Table, 0, len(s.Tables))
	for _, t := range s.Tables {
		if gone[tableID(s.Name, t.Table)] {
			continue
		}
		if changed := tables[t.Table]; changed != nil {
			t = changed
		}
		n.Tables = append(n.Tables, t)
	}
	n.Functions = slices.DeleteFunc(slices.Clone(n.Functions), func(f *Function) bool {
		return gone[functionID(s.Name, f.Function)]
	})
	return &n
}

// remove takes one object out of t, which is a copy of its own.
func (t *Table) remove(id ObjectID) {
	switch id.Kind {
	case ObjectObjectRelation:
		t.ObjectRelationships = removed(t.ObjectRelationships, relationshipName, id.Name)
	case ObjectArrayRelation:
		t.ArrayRelationships = removed(t.ArrayRelationships, relationshipName, id.Name)
	case ObjectComputedField:
		t.ComputedFields = removed(t.ComputedFields, computedFieldName, id.Name)
	case ObjectInsertPermission:
		t.InsertPermissions = removed(t.InsertPermissions, roleOf, id.Role)
	case ObjectSelectPermission:
		t.SelectPermissions = removed(t.SelectPermissions, roleOf, id.Role)
	case ObjectUpdatePermission:
		t.UpdatePermissions = removed(t.UpdatePermissions, roleOf, id.Role)
	case ObjectDeletePermission:
		t.DeletePermissions = removed(t.DeletePermissions, roleOf, id.Role)
	case ObjectRemoteRelationship:
		t.RemoteRelationships = removed(t.RemoteRelationships, remoteRelationshipName, id.Name)
	case ObjectEventTrigger:
		t.EventTriggers = removed(t.EventTriggers, rawName, id.Name)
	case ObjectColumn:
		t.Configuration = t.Configuration.withoutColumn(id.Name)
	}
}

func withoutFunctionPermission(functions []*Function, id ObjectID) []*Function {
	return mapped(functions, func(f *Function) *Function {
		if f.Function != id.Table {
			return f
		}
		n := *f
		n.Permissions = slices.DeleteFunc(slices.Clone(f.Permissions), func(p FunctionPermission) bool { return p.Role == id.Role })
		return &n
	})
}

func mapped[T any](list []T, f func(T) T) []T {
	if list == nil {
		return nil // and equal to what it was made of
	}
	out := make([]T, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

func rawName(raw json.RawMessage) string { return Key(raw, "name") }
