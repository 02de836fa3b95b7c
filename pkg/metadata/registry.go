package metadata

// operation is one line of the registry.
type operation struct {
	name string
	args func() any // a Command, a Query or a Batch, or what the service works off in the sources
}

func of[A any]() func() any { return func() any { return new(A) } }

// sourceOperations are the commands of sources, under their names without prefix.
func sourceOperations() []operation {
	return []operation{
		{"add_source", of[AddSource]()},
		{"drop_source", of[DropSource]()},
		{"update_source", of[UpdateSource]()},
		{"get_source_tables", of[GetSourceTables]()},
		{"get_source_trackables", of[GetSourceTrackables]()},
		{"get_table_info", of[GetTableInfo]()},
		{"test_connection_template", of[TestConnectionTemplate]()},
		{"track_table", of[TrackTable]()},
		{"track_tables", of[TrackTables]()},
		{"untrack_table", of[UntrackTable]()},
		{"untrack_tables", of[UntrackTables]()},
		{"set_table_customization", of[SetTableCustomization]()},
		{"set_table_is_enum", of[SetTableIsEnum]()},
		{"set_apollo_federation_config", of[SetApolloFederation]()},
		{"create_object_relationship", of[CreateRelationship]()},
		{"create_array_relationship", of[CreateArrayRelationship]()},
		{"drop_relationship", of[DropRelationship]()},
		{"rename_relationship", of[RenameRelationship]()},
		{"set_relationship_comment", of[SetRelationshipComment]()},
		{"create_remote_relationship", of[CreateRemoteRelationship]()},
		{"update_remote_relationship", of[UpdateRemoteRelationship]()},
		{"delete_remote_relationship", of[DeleteRemoteRelationship]()},
		{"suggest_relationships", of[SuggestRelationships]()},
		{"create_insert_permission", of[CreatePermission[InsertPermission]]()},
		{"create_select_permission", of[CreatePermission[SelectPermission]]()},
		{"create_update_permission", of[CreatePermission[UpdatePermission]]()},
		{"create_delete_permission", of[CreatePermission[DeletePermission]]()},
		{"drop_insert_permission", of[DropPermission[InsertPermission]]()},
		{"drop_select_permission", of[DropPermission[SelectPermission]]()},
		{"drop_update_permission", of[DropPermission[UpdatePermission]]()},
		{"drop_delete_permission", of[DropPermission[DeletePermission]]()},
		{"set_permission_comment", of[SetPermissionComment]()},
		{"track_function", of[TrackFunction]()},
		{"untrack_function", of[UntrackFunction]()},
		{"set_function_customization", of[SetFunctionCustomization]()},
		{"create_function_permission", of[CreateFunctionPermission]()},
		{"drop_function_permission", of[DropFunctionPermission]()},
		{"add_computed_field", of[AddComputedField]()},
		{"drop_computed_field", of[DropComputedField]()},
		{"create_event_trigger", of[CreateEventTrigger]()},
		{"delete_event_trigger", of[DeleteEventTrigger]()},
		{"invoke_event_trigger", of[InvokeEventTrigger]()},
		{"redeliver_event", of[RedeliverEvent]()},
		{"get_event_logs", of[GetEventLogs]()},
		{"get_event_invocation_logs", of[GetEventInvocationLogs]()},
		{"get_event_by_id", of[GetEventByID]()},
		{"track_logical_model", of[TrackLogicalModel]()},
		{"untrack_logical_model", of[UntrackLogicalModel]()},
		{"get_logical_model", of[GetLogicalModel]()},
		{"create_logical_model_select_permission", of[CreateLogicalModelPermission]()},
		{"drop_logical_model_select_permission", of[DropLogicalModelPermission]()},
		{"track_native_query", of[TrackNativeQuery]()},
		{"untrack_native_query", of[UntrackNativeQuery]()},
		{"get_native_query", of[GetNativeQuery]()},
	}
}

// operations are the commands that belong to no source.
func operations() []operation {
	return []operation{
		{"rename_source", of[RenameSource]()},
		{"list_source_kinds", of[ListSourceKinds]()},
		{"get_source_kind_capabilities", of[GetSourceKindCapabilities]()},
		{"get_table_info", of[GetAgentTableInfo]()},
		{"set_query_tags", of[SetQueryTags]()},
		{"add_remote_schema", of[AddRemoteSchema]()},
		{"update_remote_schema", of[UpdateRemoteSchema]()},
		{"remove_remote_schema", of[RemoveRemoteSchema]()},
		{"reload_remote_schema", of[ReloadRemoteSchema]()},
		{"introspect_remote_schema", of[IntrospectRemoteSchema]()},
		{"create_remote_schema_remote_relationship", of[CreateRemoteTypeRelationship]()},
		{"update_remote_schema_remote_relationship", of[UpdateRemoteTypeRelationship]()},
		{"delete_remote_schema_remote_relationship", of[DeleteRemoteTypeRelationship]()},
		{"add_remote_schema_permissions", of[AddRemoteSchemaPermissions]()},
		{"drop_remote_schema_permissions", of[DropRemoteSchemaPermissions]()},
		{"add_inherited_role", of[AddInheritedRole]()},
		{"drop_inherited_role", of[DropInheritedRole]()},
		{"create_query_collection", of[CreateQueryCollection]()},
		{"rename_query_collection", of[RenameQueryCollection]()},
		{"drop_query_collection", of[DropQueryCollection]()},
		{"add_query_to_collection", of[AddQueryToCollection]()},
		{"drop_query_from_collection", of[DropQueryFromCollection]()},
		{"add_collection_to_allowlist", of[AddCollectionToAllowlist]()},
		{"update_scope_of_collection_in_allowlist", of[UpdateScopeInAllowlist]()},
		{"drop_collection_from_allowlist", of[DropCollectionFromAllowlist]()},
		{"set_graphql_schema_introspection_options", of[SetGraphQLIntrospection]()},
		{"create_rest_endpoint", of[CreateRESTEndpoint]()},
		{"drop_rest_endpoint", of[DropRESTEndpoint]()},
		{"add_host_to_tls_allowlist", of[AddTLSHost]()},
		{"drop_host_from_tls_allowlist", of[DropTLSHost]()},
		{"set_api_limits", of[SetAPILimits]()},
		{"remove_api_limits", of[RemoveAPILimits]()},
		{"set_metrics_config", of[SetMetricsConfig]()},
		{"remove_metrics_config", of[RemoveMetricsConfig]()},
		{"set_opentelemetry_config", of[SetOpenTelemetryConfig]()},
		{"set_opentelemetry_status", of[SetOpenTelemetryStatus]()},
		{"pause_event_trigger_cleanups", of[PauseCleanups]()},
		{"resume_event_trigger_cleanups", of[ResumeCleanups]()},
		{"set_custom_types", of[SetCustomTypes]()},
		{"create_action", of[CreateAction]()},
		{"update_action", of[UpdateAction]()},
		{"drop_action", of[DropAction]()},
		{"create_action_permission", of[CreateActionPermission]()},
		{"drop_action_permission", of[DropActionPermission]()},
		{"cleanup_event_trigger_logs", of[CleanupEventLogs]()},
		{"create_cron_trigger", of[CreateCronTrigger]()},
		{"delete_cron_trigger", of[DeleteCronTrigger]()},
		{"get_cron_triggers", of[GetCronTriggers]()},
		{"export_metadata", of[ExportMetadata]()},
		{"replace_metadata", of[ReplaceMetadata]()},
		{"reload_metadata", of[ReloadMetadata]()},
		{"clear_metadata", of[ClearMetadata]()},
		{"get_inconsistent_metadata", of[GetInconsistentMetadata]()},
		{"drop_inconsistent_metadata", of[DropInconsistentMetadata]()},
		{"dump_internal_state", of[DumpInternalState]()},
		{"test_webhook_transform", of[TestWebhookTransform]()},
	}
}

// Registry finds the operations by their names. It is safe for concurrent use.
type Registry struct {
	source, plain map[string]func() any
	others        otherKinds
}

// NewRegistry returns the registry of all operations.
func NewRegistry() *Registry {
	r := &Registry{source: map[string]func() any{}, plain: map[string]func() any{}}
	for _, o := range sourceOperations() {
		r.source[o.name] = o.args
	}
	r.others = newOtherKinds(sortedKeys(r.source))
	for _, o := range operations() {
		r.plain[o.name] = o.args
	}
	return r
}

// backendKinds are the prefixes of the commands of sources.
var backendKinds = map[string]string{
	"pg":       KindPostgres,
	"postgres": KindPostgres,

	"citus":     KindCitus,
	"cockroach": KindCockroach,
	"mssql":     KindMSSQL,
	"bigquery":  KindBigQuery,
}
