package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAssistantsOutliveAnExecutor: an assistant whose executor is killed hears so, and the next one answers.
func TestAssistantsOutliveAnExecutor(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE book (id int PRIMARY KEY); INSERT INTO book VALUES (1);
		CREATE FUNCTION slow() RETURNS SETOF book LANGUAGE sql VOLATILE AS 'SELECT book.* FROM book, pg_sleep(600)'`)
	c.start(metadata)
	first := c.start(executor)
	g := c.start(gateway, "ENABLE_MCP=true", `JWT_SECRET={"type":"HS256","key":"`+tokenKey+`"}`)
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "book"}},
		map[string]any{"type": "pg_track_function", "args": map[string]any{"function": "slow"}},
		map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"table": "book", "role": "reader", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
		}},
		map[string]any{"type": "pg_create_function_permission", "args": map[string]any{"function": "slow", "role": "reader"}},
		map[string]any{"type": "create_query_collection", "args": map[string]any{"name": "tools", "definition": map[string]any{"queries": []any{
			map[string]any{"name": "wait", "query": "mutation { slow { id } }", "tool": map[string]any{}},
		}}}},
	})
	token := tokenOf(t, "reader", "")
	call := func(arguments string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+arguments+`}`))
		require.NoError(t, err)
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(text)
	}
	const books = `{"name":"run_query","arguments":{"query":"{ book { id } }"}}`
	require.Contains(t, call(books), `"structuredContent":{"book":[{"id":1}]}`)
	ended := make(chan string, 1)
	go func() { ended <- call(`{"name":"wait","arguments":{}}`) }()
	eventually(t, startLimit, func() bool {
		return number(t, c.databaseURL, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%slow%' AND pid <> pg_backend_pid()`) > 0
	},
		func() string { return "the call doesn't begin" })
	first.kill()
	answer := <-ended
	t.Log(answer)
	require.Contains(t, answer, `"isError":true`)
	require.Contains(t, call(books), `"isError":true`)
	c.start(executor)
	eventually(t, startLimit, func() bool { return strings.Contains(call(books), `"structuredContent":{"book":[{"id":1}]}`) }, func() string { return call(books) })
}
