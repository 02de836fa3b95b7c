package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/dbtest"
)

// TestBigQueryCosts counts what an operation reads, and bounds it for a role. The server says 1024 bytes of any statement.
func TestBigQueryCosts(t *testing.T) {
	t.Parallel()
	dataset := dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web; CREATE TABLE web.visit (page text); INSERT INTO web.visit VALUES ('/')`)
	server := bigquerytest.New(t, dataset)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+dbtest.URL(t), "ENGINE_GRAPHQL_METRICS_SECRET=measure",
		"ENGINE_GRAPHQL_ENABLED_APIS=metadata,graphql,metrics", "ENGINE_GRAPHQL_ENABLED_LOG_TYPES=startup,execution-log", "ENGINE_GRAPHQL_LOG_LEVEL=info")
	p.metadata("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
		"project_id": bigquerytest.Project, "datasets": []string{"web"}, "endpoint": server.URL,
	}})
	visit := map[string]any{"dataset": "web", "name": "visit"}
	p.metadata("bigquery_track_table", map[string]any{"source": "bq", "table": visit})
	for _, role := range []string{"reader", "analyst"} {
		p.metadata("bigquery_create_select_permission", map[string]any{
			"source": "bq", "table": visit, "role": role,
			"permission": map[string]any{"columns": []string{"page"}, "filter": map[string]any{}},
		})
	}
	p.metadata("set_api_limits", map[string]any{"bytes_limit": map[string]any{"global": 2000, "per_role": map[string]any{"analyst": 1e6}}})
	as := func(role string) map[string]string { return map[string]string{"X-Engine-Role": role} }

	const one, two = `query Pages { web_visit { page } }`, `query Twice { a: web_visit { page } b: web_visit { page } }`
	require.JSONEq(t, `{"data":{"web_visit":[{"page":"/"}]}}`, p.query(as("reader"), one).text())
	refused := p.query(as("reader"), two).text()
	require.JSONEq(t, `{"errors":[{"message":"bytes limit exceeded: the operation would scan 2048 bytes, the limit is 2000",
		"extensions":{"path":"$","code":"bytes-limit-exceeded"}}]}`, refused)
	const both = `{"data":{"a":[{"page":"/"}],"b":[{"page":"/"}]}}`
	require.JSONEq(t, both, p.query(as("analyst"), two).text(), "a limit for the role takes the place of the global one")
	require.JSONEq(t, both, p.query(nil, two).text(), "there is none for admin")
	eventually(t, startLimit, func() bool {
		log := p.log.String()
		return strings.Contains(log, `"code":"bytes-limit-exceeded"`) && strings.Contains(log, `"bytes_scanned":2048`)
	}, p.log.String)
	metrics, err := p.send(http.MethodGet, "/v1/metrics", map[string]string{"Authorization": "Bearer measure"}, nil)
	require.NoError(t, err)
	require.Regexp(t, `engine_graphql_scanned_bytes_total\{operation_name="Twice",[^}]*role="analyst"[^}]*\} 2048\n`, metrics.text())
}
