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
		"project_id": bigquerytest.Project, "datasets": []string{"web"}, "endpoint": server.URL,
	}})
	execute(t, dataset, `CREATE TABLE web.late (id bigint)`)
	p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": map[string]any{"dataset": "web", "name": "late"}})
	for _, table := range []any{customer, visit} {
		p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": table})
	}
	p.metadata("bigquery_create_array_relationship", map[string]any{
		"source": "bq", "table": customer, "name": "visits",
		"using": map[string]any{"manual_configuration": map[string]any{"remote_table": visit, "column_mapping": map[string]string{"id": "customer_id"}}},
	})
	p.metadata("bigquery_create_select_permission", map[string]any{"source": "bq", "table": visit, "role": "reader", "permission": map[string]any{
		"columns": []string{"page"}, "filter": map[string]any{"customer_id": map[string]any{"_eq": "X-Engine-Customer"}}, "limit": 10,
	}})
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
		"to_source": map[string]any{"source": "default", "table": "ticket", "relationship_type": "array", "field_mapping": map[string]string{"id": "customer"}},
	}})
	p.metadata("pg_create_remote_relationship", map[string]any{"table": "ticket", "name": "buyer", "definition": map[string]any{
		"to_source": map[string]any{"source": "bq", "table": customer, "relationship_type": "object", "field_mapping": map[string]string{"customer": "id"}},
	}})
	answers(nil, `{ web_customer(order_by: {id: desc}) { name tickets { id } } }`, `{"data":{"web_customer":[
		{"name":null,"tickets":[{"id":11}]},{"name":"Ann","tickets":[{"id":10}]}]}}`)
	answers(nil, `{ ticket(order_by: {id: asc}) { id buyer { name visits(order_by: {page: asc}) { page } } } }`, `{"data":{"ticket":[
		{"id":10,"buyer":{"name":"Ann","visits":[{"page":"/"},{"page":"/cart"}]}},{"id":11,"buyer":{"name":null,"visits":[]}},{"id":12,"buyer":null}]}}`)

	execute(t, dataset, `DROP TABLE web.visit`)
	lost := p.query(as, `{ web_visit { page } }`).text()
	require.Contains(t, lost, `"code":"bigquery-error"`)
	require.NotContains(t, lost, "web.visit", "what the database says is not for roles")
}

// TestBigQueryComputedFields reads the rows of table functions: those of a tracked table, and records that a function
// declares itself.
func TestBigQueryComputedFields(t *testing.T) {
	t.Parallel()
	dataset := dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web;
		CREATE TABLE web.customer (id bigint, name text);
		CREATE TABLE web.visit (customer_id bigint, page text, seconds float8);
		INSERT INTO web.customer VALUES (1, 'Ann'), (2, 'Bo'), (NULL, 'Cy');
		INSERT INTO web.visit VALUES (1, '/', 1.5), (1, '/cart', 3), (1, '/cart/pay', 2), (2, '/', 4);
		CREATE FUNCTION web.visits(who bigint) RETURNS SETOF web.visit LANGUAGE sql AS 'SELECT * FROM web.visit WHERE customer_id = who';
		CREATE FUNCTION web.visits_like(pattern text, who bigint) RETURNS SETOF web.visit LANGUAGE sql
			AS 'SELECT * FROM web.visit WHERE customer_id = who AND page LIKE pattern';
		CREATE FUNCTION web.totals(who bigint, lowest float8) RETURNS TABLE (page text, total float8) LANGUAGE sql
			AS 'SELECT page, sum(seconds) FROM web.visit WHERE customer_id = who AND seconds >= lowest GROUP BY page'`)
	server := bigquerytest.New(t, dataset)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+dbtest.URL(t))
	name := func(of string) map[string]string { return map[string]string{"dataset": "web", "name": of} }
	customer, visit := name("customer"), name("visit")
	p.metadata("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
		"project_id": bigquerytest.Project, "datasets": []string{"web"}, "endpoint": server.URL,
	}})
	for _, table := range []any{customer, visit} {
		p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": table})
	}
	add := func(field string, definition map[string]any) answer {
		return p.post("/v1/metadata", nil, map[string]any{"type": "bigquery_add_computed_field", "args": map[string]any{
			"source": "bq", "table": customer, "name": field, "definition": definition,
		}})
	}
	who := map[string]string{"who": "id"}
	for field, definition := range map[string]map[string]any{
		"visits": {"function": name("visits"), "return_table": visit, "argument_mapping": who},
		"like":   {"function": name("visits_like"), "return_table": visit, "argument_mapping": who},
		"totals": {"function": name("totals"), "argument_mapping": who},
	} {
		require.JSONEq(t, `{"message":"success"}`, add(field, definition).text())
	}
	const refused = `"Inconsistent object: in table \"web.customer\": in computed field \"x\": the computed field \"x\" cannot be added to table \"web.customer\" because `
	for want, definition := range map[string]map[string]any{
		`Inconsistent object: in table \"web.customer\": in computed field \"x\": no such function exists: \"web.none\"`:    {"function": name("none"), "argument_mapping": who},
		refused + `\"whom\" is not an input argument of the function \"web.totals\"`:                                        {"function": name("totals"), "argument_mapping": map[string]string{"whom": "id"}},
		refused + `the column \"ID\" for the argument \"who\" does not exist in table \"web.customer\"`:                     {"function": name("totals"), "argument_mapping": map[string]string{"who": "ID"}},
		refused + `the column \"name\" of type STRING can't be given to the argument \"who\" of type INT64`:                 {"function": name("totals"), "argument_mapping": map[string]string{"who": "name"}},
		refused + `the function \"web.visits\" does not declare what it returns: return_table has to be given`:              {"function": name("visits"), "argument_mapping": who},
		refused + `the function \"web.visits\" returning set of table \"web.late\" is not tracked or not found in database`: {"function": name("visits"), "return_table": name("late"), "argument_mapping": who},
		refused + `the function \"web.totals\" does not return the columns customer_id, seconds of table \"web.visit\"`:     {"function": name("totals"), "return_table": visit, "argument_mapping": who},
	} {
		require.Contains(t, add("x", definition).text(), want)
	}
	answers := func(headers map[string]string, document, want string) {
		t.Helper()
		require.JSONEq(t, want, p.query(headers, document).text())
	}
	answers(nil, `{ web_customer(order_by: {name: asc}) { name
			visits(order_by: {page: desc}, limit: 2) { page }
			page2: visits(order_by: {page: desc}, limit: 1, offset: 1) { page }
			like(args: {pattern: "/c%"}, where: {seconds: {_gt: "2"}}) { page }
			totals(args: {lowest: 2}, order_by: {total: desc}, limit: 1) { __typename page total } } }`, `{"data":{"web_customer":[
		{"name":"Ann","visits":[{"page":"/cart/pay"},{"page":"/cart"}],"page2":[{"page":"/cart"}],"like":[{"page":"/cart"}],
			"totals":[{"__typename":"web_customer_totals_fields","page":"/cart","total":"3.0"}]},
		{"name":"Bo","visits":[{"page":"/"}],"page2":[],"like":[],"totals":[{"__typename":"web_customer_totals_fields","page":"/","total":"4.0"}]},
		{"name":"Cy","visits":[],"page2":[],"like":[],"totals":[]}]}}`)
	answers(nil, `query ($n: Int, $m: Int) { web_customer(where: {visits: {page: {_eq: "/"}}}, order_by: {visits_aggregate: {count: desc}}) { name
			visits(order_by: {page: asc}, limit: $n, offset: $m) { page } } }`, `{"data":{"web_customer":[
		{"name":"Ann","visits":[{"page":"/"},{"page":"/cart"},{"page":"/cart/pay"}]},{"name":"Bo","visits":[{"page":"/"}]}]}}`)
	require.Contains(t, p.query(nil, `{ web_customer { like { page } } }`).text(), "args")

	permit := func(role string, table any, permission map[string]any) answer {
		return p.post("/v1/metadata", nil, map[string]any{"type": "bigquery_create_select_permission", "args": map[string]any{
			"source": "bq", "table": table, "role": role, "permission": permission,
		}})
	}
	all := map[string]any{}
	require.Contains(t, permit("bad", customer, map[string]any{"columns": []string{"name"}, "filter": all, "computed_fields": []string{"visits"}}).text(),
		`select permissions on computed field \"visits\" are auto-derived from the permissions on its returning table \"web.visit\" and cannot be specified manually`)
	const success = `{"message":"success"}`
	require.JSONEq(t, success, permit("reader", customer, map[string]any{"columns": []string{"name"}, "filter": all}).text())
	require.JSONEq(t, success, permit("reader", visit, map[string]any{"columns": []string{"page"}, "filter": map[string]any{"seconds": map[string]any{"_lt": 3}}, "limit": 1}).text())
	require.JSONEq(t, success, permit("analyst", customer, map[string]any{"columns": []string{"name"}, "filter": all, "computed_fields": []string{"totals"}}).text())
	reader, analyst := map[string]string{"X-Engine-Role": "reader"}, map[string]string{"X-Engine-Role": "analyst"}
	answers(reader, `{ web_customer(order_by: {name: asc}) { visits(order_by: {page: desc}) { page } } }`,
		`{"data":{"web_customer":[{"visits":[{"page":"/cart/pay"}]},{"visits":[]},{"visits":[]}]}}`)
	require.Contains(t, p.query(reader, `{ web_customer { totals(args: {lowest: 0}) { page } } }`).text(), "field 'totals' not found in type: 'web_customer'")
	require.Contains(t, p.query(analyst, `{ web_customer { visits { page } } }`).text(), "field 'visits' not found in type: 'web_customer'")
	answers(analyst, `{ web_customer(where: {name: {_eq: "Bo"}}) { totals(args: {lowest: 0}, where: {page: {_eq: "/"}}) { total } } }`, `{"data":{"web_customer":[{"totals":[{"total":"4.0"}]}]}}`)

	p.metadata("add_inherited_role", map[string]any{"role_name": "both", "role_set": []string{"reader", "analyst"}})
	both := map[string]string{"X-Engine-Role": "both"}
	answers(both, `{ web_customer(where: {name: {_eq: "Ann"}}) { visits { page } } }`, `{"data":{"web_customer":[{"visits":[{"page":"/"}]}]}}`)
	require.Contains(t, p.query(both, `{ web_customer { totals(args: {lowest: 0}) { page } } }`).text(), "field 'totals' not found", "one of its parents may not read it")
	p.metadata("drop_inherited_role", map[string]any{"role_name": "both"})

	exported := p.post("/v1/metadata", nil, map[string]any{"type": "export_metadata", "args": map[string]any{}}).text()
	require.Contains(t, exported, `{"name":"visits","definition":{"function":{"dataset":"web","name":"visits"},"return_table":{"dataset":"web","name":"visit"},"argument_mapping":{"who":"id"}}}`)
	drop := func(field string, cascade bool) string {
		return p.post("/v1/metadata", nil, map[string]any{"type": "bigquery_drop_computed_field", "args": map[string]any{
			"source": "bq", "table": customer, "name": field, "cascade": cascade,
		}}).text()
	}
	require.Contains(t, drop("totals", false), `cannot drop due to the following dependent objects: permission web.customer.analyst.select in source \"bq\"`)
	require.JSONEq(t, success, drop("totals", true))
	require.JSONEq(t, success, drop("like", false))
	require.Contains(t, p.query(nil, `{ web_customer { like(args: {pattern: ""}) { page } } }`).text(), "field 'like' not found")
	// A function that is made after its source was added is found, too.
	execute(t, dataset, `CREATE FUNCTION web.late(who bigint) RETURNS SETOF web.visit LANGUAGE sql AS 'SELECT * FROM web.visit'`)
	require.JSONEq(t, success, add("late", map[string]any{"function": name("late"), "return_table": visit, "argument_mapping": who}).text())
	answers(nil, `{ web_customer(where: {name: {_eq: "Bo"}}) { late(where: {seconds: {_eq: 4}}) { page } } }`, `{"data":{"web_customer":[{"late":[{"page":"/"}]}]}}`)
}

// TestBigQueryNativeQueries answers root fields by statements of the metadata, as admin and as a role.
func TestBigQueryNativeQueries(t *testing.T) {
	t.Parallel()
	dataset := dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web;
		CREATE TABLE web.customer (id bigint, name text);
		CREATE TABLE web.visit (customer_id bigint, page text);
		INSERT INTO web.customer VALUES (1, 'Ann'), (2, 'Bo');
		INSERT INTO web.visit VALUES (1, '/'), (1, '/cart'), (2, '/')`)
	server := bigquerytest.New(t, dataset)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+dbtest.URL(t), "BIGQUERY_EMULATOR_HOST="+server.URL,
		"WEB_PROJECT=my-project", "WEB_DATASETS=web, web")
	visit := map[string]any{"dataset": "web", "name": "visit"}
	p.metadata("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
		"project_id": map[string]any{"from_env": "WEB_PROJECT"}, "datasets": map[string]any{"from_env": "WEB_DATASETS"},
	}})
	p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": visit})
	p.metadata("bigquery_track_logical_model", map[string]any{"source": "bq", "name": "busy", "fields": []any{
		map[string]any{"name": "id", "type": map[string]any{"scalar": "INT64"}},
		map[string]any{"name": "name", "type": map[string]any{"scalar": "STRING", "nullable": true}},
		map[string]any{"name": "visits", "type": map[string]any{"scalar": "INT64"}},
	}})
	track := func(name, code string) answer {
		return p.post("/v1/metadata", nil, map[string]any{"type": "bigquery_track_native_query", "args": map[string]any{
			"source": "bq", "root_field_name": name, "code": code, "returns": "busy",
			"arguments":           map[string]any{"least": map[string]any{"type": "INT64"}},
			"array_relationships": []any{map[string]any{"name": "pages", "using": map[string]any{"remote_table": visit, "column_mapping": map[string]string{"id": "customer_id"}}}},
		}})
	}
	const counts = "SELECT c.id AS id, c.name AS name, COUNT(*) AS visits FROM web.customer AS c JOIN web.visit AS v ON v.customer_id = c.id GROUP BY c.id, c.name HAVING COUNT(*) >= {{least}}"
	require.JSONEq(t, `{"message":"success"}`, track("busy_customers", counts).text())
	refused := track("none", "SELECT id FROM web.missing WHERE id > {{least}}").text()
	require.Contains(t, refused, `"code":"validation-failed"`)
	require.Contains(t, refused, "missing")
	p.metadata("bigquery_create_logical_model_select_permission", map[string]any{"source": "bq", "name": "busy", "role": "reader", "permission": map[string]any{
		"columns": []string{"name"}, "filter": map[string]any{"visits": map[string]any{"_gt": 1}},
	}})
	answers := func(headers map[string]string, document, want string) {
		t.Helper()
		require.JSONEq(t, want, p.query(headers, document).text())
	}
	answers(nil, `{ busy_customers(args: {least: 1}, order_by: {visits: desc}, where: {name: {_neq: "Cy"}}) { id name visits pages(order_by: {page: desc}, limit: 1) { page } } }`,
		`{"data":{"busy_customers":[{"id":"1","name":"Ann","visits":"2","pages":[{"page":"/cart"}]},{"id":"2","name":"Bo","visits":"1","pages":[{"page":"/"}]}]}}`)
	reader := map[string]string{"X-Engine-Role": "reader"}
	answers(reader, `{ busy_customers(args: {least: 0}) { name } }`, `{"data":{"busy_customers":[{"name":"Ann"}]}}`)
	require.Contains(t, p.query(reader, `{ busy_customers(args: {least: 0}) { visits } }`).text(), "field 'visits' not found")
	dependent := p.post("/v1/metadata", nil, map[string]any{"type": "bigquery_untrack_logical_model", "args": map[string]any{"source": "bq", "name": "busy"}}).text()
	require.Contains(t, dependent, "busy_customers")
	p.metadata("bigquery_untrack_native_query", map[string]any{"source": "bq", "root_field_name": "busy_customers"})
	p.metadata("bigquery_untrack_logical_model", map[string]any{"source": "bq", "name": "busy"})
}
