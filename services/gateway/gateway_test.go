package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/logtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway"
	"queryengine/services/gateway/internal/api"
)

// fixture is a gateway with a real NATS and, on a connection of their own, responders that a
// test makes up.
type fixture struct {
	nats    *natsserver.Server
	others  *bus.Bus
	gateway *gateway.Gateway
	// gatewayBus is the connection of the gateway.
	gatewayBus *bus.Bus
	logs       *logtest.Buffer
}

func settings() gateway.Config {
	c := gateway.Config{
		Host: "127.0.0.1", StopTimeout: 5 * time.Second, MaxHeaderSize: 1 << 20, CORSDomains: []string{"*"},
	}
	c.Timeout, c.MaxRequestSize, c.Relay = 5*time.Second, 1<<20, true
	c.Enabled = map[api.Group]bool{api.GroupGraphQL: true, api.GroupMetadata: true, api.GroupConfig: true}
	return c
}

func connect(t testing.TB, server *natsserver.Server, name string) *bus.Bus {
	t.Helper()
	b, err := bus.Connect(t.Context(), bus.Config{InProcess: server, Name: name})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func startNATS(t testing.TB) *natsserver.Server {
	t.Helper()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	return server
}

// setup starts a gateway that knows metadata of version 1.
func setup(t testing.TB, change func(*gateway.Config), logTypes ...string) *fixture {
	t.Helper()
	if logTypes == nil {
		logTypes = []string{"http-log"}
	}
	h := &fixture{nats: startNATS(t), logs: &logtest.Buffer{}}
	h.others, h.gatewayBus = connect(t, h.nats, "others"), connect(t, h.nats, "gateway")
	h.publish(t, &snapshot.Snapshot{StreamID: "stream", Version: 1, Document: &metadata.Document{Version: 3}})
	c := settings()
	if change != nil {
		change(&c)
	}
	log, err := telemetry.NewLog(h.logs, "info", logTypes)
	require.NoError(t, err)
	g, err := gateway.New(c, gateway.Deps{Bus: h.gatewayBus, Logger: log.Logger("gateway")})
	require.NoError(t, err)
	require.NoError(t, g.Start(t.Context()))
	t.Cleanup(g.Stop)
	h.gateway = g
	require.Eventually(t, func() bool { return g.Status() == nil }, 30*time.Second, 5*time.Millisecond)
	return h
}

func TestWarningOfAnOpenDoor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host    string
		secrets []config.Secret
		warns   bool
	}{
		"all interfaces":               {"*", nil, true},
		"all interfaces with a secret": {"*", []config.Secret{"s3cret"}, false},
		"this machine":                 {"127.0.0.1", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, func(g *gateway.Config) { g.Host, g.AdminSecrets = c.host, c.secrets })
			require.Equal(t, c.warns, strings.Contains(h.logs.String(), "no admin secret is set"))
		})
	}
}

// publish makes s the metadata of the gateway.
func (h *fixture) publish(t testing.TB, s *snapshot.Snapshot) {
	t.Helper()
	data, err := snapshot.Encode(s)
	require.NoError(t, err)
	require.NoError(t, h.others.Changes().Ensure(t.Context(), s.StreamID, 1))
	require.NoError(t, h.others.Snapshots().Put(t.Context(), s.StreamID, s.Version, bytes.NewReader(data)))
}

// execute has an executor answer GraphQL requests with f.
func (h *fixture) execute(t testing.TB, b *bus.Bus, f bus.Handler) {
	t.Helper()
	s, err := b.Register(t.Context(), bus.ServiceInfo{Name: bus.ServiceQueryExecutor, Version: "1.0.0"})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Stop(ctx)
	})
	require.NoError(t, s.Handle(bus.QueryExecute, func() proto.Message { return &queryv1.ExecuteRequest{} }, f))
}

func (h *fixture) url(path string) string { return "http://" + h.gateway.Address().String() + path }

// post sends a GraphQL request and returns the answer with its body still to read.
func (h *fixture) post(ctx context.Context, t testing.TB, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url("/v1/graphql"), strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestHealthChecksShareTheAnswerOfMetadata(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	var asked atomic.Int32
	responder, err := h.others.Register(t.Context(), bus.ServiceInfo{Name: bus.ServiceMetadata, Version: "1.0.0"})
	require.NoError(t, err)
	require.NoError(t, responder.Handle(bus.MetadataHealth, func() proto.Message { return &emptypb.Empty{} }, func(context.Context, proto.Message, bus.ResponseWriter) error {
		asked.Add(1)
		return nil
	}))
	const probes = 200
	var all sync.WaitGroup
	for range probes {
		all.Go(func() {
			resp, err := http.Get(h.url("/healthz"))
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusOK, resp.StatusCode)
				assert.NoError(t, resp.Body.Close())
			}
		})
	}
	all.Wait()
	// Those that come later than a second after a check make another one.
	require.Less(t, asked.Load(), int32(probes/4))
}

func TestQueryTravelsOverTheBus(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	h.execute(t, h.others, func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		r, _ := req.(*queryv1.ExecuteRequest)
		w.SetHead(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "X-Test", Value: "yes"}}})
		_, err := w.Write([]byte(`{"data":{"role":"` + r.GetSession().GetRole() + `"}}`))
		return err
	})
	resp := h.post(t.Context(), t, `{"query":"{ role }"}`)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, `{"data":{"role":"admin"}}`, string(body))
	require.Equal(t, "yes", resp.Header.Get("X-Test"))
	require.EqualValues(t, len(body), resp.ContentLength)
	require.Eventually(t, func() bool { return strings.Contains(h.logs.String(), `"url":"/v1/graphql"`) }, 30*time.Second, 10*time.Millisecond)
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	resp := h.post(t.Context(), t, `{"query":"{ a }"}`)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Equal(t, `{"errors":[{"message":"no query-executor is available","extensions":{"path":"$","code":"unexpected"}}]}`, string(body))
}

func TestBrokenAnswer(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	frame := []byte(strings.Repeat("0123456789", 60_000))
	h.execute(t, h.others, func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		for range 3 {
			if _, err := w.Write(frame); err != nil {
				return err
			}
		}
		return apierror.New(apierror.PostgresError, "connection lost")
	})
	for name, encoding := range map[string]string{"plain": "identity", "gzip": "gzip"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url("/v1/graphql"), strings.NewReader(`{"query":"{a}"}`))
			require.NoError(t, err)
			r.Header.Set("Accept-Encoding", encoding)
			resp, err := http.DefaultTransport.RoundTrip(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, http.StatusOK, resp.StatusCode)
			_, err = io.Copy(io.Discard, resp.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the client must see that the answer is not whole")
		})
	}
}

func TestClientThatLeavesEndsTheRequest(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	begun, ended := make(chan struct{}), make(chan error, 1)
	h.execute(t, h.others, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url("/v1/graphql"), strings.NewReader(`{"query":"{a}"}`))
	require.NoError(t, err)
	go func() {
		<-begun
		cancel()
	}()
	_, err = http.DefaultTransport.RoundTrip(r) //nolint:bodyclose // there is no answer
	require.ErrorIs(t, err, context.Canceled)
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the executor was not told")
	}
}

func TestHealthAndVersion(t *testing.T) {
	t.Parallel()
	server := startNATS(t)
	b := connect(t, server, "gateway")
	g, err := gateway.New(settings(), gateway.Deps{Bus: b, Logger: telemetry.Discard()})
	require.NoError(t, err)
	require.ErrorIs(t, g.Status(), lifecycle.ErrNotStarted)
	require.NoError(t, g.Start(t.Context()))
	t.Cleanup(g.Stop)
	h := &fixture{nats: server, others: connect(t, server, "others"), gateway: g}

	get := func(path string) (int, string) {
		resp, err := http.Get(h.url(path))
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	status, body := get("/healthz")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, "ERROR: ")
	require.Contains(t, body, "snapshot")

	h.publish(t, &snapshot.Snapshot{StreamID: "s", Version: 1, Document: &metadata.Document{Version: 3}})
	says := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool { _, body = get("/healthz"); return body == want }, 30*time.Second, 10*time.Millisecond, "%s", want)
	}
	says("ERROR: no metadata is available")
	var broken atomic.Bool
	responder, err := h.others.Register(t.Context(), bus.ServiceInfo{Name: bus.ServiceMetadata, Version: "1.0.0"})
	require.NoError(t, err)
	require.NoError(t, responder.Handle(bus.MetadataHealth, func() proto.Message { return &emptypb.Empty{} }, func(context.Context, proto.Message, bus.ResponseWriter) error {
		if broken.Load() {
			return apierror.New(apierror.Unexpected, "metadata database is unreachable")
		}
		return nil
	}))
	says("OK")
	broken.Store(true)
	says("ERROR: metadata database is unreachable")
	status, _ = get("/readyz")
	require.Equal(t, http.StatusOK, status, "queries go on")
	broken.Store(false)
	says("OK")

	server.Stop()
	require.Eventually(t, func() bool { _, body = get("/healthz"); return strings.Contains(body, "NATS") }, 30*time.Second, 10*time.Millisecond)
	require.Contains(t, body, "ERROR: ")
	status, _ = get("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	resp := h.post(t.Context(), t, `{"query":"{ a }"}`)
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Contains(t, string(answer), "the message bus is not connected")
	status, _ = get("/v1/version")
	require.Equal(t, http.StatusOK, status)
}

func TestClientThatSendsSlowly(t *testing.T) {
	t.Parallel()
	h := setup(t, func(c *gateway.Config) { c.Timeout = 2 * time.Second }) // a busy machine sends a request in it
	begun := make(chan struct{}, 1)
	h.execute(t, h.others, func(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
		begun <- struct{}{}
		time.Sleep(2500 * time.Millisecond) // longer than a client may take to send
		_, err := w.Write([]byte(`{}`))
		return errors.Join(err, ctx.Err())
	})
	for name, sent := range map[string]string{
		"headers": "POST /v1/graphql HTTP/1.1\r\nHost: x\r\n",
		"body":    "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
	} {
		conn, err := net.Dial("tcp", h.gateway.Address().String())
		require.NoError(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte(sent))
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(30*time.Second)))
		answer, err := io.ReadAll(conn)
		require.NoError(t, err, "%s: the connection ends by itself", name)
		if name == "body" {
			require.Contains(t, string(answer), "408 Request Timeout")
			require.Contains(t, string(answer), "the request took too long to come")
		}
	}
	resp := h.post(t.Context(), t, `{"query":"{a}"}`)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "{}", string(body), "an answer may take longer than a request")
	<-begun
}

func TestHeadersThatAreTooLarge(t *testing.T) {
	t.Parallel()
	h := setup(t, func(c *gateway.Config) { c.MaxHeaderSize = 4096 })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url("/v1/version"), nil)
	require.NoError(t, err)
	r.Header.Set("X-Large", strings.Repeat("x", 10_000))
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	b := connect(t, startNATS(t), "gateway")
	for want, change := range map[string]func(*gateway.Config){
		"invalid domain: 'shop'":   func(c *gateway.Config) { c.CORSDomains = []string{"shop"} },
		"--unauthorized-role":      func(c *gateway.Config) { c.UnauthorizedRole = "anonymous" },
		"empty string not allowed": func(c *gateway.Config) { c.AdminSecrets = []config.Secret{""} },
		"size limits":              func(c *gateway.Config) { c.MaxRequestSize = 0 },
	} {
		c := settings()
		change(&c)
		_, err := gateway.New(c, gateway.Deps{Bus: b, Logger: telemetry.Discard()})
		require.ErrorContains(t, err, want)
	}
}

func TestPortThatIsTaken(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	c := settings()
	addr, _ := h.gateway.Address().(*net.TCPAddr)
	c.Port = addr.Port
	g, err := gateway.New(c, gateway.Deps{Bus: connect(t, h.nats, "second"), Logger: telemetry.Discard()})
	require.NoError(t, err)
	require.ErrorContains(t, g.Start(t.Context()), "cannot listen")
	g.Stop()
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	server := startNATS(t)
	lifecycletest.Stress(t, func(t *testing.T) lifecycle.Service {
		g, err := gateway.New(settings(), gateway.Deps{Bus: connect(t, server, "gateway"), Logger: telemetry.Discard()})
		require.NoError(t, err)
		return g
	})
}

func TestReadConfig(t *testing.T) {
	t.Parallel()
	load := func(env map[string]string) gateway.Config {
		v, err := config.Load(config.Gateway, nil, func(name string) (string, bool) { s, ok := env[name]; return s, ok }, io.Discard)
		require.NoError(t, err)
		return gateway.ReadConfig(v)
	}
	c := load(nil)
	require.Equal(t, 8080, c.Port)
	require.Equal(t, 30*time.Second, c.Timeout)
	require.Equal(t, map[api.Group]bool{api.GroupMetadata: true, api.GroupGraphQL: true, api.GroupPGDump: true, api.GroupConfig: true}, c.Enabled)
	require.False(t, c.Logging.QueryOnlyOnError)
	require.True(t, c.AdminInternalErrors)
	require.Empty(t, c.AdminSecrets)
	require.NoError(t, c.Validate())

	const prefix = "ENGINE_GRAPHQL_"
	require.Equal(t, []config.Secret{"a"}, load(map[string]string{prefix + "ADMIN_SECRET": "a", prefix + "ACCESS_KEY": "b"}).AdminSecrets)
	require.Equal(t, []config.Secret{"b"}, load(map[string]string{prefix + "ACCESS_KEY": "b"}).AdminSecrets)
	require.Equal(t, []config.Secret{"x", "y"}, load(map[string]string{prefix + "ADMIN_SECRETS": `["x","y"]`, prefix + "ADMIN_SECRET": "a"}).AdminSecrets)
	require.Equal(t, []config.Secret{"a"}, load(map[string]string{prefix + "ADMIN_SECRETS": ``, prefix + "ADMIN_SECRET": "a"}).AdminSecrets)
	require.True(t, load(map[string]string{prefix + "LOG_MASKED_VARIABLES": "a,b"}).Logging.Masked.Hides("b"))
}

// TestConsoleAssetsWithoutTheirScript: the engine's own console is served instead of an empty page.
func TestConsoleAssetsWithoutTheirScript(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	c := settings()
	c.Console, c.ConsoleAssets = true, t.TempDir()
	h := setup(t, nil)
	g, err := gateway.New(c, gateway.Deps{Bus: connect(t, h.nats, "second"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.NoError(t, g.Start(t.Context()))
	defer g.Stop()
	response, err := http.Get("http://" + g.Address().String() + "/console")
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.NotContains(t, string(page), "/console/assets/main.js")
	require.Contains(t, log.String(), "there is no main.js for the console")
	require.Contains(t, log.String(), "--console-assets-dir")
}

// TestConsoleAssetsStayInTheirDirectory also where a symbolic link leads out of it.
func TestConsoleAssetsStayInTheirDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	require.NoError(t, os.Mkdir(assets, 0o700))
	for name, text := range map[string]string{"secret": "s", "assets/main.js": "script"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "secret"), filepath.Join(assets, "link")))
	h := setup(t, func(c *gateway.Config) { c.Console, c.ConsoleAssets = true, assets })
	for name, want := range map[string]int{"main.js": http.StatusOK, "link": http.StatusNotFound, "..%2fsecret": http.StatusNotFound} {
		resp, err := http.Get(h.url("/console/assets/" + name))
		require.NoError(t, err)
		require.Equal(t, want, resp.StatusCode, name)
		require.NoError(t, resp.Body.Close())
	}
}
