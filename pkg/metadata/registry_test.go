package metadata_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// specifiedPlain are the commands that belong to no source.
const specifiedPlain = `rename_source list_source_kinds get_source_kind_capabilities get_table_info set_query_tags
		dc_add_agent dc_delete_agent
		add_remote_schema update_remote_schema remove_remote_schema reload_remote_schema introspect_remote_schema
		add_remote_schema_permissions drop_remote_schema_permissions create_remote_schema_remote_relationship
		update_remote_schema_remote_relationship delete_remote_schema_remote_relationship
		cleanup_event_trigger_logs resume_event_trigger_cleanups pause_event_trigger_cleanups
		create_cron_trigger delete_cron_trigger get_cron_triggers create_scheduled_event delete_scheduled_event
		get_scheduled_events get_scheduled_event_invocations
		create_action update_action drop_action create_action_permission drop_action_permission set_custom_types
		create_query_collection rename_query_collection drop_query_collection add_query_to_collection
		drop_query_from_collection add_collection_to_allowlist update_scope_of_collection_in_allowlist
		drop_collection_from_allowlist create_rest_endpoint drop_rest_endpoint
		add_inherited_role drop_inherited_role add_host_to_tls_allowlist drop_host_from_tls_allowlist
		set_api_limits remove_api_limits set_metrics_config remove_metrics_config set_graphql_schema_introspection_options
		set_opentelemetry_config set_opentelemetry_status
		replace_metadata export_metadata clear_metadata reload_metadata get_inconsistent_metadata drop_inconsistent_metadata
		dump_internal_state get_catalog_state set_catalog_state test_webhook_transform bulk bulk_keep_going bulk_atomic`

// specifiedOfSources are the commands that PostgreSQL sources have, without their prefix.
func specifiedOfSources() (names []string) {
	for _, group := range specifiedByKind {
		if strings.Contains(group.kinds, metadata.DefaultKind) {
			names = append(names, strings.Fields(group.commands)...)
		}
	}
	return names
}

// elsewhere are the specified commands that the registry need not have, and why.
var elsewhere = map[string]string{
	"bulk": "made of other requests", "bulk_keep_going": "made of other requests", "bulk_atomic": "made of other requests",
	"get_catalog_state": "no part of the document",
	"set_catalog_state": "no part of the document",

	"dc_add_agent": "no data connectors", "dc_delete_agent": "no data connectors",

	"create_scheduled_event": "no part of the document", "delete_scheduled_event": "no part of the document",
	"get_scheduled_events": "no part of the document", "get_scheduled_event_invocations": "no part of the document",
}

func TestSpecifiedOperationsAreThere(t *testing.T) {
	t.Parallel()
	r := metadata.NewRegistry(backends())
	known := func(name string) bool {
		raw, err := metadata.Encode(map[string]any{"type": name, "args": json.RawMessage(`7`)})
		require.NoError(t, err)
		e, err := metadata.ParseEnvelope(raw)
		require.NoError(t, err)
		_, err = r.Operation(metadata.APIMetadata, e)
		return err == nil || !strings.Contains(apierror.From(err).Message, "unknown metadata command")
	}
	for _, name := range specifiedOfSources() {
		require.Equal(t, known("pg_"+name), elsewhere[name] == "", name) // no exception for what exists
		require.Equal(t, known("pg_"+name), known("postgres_"+name), name)
	}
	for name := range strings.FieldsSeq(specifiedPlain) {
		require.Equal(t, known(name), elsewhere[name] == "", name)
	}
}

// Each operation that is there stands in the table of its page.
func TestOperationsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metadata-api.md")
	require.NoError(t, err)
	for _, name := range specifiedOfSources() {
		kind := strings.Split(name, "_")
		if elsewhere[name] == "" && (len(kind) < 3 || kind[2] != "permission") { // "the same for insert, ..."
			require.Contains(t, string(page), "`pg_"+name+"`")
		}
	}
	for name := range strings.FieldsSeq(specifiedPlain) {
		require.Contains(t, string(page), "`"+name+"`")
	}
}

func TestDeprecatedEndpointHasNoLaterOperations(t *testing.T) {
	t.Parallel()
	r := metadata.NewRegistry(backends())
	for name, known := range map[string]bool{
		"track_table": true, "add_existing_table_or_view": true, "create_rest_endpoint": true,
		"add_source": false, "pg_track_table": false, "set_api_limits": false, "add_inherited_role": false,
		"set_table_custom_fields": false, // of version 2
	} {
		_, err := r.Operation(metadata.APIQueryV1, &metadata.Envelope{Type: name, Version: 1, Args: json.RawMessage(`7`)})
		require.Error(t, err)
		require.Equal(t, known, !strings.Contains(err.Error(), "unknown type"), name)
	}
}
