package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/dbtest"
)

// TestBigQuery adds a source of BigQuery, asks it as admin and as a role, joins it with a PostgreSQL database
// in both directions, and tries what it can't do.
func TestBigQuery(t *testing.T) {
	t.Parallel()
	dataset, url := dbtest.URL(t), dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web;
		CREATE TABLE web.customer (id bigint NOT NULL, name text, joined timestamptz);
		CREATE TABLE web.visit (customer_id bigint, page text, seconds float8, tags text[]);
		INSERT INTO web.customer VALUES (1, 'Ann', '2024-02-29T12:00:00Z'), (2, NULL, NULL);
		INSERT INTO web.visit VALUES (1, '/', 1.5, '{new}'), (1, '/cart', 3, '{}')`)
	execute(t, url, `CREATE TABLE ticket (id int PRIMARY KEY, customer bigint NOT NULL); INSERT INTO ticket VALUES (10, 1), (11, 2), (12, 9)`)
	server := bigquerytest.New(t, dataset)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+url)
	customer, visit := map[string]any{"dataset": "web", "name": "customer"}, map[string]any{"dataset": "web", "name": "visit"}
	p.metadata("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
		"project_id": bigquerytest.Project, "datasets": []string{"web"}, "endpoint": server.URL}})
	execute(t, dataset, `CREATE TABLE web.late (id bigint)`)
	p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": map[string]any{"dataset": "web", "name": "late"}})
	for _, table := range []any{customer, visit} {
		p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": table})
	}
	p.metadata("bigquery_create_array_relationship", map[string]any{"source": "bq", "table": customer, "name": "visits",
		"using": map[string]any{"manual_configuration": map[string]any{"remote_table": visit, "column_mapping": map[string]string{"id": "customer_id"}}}})
	p.metadata("bigquery_create_select_permission", map[string]any{"source": "bq", "table": visit, "role": "reader", "permission": map[string]any{
		"columns": []string{"page"}, "filter": map[string]any{"customer_id": map[string]any{"_eq": "X-Engine-Customer"}}, "limit": 10}})
	answers := func(headers map[string]string, document, want string) {
		t.Helper()
		require.JSONEq(t, want, p.query(headers, document).text())
	}

	answers(nil, `{ web_customer(order_by: {id: asc}) { id name joined visits(order_by: {page: asc}) { page seconds tags } } }`, `{"data":{"web_customer":[
		{"id":"1","name":"Ann","joined":"2024-02-29T12:00:00Z","visits":[{"page":"/","seconds":"1.5","tags":["new"]},{"page":"/cart","seconds":"3.0","tags":[]}]},
		{"id":"2","name":null,"joined":null,"visits":[]}]}}`)
	answers(nil, `{ web_visit_aggregate { aggregate { count sum { seconds } } } }`, `{"data":{"web_visit_aggregate":{"aggregate":{"count":"2","sum":{"seconds":"4.5"}}}}}`)
	as := map[string]string{"X-Engine-Role": "reader", "X-Engine-Customer": "1"}
	answers(as, `{ web_visit(order_by: {page: desc}) { page } }`, `{"data":{"web_visit":[{"page":"/cart"},{"page":"/"}]}}`)
	require.Contains(t, p.query(as, `{ web_visit { seconds } }`).text(), "field 'seconds' not found")

	require.Contains(t, p.query(nil, `mutation { insert_web_visit(objects: []) { affected_rows } }`).text(), "no mutations exist")
	require.Contains(t, p.query(nil, `subscription { web_visit { page } }`).text(), "subscription")
	raw := p.post("/v2/query", nil, map[string]any{"type": "bigquery_run_sql", "args": map[string]any{"source": "bq", "sql": "SELECT name FROM web.customer WHERE id = 1"}})
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["name"],["Ann"]]}`, raw.text())
	inspected := p.post("/v2/query", nil, map[string]any{"type": "bigquery_database_inspection", "args": map[string]any{"source": "bq"}}).text()
	require.Contains(t, inspected, `["table_schema","table_name","table_type","columns"]`)
	require.Contains(t, inspected, `["web","visit","table","[{\"column_name\":\"customer_id\",\"data_type\":\"INT64\",\"is_nullable\":true}`)
	tags := p.post("/v1/metadata", nil, map[string]any{"type": "set_query_tags", "args": map[string]any{"source_name": "bq"}})
	require.Contains(t, tags.text(), "bigquery sources do not support query-tags yet")

	p.metadata("pg_track_table", map[string]any{"table": "ticket"})
	p.metadata("bigquery_create_remote_relationship", map[string]any{"source": "bq", "table": customer, "name": "tickets", "definition": map[string]any{
		"to_source": map[string]any{"source": "default", "table": "ticket", "relationship_type": "array", "field_mapping": map[string]string{"id": "customer"}}}})
	p.metadata("pg_create_remote_relationship", map[string]any{"table": "ticket", "name": "buyer", "definition": map[string]any{
		"to_source": map[string]any{"source": "bq", "table": customer, "relationship_type": "object", "field_mapping": map[string]string{"customer": "id"}}}})
	answers(nil, `{ web_customer(order_by: {id: desc}) { name tickets { id } } }`, `{"data":{"web_customer":[
		{"name":null,"tickets":[{"id":11}]},{"name":"Ann","tickets":[{"id":10}]}]}}`)
	answers(nil, `{ ticket(order_by: {id: asc}) { id buyer { name visits(order_by: {page: asc}) { page } } } }`, `{"data":{"ticket":[
		{"id":10,"buyer":{"name":"Ann","visits":[{"page":"/"},{"page":"/cart"}]}},{"id":11,"buyer":{"name":null,"visits":[]}},{"id":12,"buyer":null}]}}`)

	execute(t, dataset, `DROP TABLE web.visit`)
	lost := p.query(as, `{ web_visit { page } }`).text()
	require.Contains(t, lost, `"code":"bigquery-error"`)
	require.NotContains(t, lost, "web.visit", "what the database says is not for roles")
}
