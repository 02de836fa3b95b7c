package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestRelationshipsOfDistributedTables holds that a command is refused which joins what is on different
// nodes, and that a document with such a relationship is kept as inconsistent.
func TestRelationshipsOfDistributedTables(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cluster := dbtest.URL(t)
	w.sql(t, cluster, `CREATE TABLE tenant (id int PRIMARY KEY); CREATE TABLE setting (tenant_id int PRIMARY KEY);
		CREATE VIEW citus_tables AS SELECT 'tenant'::regclass AS table_name, 'distributed' AS citus_table_type, 'id' AS distribution_column, 1 AS colocation_id`)
	i := w.start(t)
	address, err := json.Marshal(cluster)
	require.NoError(t, err)
	i.ok(t, `{"type":"bulk","args":[
		{"type":"citus_add_source","args":{"name":"cluster","configuration":{"connection_info":{"database_url":`+string(address)+`}}}},
		{"type":"citus_track_tables","args":{"tables":[{"source":"cluster","table":"tenant"},{"source":"cluster","table":"setting"}]}}]}`)
	const mapping = `{"manual_configuration":{"remote_table":"setting","column_mapping":{"id":"tenant_id"}}}`
	i.fails(t, v1metadata, `{"type":"citus_create_object_relationship","args":{"source":"cluster","table":"tenant","name":"setting","using":`+mapping+`}}`,
		"not-supported", "$.args", "distributed tables (tenant) cannot have an object relationship against a local table (setting)")
	i.fails(t, v1metadata, `{"type":"citus_create_event_trigger","args":{"source":"cluster","table":"tenant","name":"x","webhook":"http://h"}}`,
		"parse-failed", "$", `unknown metadata command "create_event_trigger" for backend citus`)
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"export_metadata","args":{}}`)), &document))
	source := document["sources"].([]any)[0].(map[string]any)
	require.Equal(t, "citus", source["kind"])
	tenant := source["tables"].([]any)[1].(map[string]any)
	tenant["object_relationships"] = []any{map[string]any{"name": "setting", "using": json.RawMessage(mapping)}}
	changed, err := json.Marshal(map[string]any{"type": "replace_metadata", "version": 2, "args": map[string]any{"allow_inconsistent_metadata": true, "metadata": document}})
	require.NoError(t, err)
	require.Contains(t, i.ok(t, string(changed)), "in table \\\"tenant\\\": in relationship \\\"setting\\\": distributed tables")
	i.fails(t, v1metadata, `{"type":"citus_add_source","args":{"name":"told","configuration":{"change_feed":"notify","connection_info":{"database_url":`+string(address)+`}}}}`,
		"not-supported", "$.args.configuration.change_feed", "databases of this kind report no changes: subscriptions are polled")
}
