package assembly

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
	"queryengine/pkg/program"
	"queryengine/pkg/telemetry/collectortest"
)

// system is all services, in one process or in several.
type system struct {
	t    *testing.T
	base string
	nats *natsserver.Server
}

// startSystem starts the services: all in one Env, or each in an Env of its own, as in processes
// of their own.
func startSystem(t *testing.T, apart bool, settings ...string) *system {
	t.Helper()
	nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(nats.Stop)
	port := freeport.Text(t)
	args := append([]string{"--server-port", port, "--nats-url", nats.ClientURL()}, settings...)
	none := func(string) (string, bool) { return "", false }
	v, err := config.Load(config.Engine, args, none, io.Discard)
	require.NoError(t, err)
	start := func(names ...string) {
		var inProcess program.Connector
		if !apart {
			inProcess = nats
		}
		env, err := program.Open(t.Context(), config.Engine, v, io.Discard, inProcess)
		require.NoError(t, err)
		t.Cleanup(env.Close)
		s, err := Services(env, names)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		require.NoError(t, s.Start(ctx))
		t.Cleanup(s.Stop)
	}
	names := config.RunServices.Get(v)
	if apart {
		for _, name := range []string{"metadata", "query-executor", "event-delivery", "scheduler", "gateway"} {
			require.Contains(t, names, name)
			start(name)
		}
	} else {
		start(names...)
	}
	s := &system{t, "http://127.0.0.1:" + port, nats}
	require.Eventually(t, func() bool { // until the gateway and an executor know the metadata
		status, body := s.post("/v1/graphql", `{"query": "{ __typename }"}`, nil)
		return status == http.StatusOK && strings.Contains(body, "query_root")
	}, patience, 50*time.Millisecond)
	return s
}

func (s *system) post(path, body string, header map[string]string) (int, string) {
	s.t.Helper()
	status, _, answer := s.send(path, body, header)
	return status, answer
}

// send posts a request, and returns the status, the headers and the body of its answer; the error instead of the body where there is none.
func (s *system) send(path, body string, header map[string]string) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response.StatusCode, response.Header, string(answer)
}

func (s *system) metadata(kind string, args any) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"type": kind, "args": args})
	require.NoError(s.t, err)
	status, answer := s.post("/v1/metadata", string(body), nil)
	require.Equal(s.t, http.StatusOK, status, answer)
}

// listener is a webhook that remembers the headers of calls by path.
type listener struct {
	*httptest.Server
	calls chan call
}

type call struct {
	path   string
	header http.Header
	body   []byte
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{calls: make(chan call, 100)}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.calls <- call{r.URL.Path, r.Header.Clone(), body}
		_, _ = io.WriteString(w, `{"ok": true}`)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) next(t *testing.T, path string) call {
	t.Helper()
	select {
	case c := <-l.calls:
		require.Equal(t, path, c.path)
		return c
	case <-time.After(patience):
		require.FailNow(t, "no call of "+path)
		return call{}
	}
}

// awaitSpans waits until the collector has spans of these names in a trace, and returns all of
// the trace by name.
func awaitSpans(t *testing.T, c *collectortest.Collector, traceID string, names ...string) map[string]collectortest.Span {
	t.Helper()
	deadline := time.After(patience)
	for {
		changed := c.Changed()
		found := map[string]collectortest.Span{}
		for _, s := range c.Spans() {
			if s.TraceID == traceID {
				found[s.Name] = s
			}
		}
		if !slices.ContainsFunc(names, func(name string) bool { return found[name].ID == "" }) {
			return found
		}
		select {
		case <-changed:
		case <-deadline:
			require.FailNow(t, "spans are missing", "%v of %v", found, names)
		}
	}
}

// traceSocket proves that operations over a WebSocket have spans that describe them.
func (s *system) traceSocket(c *collectortest.Collector) {
	s.t.Helper()
	const trace = "1af7651916cd43dd8448eb211c80319c"
	socket, response, err := websocket.Dial(s.t.Context(), s.base+"/v1/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"X-B3-TraceId": {trace}, "X-B3-SpanId": {"b7ad6b7169203331"}},
	})
	require.NoError(s.t, err)
	_ = response // it has no body
	defer func() { _ = socket.CloseNow() }()
	for _, text := range []string{
		`{"type": "connection_init"}`,
		`{"type": "subscribe", "id": "1", "payload": {"query": "subscription Watch { stock { id } }"}}`,
		`{"type": "subscribe", "id": "2", "payload": {"query": "query Ask { stock { id } }"}}`,
	} {
		require.NoError(s.t, socket.Write(s.t.Context(), websocket.MessageText, []byte(text)))
	}
	await := func(kind, name string) {
		s.t.Helper()
		require.Eventually(s.t, func() bool {
			return slices.ContainsFunc(c.Spans(), func(span collectortest.Span) bool {
				return span.TraceID == trace && span.Name == "websocket" && span.Attributes["graphql.operation.type"] == kind &&
					span.Attributes["graphql.operation.name"] == name && len(span.Attributes["parameterized_query_hash"]) == 40
			})
		}, patience, 20*time.Millisecond)
	}
	await("query", "Ask")
	await("subscription", "Watch")
}

// traceAsynchronous proves that calls of asynchronous actions have traces of their own.
func (s *system) traceAsynchronous(c *collectortest.Collector, hooks *listener) {
	s.t.Helper()
	s.metadata("create_action", map[string]any{"name": "later", "definition": map[string]any{
		"kind": "asynchronous", "type": "mutation", "handler": hooks.URL + "/later", "output_type": "Done!",
	}})
	_, answer := s.post("/v1/graphql", `{"query": "mutation { later }"}`, nil)
	require.Contains(s.t, answer, `{"data":{"later":`)
	trace := hooks.next(s.t, "/later").header.Get("X-B3-TraceId")
	spans := awaitSpans(s.t, c, trace, "async actions processor", `Action "later"`)
	require.Equal(s.t, spans["async actions processor"].ID, spans[`Action "later"`].ParentID)
	require.Equal(s.t, "later", spans["async actions processor"].Attributes["action.name"])
}

// TestTracesThroughTheWholeSystem follows one mutation from its client through gateway, executor and
// database into its event's webhook, and one action to its handler, as configured in the metadata.
func TestTracesThroughTheWholeSystem(t *testing.T) {
	t.Parallel()
	for name, apart := range map[string]bool{"one process": false, "several processes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t)
			db, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			_, err = db.Exec(t.Context(), `CREATE TABLE stock (id int PRIMARY KEY)`)
			require.NoError(t, err)
			require.NoError(t, db.Close(t.Context()))
			collector, hooks := collectortest.New(t), newListener(t)
			s := startSystem(t, apart, "--database-url", url, "--trace-sql-query")
			s.metadata("pg_track_table", map[string]any{"table": "stock"})
			s.metadata("pg_create_event_trigger", map[string]any{
				"name": "on_stock", "table": "stock", "webhook": hooks.URL + "/event", "insert": map[string]any{"columns": "*"},
			})
			s.metadata("set_custom_types", map[string]any{"objects": []any{
				map[string]any{"name": "Done", "fields": []any{map[string]any{"name": "ok", "type": "Boolean!"}}},
			}})
			s.metadata("create_action", map[string]any{"name": "check", "definition": map[string]any{
				"kind": "synchronous", "type": "query", "handler": hooks.URL + "/action", "output_type": "Done!",
			}})
			const trace, client = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
			header := map[string]string{"X-B3-TraceId": trace, "X-B3-SpanId": client, "X-B3-Sampled": "1"}
			const insert = `{"query": "mutation Add%($id: Int!) { added: insert_stock_one(object: {id: $id}) { id } }", "variables": {"id": %}}`

			// Nothing is exported yet: the client's trace is carried on all the same.
			_, answer := s.post("/v1/graphql", strings.ReplaceAll(insert, "%", "1"), header)
			require.JSONEq(t, `{"data":{"added":{"id":1}}}`, answer)
			event := hooks.next(t, "/event")
			require.Equal(t, trace, event.header.Get("X-B3-TraceId"))
			require.Contains(t, string(event.body), `"trace_id":"`+trace+`"`, string(event.body))

			s.metadata("set_opentelemetry_config", map[string]any{
				"status": "enabled", "data_types": []string{"traces", "logs"},
				"exporter_otlp": map[string]any{
					"otlp_traces_endpoint": collector.URL + "/v1/traces", "otlp_logs_endpoint": collector.URL + "/v1/logs",
					"headers":             []any{map[string]any{"name": "api-key", "value": "s3cret"}},
					"resource_attributes": []any{map[string]any{"name": "zone", "value": "b"}},
					"traces_propagators":  []string{"b3", "tracecontext"},
				},
				"batch_span_processor": map[string]any{"max_export_batch_size": 1},
			})
			require.Eventually(t, func() bool { // every process has taken it over
				_, _ = s.post("/v1/graphql", `{"query": "{ stock { id } }"}`, nil)
				return slices.ContainsFunc(collector.Spans(), func(s collectortest.Span) bool { return s.Name == `Postgres Query for root field "stock"` })
			}, patience, 50*time.Millisecond)

			_, answer = s.post("/v1/graphql", strings.ReplaceAll(insert, "%", "2"), header) // another text, whose plan isn't kept yet
			require.JSONEq(t, `{"data":{"added":{"id":2}}}`, answer)
			spans := awaitSpans(t, collector, trace, "/v1/graphql", "Parse GraphQL", "Resolve mutation execution plan",
				`Postgres Mutation for root field "added"`, "Event trigger: on_stock")
			require.Equal(t, client, spans["/v1/graphql"].ParentID)
			require.Equal(t, "SPAN_KIND_SERVER", spans["/v1/graphql"].Kind)
			server := spans["/v1/graphql"].Attributes
			require.Equal(t, "admin", server["enduser.role"])
			require.Equal(t, "Add2", server["graphql.operation.name"])
			require.Equal(t, "mutation", server["graphql.operation.type"])
			require.Len(t, server["parameterized_query_hash"], 40)
			require.Contains(t, server["graphql.document"], "mutation Add2")
			written := spans[`Postgres Mutation for root field "added"`].Attributes
			require.Regexp(t, `^INSERT INTO "public"\."stock" .*VALUES \(\$1::int4\)`, written["db.query.text"])
			delete(written, "db.query.text")
			require.Equal(t, map[string]string{"source.name": "default", "db.system.name": "postgresql"}, written)
			require.Equal(t, spans[`Postgres Mutation for root field "added"`].ID, spans["Event trigger: on_stock"].ParentID)
			require.Equal(t, "engine", spans["/v1/graphql"].OfResources["service.name"])
			require.Equal(t, "b", spans["/v1/graphql"].OfResources["zone"])
			require.Equal(t, "s3cret", collector.Header().Get("Api-Key"))
			event = hooks.next(t, "/event")
			require.Equal(t, "00-"+trace+"-"+spans["Event trigger: on_stock"].ID+"-01", event.header.Get("Traceparent"))
			require.Equal(t, spans["Event trigger: on_stock"].ID, event.header.Get("X-B3-SpanId"))

			_, answer = s.post("/v1/graphql", `{"query": "{ check { ok } }"}`, header)
			require.JSONEq(t, `{"data":{"check":{"ok":true}}}`, answer)
			spans = awaitSpans(t, collector, trace, `Action "check"`)
			require.Equal(t, spans[`Action "check"`].ID, hooks.next(t, "/action").header.Get("X-B3-SpanId"))
			s.traceSocket(collector)
			s.traceAsynchronous(collector, hooks)
			s.metadata("pg_untrack_table", map[string]any{"table": "stock", "cascade": true})
			require.Eventually(t, func() bool {
				return slices.ContainsFunc(collector.Spans(), func(s collectortest.Span) bool { return s.Name == "Metadata" })
			}, patience, 50*time.Millisecond)
			for _, line := range collector.Lines() {
				require.NotContains(t, line, "s3cret")
				require.True(t, json.Valid(bytes.TrimSpace([]byte(line))), line)
			}

			s.metadata("set_opentelemetry_status", "disabled")
			unsampled := map[string]string{"X-B3-TraceId": strings.Repeat("1", 32), "X-B3-SpanId": client}
			for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) { // until every process has taken it over
				_, _ = s.post("/v1/graphql", `{"query": "{ check { ok } }"}`, unsampled)
				if hooks.next(t, "/action").header.Get("X-B3-SpanId") == client {
					break
				}
				require.True(t, time.Now().Before(deadline), "spans are still made")
			}
		})
	}
}
