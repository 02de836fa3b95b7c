package metadata

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
)

// commandsElsewhere are commands of sources that have tests of their own, because they need more than a
// source: an event, or a template.
var commandsElsewhere = map[string]bool{
	"invoke_event_trigger": true, "redeliver_event": true, "get_event_invocation_logs": true, "get_event_by_id": true,
	"count_event_invocations":  true,
	"test_connection_template": true, "get_source_trackables": true,
}

// TestCommandsOfEveryKind does what a user does with a source, for every kind that the tests have a database
// of: each command of sources that the kind has, with the prefix of the kind, in an order in which all of
// them succeed. A command that the kind lacks is unknown.
func TestCommandsOfEveryKind(t *testing.T) {
	t.Parallel()
	steps := []struct {
		needs              metadata.Capability
		api, command, args string
	}{
		{0, "m", "add_source", `{"name":"s","configuration":CONFIGURATION}`},
		{0, "q", "run_sql", `{"source":"s","sql":"CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"}`},
		{0, "q", "run_sql", `{"source":"s","sql":"CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author(id), kind TEXT)"}`},
		{0, "q", "run_sql", `{"source":"s","sql":"CREATE TABLE kind (value TEXT PRIMARY KEY, comment TEXT)"}`},
		{0, "q", "run_sql", `{"source":"s","sql":"INSERT INTO kind VALUES ('novel', 'a long one')"}`},
		{0, "q", "run_sql", `{"source":"s","sql":"SELECT value FROM kind","read_only":true}`},
		{0, "m", "get_source_tables", `{"source":"s"}`},
		{0, "m", "get_table_info", `{"source":"s","table":"author"}`},
		{0, "m", "describe_table", `{"source":"s","table":"author"}`},
		{0, "m", "track_table", `{"source":"s","table":"author"}`},
		{0, "m", "track_tables", `{"tables":[{"source":"s","table":"book"},{"source":"s","table":"kind"}]}`},
		{0, "m", "suggest_relationships", `{"source":"s"}`},
		{0, "m", "set_table_customization", `{"source":"s","table":"book","configuration":{"custom_name":"books"}}`},
		{0, "m", "set_apollo_federation_config", `{"source":"s","table":"author","apollo_federation_config":{"enable":"v1"}}`},
		{metadata.EnumTables, "m", "set_table_is_enum", `{"source":"s","table":"kind","is_enum":true}`},
		{metadata.EnumTables, "m", "set_table_is_enum", `{"source":"s","table":"kind","is_enum":false}`},
		{0, "m", "create_object_relationship", `{"source":"s","table":"book","name":"author","using":{"foreign_key_constraint_on":"author_id"}}`},
		{0, "m", "create_array_relationship", `{"source":"s","table":"author","name":"books","using":{"foreign_key_constraint_on":{"table":"book","column":"author_id"}}}`},
		{0, "m", "set_relationship_comment", `{"source":"s","table":"author","name":"books","comment":"c"}`},
		{0, "m", "rename_relationship", `{"source":"s","table":"author","name":"books","new_name":"works"}`},
		{0, "m", "create_remote_relationship", `{"source":"s","table":"book","name":"genre","definition":{"to_source":{"source":"s","table":"kind","relationship_type":"object","field_mapping":{"kind":"value"}}}}`},
		{0, "m", "update_remote_relationship", `{"source":"s","table":"book","name":"genre","definition":{"to_source":{"source":"s","table":"kind","relationship_type":"array","field_mapping":{"kind":"value"}}}}`},
		{0, "m", "delete_remote_relationship", `{"source":"s","table":"book","name":"genre"}`},
		{0, "m", "create_select_permission", `{"source":"s","table":"author","role":"r","permission":{"columns":"*","filter":{"works":{"kind":{"_eq":"novel"}}},"allow_aggregations":true}}`},
		{0, "m", "set_permission_comment", `{"source":"s","table":"author","role":"r","type":"select","comment":"c"}`},
		{metadata.Mutations, "m", "create_insert_permission", `{"source":"s","table":"author","role":"r","permission":{"columns":"*","check":{"id":{"_gt":0}}}}`},
		{metadata.Mutations, "m", "create_update_permission", `{"source":"s","table":"author","role":"r","permission":{"columns":["name"],"filter":{}}}`},
		{metadata.Mutations, "m", "create_delete_permission", `{"source":"s","table":"author","role":"r","permission":{"filter":{}}}`},
		{metadata.Mutations, "m", "drop_insert_permission", `{"source":"s","table":"author","role":"r"}`},
		{metadata.Mutations, "m", "drop_update_permission", `{"source":"s","table":"author","role":"r"}`},
		{metadata.Mutations, "m", "drop_delete_permission", `{"source":"s","table":"author","role":"r"}`},
		{metadata.Functions, "q", "run_sql", `{"source":"s","sql":"CREATE FUNCTION authors() RETURNS SETOF author LANGUAGE sql STABLE AS 'SELECT * FROM author'"}`},
		{metadata.Functions, "m", "get_source_functions", `{"source":"s"}`},
		{metadata.Functions, "m", "track_function", `{"source":"s","function":"authors"}`},
		{metadata.Functions, "m", "set_function_customization", `{"source":"s","function":"authors","configuration":{"custom_name":"all_authors"}}`},
		{metadata.Functions, "m", "create_function_permission", `{"source":"s","function":"authors","role":"r"}`},
		{metadata.Functions, "m", "drop_function_permission", `{"source":"s","function":"authors","role":"r"}`},
		{metadata.Functions, "m", "untrack_function", `{"source":"s","function":"authors"}`},
		{0, "m", "drop_select_permission", `{"source":"s","table":"author","role":"r"}`},
		{metadata.ComputedFields, "q", "run_sql", `{"source":"s","sql":"CREATE FUNCTION initial(author) RETURNS text LANGUAGE sql STABLE AS 'SELECT left($1.name, 1)'"}`},
		{metadata.ComputedFields, "m", "add_computed_field", `{"source":"s","table":"author","name":"initial","definition":{"function":"initial"}}`},
		{metadata.ComputedFields, "m", "drop_computed_field", `{"source":"s","table":"author","name":"initial"}`},
		{metadata.EventTriggers, "m", "create_event_trigger", `{"source":"s","name":"born","table":"author","webhook":"http://localhost/","insert":{"columns":"*"}}`},
		{metadata.EventTriggers, "m", "get_event_logs", `{"source":"s","name":"born"}`},
		{metadata.EventTriggers, "m", "delete_event_trigger", `{"source":"s","name":"born"}`},
		{metadata.Publications, "m", "publish_changes", `{"source":"s","name":"writers","tables":["author"],"role":"admin"}`},
		{metadata.Publications, "m", "unpublish_changes", `{"source":"s","name":"writers"}`},
		{0, "m", "track_logical_model", `{"source":"s","name":"counted","fields":[{"name":"n","type":"INTEGER","nullable":false}]}`},
		{0, "m", "create_logical_model_select_permission", `{"source":"s","name":"counted","role":"r","permission":{"columns":["n"],"filter":{}}}`},
		{0, "m", "drop_logical_model_select_permission", `{"source":"s","name":"counted","role":"r"}`},
		{0, "m", "get_logical_model", `{"source":"s"}`},
		{0, "m", "track_native_query", `{"source":"s","type":"query","root_field_name":"numbers","code":"SELECT id AS n FROM author","returns":"counted","arguments":{}}`},
		{0, "m", "get_native_query", `{"source":"s"}`},
		{0, "m", "untrack_native_query", `{"source":"s","root_field_name":"numbers"}`},
		{0, "m", "untrack_logical_model", `{"source":"s","name":"counted"}`},
		{0, "m", "drop_relationship", `{"source":"s","table":"author","relationship":"works"}`},
		{0, "m", "untrack_table", `{"source":"s","table":"kind"}`},
		{0, "m", "untrack_tables", `{"tables":[{"source":"s","table":"book"}]}`},
		{0, "m", "update_source", `{"name":"s","customization":{"root_fields":{"prefix":"x_"}}}`},
		{0, "m", "drop_source", `{"name":"s","cascade":true}`},
	}
	for _, name := range []string{"postgres", "citus", "cockroach", "sqlite"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := dbtest.URL(t)
			if name == "sqlite" {
				address = filepath.Join(t.TempDir(), "s.db")
			}
			quoted, err := json.Marshal(address)
			require.NoError(t, err)
			configuration := `{"connection_info":{"database_url":` + string(quoted) + `}}`
			if name == "sqlite" {
				configuration = `{"connection_info":{"create":true,"database_url":` + string(quoted) + `}}`
			}
			k := metadata.KindNamed(name)
			left := map[string]bool{}
			for full, o := range metadata.NewRegistry(kind.All(os.LookupEnv, "metadata test").Metadata()).All(metadata.APIMetadata) {
				if command, of := strings.CutPrefix(full, k.Prefixes[0]+"_"); of && o.Kind == name && !commandsElsewhere[command] {
					left[command] = true
				}
			}
			i := newWorld(t).start(t)
			for _, s := range steps {
				if !k.Can(s.needs) {
					if s.api == "m" {
						i.fails(t, v1metadata, `{"type":"`+name+`_`+s.command+`","args":`+s.args+`}`, "parse-failed", "$",
							`unknown metadata command "`+s.command+`" for backend `+name)
					}
					continue
				}
				delete(left, s.command)
				endpoint := v1metadata
				if s.api == "q" {
					endpoint = v2query
				}
				i.okAt(t, endpoint, `{"type":"`+k.Prefixes[0]+`_`+s.command+`","args":`+strings.ReplaceAll(s.args, "CONFIGURATION", configuration)+`}`)
			}
			require.Empty(t, left, "commands of the kind that no step runs")
			require.Nil(t, i.engine.State().Schema.Source("s"))
			require.Empty(t, i.engine.State().Inconsistent)
		})
	}
}
