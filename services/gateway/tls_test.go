package gateway_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/telemetry"
	"queryengine/services/gateway"
	"queryengine/services/gateway/internal/listen"
	"queryengine/services/gateway/internal/listen/listentest"
)

// secureFiles makes a certificate of the authority and writes it, and the authority.
func secureFiles(t *testing.T, authority *listentest.Authority) listen.Files {
	t.Helper()
	dir := t.TempDir()
	f := listen.Files{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), ClientCA: filepath.Join(dir, "ca.crt")}
	certificate, key := authority.Issue(t, "gateway")
	for path, data := range map[string][]byte{f.Certificate: certificate, f.Key: key, f.ClientCA: authority.PEM} {
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	return f
}

// browser is a client that trusts the authority and shows these certificates.
func browser(t *testing.T, authority *listentest.Authority, own ...tls.Certificate) *http.Client {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: authority.Pool(), Certificates: own},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func fetch(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	authority := listentest.NewAuthority(t)
	h := setup(t, func(c *gateway.Config) {
		c.TLS = secureFiles(t, authority)
		c.TLS.ClientCA = ""
		c.StrictTransport = time.Hour
	})
	address := h.gateway.Address().String()
	client := browser(t, authority)

	resp, body := fetch(t, client, "https://"+address+"/v1/version")
	require.Equal(t, 2, resp.ProtoMajor)
	require.GreaterOrEqual(t, resp.TLS.Version, uint16(tls.VersionTLS12))
	require.Contains(t, body, `"version"`)
	require.Equal(t, "max-age=3600", resp.Header.Get("Strict-Transport-Security"))

	_, err := tls.Dial("tcp", address, &tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	require.ErrorContains(t, err, "protocol version")
	resp, _ = fetch(t, http.DefaultClient, "http://"+address+"/v1/version")
	require.Equal(t, http.StatusBadRequest, resp.StatusCode)
}

func TestWebSocketOverTLS(t *testing.T) {
	t.Parallel()
	authority := listentest.NewAuthority(t)
	h := setup(t, func(c *gateway.Config) {
		c.TLS = secureFiles(t, authority)
		c.WebSocket.InitTimeout = 10 * time.Second
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	socket, resp, err := websocket.Dial(ctx, "wss://"+h.gateway.Address().String()+"/v1/graphql", &websocket.DialOptions{
		HTTPClient:   browser(t, authority, authority.Pair(t, "client")),
		Subprotocols: []string{"graphql-transport-ws"},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	require.NoError(t, socket.Write(ctx, websocket.MessageText, []byte(`{"type":"connection_init"}`)))
	_, message, err := socket.Read(ctx)
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"connection_ack"}`, string(message))
	require.NoError(t, socket.Close(websocket.StatusNormalClosure, ""))
}

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	authority := listentest.NewAuthority(t)
	h := setup(t, func(c *gateway.Config) { c.TLS = secureFiles(t, authority) })
	url := "https://" + h.gateway.Address().String()

	resp, _ := fetch(t, browser(t, authority, authority.Pair(t, "client")), url+"/v1/version")
	require.Equal(t, http.StatusOK, resp.StatusCode)

	stranger := browser(t, authority)
	for _, path := range []string{"/v1/version", "/v1/graphql", "/nowhere", "/api/rest/x", "/healthz/"} {
		resp, body := fetch(t, stranger, url+path)
		require.Equal(t, http.StatusForbidden, resp.StatusCode, path)
		require.JSONEq(t, `{"error":"a client certificate is required","path":"$","code":"access-denied"}`, body, path)
	}
	resp, body := fetch(t, stranger, url+"/healthz")
	require.NotEqual(t, http.StatusForbidden, resp.StatusCode, body)

	// One of another authority isn't even let in.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/healthz", nil)
	require.NoError(t, err)
	_, err = browser(t, authority, listentest.NewAuthority(t).Pair(t, "client")).Do(r) //nolint:bodyclose // there is none
	require.Error(t, err)
}

func TestWrongTLSFilesStopTheStart(t *testing.T) {
	t.Parallel()
	nats := startNATS(t)
	authority := listentest.NewAuthority(t)
	c := settings()
	c.TLS = secureFiles(t, authority)
	_, other := authority.Issue(t, "other")
	require.NoError(t, os.WriteFile(c.TLS.Key, other, 0o600))
	g, err := gateway.New(c, gateway.Deps{Bus: connect(t, nats, "gateway"), Logger: telemetry.Discard()})
	require.NoError(t, err)
	err = g.Start(t.Context())
	require.ErrorContains(t, err, "private key does not match public key")
	require.NotContains(t, err.Error(), "\n")
	g.Stop()

	c.TLS.Key = ""
	_, err = gateway.New(c, gateway.Deps{Bus: connect(t, nats, "gateway"), Logger: telemetry.Discard()})
	require.EqualError(t, err, "TLS needs both a certificate and its key")
}
