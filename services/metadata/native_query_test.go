package metadata

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	trackModel = `{"type":"pg_track_logical_model","args":{"source":"default","name":"line","fields":[
		{"name":"id","type":"integer"},{"name":"qty","type":{"scalar":"integer","nullable":true},"description":"how many"}]}}`
	trackLines = `{"type":"pg_track_native_query","args":{"source":"default","root_field_name":"lines","returns":"line",
		"code":"SELECT id, qty FROM stock WHERE qty > {{ least }}","arguments":{"least":{"type":"integer"}}}}`
)

func nativeQuery(code, arguments string) string {
	text, _ := json.Marshal(code) // a text always encodes
	return `{"type":"pg_track_native_query","args":{"source":"default","root_field_name":"other","returns":"line",
		"code":` + string(text) + `,"arguments":` + arguments + `}}`
}

func TestNativeQueriesAreTracked(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	i.fails(t, v1metadata, trackLines, "not-found", "$.args", "The logical model line could not be found")
	i.ok(t, trackModel)
	i.fails(t, v1metadata, trackModel, "already-tracked", "$.args", "Logical model 'line' is already tracked.")
	i.ok(t, trackLines)
	i.fails(t, v1metadata, trackLines, "already-tracked", "$.args", "Native query 'lines' is already tracked.")
	require.JSONEq(t, `[{"name":"line","fields":[{"name":"id","type":{"scalar":"integer","nullable":false}},
		{"name":"qty","type":{"scalar":"integer","nullable":true},"description":"how many"}]}]`,
		i.ok(t, `{"type":"pg_get_logical_model","args":{"source":"default"}}`))
	require.JSONEq(t, `[{"root_field_name":"lines","returns":"line","code":"SELECT id, qty FROM stock WHERE qty > {{ least }}",
		"arguments":{"least":{"type":"integer","nullable":false}}}]`,
		i.ok(t, `{"type":"pg_get_native_query","args":{"source":"default"}}`))
	e := i.fails(t, v1metadata, `{"type":"pg_untrack_logical_model","args":{"source":"default","name":"line"}}`,
		"unexpected", "$.args", "cannot continue due to new inconsistent metadata")
	require.Contains(t, e.internal, `Inconsistent object: logical model \"line\" is not tracked`)
	before := i.export(t)
	i.ok(t, `{"type":"replace_metadata","args":`+before+`}`)
	require.Equal(t, before, i.export(t))
	i.ok(t, `{"type":"pg_untrack_native_query","args":{"source":"default","root_field_name":"lines"}}`)
	i.ok(t, `{"type":"pg_untrack_logical_model","args":{"source":"default","name":"line"}}`)
	require.Equal(t, "[]", i.ok(t, `{"type":"pg_get_native_query","args":{"source":"default"}}`))
	i.ok(t, `{"type":"bulk_atomic","args":[`+trackLines+`,`+trackModel+`]}`)
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	for request, message := range map[string]string{
		`{"type":"pg_untrack_native_query","args":{"source":"default","root_field_name":"x"}}`:                                                               `Native query "x" not found in source "default".`,
		`{"type":"pg_untrack_logical_model","args":{"source":"default","name":"x"}}`:                                                                         `Logical model "x" not found in source "default".`,
		`{"type":"pg_get_native_query","args":{"source":"none"}}`:                                                                                            `Source 'none' of kind postgres not found.`,
		`{"type":"pg_get_logical_model","args":{"source":"none"}}`:                                                                                           `Source 'none' of kind postgres not found.`,
		`{"type":"pg_track_logical_model","args":{"source":"none","name":"x","fields":[]}}`:                                                                  `Source none not found.`,
		`{"type":"pg_create_logical_model_select_permission","args":{"name":"x","role":"r","permission":{"columns":"*","filter":{}}}}`:                       `Logical model "x" not found in source "default".`,
		`{"type":"pg_create_logical_model_select_permission","args":{"type":"native_query","name":"x","role":"r","permission":{"columns":"*","filter":{}}}}`: `Native query "x" not found in source "default".`,
		`{"type":"pg_drop_logical_model_select_permission","args":{"source":"none","name":"x","role":"r"}}`:                                                  `Source "none" not found.`,
	} {
		i.fails(t, v1metadata, request, "not-found", "$.args", message)
	}
}

func TestNativeQueriesAreValidated(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, trackModel)
	const invalid = "Failed to validate query"
	for _, c := range []struct{ code, arguments, errorCode, message, internal string }{
		{
			"SELECT {{b}}, {{a}}, {{b}}", `{}`, "validation-failed",
			"The following columns are used in the query, but are not declared as arguments: a, b", "",
		},
		{"SELEC 1", `{}`, "validation-failed", invalid, `syntax error at or near`},
		{"SELECT 1; DROP TABLE stock", `{}`, "validation-failed", invalid, `syntax error at or near`},
		{"SELECT id FROM stock", `{}`, "validation-failed", invalid, `column q.qty does not exist`},
		{
			"SELECT id, qty::text FROM stock", `{}`, "validation-failed", invalid,
			`Return column \"qty\" has a type mismatch. The expected type is \"int4\", but the actual type is \"text\".`,
		},
		{"SELECT id, qty FROM stock WHERE sku = '{{a}}'", `{"a":{"type":"text"}}`, "validation-failed", invalid, `can't stand in quotes`},
		{"SELECT id, qty FROM stock -- {{a}}", `{"a":{"type":"text"}}`, "validation-failed", invalid, `can't stand in quotes`},
		{"SELECT id, qty FROM stock WHERE sku = $x${{a}}$x$", `{"a":{"type":"text"}}`, "validation-failed", invalid, `can't stand in quotes`},
	} {
		e := i.fails(t, v1metadata, nativeQuery(c.code, c.arguments), c.errorCode, "$.args", c.message)
		require.Contains(t, e.internal, c.internal)
	}
	e := i.fails(t, v1metadata, nativeQuery("SELECT {{a", "{}"), "parse-failed", "$.args.code",
		"Error when parsing command track_native_query.\nSee our documentation at docs/metadata-api.md.\n"+
			"Internal error message: Found '{{' without a matching closing '}}'")
	require.Equal(t, http.StatusBadRequest, e.status)
	i.ok(t, nativeQuery("SELECT id::smallint AS id, qty FROM stock WHERE {{a}} = 'x'; -- all", `{"a":{"type":"text"}}`))
	w.sql(t, w.source, "SELECT FROM stock")
}

func TestModelPermissions(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	i.ok(t, trackModel)
	i.ok(t, trackLines)
	const create = `{"type":"pg_create_logical_model_select_permission","args":{"source":"default","name":"line","role":"clerk","permission":{"columns":["id"],"filter":`
	i.ok(t, create+`{}}}}`)
	i.ok(t, create+`{"qty":{"_gt":1}}}}}`)
	require.Contains(t, i.export(t), `"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"qty":{"_gt":1}}}}]`)
	i.fails(t, v1metadata, create+`{"none":{"_gt":1}}}}}`, "invalid-configuration", "$.args.permission.filter.none",
		`Inconsistent object: in logical model "line": in permission for role "clerk": "none" does not exist`)
	drop := `{"type":"pg_drop_logical_model_select_permission","args":{"source":"default","name":"line","role":"clerk"}}`
	i.ok(t, drop)
	i.ok(t, drop)
	require.NotContains(t, i.export(t), "clerk\",\"permission\":{\"columns\":[\"id\"],\"filter\":{\"qty\"")
}

func TestTablesThatNativeQueriesLeadTo(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	i.ok(t, trackModel)
	relation := `{"type":"pg_track_native_query","args":{"source":"default","root_field_name":"lines","returns":"line",
		"code":"SELECT id, qty FROM stock","object_relationships":[{"name":"stock","using":{"column_mapping":{"id":"id"},"remote_table":"stock","insertion_order":null}}]}}`
	i.ok(t, relation)
	i.fails(t, v1metadata, `{"type":"pg_untrack_table","args":{"table":"stock"}}`, "dependency-error", "$.args",
		`cannot drop due to the following dependent objects: native query lines in source "default", relationship kind.stocks in source "default"`)
	i.fails(t, v1metadata, `{"type":"pg_track_native_query","args":{"source":"default","root_field_name":"stock","returns":"line","code":"SELECT id, qty FROM stock"}}`,
		"invalid-configuration", "$.args", "Conflicting objects: Encountered conflicting definitions in the selection set for 'query_root' for field 'stock' "+
			"defined in [table stock in source default, native_query stock in source default]. Fields must not be defined more than once across all sources.")
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	require.Equal(t, "[]", i.ok(t, `{"type":"pg_get_native_query","args":{"source":"default"}}`))
}
