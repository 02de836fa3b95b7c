package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// startTwoSources has a relationship from source default to source crm and one back.
func startTwoSources(t *testing.T) *instance {
	t.Helper()
	w := newWorld(t)
	crm := dbtest.URL(t)
	w.sql(t, w.source, `CREATE TABLE sale (id int PRIMARY KEY, customer_id int, note text)`)
	w.sql(t, crm, `CREATE TABLE customer (id int PRIMARY KEY, name text)`)
	i := w.start(t)
	address, err := json.Marshal(crm)
	require.NoError(t, err)
	i.ok(t, `{"type":"bulk","args":[
		{"type":"pg_add_source","args":{"name":"crm","configuration":{"connection_info":{"database_url":`+string(address)+`}}}},
		{"type":"pg_track_table","args":{"table":"sale"}},
		{"type":"pg_track_table","args":{"source":"crm","table":"customer"}},
		{"type":"pg_create_remote_relationship","args":{"table":"sale","name":"customer","definition":{"to_source":
			{"source":"crm","table":"customer","relationship_type":"object","field_mapping":{"customer_id":"id"}}}}},
		{"type":"pg_create_remote_relationship","args":{"source":"crm","table":"customer","name":"sales","definition":{"to_source":
			{"source":"default","table":"sale","relationship_type":"array","field_mapping":{"id":"customer_id"}}}}}]}`)
	return i
}

const (
	dependents = "cannot drop due to the following dependent objects: "
	toCustomer = `remote relationship sale.customer in source "default"`
	toSales    = `remote relationship customer.sales in source "crm"`
)

func TestRemoteRelationshipsHoldBothSides(t *testing.T) {
	t.Parallel()
	i := startTwoSources(t)
	version := i.version()
	crm := `,"source":"crm"`
	i.fails(t, v1metadata, `{"type":"pg_untrack_table","args":{"source":"crm","table":"customer"}}`, "dependency-error", "$.args", dependents+toCustomer)
	i.fails(t, v1metadata, `{"type":"pg_drop_source","args":{"name":"crm"}}`, "dependency-error", "$.args", dependents+toCustomer)
	i.fails(t, v2query, runSQLRequest(t, `DROP TABLE customer`, crm), "dependency-error", "$", dependents+toCustomer)
	i.fails(t, v2query, runSQLRequest(t, `ALTER TABLE sale DROP COLUMN customer_id`, ""), "dependency-error", "$",
		dependents+toSales+", "+toCustomer)
	i.fails(t, v2query, runSQLRequest(t, `ALTER TABLE customer ALTER id TYPE bigint`, crm), "dependency-error", "$",
		`cannot change type of column "id" in table "customer" because of the following dependencies: `+toSales+", "+toCustomer)
	// Names in other sources aren't followed.
	i.fails(t, v2query, runSQLRequest(t, `ALTER TABLE sale RENAME customer_id TO buyer`, ""), "unexpected", "$",
		"cannot continue due to newly found inconsistent metadata")
	require.Equal(t, version, i.version())
}

func TestRemoteRelationshipsGoWithWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"source": `{"type":"pg_drop_source","args":{"name":"crm","cascade":true}}`,
		"table":  `{"type":"pg_untrack_table","args":{"source":"crm","table":"customer","cascade":true}}`,
		"column": `{"type":"run_sql","args":{"sql":"ALTER TABLE customer DROP COLUMN id CASCADE","source":"crm","cascade":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := startTwoSources(t)
			endpoint := v1metadata
			if name == "column" {
				endpoint = v2query
			}
			i.okAt(t, endpoint, request)
			require.NotContains(t, i.export(t), "remote_relationships")
			require.JSONEq(t, `{"is_consistent":true,"inconsistent_objects":[]}`, i.ok(t, `{"type":"get_inconsistent_metadata","args":{}}`))
		})
	}
}

func TestRemoteRelationshipsFollowTheirOwnColumns(t *testing.T) {
	t.Parallel()
	i := startTwoSources(t)
	i.ok(t, `{"type":"pg_delete_remote_relationship","args":{"source":"crm","table":"customer","name":"sales"}}`)
	i.run(t, `ALTER TABLE sale RENAME customer_id TO buyer`)
	require.Contains(t, i.export(t), `"field_mapping":{"buyer":"id"}`)
}

func TestRemoteRelationshipsThatAreRefused(t *testing.T) {
	t.Parallel()
	i := startTwoSources(t)
	create := func(name, definition string) string {
		return `{"type":"pg_create_remote_relationship","args":{"table":"sale","name":"` + name + `",` + definition + `}}`
	}
	const to = `"definition":{"to_source":{"source":"crm","table":"customer","relationship_type":"object","field_mapping":{"customer_id":"id"}}}`
	i.fails(t, v1metadata, create("note", to), "invalid-configuration", "$.args",
		`Inconsistent object: field definition conflicts with postgres column`)
	i.fails(t, v1metadata, create("r", `"definition":{"to_source":{"source":"lost","table":"customer","relationship_type":"object","field_mapping":{}}}`),
		"invalid-configuration", "$.args", `Inconsistent object: in table "sale": in remote relationship "r": source not found: "lost"`)
	i.fails(t, v1metadata, create("r", `"remote_schema":"rates","engine_fields":["id"],"remote_field":{"rate":{"arguments":{}}}`),
		"invalid-configuration", "$.args", `Inconsistent object: in table "sale": in remote relationship "r": remote schema with name "rates" not found`)
	// A relationship of the same name is replaced.
	i.ok(t, create("customer", to))
	i.ok(t, `{"type":"pg_update_remote_relationship","args":{"table":"sale","name":"customer",`+to+`}}`)
}
