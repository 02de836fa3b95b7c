package egress_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/egress"
)

// echo answers WebSockets with what it receives, in a protocol called echo.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"echo"}, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	for {
		kind, text, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		if string(text) == "bye" {
			_ = conn.Close(4000, "as you wish")
			return
		}
		if err := conn.Write(r.Context(), kind, append([]byte(r.Header.Get("X-Key")+" "), text...)); err != nil {
			return
		}
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	server := serve(t, echo)
	client := newClient(t, func(c *egress.Config) { c.MaxResponse, c.Connections = 1000, 1 })
	dial := &egress.Dial{
		URL: server.URL, Protocols: []string{"other", "echo"}, Timeout: 10 * time.Second,
		Header: http.Header{"X-Key": {"k"}, "Sec-Websocket-Extensions": {"permessage-deflate"}, "Content-Type": {"application/json"}},
	}
	var sockets []egress.Socket
	for range 3 { // they aren't among the connections that are bounded
		s, err := client.Dial(t.Context(), dial)
		require.NoError(t, err)
		t.Cleanup(s.Abort)
		require.Equal(t, "echo", s.Protocol())
		require.NoError(t, s.Write(t.Context(), []byte("hello")))
		text, err := s.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, "k hello", string(text))
		sockets = append(sockets, s)
	}
	require.NoError(t, sockets[0].Write(t.Context(), []byte("bye")))
	_, err := sockets[0].Read(t.Context())
	var closed *egress.ClosedError
	require.ErrorAs(t, err, &closed)
	require.Equal(t, egress.ClosedError{Code: 4000, Reason: "as you wish"}, *closed)
	require.NoError(t, sockets[1].Write(t.Context(), []byte(strings.Repeat("x", 1000))))
	_, err = sockets[1].Read(t.Context())
	require.Equal(t, "Internal error: the response is larger than 1000 bytes", fails(t, err).Error())
	sockets[2].Close()
	require.Error(t, sockets[2].Write(t.Context(), []byte("hello")))
}

func TestDialFaults(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	hangs := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	inside := serve(t, echo)
	outside := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
	})
	for _, tt := range []struct {
		name, url, want string
		refuse          []string
	}{
		{name: "no WebSocket", url: plain.URL, want: "Connection failure: no WebSocket was opened, the server answered with status 404"},
		{name: "no answer", url: hangs.URL, want: "Response timeout"},
		{name: "no URL", url: "ftp://x", want: "Invalid URL"},
		{name: "a refused address", url: inside.URL, refuse: []string{"loopback"}, want: "Connection failure: the address is refused by the configuration of this server"},
		{name: "a redirect to a refused address", url: outside.URL, want: "Connection failure: the address is refused by the configuration of this server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, func(c *egress.Config) {
				if tt.refuse != nil {
					c.Refuse = tt.refuse
				}
			})
			timeout := time.Minute
			if tt.url == hangs.URL {
				timeout = 50 * time.Millisecond
			}
			_, err := client.Dial(t.Context(), &egress.Dial{URL: tt.url, Timeout: timeout})
			require.Equal(t, tt.want, fails(t, err).Error())
		})
	}
}

func TestDialVerifies(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(echo))
	t.Cleanup(server.Close)
	client := newClient(t, nil)
	dial := &egress.Dial{URL: server.URL, Timeout: 10 * time.Second}
	_, err := client.Dial(t.Context(), dial)
	require.Equal(t, "Connection failure: TLS: the certificate is signed by an unknown authority", fails(t, err).Error())
	client.SetAllowlist([]egress.Host{{Host: "127.0.0.1"}})
	s, err := client.Dial(t.Context(), dial)
	require.NoError(t, err)
	s.Abort()
}
