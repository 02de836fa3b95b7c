// Package metadata is the user's document: sources, tables, relationships, permissions and
// everything else that the metadata API changes. One file per object kind holds its type,
// the argument types of its operations, Validate and Apply.
//
// Apply is pure: from a document and arguments to a new document that shares every
// unchanged object with the old one by pointer, so that the difference of two documents is
// found by comparing pointers. Database work is returned as data, never done here.
package metadata

import (
	"encoding/json"

	"queryengine/pkg/catalog"
)

// Document is the whole of the metadata, version 3. Documents and all objects in them are
// immutable once they are part of a document. Lists are kept in the order of the export.
type Document struct {
	Version          int               `json:"version"`
	Sources          []*Source         `json:"sources"`
	RemoteSchemas    []json.RawMessage `json:"remote_schemas,omitempty"`
	QueryCollections []json.RawMessage `json:"query_collections,omitempty"`
	Allowlist        []json.RawMessage `json:"allowlist,omitempty"`
	Actions          []json.RawMessage `json:"actions,omitempty"`
	CustomTypes      json.RawMessage   `json:"custom_types,omitempty"`
	CronTriggers     []json.RawMessage `json:"cron_triggers,omitempty"`
	RESTEndpoints    []json.RawMessage `json:"rest_endpoints,omitempty"`
	APILimits        json.RawMessage   `json:"api_limits,omitempty"`
	MetricsConfig    json.RawMessage   `json:"metrics_config,omitempty"`
	InheritedRoles   []*InheritedRole  `json:"inherited_roles,omitempty"`
	Introspection    json.RawMessage   `json:"graphql_schema_introspection,omitempty"`
	Network          json.RawMessage   `json:"network,omitempty"`
	BackendConfigs   json.RawMessage   `json:"backend_configs,omitempty"`
	OpenTelemetry    json.RawMessage   `json:"opentelemetry,omitempty"`
}

// InheritedRole is a role made of others.
type InheritedRole struct {
	Name string   `json:"role_name"`
	Set  []string `json:"role_set"`
}

// Source is one database.
type Source struct {
	Name             string              `json:"name"`
	Kind             string              `json:"kind"`
	Tables           []*Table            `json:"tables"`
	Functions        []*Function         `json:"functions,omitempty"`
	NativeQueries    []json.RawMessage   `json:"native_queries,omitempty"`
	StoredProcedures []json.RawMessage   `json:"stored_procedures,omitempty"`
	LogicalModels    []json.RawMessage   `json:"logical_models,omitempty"`
	Configuration    SourceConfiguration `json:"configuration"`
	QueryTags        json.RawMessage     `json:"query_tags,omitempty"`
	Customization    *Customization      `json:"customization,omitempty"`
	HealthCheck      json.RawMessage     `json:"health_check,omitempty"`
}

// SourceConfiguration says how a PostgreSQL source is reached.
type SourceConfiguration struct {
	ConnectionInfo   ConnectionInfo   `json:"connection_info"`
	ReadReplicas     []ConnectionInfo `json:"read_replicas,omitempty"`
	ExtensionsSchema string           `json:"extensions_schema,omitempty"`
}

// ConnectionInfo is one address and its options.
type ConnectionInfo struct {
	// DatabaseURL is a text, {"from_env": NAME}, {"connection_parameters": {...}} or
	// {"dynamic_from_file": PATH}, as given.
	DatabaseURL           json.RawMessage `json:"database_url"`
	IsolationLevel        string          `json:"isolation_level"`
	PoolSettings          *PoolSettings   `json:"pool_settings,omitempty"`
	SSLConfiguration      json.RawMessage `json:"ssl_configuration,omitempty"`
	UsePreparedStatements bool            `json:"use_prepared_statements"`
}

// PoolSettings bound the pool of a source; nil fields take the server's defaults.
type PoolSettings struct {
	ConnectionLifetime  *int `json:"connection_lifetime,omitempty"` // s
	IdleTimeout         *int `json:"idle_timeout,omitempty"`        // s
	MaxConnections      *int `json:"max_connections,omitempty"`
	PoolTimeout         *int `json:"pool_timeout,omitempty"` // s
	Retries             *int `json:"retries,omitempty"`
	TotalMaxConnections *int `json:"total_max_connections,omitempty"`
}

// Customization changes the names that a source brings into the schema.
type Customization struct {
	RootFields       *RootFieldsCustomization `json:"root_fields,omitempty"`
	TypeNames        *Affixes                 `json:"type_names,omitempty"`
	NamingConvention string                   `json:"naming_convention,omitempty"`
}

// RootFieldsCustomization wraps root fields.
type RootFieldsCustomization struct {
	Namespace string `json:"namespace,omitempty"`
	Prefix    string `json:"prefix,omitempty"`
	Suffix    string `json:"suffix,omitempty"`
}

// Affixes wrap type names.
type Affixes struct {
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// Table is one tracked table or view. catalog.Name encodes as {"name","schema"}.
type Table struct {
	Table               catalog.Name                    `json:"table"`
	IsEnum              bool                            `json:"is_enum,omitempty"`
	Configuration       *TableConfiguration             `json:"configuration,omitempty"`
	ObjectRelationships []*Relationship                 `json:"object_relationships,omitempty"`
	ArrayRelationships  []*Relationship                 `json:"array_relationships,omitempty"`
	ComputedFields      []*ComputedField                `json:"computed_fields,omitempty"`
	RemoteRelationships []json.RawMessage               `json:"remote_relationships,omitempty"`
	InsertPermissions   []*Permission[InsertPermission] `json:"insert_permissions,omitempty"`
	SelectPermissions   []*Permission[SelectPermission] `json:"select_permissions,omitempty"`
	UpdatePermissions   []*Permission[UpdatePermission] `json:"update_permissions,omitempty"`
	DeletePermissions   []*Permission[DeletePermission] `json:"delete_permissions,omitempty"`
	EventTriggers       []json.RawMessage               `json:"event_triggers,omitempty"`
	ApolloFederation    json.RawMessage                 `json:"apollo_federation_config,omitempty"`
	LogicalModel        string                          `json:"logical_model,omitempty"`
}

// TableConfiguration customises names and descriptions.
type TableConfiguration struct {
	ColumnConfig      map[string]ColumnConfig    `json:"column_config"`
	Comment           *string                    `json:"comment,omitempty"`
	CustomColumnNames map[string]string          `json:"custom_column_names"`
	CustomName        string                     `json:"custom_name,omitempty"`
	CustomRootFields  map[string]CustomRootField `json:"custom_root_fields"`
}

// ColumnConfig customises one column.
type ColumnConfig struct {
	CustomName string  `json:"custom_name,omitempty"`
	Comment    *string `json:"comment,omitempty"`
}

// CustomRootField is a name, or a name and a comment; it encodes as a text without one.
type CustomRootField struct {
	Name    string
	Comment *string
}

// Relationship is an object or array relationship of a table.
type Relationship struct {
	Name    string            `json:"name"`
	Using   RelationshipUsing `json:"using"`
	Comment *string           `json:"comment,omitempty"`
}

// RelationshipUsing is one of: a foreign key of this table (Columns), a foreign key of
// another table that points here (Remote), a manual mapping (Manual). Its JSON forms are
// those of the wire format.
type RelationshipUsing struct {
	Columns []string
	Remote  *RemoteForeignKey
	Manual  *ManualConfiguration
}

// RemoteForeignKey names the foreign key of another table.
type RemoteForeignKey struct {
	Table   catalog.Name
	Columns []string
}

// ManualConfiguration maps columns of this table to columns of the other.
type ManualConfiguration struct {
	RemoteTable    catalog.Name
	ColumnMapping  map[string]string
	InsertionOrder *string
}

// ComputedField is a field whose value a function of the row gives.
type ComputedField struct {
	Name       string                  `json:"name"`
	Definition ComputedFieldDefinition `json:"definition"`
	Comment    *string                 `json:"comment,omitempty"`
}

// ComputedFieldDefinition names the function.
type ComputedFieldDefinition struct {
	Function        catalog.Name `json:"function"`
	TableArgument   string       `json:"table_argument,omitempty"`
	SessionArgument string       `json:"session_argument,omitempty"`
}

// Function is a tracked function.
type Function struct {
	Function      catalog.Name           `json:"function"`
	Configuration *FunctionConfiguration `json:"configuration,omitempty"`
	Permissions   []FunctionPermission   `json:"permissions,omitempty"`
	Comment       *string                `json:"comment,omitempty"`
}

// FunctionConfiguration customises a tracked function.
type FunctionConfiguration struct {
	CustomName       string            `json:"custom_name,omitempty"`
	CustomRootFields map[string]string `json:"custom_root_fields,omitempty"`
	SessionArgument  string            `json:"session_argument,omitempty"`
	ExposedAs        string            `json:"exposed_as,omitempty"`
	Response         json.RawMessage   `json:"response,omitempty"`
}

// FunctionPermission lets a role use a function.
type FunctionPermission struct {
	Role string `json:"role"`
}

// Permission is the permission of one role on one table for one operation.
type Permission[P any] struct {
	Role       string  `json:"role"`
	Permission P       `json:"permission"`
	Comment    *string `json:"comment,omitempty"`
}

// Columns is a list of column names, or all ("*").
type Columns struct {
	All   bool
	Names []string
}

// InsertPermission says what may be inserted. Expressions are kept as given.
type InsertPermission struct {
	Check json.RawMessage `json:"check"`
	// Set holds the presets in the given order.
	Set           json.RawMessage `json:"set,omitempty"`
	Columns       *Columns        `json:"columns,omitempty"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

// SelectPermission says what may be read.
type SelectPermission struct {
	Columns                Columns         `json:"columns"`
	ComputedFields         []string        `json:"computed_fields,omitempty"`
	Filter                 json.RawMessage `json:"filter"`
	Limit                  *int            `json:"limit,omitempty"`
	AllowAggregations      bool            `json:"allow_aggregations,omitempty"`
	QueryRootFields        *[]string       `json:"query_root_fields,omitempty"`
	SubscriptionRootFields *[]string       `json:"subscription_root_fields,omitempty"`
}

// UpdatePermission says what may be changed.
type UpdatePermission struct {
	Columns       Columns         `json:"columns"`
	Filter        json.RawMessage `json:"filter"`
	Check         json.RawMessage `json:"check"` // null for none
	Set           json.RawMessage `json:"set,omitempty"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

// DeletePermission says what may be deleted.
type DeletePermission struct {
	Filter        json.RawMessage `json:"filter"`
	BackendOnly   bool            `json:"backend_only,omitempty"`
	ValidateInput json.RawMessage `json:"validate_input,omitempty"`
}

// Inconsistency is one inconsistent object, as the API reports it.
type Inconsistency struct {
	ID         ObjectID        `json:"-"`
	Definition any             `json:"definition"`
	Name       string          `json:"name"`
	Reason     string          `json:"reason"`
	Type       string          `json:"type"`
	Message    json.RawMessage `json:"message,omitempty"`
}
