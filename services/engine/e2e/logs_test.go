package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// logLine is a line of a program.
type logLine struct {
	Timestamp, Level, Type string
	TraceID                string `json:"trace_id"`
	SpanID                 string `json:"span_id"`
	Detail                 map[string]any

	raw string
}

// lines are the lines of a program so far; each has to have the shape of a line.
func (p *process) lines() []logLine {
	p.t.Helper()
	var list []logLine
	text := p.log.String()
	for line := range strings.Lines(text[:strings.LastIndexByte(text, '\n')+1]) {
		l := logLine{raw: line}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(p.t, d.Decode(&l), line)
		_, err := time.Parse("2006-01-02T15:04:05.000-0700", l.Timestamp)
		require.NoError(p.t, err, line)
		require.Contains(p.t, []string{"debug", "info", "warn", "error", "critical"}, l.Level)
		require.NotEmpty(p.t, l.Type, line)
		require.NotNil(p.t, l.Detail, line)
		list = append(list, l)
	}
	return list
}

// awaitLine waits for a line of a type that satisfies ok, and gives it.
func (p *process) awaitLine(kind string, ok func(logLine) bool) logLine {
	p.t.Helper()
	var found logLine
	eventually(p.t, startLimit, func() bool {
		lines := p.lines()
		i := slices.IndexFunc(lines, func(l logLine) bool { return l.Type == kind && ok(l) })
		if i >= 0 {
			found = lines[i]
		}
		return i >= 0
	}, func() string { return "no such line of " + kind + " in the log of " + p.name + ":\n" + p.log.Tail() })
	return found
}

func anyLine(logLine) bool { return true }

// in is a value within a line's detail.
func in(v any, path ...string) any {
	for _, step := range path {
		object, _ := v.(map[string]any)
		v = object[step]
	}
	return v
}

// TestLogs runs all services with all types of lines on, and looks for a line of each type.
func TestLogs(t *testing.T) {
	t.Parallel()
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "of-the-handler")
		if r.URL.Path == "/refuse" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, `42`)
	}))
	t.Cleanup(handler.Close)
	c := newCluster(t)
	c.settings["ENGINE_GRAPHQL_ENABLED_LOG_TYPES"] = "startup,http-log,webhook-log,websocket-log,jwk-refresh-log,query-log,execution-log," +
		"livequery-poller-log,action-handler-log,validate-input-log"
	c.settings["ENGINE_GRAPHQL_LOG_MASKED_VARIABLES"] = "pin"
	c.settings["ENGINE_GRAPHQL_ENABLE_TRIGGERS_ERROR_LOG_LEVEL"] = "true"
	execute(t, c.databaseURL, `CREATE TABLE person (id int PRIMARY KEY, name text); INSERT INTO person VALUES (1, 'Ada'); CREATE TABLE gone (id int)`)
	m, e, d, s := c.start(metadata), c.start(executor), c.start(eventDelivery), c.start(scheduler)
	g := c.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false")
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "person"}},
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "gone"}},
		map[string]any{"type": "pg_create_insert_permission", "args": map[string]any{"table": "person", "role": "user", "permission": map[string]any{
			"columns": "*", "check": map[string]any{}, "validate_input": map[string]any{"type": "http", "definition": map[string]any{"url": handler.URL}},
		}}},
		map[string]any{"type": "create_action", "args": map[string]any{"name": "count", "definition": map[string]any{
			"handler": handler.URL + "/count", "output_type": "Int", "kind": "synchronous",
			"arguments": []any{map[string]any{"name": "pin", "type": "String"}},
		}}},
		map[string]any{"type": "pg_create_event_trigger", "args": map[string]any{
			"name": "inserted", "table": "person", "webhook": handler.URL + "/refuse", "insert": map[string]any{"columns": "*"},
			"headers": []any{map[string]any{"name": "Authorization", "value": "hush-hush"}},
		}},
		map[string]any{"type": "set_api_limits", "args": map[string]any{"depth_limit": map[string]any{"global": 1}}},
	})

	admin := map[string]string{"X-Engine-Admin-Secret": secret, "X-Request-Id": "r-1", "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	g.post("/v1/graphql", admin, map[string]any{
		"operationName": "P", "variables": map[string]any{"pin": "hush-hush"},
		"query": `query P($pin: String) { p: person(where: {name: {_neq: $pin}}) { id } }`,
	})
	ofRequest := func(id string) func(logLine) bool {
		return func(l logLine) bool { return l.Detail["request_id"] == id }
	}
	line := g.awaitLine("http-log", ofRequest("r-1"))
	require.Equal(t, "info", line.Level)
	require.Equal(t, "P", in(line.Detail, "operation", "query", "operationName"))
	require.Equal(t, "[MASKED]", in(line.Detail, "operation", "query", "variables", "pin"))
	hash, _ := in(line.Detail, "operation", "parameterized_query_hash").(string)
	require.Regexp(t, `^[0-9a-f]{40}$`, hash)
	require.Equal(t, "single", in(line.Detail, "operation", "request_mode"))
	require.Equal(t, "admin", in(line.Detail, "operation", "user_vars", "x-engine-role"))
	line = e.awaitLine("query-log", ofRequest("r-1"))
	require.Equal(t, "database", line.Detail["kind"])
	require.Contains(t, in(line.Detail, "generated_sql", "p", "query"), "SELECT")
	require.Equal(t, []any{"[MASKED]"}, in(line.Detail, "generated_sql", "p", "prepared_arguments"))
	line = e.awaitLine("execution-log", ofRequest("r-1"))
	require.Equal(t, "query", in(line.Detail, "statistics", "operation_type"))

	_, err := g.send(http.MethodPost, "/v1/graphql", map[string]string{"X-Engine-Admin-Secret": secret, "X-Request-Id": "r-2"},
		[]byte(`[{"query":"{ person(where: {name: {_neq: \"x\"}}) { id } }"},{"query":"{ nothing }"}]`))
	require.NoError(t, err)
	line = g.awaitLine("http-log", ofRequest("r-2"))
	require.Equal(t, "error", line.Level)
	require.Len(t, line.Detail["batched_operations"], 2)
	require.Equal(t, []any{hash}, in(line.Detail, "operation", "parameterized_query_hash"), "aliases and operands make no difference")
	_, err = g.send(http.MethodPost, "/v1/graphql", map[string]string{"X-Engine-Admin-Secret": secret, "X-Request-Id": "r-3"}, []byte(`{`))
	require.NoError(t, err)
	require.Equal(t, "[MASKED]", in(g.awaitLine("http-log", ofRequest("r-3")).Detail, "operation", "raw_query"), "it might hold masked variables")
	g.metadata("export_metadata", map[string]any{})
	g.awaitLine("http-log", func(l logLine) bool { return in(l.Detail, "operation", "query", "type") == "export_metadata" })

	g.query(as("user"), `{ person { id person { id } } }`)
	line = g.awaitLine("api-limit-log", anyLine)
	require.Equal(t, "error", line.Level)
	require.Equal(t, "user", line.Detail["role"])
	require.Equal(t, "depth-limit-exceeded", line.Detail["code"])

	g.post("/v1/graphql", asAdmin, map[string]any{
		"query": `mutation ($pin: String) { count(pin: $pin) }`, "variables": map[string]any{"pin": "hush-hush"},
	})
	line = e.awaitLine("action-handler-log", anyLine)
	require.Equal(t, "count", line.Detail["action_name"])
	require.Equal(t, "mutation-synchronous", line.Detail["action_type"])
	require.Nil(t, in(line.Detail, "request", "body"), "it may hold what is masked")
	e.awaitLine("query-log", func(l logLine) bool { return l.Detail["kind"] == "action" })

	g.query(as("user"), `mutation { insert_person(objects: [{id: 2, name: "Bob"}]) { affected_rows } }`)
	require.Equal(t, handler.URL, e.awaitLine("validate-input-log", anyLine).Detail["url"])
	g.query(asAdmin, `mutation { insert_person_one(object: {id: 3, name: "Cy"}) { id } }`)
	line = d.awaitLine("event-trigger", anyLine)
	require.Equal(t, "error", line.Level)
	require.Equal(t, "inserted", line.Detail["event_name"])
	require.InDelta(t, http.StatusTeapot, in(line.Detail, "response", "status"), 0)
	g.metadata("create_scheduled_event", map[string]any{"webhook": handler.URL, "schedule_at": time.Now().UTC().Format(time.RFC3339), "payload": map[string]any{}})
	require.Equal(t, "info", d.awaitLine("scheduled-trigger", anyLine).Level)

	subscriber := g.subscriber(asAdmin)
	subscriber.send(map[string]any{"type": "subscribe", "id": "1", "payload": map[string]any{"query": `subscription { person { id } }`}})
	line = e.awaitLine("livequery-poller-log", anyLine)
	require.Equal(t, "live-query", line.Detail["kind"])
	require.Len(t, line.Detail["poller_id"], 16)
	subscriber.send(map[string]any{"type": "complete", "id": "1"})
	for _, event := range []string{"accepted", "started", "stopped"} {
		g.awaitLine("websocket-log", func(l logLine) bool {
			return in(l.Detail, "event", "type") == event || in(l.Detail, "event", "detail", "operation_type", "type") == event
		})
	}

	execute(t, c.databaseURL, `DROP TABLE gone`)
	g.metadata("reload_metadata", map[string]any{})
	line = m.awaitLine("metadata", anyLine)
	require.Equal(t, "warn", line.Level)
	require.Equal(t, "Inconsistent Metadata!", line.Detail["message"])
	require.Len(t, in(line.Detail, "info", "objects"), 1)

	for _, p := range []*process{m, e, d, s, g} {
		require.NotEmpty(t, in(p.awaitLine("startup", func(l logLine) bool { return l.Detail["kind"] == "server_configuration" }).Detail, "info", "log_level"))
		p.stop()
		p.awaitLine("startup", func(l logLine) bool { return in(l.Detail, "info", "message") == "stopped" })
		require.NotContains(t, p.log.String(), "hush-hush", p.name)
		require.NotContains(t, p.log.String(), secret, p.name)
		require.NotContains(t, p.log.String(), "of-the-handler", p.name)
	}
}
