package engine_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine"
)

// TestLibrary mounts an engine next to other routes, with the logger, the metrics and the tracer of the program around it.
func TestLibrary(t *testing.T) {
	t.Parallel()
	log, registry, spans := &lines{}, prometheus.NewRegistry(), tracetest.NewSpanRecorder()
	e, err := engine.New(engine.Config{
		Args:    []string{"--database-url", dbtest.URL(t), "--data-dir", t.TempDir(), "--admin-secret", secret, "--enabled-log-types", "startup,http-log"},
		Env:     func(string) (string, bool) { return "", false },
		Logger:  slog.New(slog.NewJSONHandler(log, nil)),
		Metrics: registry,
		Tracer:  sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("/mine", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mine") })
	mux.Handle("/", e.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m := &mounted{t: t, url: server.URL, log: log}
	status, answer := m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
	require.Error(t, e.Status())
	require.Error(t, e.Client().As("admin", nil).Run(t.Context(), "{ __typename }", nil, nil))
	require.NoError(t, e.Start(t.Context()))
	t.Cleanup(e.Stop)
	require.NoError(t, e.Status())
	require.JSONEq(t, `{"data":{"__typename":"query_root"}}`, m.query("{ __typename }", admin))
	_, answer = m.post("/mine", "", nil)
	require.Equal(t, "mine", answer)

	var got struct {
		Name string `json:"__typename"`
	}
	require.NoError(t, e.Client().As("admin", nil).Run(t.Context(), "{ __typename }", nil, &got))
	require.Equal(t, "query_root", got.Name)
	require.ErrorContains(t, e.Client().Run(t.Context(), "{ __typename }", nil, nil), "no role")
	var failed engine.OperationError
	require.ErrorAs(t, e.Client().As("admin", nil).Run(t.Context(), "{ nothing }", nil, nil), &failed)
	require.Contains(t, failed[0].Message, "nothing")
	require.Equal(t, "validation-failed", failed[0].Extensions["code"])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://unused", strings.NewReader(`{"query":"query ($n: Boolean!) { __typename @include(if: $n) }","variables":{"n":true}}`))
	require.NoError(t, err)
	response, err := e.Client().As("admin", nil).Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{"data":{"__typename":"query_root"}}`, string(text))

	families, err := registry.Gather()
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "engine_http_connections" }))
	require.NotEmpty(t, spans.Ended())
	e.Stop()
	status, _ = m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
	require.Equal(t, http.StatusServiceUnavailable, status)
	families, err = registry.Gather()
	require.NoError(t, err)
	require.Zero(t, len(families))
	require.Contains(t, log.String(), `"msg":"http-log","detail":{`)
}
