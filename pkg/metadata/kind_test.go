package metadata_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/metadata"
)

// specifiedByKind are the groups of commands of sources that the wire format has, with the kinds that
// have them. It has no SQLite, whose commands are those that it can do.
var specifiedByKind = []struct{ commands, kinds string }{
	{
		"add_source drop_source update_source set_table_customization set_apollo_federation_config",
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{
		"get_source_tables get_table_info describe_table track_table track_tables untrack_table untrack_tables",
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{
		`create_insert_permission create_select_permission create_update_permission create_delete_permission
		drop_insert_permission drop_select_permission drop_update_permission drop_delete_permission set_permission_comment`,
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{"get_source_functions track_function untrack_function set_function_customization", "postgres citus"},
	{"create_function_permission drop_function_permission", "postgres citus"},
	{
		`create_object_relationship create_array_relationship set_relationship_comment rename_relationship drop_relationship
		suggest_relationships`,
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{
		"create_remote_relationship update_remote_relationship delete_remote_relationship",
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{"set_table_is_enum", "postgres cockroach sqlite"},
	{
		`create_event_trigger delete_event_trigger invoke_event_trigger redeliver_event get_event_logs
		get_event_invocation_logs get_event_by_id count_event_invocations`,
		"postgres mssql",
	},
	{"add_computed_field drop_computed_field", "postgres bigquery"},
	{"test_connection_template", "postgres citus cockroach"},
	{"track_native_query untrack_native_query get_native_query", "postgres citus cockroach mssql bigquery sqlite"},
	{
		`track_logical_model untrack_logical_model get_logical_model create_logical_model_select_permission
		drop_logical_model_select_permission`,
		"postgres citus cockroach mssql bigquery sqlite",
	},
	{"track_stored_procedure untrack_stored_procedure get_stored_procedure", "mssql"},
	{"publish_changes unpublish_changes", "postgres"},
	{"get_source_trackables", "postgres"}, // which refuses: it is for data connectors
}

// TestEveryKindHasItsCommands walks all kinds and all commands of sources.
func TestEveryKindHasItsCommands(t *testing.T) {
	t.Parallel()
	r := metadata.NewRegistry(backends())
	for _, k := range metadata.KnownKinds() {
		for _, group := range specifiedByKind {
			for command := range strings.FieldsSeq(group.commands) {
				for _, prefix := range k.Prefixes {
					e := &metadata.Envelope{Type: prefix + "_" + command, Version: 1, Args: json.RawMessage(`7`)}
					o, err := r.Operation(metadata.APIMetadata, e)
					unknown := fmt.Sprintf("unknown metadata command %q for backend %s", command, k.Name)
					has := err == nil || !strings.HasSuffix(err.Error(), unknown)
					require.Equal(t, strings.Contains(" "+group.kinds+" ", " "+k.Name+" "), has, "%s: %v", e.Type, err)
					if o != nil {
						require.Equal(t, k.Name, o.Kind)
						require.NotNil(t, o.Args)
					}
				}
			}
		}
		_, err := r.Operation(metadata.APIMetadata, &metadata.Envelope{Type: k.Prefixes[0] + "_fly", Version: 1, Args: json.RawMessage(`{}`)})
		require.ErrorContains(t, err, `unknown metadata command "fly" for backend `+k.Name)
	}
	_, err := r.Operation(metadata.APIMetadata, &metadata.Envelope{Type: "oracle_track_table", Version: 1, Args: json.RawMessage(`{}`)})
	require.ErrorContains(t, err, `"oracle" was not recognized as a valid backend name`)
}

// TestCommandsOfKindsAreAllSpecified finds commands that a kind has besides those of the wire format.
func TestCommandsOfKindsAreAllSpecified(t *testing.T) {
	t.Parallel()
	specified, seen := map[string]bool{}, map[string]bool{}
	for _, group := range specifiedByKind {
		for command := range strings.FieldsSeq(group.commands) {
			specified[command] = true
		}
	}
	for name, o := range metadata.NewRegistry(backends()).All(metadata.APIMetadata) {
		if o.Kind == "" {
			continue
		}
		prefix, command, _ := strings.Cut(name, "_")
		require.Equal(t, o.Kind, metadata.KindNamed(prefix).Name, name)
		require.True(t, specified[command], name)
		seen[command] = true
	}
	require.Len(t, seen, len(specified))
}

// TestCommandsOfKindsInAtomicBulks walks all kinds and all commands: whether one can be an element of
// bulk_atomic depends on the command alone.
func TestCommandsOfKindsInAtomicBulks(t *testing.T) {
	t.Parallel()
	atomic := map[string]bool{}
	for command := range strings.FieldsSeq(`create_object_relationship create_array_relationship drop_relationship
		delete_remote_relationship track_native_query untrack_native_query track_logical_model untrack_logical_model
		track_stored_procedure untrack_stored_procedure`) {
		atomic[command] = true
	}
	walked := map[string]bool{}
	for name, o := range metadata.NewRegistry(backends()).All(metadata.APIMetadata) {
		if o.Kind == "" {
			continue
		}
		_, command, _ := strings.Cut(name, "_")
		require.Equal(t, atomic[command], o.InAtomicBulk(), name)
		if o.InAtomicBulk() {
			require.Implements(t, (*metadata.Command)(nil), o.Args, name)
			walked[command] = true
		}
	}
	require.Equal(t, atomic, walked)
}

// TestKinds holds what documents rely on: each kind has one name and prefixes of its own, and is found
// by each of them.
func TestKinds(t *testing.T) {
	t.Parallel()
	names := map[string]*metadata.Kind{}
	for _, k := range metadata.KnownKinds() {
		require.NotEmpty(t, k.Display)
		require.NotEmpty(t, k.System)
		require.NotEmpty(t, k.Prefixes)
		for _, name := range append([]string{k.Name}, k.Prefixes...) {
			require.True(t, names[name] == nil || names[name] == k, name)
			names[name] = k
			require.Same(t, k, metadata.KindNamed(name))
		}
		doc := fmt.Sprintf(`{"version": 3, "sources": [{"name": "a", "kind": %q, "tables": [], "configuration": {"connection_info": {"database_url": "x"}, "project_id": "p", "datasets": ["d"]}}]}`, k.Prefixes[len(k.Prefixes)-1])
		d, err := metadata.Parse([]byte(doc), &metadata.Document{}, backends())
		require.NoError(t, err)
		source := d.Sources[0]
		require.Equal(t, k.Name, source.Kind)
		require.False(t, source.IsForeign())
	}
	require.Nil(t, metadata.KindNamed("abacus"))
	require.NotNil(t, metadata.KindNamed(metadata.DefaultKind))
}

// backends are the kinds that the programs have backends for.
func backends() metadata.Kinds { return kind.All(os.LookupEnv, "test").Metadata() }

func TestKindsHaveACodeForTheFailuresOfTheirDatabases(t *testing.T) {
	t.Parallel()
	for _, k := range metadata.KnownKinds() {
		require.NotEmpty(t, k.Failure, k.Name)
	}
}
