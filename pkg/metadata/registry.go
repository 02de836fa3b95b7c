package metadata

import "slices"

// operation is one line of the registry.
type operation struct {
	name string
	args func() any // a Command, a Query or a Batch, or what the service runs in the sources
}

// sourceOperation is an operation of the kinds of sources that can do what it needs.
type sourceOperation struct {
	operation
	needs Capability
}

// needing are the operations that need a capability, besides those that every kind has.
func needing(c Capability, list ...operation) []sourceOperation {
	all := make([]sourceOperation, len(list))
	for i, o := range list {
		all[i] = sourceOperation{o, c}
	}
	return all
}

func of[A any]() func() any { return func() any { return new(A) } }

// sourceOperations are the commands of sources, under their names without prefix, by what they need.
func sourceOperations() []sourceOperation {
	return slices.Concat(
		needing(0,
			operation{"add_source", of[AddSource]()},
			operation{"drop_source", of[DropSource]()},
			operation{"update_source", of[UpdateSource]()},
			operation{"get_source_tables", of[GetSourceTables]()},
			operation{"get_table_info", of[GetTableInfo]()},
			operation{"track_table", of[TrackTable]()},
			operation{"track_tables", of[TrackTables]()},
			operation{"untrack_table", of[UntrackTable]()},
			operation{"untrack_tables", of[UntrackTables]()},
			operation{"set_table_customization", of[SetTableCustomization]()},
			operation{"set_apollo_federation_config", of[SetApolloFederation]()},
			operation{"create_object_relationship", of[CreateRelationship]()},
			operation{"create_array_relationship", of[CreateArrayRelationship]()},
			operation{"drop_relationship", of[DropRelationship]()},
			operation{"rename_relationship", of[RenameRelationship]()},
			operation{"set_relationship_comment", of[SetRelationshipComment]()},
			operation{"create_remote_relationship", of[CreateRemoteRelationship]()},
			operation{"update_remote_relationship", of[UpdateRemoteRelationship]()},
			operation{"delete_remote_relationship", of[DeleteRemoteRelationship]()},
			operation{"suggest_relationships", of[SuggestRelationships]()},
			operation{"create_insert_permission", of[CreatePermission[InsertPermission]]()},
			operation{"create_select_permission", of[CreatePermission[SelectPermission]]()},
			operation{"create_update_permission", of[CreatePermission[UpdatePermission]]()},
			operation{"create_delete_permission", of[CreatePermission[DeletePermission]]()},
			operation{"drop_insert_permission", of[DropPermission[InsertPermission]]()},
			operation{"drop_select_permission", of[DropPermission[SelectPermission]]()},
			operation{"drop_update_permission", of[DropPermission[UpdatePermission]]()},
			operation{"drop_delete_permission", of[DropPermission[DeletePermission]]()},
			operation{"set_permission_comment", of[SetPermissionComment]()},
			operation{"track_logical_model", of[TrackLogicalModel]()},
			operation{"untrack_logical_model", of[UntrackLogicalModel]()},
			operation{"get_logical_model", of[GetLogicalModel]()},
			operation{"create_logical_model_select_permission", of[CreateLogicalModelPermission]()},
			operation{"drop_logical_model_select_permission", of[DropLogicalModelPermission]()},
			operation{"track_native_query", of[TrackNativeQuery]()},
			operation{"untrack_native_query", of[UntrackNativeQuery]()},
			operation{"get_native_query", of[GetNativeQuery]()},
		),
		needing(Functions,
			operation{"track_function", of[TrackFunction]()},
			operation{"untrack_function", of[UntrackFunction]()},
			operation{"set_function_customization", of[SetFunctionCustomization]()},
			operation{"create_function_permission", of[CreateFunctionPermission]()},
			operation{"drop_function_permission", of[DropFunctionPermission]()},
		),
		needing(EnumTables,
			operation{"set_table_is_enum", of[SetTableIsEnum]()},
		),
		needing(EventTriggers,
			operation{"create_event_trigger", of[CreateEventTrigger]()},
			operation{"delete_event_trigger", of[DeleteEventTrigger]()},
			operation{"invoke_event_trigger", of[InvokeEventTrigger]()},
			operation{"redeliver_event", of[RedeliverEvent]()},
			operation{"get_event_logs", of[GetEventLogs]()},
			operation{"get_event_invocation_logs", of[GetEventInvocationLogs]()},
			operation{"get_event_by_id", of[GetEventByID]()},
		),
		needing(ComputedFields,
			operation{"add_computed_field", of[AddComputedField]()},
			operation{"drop_computed_field", of[DropComputedField]()},
		),
		needing(ConnectionTemplates,
			operation{"test_connection_template", of[TestConnectionTemplate]()},
		),
		needing(Trackables,
			operation{"get_source_trackables", of[GetSourceTrackables]()},
		),
		needing(StoredProcedures,
			operation{"track_stored_procedure", unavailable("track_stored_procedure")},
			operation{"untrack_stored_procedure", unavailable("untrack_stored_procedure")},
			operation{"get_stored_procedure", unavailable("get_stored_procedure")},
		),
	)
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
	source map[string]sourceOperation
	plain  map[string]func() any
	kinds  Kinds
}

// NewRegistry returns the registry of all operations, for the kinds that there are backends for.
func NewRegistry(kinds Kinds) *Registry {
	r := &Registry{source: map[string]sourceOperation{}, plain: map[string]func() any{}, kinds: kinds}
	for _, o := range sourceOperations() {
		r.source[o.name] = o
	}
	for _, o := range operations() {
		r.plain[o.name] = o.args
	}
	return r
}

// ofSource are the arguments of a command of a kind of sources, nil when it has none of the name.
func (r *Registry) ofSource(k *Kind, command string) func() any {
	o, known := r.source[command]
	switch {
	case !known || !k.Can(o.needs):
		return nil
	case !k.Available && command != "drop_source":
		return unavailable(command)
	}
	return o.args
}
