package metadata

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnknownKeysOfAllCommands: no arguments take a key that means nothing without a warning, however they are read.
func TestUnknownKeysOfAllCommands(t *testing.T) {
	t.Parallel()
	for _, row := range operations() {
		args := row.args()
		switch args.(type) {
		case *SetOpenTelemetryStatus, *ReplaceMetadata: // a text; warns by itself
			continue
		case Command, Batch:
		default:
			continue
		}
		require.Equal(t, []Warning{{Message: `unknown key "bogus" is ignored`, Type: "metadata", Name: "$.args.bogus", Code: "unknown-key"}},
			unknownKeys(json.RawMessage(`{"bogus":1}`), reflect.TypeOf(args), nil, DefaultKind, "args"), row.name)
	}
}

func TestUnknownKeysOfArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, args, want string }{
		{"pg_track_table", `{"schema":"public","name":"stock"}`, ""},
		{"pg_track_table", `"stock"`, ""},
		{"pg_track_table", `{"name":"stock","schem":"public"}`, "$.args.schem"},
		{"bigquery_track_table", `{"table":{"dataset":"web","name":"visit","schem":"x"}}`, "$.args.table.schem"},
		{"bigquery_track_table", `{"dataset":"web","name":"visit"}`, ""},
		{"bigquery_add_computed_field", `{"table":{"dataset":"web","name":"a"},"name":"f","definition":{"function":{"dataset":"web","name":"g"},"return_table":{"dataset":"web","name":"a"}}}`, ""},
		{"replace_metadata", `{"metadata":{"version":3,"sources":[{"name":"s","kind":"bigquery","configuration":{},"tables":[{"table":{"dataset":"web","name":"a"}}]}]}}`, ""},
		{"pg_track_table", `{"table":{"name":"stock","schem":"x"},"configuration":{"column_config":{"id":{"custom_name":"i","bogus":1}}}}`,
			"$.args.configuration.column_config.id.bogus $.args.table.schem"},
		{"pg_track_tables", `{"tables":[{"table":"a"},{"table":"b","bogus":1}]}`, "$.args.tables[1].bogus"},
		{"pg_create_select_permission", `{"table":"stock","role":"r","permission":{"columns":"*","filter":{"any":{"thing":1}},"bogus":{}}}`, "$.args.permission.bogus"},
		{"pg_create_select_permission", `{"table":"stock","role":"r","permission":[{"name":"a","columns":"*","filter":{},"mask":{"id":"null"}},{"columns":"*","filter":{},"bogus":1}]}`, "$.args.permission[1].bogus"},
		{"pg_create_insert_permission", `{"table":"stock","role":"r","permission":{"check":{},"validate_input":{"type":"http","definition":{"url":"http://x","bogus":1}}}}`,
			"$.args.permission.validate_input.definition.bogus"},
		{"pg_track_function", `{"function":"f","response":{}}`, "$.args.response"},
		{"pg_create_array_relationship", `{"table":"a","name":"b","using":{"foreign_key_constraint_on":{"table":"c","column":"d","bogus":1}}}`,
			"$.args.using.foreign_key_constraint_on.bogus"},
		{"pg_create_object_relationship", `{"table":"a","name":"b","using":{"foreign_key_constraint_on":["d"]}}`, ""},
		{"pg_create_remote_relationship", `{"table":"a","name":"b","remote_schema":"r","engine_fields":["id"],"remote_field":{"f":{"arguments":{"x":"$id"}}}}`, ""},
		{"pg_create_remote_relationship", `{"table":"a","name":"b","definition":{"to_remote_schema":{"remote_schema":"r","lhs_fields":["id"],"remote_field":{"f":{"arguments":{},"bogus":1}}}}}`,
			"$.args.definition.to_remote_schema.remote_field.f.bogus"},
		{"pg_create_event_trigger", `{"name":"t","table":"a","webhook":"http://x","insert":{"columns":"*","bogus":1},"retry_conf":{"num_retries":1,"interval_sec":1,"bogus":2}}`,
			"$.args.insert.bogus $.args.retry_conf.bogus"},
		{"create_cron_trigger", `{"name":"t","webhook":"http://x","schedule":"* * * * *","include_in_metadata":true,"bogus":1}`, "$.args.bogus"},
		{"pg_track_logical_model", `{"source":"default","name":"m","fields":[{"name":"a","type":"text","nullable":true},{"name":"b","type":{"scalar":"text","bogus":1}}]}`,
			"$.args.fields[1].type.bogus"},
		{"replace_metadata", `{"metadata":{"version":3,"sources":[]},"allow_inconsistent":true}`, "$.args.allow_inconsistent"},
		{"replace_metadata", `{"metadata":{"version":3,"sources":[{"name":"s","kind":"postgres","configuration":{"connection_info":{"database_url":"x"}},"tables":[
			{"table":"a","event_triggers":[{"name":"t","definition":{"enable_manual":true,"bogus":1},"webhook":"http://x","retry_conf":{"num_retries":1,"interval_sec":1,"timeout_sec":1}}]}]}]}}`,
			"$.sources[0].tables[0].event_triggers[0].definition.bogus"},
	} {
		e := &Envelope{Type: c.kind, Version: 2, Args: json.RawMessage(c.args)}
		if c.kind != "replace_metadata" {
			e.Version = 1
		}
		kinds := Kinds{DefaultKind: KindNamed(DefaultKind)}
		o, err := NewRegistry(kinds).Operation(APIMetadata, e)
		require.NoError(t, err, c.args)
		unknown := o.Unknown
		if r, ok := o.Args.(*ReplaceMetadata); ok {
			unknown = append(r.unknown, unknownKeys(r.Metadata, reflect.TypeFor[Document](), kinds, "")...)
		}
		var names []string
		for _, u := range unknown {
			names = append(names, u.Name)
		}
		require.Equal(t, c.want, strings.Join(names, " "), c.args)
	}
}

func TestWarningsInAnswers(t *testing.T) {
	t.Parallel()
	warning := []Warning{{"m", "t", "n", "c"}}
	for answer, want := range map[string]string{
		`{"message":"success"}`: `{"message":"success","warnings":[{"message":"m","type":"t","name":"n","code":"c"}]}`,
		`{"message":"success","warnings":[{"message":"a","type":"b","name":"d","code":"e"}]}`: `{"message":"success","warnings":[` +
			`{"message":"a","type":"b","name":"d","code":"e"},{"message":"m","type":"t","name":"n","code":"c"}]}`,
	} {
		got, err := WithWarnings(json.RawMessage(answer), warning)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		got, err = WithWarnings(json.RawMessage(answer), nil)
		require.NoError(t, err)
		require.Equal(t, answer, string(got))
	}
}
