package egress_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/config"
	"queryengine/pkg/egress"
)

func newClient(t *testing.T, change func(*egress.Config)) *egress.Client {
	t.Helper()
	c := egress.DefaultConfig()
	if change != nil {
		change(&c)
	}
	client, err := egress.New(c)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func fails(t *testing.T, err error) *egress.Error {
	t.Helper()
	var e *egress.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestCall(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Host+" "+r.Header.Get("X-Key")+" "+r.Header.Get("User-Agent")+" "+r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	})
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled,
	}))
	given := http.Header{"X-Key": {"k"}, "Host": {"shop.test"}}
	response, err := newClient(t, nil).Do(ctx, &egress.Request{Method: http.MethodPut, URL: server.URL, Header: given, Body: []byte("hello")})
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, response.Status)
	require.Equal(t, "hello", string(response.Body))
	require.Equal(t, "PUT shop.test k graphql-engine 00-01000000000000000000000000000000-0200000000000000-01", response.Header.Get("X-Seen"))
	require.Len(t, given, 2, "the caller's headers stay as they were")
}

func TestFaults(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) }) // after that of the server is registered, so before it runs
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 1001))
		case "/large-chunks":
			for range 1001 {
				_, _ = io.WriteString(w, "x")
				w.(http.Flusher).Flush()
			}
		case "/broken":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		}
	})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, c := range map[string]struct {
		url, message string
		kind         egress.Kind
		header       http.Header
	}{
		"slow":               {server.URL + "/slow", "Response timeout", egress.ResponseTimeout, nil},
		"too large":          {server.URL + "/large", "Internal error: the response is larger than 1000 bytes", egress.TooLarge, nil},
		"too large, unsaid":  {server.URL + "/large-chunks", "Internal error: the response is larger than 1000 bytes", egress.TooLarge, nil},
		"broken":             {server.URL + "/broken", "No response data received", egress.ConnectionClosed, nil},
		"redirects":          {server.URL + "/round", "Too many redirects: 4 redirects", egress.TooManyRedirects, nil},
		"no server listens":  {closed.URL + "/hush", "Connection failure: connection refused", egress.ConnectionFailed, nil},
		"no such host":       {"http://hush.invalid/", "Connection failure: the name of the host can't be resolved", egress.ConnectionFailed, nil},
		"refused address":    {"http://169.254.169.254/hush", "Connection failure: the address is refused by the configuration of this server", egress.Refused, nil},
		"not TLS":            {"https" + strings.TrimPrefix(server.URL, "http"), "Connection failure: TLS: the server doesn't speak TLS", egress.TLSFailed, nil},
		"no URL":             {"hush://x y", "Invalid URL", egress.InvalidURL, nil},
		"another scheme":     {"file:///etc/hush", "Invalid URL", egress.InvalidURL, nil},
		"no host":            {"http:///hush", "Invalid URL", egress.InvalidURL, nil},
		"header with a line": {server.URL, "Invalid header", egress.InvalidHeader, http.Header{"X-Key": {"hush\r\nX: y"}}},
		"no name of header":  {server.URL, "Invalid header", egress.InvalidHeader, http.Header{"hush key": {"x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, func(c *egress.Config) { c.MaxResponse, c.MaxRedirects = 1000, 3 })
			timeout := 10 * time.Second
			if c.kind == egress.ResponseTimeout {
				timeout = 50 * time.Millisecond
			}
			_, err := client.Do(t.Context(), &egress.Request{Method: http.MethodGet, URL: c.url, Header: c.header, Timeout: timeout})
			e := fails(t, err)
			require.Equal(t, c.kind, e.Kind, "%v", errors.Unwrap(e))
			require.Equal(t, c.message, e.Error())
			require.NotContains(t, e.Error(), "hush")
			want := "http_exception"
			if c.kind == egress.InvalidURL {
				want = "invalid_url"
			}
			require.Equal(t, want, e.Type())
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := newClient(t, nil).Do(ctx, &egress.Request{Method: http.MethodGet, URL: server.URL})
	require.Equal(t, egress.Cancelled, fails(t, err).Kind)
	require.ErrorIs(t, err, context.Canceled)
}

func TestConnectionTimeout(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	client := newClient(t, func(c *egress.Config) { c.ConnectTimeout = 50 * time.Millisecond })
	_, err = client.Do(t.Context(), &egress.Request{Method: http.MethodGet, URL: "https://" + listener.Addr().String()})
	require.Equal(t, egress.ConnectionTimeout, fails(t, err).Kind)
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	show := func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode([]string{r.Method, r.Header.Get("X-Key"), r.Header.Get("Content-Type")})
	}
	other := serve(t, show)
	_, port, err := net.SplitHostPort(other.Listener.Addr().String())
	require.NoError(t, err)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, "http://localhost:"+port, http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		default:
			show(w, r)
		}
	})
	call := func(path string, redirects int) *egress.Response {
		client := newClient(t, func(c *egress.Config) { c.MaxRedirects = redirects })
		response, err := client.Do(t.Context(), &egress.Request{
			Method: http.MethodPost, URL: server.URL + path, Body: []byte("{}"),
			Header: http.Header{"X-Key": {"secret"}, "Content-Type": {"application/json"}},
		})
		require.NoError(t, err)
		return response
	}
	require.JSONEq(t, `["GET","secret",""]`, string(call("/here", 10).Body))
	require.JSONEq(t, `["POST","","application/json"]`, string(call("/elsewhere", 10).Body), "another host learns no secrets")
	require.Equal(t, http.StatusSeeOther, call("/here", 0).Status)
}

// certificate is self-signed, for no name, until a time.
func certificate(t *testing.T, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hush"}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestTLSAllowlist(t *testing.T) {
	t.Parallel()
	start := func(until time.Time) string {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate(t, until)}}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.URL
	}
	valid, expired := start(time.Now().Add(time.Hour)), start(time.Now().Add(-time.Hour))
	u, err := url.Parse(valid)
	require.NoError(t, err)
	client := newClient(t, nil)
	call := func(url string) error {
		_, err := client.Do(t.Context(), &egress.Request{Method: http.MethodGet, URL: url})
		return err
	}
	require.Equal(t, egress.TLSFailed, fails(t, call(valid)).Kind)
	for suffix, allowed := range map[string]bool{
		"": true, u.Port(): true, ":" + u.Port(): true, "1-65535": true, "1-2": false, "443": false, "many": false,
	} {
		hosts, err := egress.Allowlist(json.RawMessage(fmt.Sprintf(
			`{"tls_allowlist":[{"host":"other.test"},{"host":"127.0.0.1","suffix":%q,"permissions":["self-signed"]}]}`, suffix)))
		require.NoError(t, err)
		client.SetAllowlist(hosts)
		if allowed {
			require.NoError(t, call(valid), suffix)
			continue
		}
		require.EqualError(t, call(valid), "Connection failure: TLS: the certificate is for another host", suffix)
	}
	client.SetAllowlist([]egress.Host{{Host: "127.0.0.1"}})
	require.NoError(t, call(valid))
	require.EqualError(t, call(expired), "Connection failure: TLS: the certificate is out of its dates")
	client.SetAllowlist(nil)
	require.Equal(t, egress.TLSFailed, fails(t, call(valid)).Kind, "a host that left the list is verified at once")

	hosts, err := egress.Allowlist(nil)
	require.NoError(t, err)
	require.Empty(t, hosts)
	_, err = egress.Allowlist(json.RawMessage(`[]`))
	require.Error(t, err)
}

func TestProxy(t *testing.T) {
	t.Parallel()
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "proxied "+r.URL.String()) })
	client := newClient(t, func(c *egress.Config) { c.Proxy = config.Secret(proxy.URL) })
	response, err := client.Do(t.Context(), &egress.Request{Method: http.MethodGet, URL: "http://shop.test/x"})
	require.NoError(t, err)
	require.Equal(t, "proxied http://shop.test/x", string(response.Body))

	_, err = egress.New(egress.Config{Proxy: "hush"})
	require.ErrorContains(t, err, "proxy")
	require.NotContains(t, err.Error(), "hush")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	v, err := config.Load(config.QueryExecutor, nil, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	want := egress.DefaultConfig()
	want.UserAgent = ""
	require.Equal(t, want, egress.ReadConfig(v, ""))
	require.Equal(t, "graphql-engine/7", egress.ReadConfig(v, "graphql-engine/7").UserAgent)
}
