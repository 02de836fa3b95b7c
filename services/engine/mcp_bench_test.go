package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine"
)

// wholeSchema is the introspection that clients send.
const wholeSchema = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...T }
	directives { name description locations args { ...I } } } }
	fragment T on __Type { kind name description fields(includeDeprecated: true) { name description args { ...I } type { ...R } isDeprecated deprecationReason }
		inputFields { ...I } interfaces { ...R } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...R } }
	fragment I on __InputValue { name description type { ...R } defaultValue }
	fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`

// BenchmarkAssistants compares the processor time of what an assistant asks for first, with 2,000 tables and 1,000 tools, with one introspection of the same
// role in the same run: all pages of tools and a search, the first time after a change of the metadata and later.
func BenchmarkAssistants(b *testing.B) {
	const tables, documents = 2000, 1000
	m := mountWith(b, false, []string{"--enable-mcp", "--mcp-answer-size", "100000"}, engine.Authenticate(identify))
	source := dbtest.URL(b)
	m.source = source
	var sql strings.Builder
	var tracked, tools []any
	for i := range tables {
		fmt.Fprintf(&sql, "CREATE TABLE table_%04d (id int PRIMARY KEY, owner text NOT NULL, title text, price numeric, seen_at timestamptz, next int REFERENCES table_%04d);", i, max(i-1, 0))
		fmt.Fprintf(&sql, "COMMENT ON TABLE table_%04d IS 'things of the kind %d';", i, i)
		permission := func(definition map[string]any) []any {
			return []any{map[string]any{"role": "user", "permission": definition}}
		}
		filter := map[string]any{"owner": "X-Engine-User-Id"}
		tracked = append(tracked, map[string]any{
			"table":              fmt.Sprintf("table_%04d", i),
			"select_permissions": permission(map[string]any{"columns": "*", "filter": filter, "allow_aggregations": true}),
			"insert_permissions": permission(map[string]any{"columns": "*", "check": filter}),
			"update_permissions": permission(map[string]any{"columns": []string{"title", "price"}, "filter": filter}),
			"object_relationships": []any{map[string]any{
				"name": "next_thing", "using": map[string]any{"foreign_key_constraint_on": "next"},
			}},
		})
		if i%2 == 0 {
			tools = append(tools, map[string]any{
				"name":  fmt.Sprintf("tool_%04d", i),
				"query": fmt.Sprintf(`query ($where: table_%04d_bool_exp!, $limit: Int = 10) { table_%04d(where: $where, limit: $limit, order_by: {id: asc}) { id title next_thing { title price } } }`, i, i),
				"tool":  map[string]any{"title": "Things", "description": "Finds things of a kind"},
			})
		}
	}
	m.sql(sql.String())
	require.Len(b, tools, documents)
	document := func(version int) {
		body, err := json.Marshal(map[string]any{"type": "replace_metadata", "args": map[string]any{"metadata": map[string]any{
			"version": 3,
			"sources": []any{map[string]any{
				"name": "default", "kind": "postgres", "tables": tracked,
				"configuration": map[string]any{"connection_info": map[string]any{"database_url": source}},
			}},
			"query_collections": []any{map[string]any{"name": fmt.Sprintf("tools_%d", version), "definition": map[string]any{"queries": tools}}},
		}}})
		require.NoError(b, err)
		m.metadata(string(body))
	}
	header := map[string]string{"Authorization": "Bearer user even", "Accept": "application/json, text/event-stream"}
	ask := func(method string, params any) string {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		require.NoError(b, err)
		status, answer := m.post("/mcp", string(body), header)
		require.Equal(b, 200, status, answer)
		return answer
	}
	steps := []struct {
		name string
		do   func() int
	}{
		{"introspection", func() int {
			answer := m.query(wholeSchema, header)
			require.Contains(b, answer[:min(len(answer), 200)], "query_root")
			return len(answer)
		}},
		{"search_schema", func() int {
			answer := ask("tools/call", map[string]any{"name": "search_schema", "arguments": map[string]any{"text": "kind 1999"}})
			require.Contains(b, answer, "table_1999")
			return len(answer)
		}},
		{"tools/list", func() int {
			size, pages, cursor := 0, 0, ""
			for pages == 0 || cursor != "" {
				answer := ask("tools/list", map[string]any{"cursor": cursor})
				var page struct {
					Result struct{ NextCursor string }
				}
				require.NoError(b, json.Unmarshal([]byte(answer), &page))
				size, pages, cursor = size+len(answer), pages+1, page.Result.NextCursor
			}
			require.Equal(b, documents/100, pages)
			return size
		}},
	}
	cpu := func() time.Duration { // of the client, too; other programs don't count
		var used syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	times := map[string]time.Duration{}
	version := 0
	for b.Loop() {
		for _, form := range []string{"first", "later"} {
			for _, step := range steps {
				if form == "first" {
					version++
					document(version)
				}
				runtime.GC()
				started := cpu()
				size := step.do()
				times[form+" "+step.name] += cpu() - started
				b.ReportMetric(float64(size)/1000, step.name+"-KB")
			}
		}
	}
	for _, form := range []string{"first", "later"} {
		for _, step := range steps {
			name := form + " " + step.name
			b.ReportMetric(times[name].Seconds()*1000/float64(b.N), strings.ReplaceAll(name, " ", "-")+"-ms")
			b.ReportMetric(float64(times[name])/float64(times[form+" introspection"]), strings.ReplaceAll(name, " ", "-")+"-ratio")
		}
	}
	b.ReportMetric(0, "ns/op")
}
