package metadata_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

func TestExportIsCanonical(t *testing.T) {
	t.Parallel()
	doc, err := metadata.Parse(read(t, "testdata/export/given.json"), metadata.Empty(), backends())
	require.NoError(t, err)
	exported, err := metadata.Encode(doc)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/export/want.json", exported, 0o600))
	}
	require.Equal(t, string(read(t, "testdata/export/want.json")), string(exported))

	again, err := metadata.Parse(exported, metadata.Empty(), backends())
	require.NoError(t, err)
	second, err := metadata.Encode(again)
	require.NoError(t, err)
	require.Equal(t, string(exported), string(second))
}

func TestEmptyDocumentIsMinimal(t *testing.T) {
	t.Parallel()
	raw, err := metadata.Encode(metadata.Empty())
	require.NoError(t, err)
	const minimal = `{"version":3,"sources":[]}`
	require.Len(t, raw, len(minimal))
	require.JSONEq(t, minimal, string(raw))
}

func TestObjectsWithoutSourcesNeedADefaultSource(t *testing.T) {
	t.Parallel()
	_, err := metadata.Parse([]byte(`{"version":2,"tables":[]}`), metadata.Empty(), backends())
	require.ErrorContains(t, err, "cannot import metadata without sources since no default source is defined")
}

func TestObjectsWithoutSourcesKeepWhatTheyCannotSay(t *testing.T) {
	t.Parallel()
	current, err := metadata.Parse([]byte(`{"version":3,"sources":[
		{"name":"default","tables":[{"table":"old"}],"configuration":{"connection_info":{"database_url":"x"}}},
		{"name":"other","tables":[],"configuration":{"connection_info":{"database_url":"y"}}}],
		"rest_endpoints":[{"comment":null,"definition":{"query":{"collection_name":"c","query_name":"q"}},"methods":["GET"],"name":"e","url":"u"}],"api_limits":{"disabled":true},
		"inherited_roles":[{"role_name":"a","role_set":[]}]}`), metadata.Empty(), backends())
	require.NoError(t, err)
	doc, err := metadata.Parse([]byte(`{"version":2,"tables":[{"table":"new"}],
		"functions":[{"function":"f","configuration":{"exposed_as":"query"}}],"actions":[{"name":"pay","definition":{"handler":"http://h","output_type":"Int","ignored_client_headers":[]}}]}`), current, backends())
	require.NoError(t, err)
	raw, err := metadata.Encode(doc)
	require.NoError(t, err)
	require.JSONEq(t, `{"version":3,"sources":[
		{"name":"default","kind":"postgres","tables":[{"table":{"name":"new","schema":"public"}}],
		 "functions":[{"function":{"name":"f","schema":"public"},"configuration":{"exposed_as":"query"}}],
		 "configuration":{"connection_info":{"database_url":"x","isolation_level":"read-committed"}}},
		{"name":"other","kind":"postgres","tables":[],
		 "configuration":{"connection_info":{"database_url":"y","isolation_level":"read-committed"}}}],
		"rest_endpoints":[{"comment":null,"definition":{"query":{"collection_name":"c","query_name":"q"}},"methods":["GET"],"name":"e","url":"u"}],"actions":[{"name":"pay","definition":{"handler":"http://h","output_type":"Int","ignored_client_headers":[],
		"kind":"synchronous","type":"mutation"}}]}`, string(raw))
}

func TestDeprecatedEndpoint(t *testing.T) {
	t.Parallel()
	r := metadata.NewRegistry(backends())
	for body, want := range map[string]any{
		`{"type":"add_existing_table_or_view","args":"t"}`:                           &metadata.TrackTable{},
		`{"type":"track_table","version":2,"args":{"table":"t","configuration":{}}}`: &metadata.TrackTable{},
		`{"type":"track_function","args":{"name":"f"}}`:                              &metadata.TrackFunction{},
		`{"type":"untrack_function","args":{"function":"f"}}`:                        &metadata.UntrackFunction{},
		`{"type":"set_table_custom_fields","version":2,"args":{"table":"t"}}`:        &metadata.SetTableCustomFields{},
		`{"type":"replace_metadata","version":2,"args":{"metadata":{"version":3}}}`:  &metadata.ReplaceMetadata{},
		`{"type":"drop_delete_permission","args":{"table":"t","role":"r"}}`:          &metadata.DropPermission[metadata.DeletePermission]{},
		`{"type":"export_metadata","args":{}}`:                                       &metadata.ExportMetadata{},
	} {
		e, err := metadata.ParseEnvelope([]byte(body))
		require.NoError(t, err, body)
		o, err := r.Operation(metadata.APIQueryV1, e)
		require.NoError(t, err, body)
		require.IsType(t, want, o.Args, body)
	}
	for body, want := range map[string]string{
		`{"type":"create_object_relationship","args":{"table":"t","name":""}}`: "$.name: empty string not allowed",
		`{"type":"track_table","args":{}}`:                                     `$: key "table" not found`,
		`{"type":"pg_track_table","args":{}}`:                                  `$: unknown type "pg_track_table" for version 1`,
		`{"type":"add_source","args":{}}`:                                      `$: unknown type "add_source" for version 1`,
		`{"type":"set_table_custom_fields","args":{}}`:                         `$: unknown type "set_table_custom_fields" for version 1`,
		`{"type":"untrack_table","version":2,"args":{}}`:                       `$: unknown type "untrack_table" for version 2`,
	} {
		e, err := metadata.ParseEnvelope([]byte(body))
		require.NoError(t, err, body)
		_, err = r.Operation(metadata.APIQueryV1, e)
		failed := apierror.From(err)
		require.Equal(t, want, failed.Path+": "+failed.Message)
	}
}

func TestBodiesThatAreNoRequests(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":`:                            "invalid-json $",
		`[]`:                                  "parse-failed $ parsing Object failed, expected Object, but encountered Array",
		`"x"`:                                 "parse-failed $ parsing Object failed, expected Object, but encountered String",
		`{}`:                                  `parse-failed $ key "type" not found`,
		`{"type":1}`:                          "parse-failed $.type parsing Text failed, expected String, but encountered Number",
		`{"type":"a","version":3}`:            "parse-failed $.version expected 1 or 2, encountered 3",
		`{"type":"a","resource_version":"1"}`: "parse-failed $.resource_version parsing Int failed, expected Number, but encountered String",
	} {
		_, err := metadata.ParseEnvelope([]byte(body))
		e := apierror.From(err)
		require.True(t, strings.HasPrefix(string(e.Code)+" "+e.Path+" "+e.Message, want), "%s: %v", body, err)
	}
}
