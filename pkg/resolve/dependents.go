package resolve

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// The kinds of metadata.ObjectID: those of inconsistent objects, and the parts of a table
// that other objects depend on.
const (
	KindSource             = "source"
	KindTable              = "table"
	KindColumn             = "column"     // Name is the column
	KindConstraint         = "constraint" // Name is the constraint
	KindObjectRelationship = "object_relation"
	KindArrayRelationship  = "array_relation"
	KindComputedField      = "computed_field"
	KindRemoteRelationship = "remote_relationship"
	KindEventTrigger       = "event_trigger"
	KindSelectPermission   = "select_permission"
	KindInsertPermission   = "insert_permission"
	KindUpdatePermission   = "update_permission"
	KindDeletePermission   = "delete_permission"
	KindFunction           = "function" // Table is the name of the function
	KindFunctionPermission = "function_permission"
	KindInheritedRole      = "inherited_role" // Role is the name
)

// TableID names a table.
func TableID(source string, table catalog.Name) metadata.ObjectID {
	return metadata.ObjectID{Kind: KindTable, Source: source, Table: table}
}

// ColumnID names a column of a table.
func ColumnID(source string, table catalog.Name, column string) metadata.ObjectID {
	return metadata.ObjectID{Kind: KindColumn, Source: source, Table: table, Name: column}
}

// ConstraintID names a key of a table.
func ConstraintID(source string, table catalog.Name, constraint string) metadata.ObjectID {
	return metadata.ObjectID{Kind: KindConstraint, Source: source, Table: table, Name: constraint}
}

// FunctionID names a function.
func FunctionID(source string, function catalog.Name) metadata.ObjectID {
	return metadata.ObjectID{Kind: KindFunction, Source: source, Table: function}
}

// FieldID names a relationship, computed field, remote relationship or event trigger.
func FieldID(kind, source string, table catalog.Name, name string) metadata.ObjectID {
	return metadata.ObjectID{Kind: kind, Source: source, Table: table, Name: name}
}

// PermissionID names a permission of a table.
func PermissionID(kind, source string, table catalog.Name, role string) metadata.ObjectID {
	return metadata.ObjectID{Kind: kind, Source: source, Table: table, Role: role}
}

// Dependents returns the objects that need one of ids, directly or by another object, in
// the order of their descriptions. Objects that go together with their table are not among
// them when the table itself is in ids.
func (s *Schema) Dependents(ids ...metadata.ObjectID) []metadata.ObjectID { return nil }

// Describe is the text of an object in dependency errors:
// `permission stock.clerk.select in source "default"`.
func Describe(id metadata.ObjectID) string { return "" }
