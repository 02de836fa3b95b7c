package charts_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/charts"
)

func post(t *testing.T, h http.Handler, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body)))
	return w.Code, w.Body.String()
}

func TestQueries(t *testing.T) {
	t.Parallel()
	h, err := charts.New()
	require.NoError(t, err)
	status, answer := post(t, h, `{"query": "query Q($a: Int!) { position(artist: $a) { place chart } charts }", "variables": {"a": 2}}`)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"data":{"position":{"place":20,"chart":"world"},"charts":["world"]}}`, answer)
	_, answer = post(t, h, `{"query": "{ label }"}`)
	require.Contains(t, answer, `Cannot query field \"label\" on type \"Query\".`)
	status, _ = post(t, h, `no JSON`)
	require.Equal(t, http.StatusBadRequest, status)
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	h, err := charts.New()
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	for _, step := range []struct{ send, want string }{
		{"connection_init", "connection_ack"}, {"ping", "pong"}, {"subscribe", "next"},
	} {
		require.NoError(t, wsjson.Write(t.Context(), conn, map[string]any{
			"type": step.send, "id": "1", "payload": map[string]any{"query": "subscription { climber { place } }"},
		}))
		var got struct {
			Type    string `json:"type"`
			Payload any    `json:"payload"`
		}
		require.NoError(t, wsjson.Read(t.Context(), conn, &got))
		require.Equal(t, step.want, got.Type)
		if step.want == "next" {
			require.Equal(t, map[string]any{"data": map[string]any{"climber": map[string]any{"place": 10.0}}}, got.Payload)
		}
	}
}
