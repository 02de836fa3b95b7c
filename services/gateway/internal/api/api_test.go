package api_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/config"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/api"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/cors"
)

// world is an API whose neighbours are scripted.
type world struct {
	settings api.Settings
	deps     api.Deps
	bus      *fakeBus
	metadata *fakeMetadata
	server   *httptest.Server
}

// setup makes a world; change adapts it before it is served.
func setup(t *testing.T, change func(*world)) *world {
	t.Helper()
	authenticator, err := auth.New(auth.Config{Secrets: []config.Secret{"s3cret"}})
	require.NoError(t, err)
	origins, err := cors.New([]string{"https://shop.example"}, false)
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	w := &world{
		settings: api.Settings{
			Enabled: map[api.Group]bool{api.GroupGraphQL: true, api.GroupMetadata: true, api.GroupConfig: true},
			Relay:   true, AdminInternalErrors: true, MaxRequestSize: 1 << 20,
			LiveQueries: api.LiveQueryOptions{BatchSize: 100, RefetchDelay: 1}, StreamingQueries: api.LiveQueryOptions{BatchSize: 7, RefetchDelay: 0.5},
		},
		bus:      &fakeBus{},
		metadata: &fakeMetadata{},
	}
	w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 5})
	w.deps = api.Deps{
		Version: "1.2.3", Bus: w.bus, Metadata: w.metadata, Authenticator: authenticator, CORS: origins,
		Health: func(context.Context) error { return nil }, Log: telemetry.Discard(),
		Metrics: api.NewMetrics(registry), Registry: registry,
	}
	if change != nil {
		change(w)
	}
	w.server = httptest.NewServer(api.New(w.settings, w.deps).Handler())
	t.Cleanup(w.server.Close)
	return w
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
}

var admin = []string{"X-Engine-Admin-Secret", "s3cret"}

// send sends a request with headers (names and values in turn).
func (w *world) send(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.server.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	var from io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		from, err = gzip.NewReader(resp.Body)
		require.NoError(t, err)
	}
	b, err := io.ReadAll(from)
	require.NoError(t, err)
	return answer{resp.StatusCode, resp.Header, string(b)}
}

// fakeBus answers calls by a script, and keeps them.
type fakeBus struct {
	answer func(ctx context.Context, ep bus.Endpoint, req proto.Message, sink bus.Sink) error

	mu    sync.Mutex
	calls []proto.Message
}

func (b *fakeBus) Call(ctx context.Context, ep bus.Endpoint, req proto.Message, _ func() proto.Message, sink bus.Sink) error {
	b.mu.Lock()
	b.calls = append(b.calls, proto.Clone(req))
	b.mu.Unlock()
	return b.answer(ctx, ep, req, sink)
}

// last is the last request that was called for.
func (b *fakeBus) last(t *testing.T) proto.Message {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NotEmpty(t, b.calls, "no service was called")
	return b.calls[len(b.calls)-1]
}

// says answers every call with a body.
func says(body string) func(context.Context, bus.Endpoint, proto.Message, bus.Sink) error {
	return func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
		_, err := sink.Write([]byte(body))
		return err
	}
}

// fails answers every call with an error.
func fails(err error) func(context.Context, bus.Endpoint, proto.Message, bus.Sink) error {
	return func(context.Context, bus.Endpoint, proto.Message, bus.Sink) error { return err }
}

type fakeMetadata struct {
	mu      sync.Mutex
	current *snapshot.Snapshot
	changed chan struct{} // closed by the next set
	waits   func(version int64)
}

// onWait has f called when a request waits for a version.
func (m *fakeMetadata) onWait(f func(version int64)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waits = f
}

func (m *fakeMetadata) WaitFor(ctx context.Context, version int64) (*snapshot.Snapshot, error) {
	m.mu.Lock()
	waits := m.waits
	m.mu.Unlock()
	if waits != nil {
		waits(version)
	}
	for {
		current, changed := m.Latest()
		if current.Version >= version {
			return current, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *fakeMetadata) Latest() (*snapshot.Snapshot, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current, m.changed
}

func (m *fakeMetadata) Current() *snapshot.Snapshot {
	current, _ := m.Latest()
	return current
}

func (m *fakeMetadata) set(s *snapshot.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = s
	if m.changed != nil {
		close(m.changed)
	}
	m.changed = make(chan struct{})
}

const missing = `{"error":"resource does not exist","path":"$","code":"not-found"}`

func TestRoutes(t *testing.T) {
	t.Parallel()
	all := setup(t, func(w *world) { w.bus.answer = says(`{"ok":true}`) })
	for _, c := range []struct {
		method, path, body string
		call               proto.Message
		endpoint           metadatav1.ApplyRequest_Endpoint
	}{
		{method: "POST", path: "/v1/graphql", body: `{"query":"{a}"}`, call: &queryv1.ExecuteRequest{}},
		{method: "POST", path: "/v1alpha1/graphql", body: `{"query":"{a}"}`, call: &queryv1.ExecuteRequest{}},
		{method: "POST", path: "/v1beta1/relay", body: `{"query":"{a}"}`, call: &queryv1.ExecuteRequest{}},
		{method: "POST", path: "/v1/graphql/explain", body: `{"query":"{a}"}`, call: &queryv1.ExplainRequest{}},
		{method: "POST", path: "/v1alpha1/graphql/explain", body: `{"query":"{a}"}`, call: &queryv1.ExplainRequest{}},
		{method: "POST", path: "/v1/metadata", body: `{"type":"insert"}`, call: &metadatav1.ApplyRequest{}, endpoint: 1},
		{method: "POST", path: "/v1/query", body: `{"type":"track_table"}`, call: &metadatav1.ApplyRequest{}, endpoint: 2},
		{method: "POST", path: "/v1/query", body: `{"type":"bulk","args":[{"type":"insert"}]}`, call: &metadatav1.ApplyRequest{}, endpoint: 2},
		{method: "POST", path: "/v1/query", body: `[]`, call: &metadatav1.ApplyRequest{}, endpoint: 2},
		{method: "POST", path: "/v2/query", body: `{"type":"run_sql"}`, call: &metadatav1.ApplyRequest{}, endpoint: 3},
		{method: "POST", path: "/v1/query", body: `{"type":"insert"}`, call: &queryv1.DataRequest{}},
		{method: "POST", path: "/v1/query", body: `{"type":"select"}`, call: &queryv1.DataRequest{}},
		{method: "POST", path: "/v1/query", body: `{"type":"update"}`, call: &queryv1.DataRequest{}},
		{method: "POST", path: "/v1/query", body: `{"type":"delete"}`, call: &queryv1.DataRequest{}},
		{method: "POST", path: "/v2/query", body: `{"type":"count"}`, call: &queryv1.DataRequest{}},
	} {
		got := all.send(t, c.method, c.path, c.body, admin...)
		require.Equal(t, http.StatusOK, got.status, c.path)
		require.Equal(t, `{"ok":true}`, got.body)
		require.Equal(t, "application/json; charset=utf-8", got.header.Get("Content-Type"))
		require.Equal(t, "11", got.header.Get("Content-Length"))
		require.Len(t, got.header.Get("X-Request-Id"), 36)
		call := all.bus.last(t)
		require.IsType(t, c.call, call, "%s %s", c.path, c.body)
		if apply, ok := call.(*metadatav1.ApplyRequest); ok {
			require.Equal(t, c.endpoint, apply.GetEndpoint(), c.path)
			require.Equal(t, c.body, string(apply.GetBody()))
		}
		if execute, ok := call.(*queryv1.ExecuteRequest); ok {
			require.Equal(t, c.path == "/v1beta1/relay", execute.GetRelay())
		}
	}
	for _, c := range []struct{ method, path string }{
		{"GET", "/"},
		{"GET", "/v1/metadata"},
		{"PUT", "/v1/graphql"},
		{"POST", "/v3/graphql"},
		{"OPTIONS", "/v1/graphql"},
		{"POST", "/healthz"},
		{"POST", "/v1/graphql/"},
		{"GET", "/v1/metrics"},
		{"GET", "/dev/ekg"},
	} {
		got := all.send(t, c.method, c.path, "", admin...)
		require.Equal(t, http.StatusNotFound, got.status, "%s %s", c.method, c.path)
		require.Equal(t, missing, got.body)
	}

	upgrade := slices.Concat(admin, []string{"Connection", "Upgrade", "Upgrade", "websocket"})
	got := all.send(t, "GET", "/v3/graphql", "", upgrade...)
	require.Equal(t, http.StatusNotFound, got.status)
	require.JSONEq(t, `{"message":"only '/v1/graphql', '/v1alpha1/graphql' and '/v1beta1/relay' are supported on websockets",
		"extensions":{"path":"$","code":"not-found"}}`, got.body)

	none := setup(t, func(w *world) { w.settings.Enabled = nil })
	require.Equal(t, missing, none.send(t, "GET", "/v1/graphql", "", upgrade...).body)
	for _, path := range []string{"/v1/graphql", "/v1beta1/relay", "/v1/metadata", "/v1/query", "/v2/query", "/v1/graphql/explain"} {
		require.Equal(t, missing, none.send(t, "POST", path, "{}", admin...).body, path)
	}
	require.Equal(t, missing, none.send(t, "GET", "/v1alpha1/config", "", admin...).body)
	require.Equal(t, `{"server_type":"ce","version":"v1.2.3"}`, none.send(t, "GET", "/v1/version", "").body)
}

func TestWhatIsAskedOfAnExecutor(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.bus.answer = says(`{"data":{}}`) })
	w.send(t, "POST", "/v1/graphql", `{"query":"query Q { a }","operationName":"Q","variables":{"x":1}}`, append(admin,
		"X-Engine-Role", "clerk", "X-Engine-User-Id", "7", "X-Request-Id", "my-id", "X-Engine-Use-Backend-Only-Permissions", "true")...)
	want := &queryv1.ExecuteRequest{
		Session: &queryv1.Session{Role: "clerk", BackendOnly: true, Trusted: true, Variables: map[string]string{
			"x-engine-role": "clerk", "x-engine-user-id": "7", "x-engine-use-backend-only-permissions": "true",
		}},
		Query: "query Q { a }", OperationName: "Q", Variables: []byte(`{"x":1}`), MinVersion: 5, RequestId: "my-id",
	}
	require.True(t, proto.Equal(want, w.bus.last(t)), "%v", w.bus.last(t))

	w.send(t, "POST", "/v1/query", `{"type":"insert","args":{}}`, append(admin, "X-Request-Id", "my-id")...)
	data := &queryv1.DataRequest{
		Session: &queryv1.Session{Role: "admin", Trusted: true, Variables: map[string]string{"x-engine-role": "admin"}},
		Body:    []byte(`{"type":"insert","args":{}}`), MinVersion: 5, RequestId: "my-id",
	}
	require.True(t, proto.Equal(data, w.bus.last(t)), "%v", w.bus.last(t))

	w.send(t, "POST", "/v1/graphql/explain", `{"query":{"query":"{ a }"},"user":{"x-engine-role":"clerk"},"is_relay":true}`, admin...)
	explain := &queryv1.ExplainRequest{
		Session: &queryv1.Session{Role: "clerk", BackendOnly: true, Variables: map[string]string{"x-engine-role": "clerk"}},
		Query:   "{ a }", MinVersion: 5, Relay: true,
	}
	require.True(t, proto.Equal(explain, w.bus.last(t)), "%v", w.bus.last(t))
}

// TestClientHeaders: headers of clients travel only when some definition passes them on.
func TestClientHeaders(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.bus.answer = says(`{"data":{}}`) })
	for _, forwards := range []bool{false, true, false} {
		doc, err := metadata.Parse(fmt.Appendf(nil, `{"version": 3, "sources": [{"name": "s", "kind": "postgres",
			"configuration": {"connection_info": {"database_url": "x"}}, "tables": [{"table": "t", "delete_permissions": [
				{"role": "r", "permission": {"filter": {}, "validate_input": {"type": "http",
					"definition": {"url": "x", "forward_client_headers": %t}}}}]}]}]}`, forwards), &metadata.Document{}, nil)
		require.NoError(t, err)
		w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 6, Document: doc})
		w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, append(admin, "X-One", "1")...)
		got, ok := w.bus.last(t).(*queryv1.ExecuteRequest)
		require.True(t, ok)
		if !forwards {
			require.Empty(t, got.GetClientHeaders())
			continue
		}
		require.Equal(t, "1", got.GetClientHeaders()["x-one"])
		require.Equal(t, strings.TrimPrefix(w.server.URL, "http://"), got.GetClientHeaders()["host"])
	}
}

func TestMinVersion(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	modified := false
	w.bus.answer = func(_ context.Context, ep bus.Endpoint, _ proto.Message, sink bus.Sink) error {
		if ep == bus.MetadataApply {
			return sink.Head(&metadatav1.ApplyHead{ResourceVersion: 9, Modified: modified})
		}
		return nil
	}
	asked := func() int64 {
		w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, admin...)
		r, ok := w.bus.last(t).(*queryv1.ExecuteRequest)
		require.True(t, ok)
		return r.GetMinVersion()
	}
	require.EqualValues(t, 5, asked(), "the version that the gateway follows")
	w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...)
	apply, ok := w.bus.last(t).(*metadatav1.ApplyRequest)
	require.True(t, ok)
	require.EqualValues(t, 5, apply.GetMinVersion())
	require.EqualValues(t, 5, asked(), "a version that was committed, and maybe never published")
	modified = true
	w.metadata.onWait(func(version int64) { w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: version}) })
	require.Equal(t, 200, w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...).status)
	require.EqualValues(t, 9, asked(), "the answer to a change comes after its version")
	w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 12})
	require.EqualValues(t, 12, asked())
	w.metadata.set(&snapshot.Snapshot{StreamID: "restored", Version: 3})
	require.EqualValues(t, 3, asked(), "versions of another metadata database do not count")
}

// TestNothingIsServedBeforeTheFirstMetadata: a gateway that knows no version can't keep answers
// from being older than what was answered before, and knows of no limits.
func TestNothingIsServedBeforeTheFirstMetadata(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.bus.answer = says(`{"data":{}}`)
		w.metadata.set(nil)
		w.settings.Enabled[api.GroupDev] = true
	})
	for _, door := range []struct{ method, path, body string }{
		{"POST", "/v1/graphql", `{"query":"{a}"}`},
		{"POST", "/v1beta1/relay", `{"query":"{a}"}`},
		{"POST", "/v1alpha1/graphql", `{"query":"{a}"}`},
		{"POST", "/v1/graphql/explain", `{"query":{"query":"{a}"}}`},
		{"POST", "/v1/query", `{"type":"select","args":{}}`},
		{"POST", "/v2/query", `{"type":"select","args":{}}`},
		{"GET", "/api/rest/a", ""},
		{"GET", "/api/swagger/json", ""},
	} {
		got := w.send(t, door.method, door.path, door.body, admin...)
		require.Equal(t, http.StatusServiceUnavailable, got.status, "%s: %s", door.path, got.body)
		require.Contains(t, got.body, "no metadata has arrived yet", door.path)
		require.Equal(t, "1", got.header.Get("Retry-After"), door.path)
	}
	events := w.send(t, "POST", "/v1/graphql", `{"query":"subscription {a}"}`, append(admin, "Accept", "text/event-stream")...)
	require.Contains(t, events.body, "no metadata has arrived yet")
	require.Contains(t, w.send(t, "POST", "/v1/graphql", `[{"query":"{a}"}]`, admin...).body, "no metadata has arrived yet")
	require.Empty(t, w.bus.calls)
	require.Equal(t, 200, w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...).status, "the metadata may be what has to be put right")
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var fault error
	w := setup(t, func(w *world) { w.deps.Health = func(context.Context) error { return fault } })
	check := func(path string, status int, body string) {
		t.Helper()
		got := w.send(t, "GET", path, "")
		require.Equal(t, status, got.status)
		require.Equal(t, body, got.body)
		require.Equal(t, "text/plain; charset=utf-8", got.header.Get("Content-Type"))
		head := w.send(t, "HEAD", path, "")
		require.Equal(t, status, head.status)
		require.Empty(t, head.body)
		require.Equal(t, got.header.Get("Content-Length"), head.header.Get("Content-Length"))
	}
	check("/healthz", 200, "OK")
	check("/engine/healthz", 200, "OK")
	check("/healthz?strict=true", 200, "OK")
	w.metadata.set(&snapshot.Snapshot{Inconsistent: make([]metadata.Inconsistency, 1)})
	check("/healthz", 200, "WARN: inconsistent objects in schema")
	check("/healthz?strict=false", 200, "WARN: inconsistent objects in schema")
	check("/healthz?strict=true", 500, "ERROR: inconsistent objects in schema")
	fault = errors.New("not connected to NATS, trying again")
	check("/healthz", 500, "ERROR: not connected to NATS, trying again")
}

// TestReady: what queries don't need makes no gateway unready.
func TestReady(t *testing.T) {
	t.Parallel()
	var fault error
	w := setup(t, func(w *world) {
		w.deps.Health = func(context.Context) error { return errors.New("metadata database is unreachable") }
		w.deps.Ready = func() error { return fault }
	})
	got := w.send(t, "GET", "/readyz", "")
	require.Equal(t, 200, got.status)
	require.Equal(t, "OK", got.body)
	fault = errors.New("stopping")
	got = w.send(t, "GET", "/readyz", "")
	require.Equal(t, 503, got.status)
	require.Equal(t, "ERROR: stopping", got.body)
	fault = nil
	w.metadata.set(nil)
	got = w.send(t, "GET", "/readyz", "")
	require.Equal(t, 503, got.status, "requests would be refused")
	require.Equal(t, "ERROR: no metadata has arrived yet", got.body)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	got := w.send(t, "GET", "/v1alpha1/config", "", admin...)
	require.JSONEq(t, `{"version":"v1.2.3","is_function_permissions_inferred":false,"is_remote_schema_permissions_enabled":false,
		"is_admin_secret_set":true,"is_auth_hook_set":false,"is_jwt_set":false,"jwt":[],"is_allow_list_enabled":false,
		"live_queries":{"batch_size":100,"refetch_delay":1},"streaming_queries":{"batch_size":7,"refetch_delay":0.5},
		"console_assets_dir":null,"experimental_features":[],"is_prometheus_metrics_enabled":false,
		"default_naming_convention":"","feature_flags":[],"is_apollo_federation_enabled":false}`, got.body)
	got = w.send(t, "GET", "/v1alpha1/config", "", append(admin, "X-Engine-Role", "clerk")...)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, `{"error":"You have to be an admin to access this endpoint","path":"$","code":"access-denied"}`, got.body)
	require.Equal(t, http.StatusUnauthorized, w.send(t, "GET", "/v1alpha1/config", "").status)

	w = setup(t, func(w *world) { w.settings.EnableAllowlist, w.settings.RemoteSchemaPermissions = true, true })
	got = w.send(t, "GET", "/v1alpha1/config", "", admin...)
	require.Contains(t, got.body, `"is_allow_list_enabled":true`)
	require.Contains(t, got.body, `"is_remote_schema_permissions_enabled":true`)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.settings.Enabled = map[api.Group]bool{api.GroupMetrics: true}
		w.deps.MetricsSecret = auth.NewSecret("m3trics")
	})
	for _, headers := range [][]string{{"Authorization", "Bearer m3trics"}, admin} {
		got := w.send(t, "GET", "/v1/metrics", "", headers...)
		require.Equal(t, http.StatusOK, got.status)
		require.Contains(t, got.header.Get("Content-Type"), "text/plain; version=0.0.4")
		require.Contains(t, got.body, "engine_http_request_bytes_total")
	}
	for _, headers := range [][]string{{"Authorization", "Bearer wrong"}, nil, append(admin, "X-Engine-Role", "clerk")} {
		got := w.send(t, "GET", "/v1/metrics", "", headers...)
		require.Equal(t, http.StatusUnauthorized, got.status)
		require.Equal(t, `{"error":"the metrics secret is required","path":"$","code":"access-denied"}`, got.body)
	}
}

func TestDeveloperEndpoints(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.settings.Enabled = map[api.Group]bool{api.GroupDev: true} })
	got := w.send(t, "GET", "/dev/plan_cache", "", admin...)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "null", got.body)
	got = w.send(t, "GET", "/dev/ekg", "", admin...)
	require.Equal(t, http.StatusOK, got.status)
	var counters map[string]float64
	require.NoError(t, json.Unmarshal([]byte(got.body), &counters))
	require.Contains(t, counters, "engine_http_response_bytes_total")
	for _, path := range []string{"/dev/plan_cache", "/dev/ekg"} {
		got = w.send(t, "GET", path, "", append(admin, "X-Engine-Role", "clerk")...)
		require.Equal(t, http.StatusBadRequest, got.status)
		require.Equal(t, `{"error":"You have to be an admin to access this endpoint","path":"$","code":"access-denied"}`, got.body)
	}
}
