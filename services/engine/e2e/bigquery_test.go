package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// bigQuery is a server with the REST API of BigQuery, as far as it is needed here: it has two tables without
// INFORMATION_SCHEMA, as emulators have them, and answers statements that it has been told of.
type bigQuery struct {
	url string

	mu sync.Mutex
	// answers are the rows of statements as JSON: lists of cells.
	answers map[string]string
	// sent are the bodies of all queries.
	sent []map[string]any
}

var bigQueryTables = map[string]string{
	"customer": `{"fields": [{"name": "id", "type": "INTEGER", "mode": "REQUIRED"}, {"name": "name", "type": "STRING"}, {"name": "joined", "type": "TIMESTAMP"}]}`,
	"visit": `{"fields": [{"name": "customer_id", "type": "INTEGER"}, {"name": "page", "type": "STRING", "description": "a path"},
		{"name": "seconds", "type": "FLOAT"}, {"name": "tags", "type": "STRING", "mode": "REPEATED"}]}`,
}

func newBigQuery(t *testing.T, answers map[string]string) *bigQuery {
	t.Helper()
	b := &bigQuery{answers: answers}
	mux := http.NewServeMux()
	const project = "/bigquery/v2/projects/demo"
	mux.HandleFunc("GET "+project+"/datasets/web/tables", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"tables": [{"tableReference": {"tableId": "customer"}, "type": "TABLE"}, {"tableReference": {"tableId": "visit"}, "type": "TABLE"}]}`)
	})
	mux.HandleFunc("GET "+project+"/datasets/web/tables/{table}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"schema": %s}`, bigQueryTables[r.PathValue("table")])
	})
	mux.HandleFunc("POST "+project+"/queries", b.query)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *bigQuery) query(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var sent map[string]any
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	text, _ := sent["query"].(string)
	text, _, _ = strings.Cut(text, " /*")
	if text == "SELECT 1 AS c0" {
		fmt.Fprint(w, `{"jobComplete": true, "rows": [{"f": [{"v": "1"}]}], "schema": {"fields": [{"name": "c0", "type": "INTEGER"}]}}`)
		return
	}
	rows, known := b.answers[text]
	if !known {
		w.WriteHeader(http.StatusBadRequest)
		message, _ := json.Marshal("no table of this name: " + text)
		fmt.Fprintf(w, `{"error": {"code": 400, "message": %s, "errors": [{"reason": "invalidQuery"}]}}`, message)
		return
	}
	b.sent = append(b.sent, sent)
	if sent["dryRun"] == true {
		fmt.Fprint(w, `{"jobComplete": true, "totalBytesProcessed": "4096", "schema": {"fields": []}}`)
		return
	}
	fmt.Fprintf(w, `{"jobComplete": true, "totalBytesProcessed": "4096", "schema": {"fields": [{"name": "n", "type": "STRING"}]}, "rows": %s}`, rows)
}

// last is the parameters of the last query.
func (b *bigQuery) last() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	raw, _ := json.Marshal(b.sent[len(b.sent)-1]["queryParameters"])
	return string(raw)
}

// TestBigQuery adds a source of BigQuery, asks it as admin and as a role, joins it with a PostgreSQL database
// in both directions, and tries what it can't do.
func TestBigQuery(t *testing.T) {
	t.Parallel()
	const (
		visits = "LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0, c1 AS c1, c2 AS c2) ORDER BY _engine_o0) AS v FROM " +
			"(SELECT * EXCEPT (_engine_n) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY _engine_k0 ORDER BY _engine_o0) AS _engine_n FROM " +
			"(SELECT t1.`page` AS c0, t1.`seconds` AS c1, t1.`tags` AS c2, t1.`customer_id` AS _engine_k0, t1.`page` AS _engine_o0 FROM `web`.`visit` AS t1)) " +
			"WHERE _engine_n <= 1000) GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`id`"
		related = "SELECT t0.`id` AS c0, t0.`name` AS c1, FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', t0.`joined`) AS c2, t2.v AS c3 FROM `web`.`customer` AS t0 " + visits + " ORDER BY t0.`id` LIMIT 1000"
		own     = "SELECT t0.`page` AS c0 FROM `web`.`visit` AS t0 WHERE t0.`customer_id` = @p1 LIMIT 10"
		joined  = "SELECT t0.`name` AS c0, t0.`id` AS c1 FROM `web`.`customer` AS t0 ORDER BY t0.`id` DESC LIMIT 1000"
		buyers  = "SELECT t2.v AS c0 FROM (SELECT @p1[OFFSET(n)] AS `k1`, n + 1 AS `n` FROM UNNEST(GENERATE_ARRAY(0, ARRAY_LENGTH(@p1) - 1)) AS n) AS t0 " +
			"LEFT JOIN (SELECT _engine_k0, ARRAY_AGG(STRUCT(c0 AS c0) LIMIT 1)[SAFE_OFFSET(0)] AS v FROM (SELECT t1.`name` AS c0, t1.`id` AS _engine_k0 FROM `web`.`customer` AS t1) " +
			"GROUP BY _engine_k0) AS t2 ON t2._engine_k0 = t0.`k1` ORDER BY t0.`n` NULLS LAST"
		count = "SELECT COUNT(*) AS c0, sum(t0.`seconds`) AS c1 FROM `web`.`visit` AS t0"
	)
	b := newBigQuery(t, map[string]string{
		related: `[{"f": [{"v": "1"}, {"v": "Ann"}, {"v": "2024-02-29T12:00:00Z"}, {"v": [{"v": {"f": [{"v": "/"}, {"v": "1.5"}, {"v": [{"v": "new"}]}]}}]}]},
			{"f": [{"v": "2"}, {"v": null}, {"v": null}, {"v": []}]}]`,
		own:                          `[{"f": [{"v": "/cart"}]}]`,
		count:                        `[{"f": [{"v": "3"}, {"v": "4.5"}]}]`,
		joined:                       `[{"f": [{"v": null}, {"v": "2"}]}, {"f": [{"v": "Ann"}, {"v": "1"}]}]`,
		buyers:                       `[{"f": [{"v": {"f": [{"v": "Ann"}]}}]}, {"f": [{"v": {"f": [{"v": null}]}}]}]`,
		"SELECT c FROM web.customer": `[{"f": [{"v": "x"}]}]`,
	})
	url := dbtest.URL(t)
	execute(t, url, `CREATE TABLE ticket (id int PRIMARY KEY, customer bigint NOT NULL); INSERT INTO ticket VALUES (10, 1), (11, 2)`)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+url)
	customer, visit := map[string]any{"dataset": "web", "name": "customer"}, map[string]any{"dataset": "web", "name": "visit"}
	p.metadata("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
		"project_id": "demo", "datasets": []string{"web"}, "endpoint": b.url}})
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
		{"id":"1","name":"Ann","joined":"2024-02-29T12:00:00Z","visits":[{"page":"/","seconds":"1.5","tags":["new"]}]},
		{"id":"2","name":null,"joined":null,"visits":[]}]}}`)
	answers(nil, `{ web_visit_aggregate { aggregate { count sum { seconds } } } }`, `{"data":{"web_visit_aggregate":{"aggregate":{"count":"3","sum":{"seconds":"4.5"}}}}}`)
	as := map[string]string{"X-Engine-Role": "reader", "X-Engine-Customer": "7"}
	answers(as, `{ web_visit { page } }`, `{"data":{"web_visit":[{"page":"/cart"}]}}`)
	require.JSONEq(t, `[{"name":"p1","parameterType":{"type":"INT64"},"parameterValue":{"value":"7"}}]`, b.last())
	require.Contains(t, p.query(as, `{ web_visit { seconds } }`).text(), "field 'seconds' not found")

	refused := p.query(nil, `{ web_customer { name } }`).text()
	require.Contains(t, refused, "bigquery-error")
	require.Contains(t, p.query(nil, `mutation { insert_web_visit(objects: []) { affected_rows } }`).text(), "no mutations exist")
	require.Contains(t, p.query(nil, `subscription { web_visit { page } }`).text(), "subscription")
	raw := p.post("/v2/query", nil, map[string]any{"type": "bigquery_run_sql", "args": map[string]any{"source": "bq", "sql": "SELECT c FROM web.customer"}})
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["n"],["x"]]}`, raw.text())

	p.metadata("pg_track_table", map[string]any{"table": "ticket"})
	p.metadata("bigquery_create_remote_relationship", map[string]any{"source": "bq", "table": customer, "name": "tickets", "definition": map[string]any{
		"to_source": map[string]any{"source": "default", "table": "ticket", "relationship_type": "array", "field_mapping": map[string]string{"id": "customer"}}}})
	p.metadata("pg_create_remote_relationship", map[string]any{"table": "ticket", "name": "buyer", "definition": map[string]any{
		"to_source": map[string]any{"source": "bq", "table": customer, "relationship_type": "object", "field_mapping": map[string]string{"customer": "id"}}}})
	answers(nil, `{ web_customer(order_by: {id: desc}) { name tickets { id } } }`, `{"data":{"web_customer":[
		{"name":null,"tickets":[{"id":11}]},{"name":"Ann","tickets":[{"id":10}]}]}}`)
	answers(nil, `{ ticket(order_by: {id: asc}) { id buyer { name } } }`, `{"data":{"ticket":[{"id":10,"buyer":{"name":"Ann"}},{"id":11,"buyer":{"name":null}}]}}`)
}
