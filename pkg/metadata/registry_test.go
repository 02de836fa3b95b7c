package metadata_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
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

// missing are the specified commands that there are not.
var missing = map[string]string{
	"dc_add_agent": "no data connectors", "dc_delete_agent": "no data connectors",
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
		require.Equal(t, known("pg_"+name), missing[name] == "", name) // no exception for what exists
		require.Equal(t, known("pg_"+name), known("postgres_"+name), name)
	}
	for name := range strings.FieldsSeq(specifiedPlain) {
		require.Equal(t, known(name), missing[name] == "", name)
	}
}

// Each operation that is there stands in the table of its page. At /v1/query and /v2/query they have the
// same names without a prefix.
func TestOperationsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metadata-api.md")
	require.NoError(t, err)
	for name := range strings.FieldsSeq(specifiedPlain) {
		require.Contains(t, string(page), "`"+name+"`")
	}
	for name, o := range metadata.NewRegistry(backends()).All(metadata.APIMetadata) {
		words := strings.Split(name, "_")
		switch {
		case o.Kind != "" && words[0] != "pg": // "may also be spelt"
		case len(words) > 3 && words[3] == "permission": // "the same for insert, ..."
		default:
			require.Contains(t, string(page), "`"+name+"`")
		}
	}
	for name := range metadata.NewRegistry(backends()).All(metadata.APIQueryV2) {
		if strings.Contains(name, "bulk") {
			require.Contains(t, string(page), "`"+name+"`")
		}
	}
}

var unknownOperation = regexp.MustCompile("^(unknown (metadata command|type)|Unrecognised RQLQuery type)")

// TestTableOfOperations holds what the service knows of each operation before it runs it: one that
// changes there changes what clients may do.
func TestTableOfOperations(t *testing.T) {
	t.Parallel()
	var lines []string
	r := metadata.NewRegistry(backends())
	for api, endpoint := range []string{"/v1/metadata", "/v1/query", "/v2/query"} {
		for name, o := range r.All(metadata.API(api)) {
			if o.Kind != "" && o.Kind != metadata.DefaultKind || strings.HasPrefix(name, "postgres_") {
				continue
			}
			var traits, versions []string
			for version := 1; version <= 2; version++ {
				_, err := r.Operation(metadata.API(api), &metadata.Envelope{Type: name, Version: version, Args: json.RawMessage(`7`)})
				if message := apierror.From(err); message == nil || !unknownOperation.MatchString(message.Message) {
					versions = append(versions, strconv.Itoa(version))
				}
			}
			for trait, has := range map[string]bool{
				"modifies": o.Modifies(), "any role": !o.AdminOnly(), "no dry run": !o.CanDryRun(), "in bulk_atomic": o.InAtomicBulk(),
			} {
				if has {
					traits = append(traits, trait)
				}
			}
			slices.Sort(traits)
			lines = append(lines, fmt.Sprintf("%-13s %-45s %-4s %-65T %s",
				endpoint, name, strings.Join(versions, ","), o.Args, strings.Join(traits, ", ")))
		}
	}
	slices.Sort(lines)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("testdata/operations.txt", []byte(got), 0o600))
	}
	require.Equal(t, string(read(t, "testdata/operations.txt")), got)
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
