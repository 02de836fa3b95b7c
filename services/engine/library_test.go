package engine_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
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
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) // as the default registry has them
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
	require.False(t, slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return strings.HasPrefix(f.GetName(), "engine_") }))
	require.Contains(t, log.String(), `"msg":"http-log","detail":{`)
}

// TestEnginesSideBySide runs two engines in one process, whose metrics have labels. One stops while a request is pending,
// whose code still runs operations; the other one stays.
func TestEnginesSideBySide(t *testing.T) {
	t.Parallel()
	type none struct{}
	registry := prometheus.NewRegistry()
	called, release := make(chan struct{}), make(chan struct{})
	engines, mounts := map[string]*engine.Engine{}, map[string]*mounted{}
	for _, name := range []string{"one", "two"} {
		e, err := engine.New(engine.Config{
			Args:    []string{"--database-url", dbtest.URL(t), "--data-dir", t.TempDir(), "--admin-secret", secret},
			Env:     func(string) (string, bool) { return "", false },
			Logger:  slog.New(slog.DiscardHandler),
			Metrics: prometheus.WrapRegistererWith(prometheus.Labels{"engine": name}, registry),
		}, engine.Action("say", func(context.Context, none) (string, error) { return name, nil }, engine.Query()),
			engine.Action("wait", func(ctx context.Context, _ none) (string, error) {
				close(called)
				<-release
				for range 500 { // far longer than executors take to leave
					if err := engine.ClientOf(ctx).Run(ctx, "{ say }", nil, nil); err != nil {
						return "", err
					}
				}
				return name, nil
			}, engine.Query()))
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context()))
		t.Cleanup(e.Stop)
		server := httptest.NewServer(e.Handler())
		t.Cleanup(server.Close)
		engines[name], mounts[name] = e, &mounted{t: t, url: server.URL}
		for _, action := range []string{"say", "wait"} {
			mounts[name].metadata(`{"type":"create_action","args":{"name":"` + action + `","definition":{"type":"query","handler":"go://` + action + `","output_type":"String!"}}}`)
		}
	}
	for name, m := range mounts {
		require.JSONEq(t, `{"data":{"say":"`+name+`"}}`, m.query("{ say }", admin))
	}
	_, err := registry.Gather()
	require.NoError(t, err)
	answer, stopped := make(chan string, 1), make(chan struct{})
	go func() { answer <- mounts["one"].query("{ wait }", admin) }()
	<-called
	go func() {
		defer close(stopped)
		engines["one"].Stop()
	}()
	require.Eventually(t, func() bool { return engines["one"].Status() != nil }, patience, time.Millisecond)
	require.Contains(t, mounts["one"].query("{ say }", admin), "not running")
	require.Empty(t, stopped)
	close(release)
	require.JSONEq(t, `{"data":{"wait":"one"}}`, <-answer)
	<-stopped
	require.JSONEq(t, `{"data":{"say":"two"}}`, mounts["two"].query("{ say }", admin))
}

// TestVendorsSideBySide refuses to start an engine with other names than those of an engine in the process.
func TestVendorsSideBySide(t *testing.T) {
	t.Parallel()
	mount(t, false)
	other, err := engine.New(engine.Config{
		Args: []string{"--database-url", dbtest.URL(t), "--data-dir", t.TempDir(), "--admin-secret", secret, "--vendor-names", "acme"},
		Env:  func(string) (string, bool) { return "", false }, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.ErrorContains(t, other.Start(t.Context()), `--vendor-names: an engine in this process has "", this one "acme"`)
}

// TestListeningLibrary answers by its handler and at its port, and warns of either way in when no secret is set.
func TestListeningLibrary(t *testing.T) {
	t.Parallel()
	for _, listens := range []bool{false, true} {
		log := &lines{}
		e, err := engine.New(engine.Config{
			Args:   []string{"--database-url", dbtest.URL(t), "--data-dir", t.TempDir(), "--server-port", "0"},
			Env:    func(string) (string, bool) { return "", false },
			Logger: slog.New(slog.NewTextHandler(log, nil)), Listen: listens,
		})
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context()))
		t.Cleanup(e.Stop)
		require.Contains(t, log.String(), "every caller that reaches the handler is admin")
		server := httptest.NewServer(e.Handler())
		t.Cleanup(server.Close)
		urls := []string{server.URL}
		address := regexp.MustCompile(`every caller that reaches this address is admin.*?:(\d+)`).FindStringSubmatch(log.String())
		if require.Equal(t, listens, address != nil, log.String()); listens {
			urls = append(urls, "http://127.0.0.1:"+address[1])
		}
		version := func(url string) int {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/version", http.NoBody)
			require.NoError(t, err)
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			return response.StatusCode
		}
		for _, url := range urls {
			require.Equal(t, http.StatusOK, version(url), url)
		}
		e.Stop()
		require.Equal(t, http.StatusServiceUnavailable, version(server.URL))
	}
}
