package api_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/api"
	"queryengine/services/gateway/internal/auth"
)

// TestForeignPagesWithoutASecret: where no secret is set, no door takes what another page has sent, with any method and content type; the
// engine's own page, listed pages and programs get through.
func TestForeignPagesWithoutASecret(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		var err error
		w.deps.Authenticator, err = auth.New(auth.Config{})
		require.NoError(t, err)
		w.bus.answer = says(`{"data":{}}`)
		for _, g := range []api.Group{api.GroupPGDump, api.GroupMetrics, api.GroupDev} {
			w.settings.Enabled[g] = true
		}
	})
	text, err := os.ReadFile("testdata/doors.txt")
	require.NoError(t, err)
	harmless := append([]string{"/", "/v1/version"}, api.Probes...)
	tried := 0
	for line := range strings.Lines(string(text)) {
		route, _, _ := strings.Cut(line, " = ")
		_, path, _ := strings.Cut(route, " ")
		path = strings.ReplaceAll(path, "*", "x")
		if strings.HasPrefix(path, "/console") {
			continue
		}
		guarded := true
		for _, p := range harmless {
			guarded = guarded && p != path
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			for _, kind := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
				for _, foreign := range [][]string{
					{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
					{"Origin", "null"},
					{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
				} {
					a := w.send(t, method, path, `{"query":"{a}"}`, append([]string{"Content-Type", kind}, foreign...)...)
					if guarded {
						require.Equal(t, http.StatusForbidden, a.status, "%s %s as %q, %v", method, path, kind, foreign)
						tried++
					} else {
						require.NotEqual(t, http.StatusForbidden, a.status, "%s %s", method, path)
					}
				}
			}
		}
	}
	require.Empty(t, w.bus.calls)
	require.Greater(t, tried, 1000)

	refused := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, "Origin", "https://evil.example")
	require.JSONEq(t, `{"errors":[{"message":"no admin secret is set, so pages of https://evil.example may not call: set --admin-secret, or add the origin to --cors-domain",
		"extensions":{"path":"$","code":"access-denied"}}]}`, refused.body)
	for _, headers := range [][]string{nil, {"Origin", w.server.URL}, {"Origin", "https://shop.example"}} {
		require.Equal(t, http.StatusOK, w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, headers...).status, headers)
	}

	for origin, allowed := range map[string]bool{"": true, "https://shop.example": true, "https://evil.example": false, "null": false} {
		c, response, err := websocket.Dial(t.Context(), w.server.URL+"/v1/graphql", &websocket.DialOptions{
			Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Origin": {origin}},
		})
		if allowed {
			require.NoError(t, err, origin)
			require.NoError(t, c.CloseNow())
			continue
		}
		require.Error(t, err, origin)
		require.Equal(t, http.StatusForbidden, response.StatusCode, origin)
	}
}
