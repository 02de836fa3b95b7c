package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestDoctor examines the sources of a server through its API, and a database over a connection.
func TestDoctor(t *testing.T) {
	t.Parallel()
	w, server := newWorkshop(t)
	url, other := dbtest.URL(t), dbtest.URL(t)
	execute(t, url, `CREATE TABLE cart (id int PRIMARY KEY, customer int);
		CREATE TABLE item (id serial PRIMARY KEY, cart int REFERENCES cart, net inet);
		INSERT INTO cart VALUES (1); INSERT INTO item (cart) SELECT 1 FROM generate_series(1, 2000); ANALYZE item`)
	execute(t, other, `CREATE TABLE customer (number bigint, name text)`)
	document := `{"version": 3, "sources": [
		{"name": "crm", "kind": "postgres", "tables": [{"table": "customer"}], "configuration": {"connection_info": {"database_url": "` + other + `"}}},
		{"name": "lib", "kind": "sqlite", "tables": [], "configuration": {"connection_info": {"database_url": "` + filepath.Join(t.TempDir(), "lib.db") + `", "create": true}}},
		{"name": "ms", "kind": "abacus", "tables": [], "configuration": {}},
		{"name": "shop", "kind": "postgres", "configuration": {"connection_info": {"database_url": "` + url + `"}}, "tables": [
			{"table": "cart", "array_relationships": [{"name": "items", "using": {"foreign_key_constraint_on": {"table": "item", "column": "cart"}}}],
			 "remote_relationships": [{"name": "buyer", "definition": {"to_source": {"source": "crm", "table": "customer", "relationship_type": "object", "field_mapping": {"customer": "number"}}}}]},
			{"table": "item"}]}]}`
	applied := server.post("/v1/metadata", asAdmin, map[string]any{
		"type": "replace_metadata", "version": 2,
		"args": map[string]any{"allow_inconsistent_metadata": true, "metadata": json.RawMessage(document)},
	})
	require.Equal(t, http.StatusOK, applied.status, applied.text())

	made := server.post("/v2/query", asAdmin, map[string]any{"type": "sqlite_run_sql", "args": map[string]any{"source": "lib", "sql": "CREATE TABLE note (text TEXT)"}})
	require.Equal(t, http.StatusOK, made.status, made.text())
	tracked := server.post("/v1/metadata", asAdmin, map[string]any{"type": "sqlite_track_table", "args": map[string]any{"source": "lib", "table": "note"}})
	require.Equal(t, http.StatusOK, tracked.status, tracked.text())

	code, out, errs := w.run("doctor", "--format", "json")
	require.Equal(t, 1, code, errs)
	require.Equal(t, []string{
		"error inconsistent source ms",
		"warning no-primary-key crm customer",
		"warning relationship-index crm customer.number",
		"warning no-primary-key lib note",
		"warning relationship-index shop item.cart",
		"warning relationship-types shop cart.buyer",
		"info type-text shop item.net",
	}, found(t, out))
	require.Equal(t, []string{"error inconsistent source ms", "warning no-primary-key crm customer", "warning relationship-index crm customer.number"},
		found(t, w.does(1, "doctor --format json --source crm")))
	require.Contains(t, w.does(1, "doctor --source nowhere"), `the server has no source "nowhere"`)

	w.write("document.json", document)
	require.Contains(t, w.does(0, "doctor --database-url "+url+" --document document.json --source shop"),
		"  -> CREATE INDEX CONCURRENTLY ON public.item (\"cart\")\n")
	require.Contains(t, w.does(0, "doctor --database-url "+url), "warning  relationship-index  default item.cart\n")
	w.does(1, "doctor --strict --database-url "+url)
	execute(t, url, `CREATE INDEX ON item (cart); ALTER TABLE item DROP net`)
	require.Equal(t, "nothing found\n", w.does(0, "doctor --strict --database-url "+url))
	require.Contains(t, w.does(1, "doctor --database-url postgres://127.0.0.1:1/none"), "error  unreachable  default\n")
	require.Contains(t, w.does(1, "doctor --database-url "+url+" --document document.json --source ms"), `there is no PostgreSQL source "ms"`)
	require.Contains(t, w.does(2, "doctor --document x"), "--document needs --database-url")
	require.Contains(t, w.does(2, "doctor it"), `unknown argument "it"`)
	require.Contains(t, w.does(2, "doctor --format xml"), `"xml" is not table or json`)

	// A pooler is noticed by the process that answers.
	pooled := dbtest.Pooler(t, url, map[string]string{"pool_mode": "transaction"})
	require.Contains(t, w.does(0, "doctor --database-url "+pooled), "info  pooler  default\n")
}

// found are the findings of a report, as "severity code source object".
func found(t *testing.T, out string) []string {
	t.Helper()
	var report struct {
		Findings []struct{ Severity, Code, Source, Object, Message string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report), out)
	var list []string
	for _, f := range report.Findings {
		require.NotEmpty(t, f.Message)
		line := f.Severity + " " + f.Code
		for _, word := range []string{f.Source, f.Object} {
			if word != "" {
				line += " " + word
			}
		}
		list = append(list, line)
	}
	return list
}
