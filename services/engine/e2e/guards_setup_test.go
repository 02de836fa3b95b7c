package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/bigquery/bigquerytest"
)

// firstOf is the rest of the first line that begins with prefix.
func firstOf(r io.Reader, prefix string) string {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return rest
		}
	}
	return ""
}

// overSocket is the first answer to the payload of an operation, or why the socket was refused or closed.
func (c *visitor) overSocket(path, protocol, payload string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	header := http.Header{}
	for k, v := range c.header {
		header.Set(k, v)
	}
	conn, response, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(c.p.url, "http")+path,
		&websocket.DialOptions{Subprotocols: []string{protocol}, HTTPHeader: header})
	if err != nil {
		require.NotNil(c.t, response, err)
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body) // what there is of it
		return string(text) + err.Error()
	}
	defer func() { _ = conn.CloseNow() }()
	start := "subscribe"
	if protocol == "graphql-ws" {
		start = "start"
	}
	for _, message := range []any{
		map[string]any{"type": "connection_init"},
		map[string]any{"type": start, "id": "1", "payload": json.RawMessage(payload)},
	} {
		text, err := json.Marshal(message)
		require.NoError(c.t, err)
		require.NoError(c.t, conn.Write(ctx, websocket.MessageText, text))
	}
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return err.Error()
		}
		var m struct {
			Type    string
			Payload json.RawMessage
		}
		require.NoError(c.t, json.Unmarshal(text, &m))
		switch m.Type {
		case "next", "data", "error", "connection_error":
			return string(m.Payload)
		}
	}
}

// guardMetadata has roles that are held to one guard each, and an endpoint for each operation.
func guardMetadata(webhook, bigQuery string) []any {
	request := func(kind string, args map[string]any) any { return map[string]any{"type": kind, "args": args} }
	on := func(kind, table string, args map[string]any) any {
		args["source"], args["table"] = "default", table
		return request(kind, args)
	}
	all := map[string]any{}
	var list []any
	for _, table := range []string{"item", "part", "hidden", "trusted", "checked", "written", "slow"} {
		list = append(list, on("pg_track_table", table, map[string]any{}))
	}
	for _, table := range []string{"item", "hidden"} {
		list = append(list, on("pg_set_apollo_federation_config", table, map[string]any{"apollo_federation_config": map[string]any{"enable": "v1"}}))
	}
	list = append(list, on("pg_create_array_relationship", "item", map[string]any{"name": "parts", "using": map[string]any{
		"foreign_key_constraint_on": map[string]any{"table": "part", "column": "item_id"},
	}}))
	list = append(list, request("pg_update_source", map[string]any{"name": "default", "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"session":         map[string]any{"role": map[string]any{"policed": "x-engine-database-role", "*": "none"}},
	}}))
	for _, role := range []string{"free", "depth", "node", "rate", "time", "batch", "policed"} {
		for _, table := range []string{"item", "part", "slow"} {
			list = append(list, on("pg_create_select_permission", table, map[string]any{"role": role, "permission": map[string]any{"columns": "*", "filter": all}}))
		}
	}
	list = append(list, on("pg_create_select_permission", "hidden", map[string]any{"role": "free", "permission": map[string]any{
		"columns": "*", "filter": all, "query_root_fields": []string{}, "subscription_root_fields": []string{},
	}}))
	for table, permission := range map[string]map[string]any{
		"trusted": {"backend_only": true},
		"checked": {"validate_input": map[string]any{"type": "http", "definition": map[string]any{"url": webhook}}},
		"written": {},
	} {
		permission["columns"], permission["check"] = "*", all
		list = append(list, on("pg_create_insert_permission", table, map[string]any{"role": "free", "permission": permission}))
	}
	visit := map[string]any{"dataset": "web", "name": "visit"}
	list = append(list,
		request("bigquery_add_source", map[string]any{"name": "bq", "configuration": map[string]any{
			"project_id": bigquerytest.Project, "datasets": []string{"web"}, "endpoint": bigQuery,
		}}),
		request("bigquery_track_table", map[string]any{"source": "bq", "table": visit}),
		request("bigquery_create_select_permission", map[string]any{
			"source": "bq", "table": visit, "role": "bytes", "permission": map[string]any{"columns": "*", "filter": all},
		}))
	limit := func(global any, role string, most any) map[string]any {
		return map[string]any{"global": global, "per_role": map[string]any{role: most}}
	}
	rate := func(most int) map[string]any {
		return map[string]any{"unique_params": "IP", "max_reqs_per_min": most}
	}
	list = append(list, request("set_api_limits", map[string]any{
		"disabled": false, "depth_limit": limit(1000, "depth", 1), "node_limit": limit(1000, "node", 1),
		"time_limit": limit(100, "time", 1), "batch_limit": limit(1000, "batch", 1), "rate_limit": limit(rate(100_000), "rate", rate(1)),
		"bytes_limit": limit(1e12, "bytes", 1),
	}))
	stored := map[string]bool{}
	for _, g := range append([]guard{{asked: deep}}, guards...) {
		q := g.asked[plain]
		if q == "" || stored[q] {
			continue
		}
		stored[q] = true
		name := endpointOf(q)
		list = append(list,
			request("create_query_collection", map[string]any{"name": name, "definition": map[string]any{"queries": []any{map[string]any{"name": name, "query": q, "tool": map[string]any{}}}}}),
			request("create_rest_endpoint", map[string]any{
				"name": name, "url": name, "methods": []string{"GET", "POST"},
				"definition": map[string]any{"query": map[string]any{"collection_name": name, "query_name": name}},
			}))
	}
	documents := map[string]string{}
	for _, g := range append([]guard{{asked: deep}}, guards...) {
		for _, l := range []language{plain, subscription, relay} {
			if q := g.asked[l]; q != "" && g.without[string(l)] == "" {
				documents[endpointOf(q)] = q
			}
		}
	}
	return append(list, request("import_documents", map[string]any{"collection": "by_id", "documents": documents}))
}
