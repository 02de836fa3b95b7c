package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// inheritedPermission is the type of an inconsistency that only informs: parents of an
// inherited role have unequal permissions, so that the role has none.
const inheritedPermission = "inherited role permission inconsistency"

// Inconsistencies checks every object of the document and returns those that can't be
// used, sorted. What did not change since the schema before isn't checked again.
func (s *Schema) Inconsistencies() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, m := range s.Document.Sources {
		if reason := s.sourceProblem(m); reason != "" {
			list = append(list, inconsistent(metadata.ObjectID{Kind: metadata.ObjectSource, Source: m.Name}, m.Name, reason))
		}
	}
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			list = append(list, t.check().problems...)
			list = append(list, t.checkInherited().problems...)
		}
		list = append(list, source.brokenTables()...)
		list = append(list, source.checkFunctions()...)
		list = append(list, source.modelProblems...)
		list = append(list, source.checkPublished()...)
	}
	list = append(list, s.types().problems...)
	list = append(list, s.remoteProblems...)
	list = append(list, s.checkRemotePermissions()...)
	list = append(list, s.actions.problems...)
	list = append(list, s.checkRemote()...)
	list = append(list, s.checkLookups()...)
	list = append(list, s.checkRoles()...)
	list = append(list, s.checkRoots()...)
	list = append(list, s.checkEndpoints()...)
	list = append(list, s.checkTelemetry()...)
	list = append(list, s.checkCronTriggers()...)
	list = append(list, s.checkEventTriggers()...)
	for i := range list {
		if id := list[i].ID; list[i].Name == "" && id != (metadata.ObjectID{}) {
			list[i].Name = s.objectName(id)
		}
	}
	slices.SortStableFunc(list, compareInconsistencies)
	return list
}

func (s *Schema) sourceProblem(m *metadata.Source) string {
	if reason := unsupported(m, s.options); reason != "" {
		return reason
	}
	if reason := s.sourceErrors[m.Name]; reason != "" {
		return reason
	}
	if s.catalogs[m.Name] == nil {
		return fmt.Sprintf("source %q has not been introspected", m.Name)
	}
	if _, err := s.options.Kinds.Dialect(m.Kind, s.catalogs[m.Name], m.Configuration); err != nil {
		return apierror.From(err).Message
	}
	return ""
}

// unsupported is why a source can't be used, independently of its database; "" when it can.
func unsupported(m *metadata.Source, o Options) string {
	kind := o.Kinds[m.Kind]
	if kind == nil {
		return fmt.Sprintf("sources of kind %q are not supported", m.Kind)
	}
	return kind.Unsupported(m)
}

// brokenTables are the tables that can't be used at all. Their own objects aren't reported.
func (s *Source) brokenTables() []metadata.Inconsistency {
	if len(s.Tables) == len(s.Meta.Tables) {
		return nil
	}
	var list []metadata.Inconsistency
	for _, m := range s.Meta.Tables {
		if b := s.bases[m.Table]; b.problem != "" {
			id := metadata.ObjectID{Kind: metadata.ObjectTable, Source: s.Name, Table: m.Table}
			list = append(list, inconsistent(id, m.Table, b.problem))
		}
	}
	return list
}

// checkFunctions checks the tracked functions and their permissions.
func (s *Source) checkFunctions() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, m := range s.Meta.Functions {
		i := slices.IndexFunc(s.Functions, func(f *Function) bool { return f.Meta == m })
		if i < 0 {
			_, p := s.function(m)
			if !p.bare {
				p.reason = fmt.Sprintf("in function %q: %s", s.head.display(m.Function), p.reason)
			}
			id := metadata.ObjectID{Kind: metadata.ObjectFunction, Source: s.Name, Table: m.Function}
			list = append(list, inconsistent(id, m, p.reason))
			continue
		}
		returns := s.Functions[i].Returns
		for _, p := range m.Permissions {
			if returns.SelectPermission(p.Role) != nil {
				continue
			}
			id := metadata.ObjectID{Kind: metadata.ObjectFunctionPermission, Source: s.Name, Table: m.Function, Role: p.Role}
			list = append(list, inconsistent(id, struct {
				Function catalog.Name `json:"function"`
				Source   string       `json:"source"`
				Role     string       `json:"role"`
			}{m.Function, s.Name, p.Role}, fmt.Sprintf("no select permission defined on table %q for role %q", returns.Display(), p.Role)))
		}
	}
	return list
}

// inconsistent is the inconsistency of one object, which Inconsistencies gives its name.
func inconsistent(id metadata.ObjectID, definition any, reason string) metadata.Inconsistency {
	return metadata.Inconsistency{
		ID: id, Definition: definition, Reason: "Inconsistent object: " + reason, Type: id.Kind,
	}
}

func conflicting(reason string, objects []metadata.InconsistentObject) metadata.Inconsistency {
	return metadata.Inconsistency{Reason: "Conflicting objects: " + reason, Objects: objects}
}

// objectName is the name of an object in inconsistencies.
func (s *Schema) objectName(id metadata.ObjectID) string {
	return objectName(id, s.Document.Display(id.Source, id.Table))
}

// objectName is Schema.objectName with the name of the table or function as its source shows it.
func objectName(id metadata.ObjectID, table string) string {
	inTable := " in table " + table + " in source " + id.Source
	switch id.Kind {
	case metadata.ObjectSource:
		return "source " + id.Source
	case metadata.ObjectActionPermission:
		return fmt.Sprintf("%s %s permission in %s", id.Kind, id.Role, id.Name)
	case metadata.ObjectOpenTelemetry, metadata.ObjectCronTrigger, metadata.ObjectAction, metadata.ObjectCustomTypes:
		return id.Kind + " " + id.Name
	case metadata.ObjectInheritedRole:
		return "inherited_role inherited role " + id.Role
	case metadata.ObjectRemoteSchema:
		return id.Kind + " " + id.Remote
	case metadata.ObjectRemotePermission:
		return fmt.Sprintf("%s %s permission in remote schema %s", id.Kind, id.Role, id.Remote)
	case metadata.ObjectRemoteTypeRelation:
		return fmt.Sprintf("%s remote_relationship %s on type %s in remote schema %s", id.Kind, id.Name, id.Type, id.Remote)
	case metadata.ObjectTable, metadata.ObjectFunction, metadata.ObjectStoredProcedure:
		return fmt.Sprintf("%s %s in source %s", id.Kind, table, id.Source)
	case metadata.ObjectNativeQuery, metadata.ObjectLogicalModel, metadata.ObjectPublishedChanges:
		return fmt.Sprintf("%s %s in source %s", id.Kind, id.Name, id.Source)
	case metadata.ObjectFunctionPermission:
		return fmt.Sprintf("%s %s permission for function %s in source %s", id.Kind, id.Role, table, id.Source)
	}
	if id.Table == (catalog.Name{}) && id.Role != "" {
		return fmt.Sprintf("%s %s in logical model %s in source %s", id.Kind, id.Role, id.Name, id.Source)
	}
	if id.Role != "" {
		return id.Kind + " " + id.Role + inTable
	}
	return id.Kind + " " + id.Name + inTable
}

// kindOrder is the order in which inconsistent objects are listed.
var kindOrder = []string{
	metadata.ObjectSource, metadata.ObjectTable, metadata.ObjectObjectRelation, metadata.ObjectArrayRelation,
	metadata.ObjectComputedField, metadata.ObjectRemoteRelationship,
	metadata.ObjectInsertPermission, metadata.ObjectSelectPermission, metadata.ObjectUpdatePermission, metadata.ObjectDeletePermission,
	metadata.ObjectEventTrigger, metadata.ObjectFunction, metadata.ObjectFunctionPermission, metadata.ObjectNativeQuery,
	metadata.ObjectStoredProcedure, metadata.ObjectLogicalModel, metadata.ObjectPublishedChanges,
	metadata.ObjectRemoteSchema, metadata.ObjectRemotePermission, metadata.ObjectRemoteTypeRelation,
	metadata.ObjectCustomTypes, metadata.ObjectAction, metadata.ObjectActionPermission,
	metadata.ObjectRESTEndpoint,
	metadata.ObjectInheritedRole, metadata.ObjectOpenTelemetry,
}

// compareInconsistencies orders by kind, source and name; groups come after single
// objects, and what only informs comes last.
func compareInconsistencies(a, b metadata.Inconsistency) int {
	return cmp.Or(
		cmp.Compare(kindRank(a), kindRank(b)),
		strings.Compare(a.ID.Source, b.ID.Source),
		strings.Compare(a.ID.Table.Schema, b.ID.Table.Schema),
		strings.Compare(a.ID.Table.Name, b.ID.Table.Name),
		strings.Compare(a.Name, b.Name),
		strings.Compare(a.Reason, b.Reason),
	)
}

func kindRank(i metadata.Inconsistency) int {
	switch {
	case len(i.Objects) > 0, len(i.Conflicts) > 0:
		return len(kindOrder)
	case i.Entity != nil:
		return len(kindOrder) + 1
	}
	return slices.Index(kindOrder, i.Type)
}
