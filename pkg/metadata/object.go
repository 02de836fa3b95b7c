package metadata

import "queryengine/pkg/catalog"

// Kinds of objects in an ObjectID, spelt as inconsistent objects report them. Columns and
// constraints are no objects of the document, but others depend on them.
const (
	ObjectSource             = "source"
	ObjectTable              = "table"
	ObjectColumn             = "column"     // Table, Name
	ObjectConstraint         = "constraint" // Table, Name: a foreign key or unique constraint
	ObjectFunction           = "function"   // Table holds the function's name
	ObjectFunctionPermission = "function_permission"
	ObjectObjectRelation     = "object_relation"
	ObjectArrayRelation      = "array_relation"
	ObjectComputedField      = "computed_field"
	ObjectInsertPermission   = "insert_permission"
	ObjectSelectPermission   = "select_permission"
	ObjectUpdatePermission   = "update_permission"
	ObjectDeletePermission   = "delete_permission"
	ObjectEventTrigger       = "event_trigger"
	ObjectRemoteRelationship = "remote_relationship"
	ObjectNativeQuery        = "native_query"                      // Name: its root field
	ObjectStoredProcedure    = "stored_procedure"                  // Table holds the procedure's name
	ObjectLogicalModel       = "logical_model"                     // Name; its select permissions have Name and Role
	ObjectPublishedChanges   = "published_changes"                 // Name
	ObjectInheritedRole      = "inherited_role"                    // Role
	ObjectRESTEndpoint       = "rest_endpoint"                     // Name
	ObjectCronTrigger        = "cron_trigger"                      // Name
	ObjectRemoteSchema       = "remote_schema"                     // Remote
	ObjectRemotePermission   = "remote_schema_permission"          // Remote, Role
	ObjectRemoteTypeRelation = "remote_schema_remote_relationship" // Remote, Type, Name
	ObjectCollectionQuery    = "query_collections"                 // Source: the collection, Name
	ObjectOpenTelemetry      = "open_telemetry"                    // Name: the part of the settings
	ObjectCustomTypes        = "custom_types"
	ObjectAction             = "action"            // Name
	ObjectActionPermission   = "action_permission" // Name: the action; Role
)

// ObjectID names one object of the document; it is comparable. Fields that a kind has no
// use for are empty.
type ObjectID struct {
	Kind   string
	Source string
	// Table is the table, or the function's name for functions and their permissions.
	Table catalog.Name
	// Remote is a remote schema, Type one of its types.
	Remote string `json:",omitempty"`
	Type   string `json:",omitempty"`
	Name   string // relationship, computed field, column, constraint, trigger, ...
	Role   string // role of a permission, or an inherited role
}
