package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

// TestNamesOfDatasets: sources of BigQuery come back with the names that such documents have, and other
// objects of the same form as they were.
func TestNamesOfDatasets(t *testing.T) {
	t.Parallel()
	const tables = `"tables":[{"table":{"dataset":"web","name":"customer"},` +
		`"array_relationships":[{"name":"visits","using":{"manual_configuration":{"column_mapping":{"id":"customer"},"insertion_order":null,"remote_table":{"dataset":"web","name":"visit"}}}}],` +
		`"remote_relationships":[{"name":"orders","definition":{"to_source":{"field_mapping":{"id":"id"},"relationship_type":"array","source":"pg","table":{"name":"orders","schema":"public"}}}}],` +
		`"select_permissions":[{"role":"user","permission":{"columns":["id"],"filter":{"_exists":{"_table":{"dataset":"web","name":"visit"},"_where":{"table":{"_eq":"name"}}}}}}]}]`
	raw := `{"version":3,"sources":[{"name":"bq","kind":"bigquery",` + tables + `,"configuration":{"project_id":"p","datasets":["web"]}}]}`
	doc, err := metadata.Parse(json.RawMessage(raw), metadata.Empty(), backends())
	require.NoError(t, err)
	require.Equal(t, "web", doc.Sources[0].Tables[0].Table.Schema)
	encoded, err := metadata.Encode(doc)
	require.NoError(t, err)
	require.JSONEq(t, raw, string(encoded))
	again, err := metadata.Parse(encoded, doc, backends())
	require.NoError(t, err)
	require.Equal(t, doc, again)
}
