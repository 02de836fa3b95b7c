package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/cors"
	"queryengine/services/gateway/internal/jwt"
)

const cookieKey = "0123456789abcdef0123456789abcdef"

// withCookies has tokens come in a cookie, with an unauthorised role, and pages of these domains
// call.
func withCookies(t *testing.T, domains ...string) func(*world) {
	t.Helper()
	return func(w *world) {
		tokens, err := jwt.ParseConfig(`{"type":"HS256","key":"`+cookieKey+`","header":{"type":"Cookie","name":"token"}}`, false)
		require.NoError(t, err)
		w.deps.Authenticator, err = auth.New(auth.Config{
			Secrets: []config.Secret{"s3cret"}, UnauthorizedRole: "anonymous",
			Tokens: jwt.New([]*jwt.Config{tokens}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: time.Now}),
		})
		require.NoError(t, err)
		w.deps.CORS, err = cors.New(domains, false)
		require.NoError(t, err)
		w.settings.WebSocket.InitTimeout = time.Minute
		w.metadata.set(withItems(5))
		w.bus.answer = says(`{"data":{}}`)
	}
}

func tokenCookie(t *testing.T) string {
	t.Helper()
	signed, err := jws.Sign([]byte(`{"`+jwt.DefaultNamespace+`":{"x-engine-default-role":"user","x-engine-allowed-roles":["user"]}}`), jws.WithKey(jwa.HS256, []byte(cookieKey)))
	require.NoError(t, err)
	return "token=" + string(signed)
}

// A browser sends its cookies whatever page makes the request: they count only for pages of origins
// that are configured.
func TestCookiesOfForeignPages(t *testing.T) {
	t.Parallel()
	const evil, good = "https://evil.example", "https://good.example"
	for _, domains := range [][]string{{"*"}, {good}, {"*", good}} {
		w := setup(t, withCookies(t, domains...))
		cookie := tokenCookie(t)
		named := domains[len(domains)-1] == good
		role := func(method, path, body string, headers ...string) string {
			got := w.send(t, method, path, body, append([]string{"Cookie", cookie}, headers...)...)
			require.Equal(t, http.StatusOK, got.status, got.body)
			switch asked := w.bus.last(t).(type) {
			case *queryv1.ExecuteRequest:
				return asked.GetSession().GetRole()
			case *queryv1.DataRequest:
				return asked.GetSession().GetRole()
			}
			return ""
		}
		for _, door := range []struct{ method, path, body string }{
			{"POST", "/v1/graphql", `{"query":"mutation { a }"}`},
			{"POST", "/v1beta1/relay", `{"query":"mutation { a }"}`},
			{"POST", "/v1/query", `{"type":"insert"}`},
			{"POST", "/api/rest/item/7", ``},
			{"GET", "/api/rest/item/7", ``},
		} {
			require.Equal(t, "user", role(door.method, door.path, door.body), "no browser")
			require.Equal(t, "user", role(door.method, door.path, door.body, "Origin", w.server.URL, "Sec-Fetch-Site", "same-origin"))
			for _, origin := range []string{evil, "null"} {
				require.Equal(t, "anonymous", role(door.method, door.path, door.body, "Origin", origin, "Content-Type", "text/plain"), "%v %s", domains, door.path)
			}
			if named {
				require.Equal(t, "user", role(door.method, door.path, door.body, "Origin", good, "Sec-Fetch-Site", "cross-site"))
			}
		}
		require.Equal(t, "anonymous", role("GET", "/api/rest/item/7", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), "an image")
	}
}

func TestCookiesOfForeignWebSockets(t *testing.T) {
	t.Parallel()
	w := setup(t, withCookies(t, "*", "https://good.example"))
	for origin, want := range map[string]string{"": "user", w.server.URL: "user", "https://good.example": "user", "https://evil.example": "anonymous", "null": "anonymous"} {
		socket, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.server.URL, "http")+"/v1/graphql", &websocket.DialOptions{
			Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Cookie": {tokenCookie(t)}, "Origin": {origin}},
		})
		require.NoError(t, err)
		for _, m := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":{"query":"mutation { a }"}}`} {
			require.NoError(t, socket.Write(t.Context(), websocket.MessageText, []byte(m)))
		}
		for answered := false; !answered; {
			_, text, err := socket.Read(t.Context())
			require.NoError(t, err)
			answered = strings.Contains(string(text), `"next"`)
		}
		asked, ok := w.bus.last(t).(*queryv1.ExecuteRequest)
		require.True(t, ok)
		require.Equal(t, want, asked.GetSession().GetRole(), origin)
		require.NoError(t, socket.CloseNow())
	}
}

// TestOwnPageBesidesListedOrigins: a list of others doesn't shut out pages of the engine's own origin, as its console is, from WebSockets.
func TestOwnPageBesidesListedOrigins(t *testing.T) {
	t.Parallel()
	w := setup(t, withCookies(t, "https://good.example"))
	for origin, allowed := range map[string]bool{w.server.URL: true, "https://good.example": true, "https://evil.example": false, "null": false} {
		socket, response, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.server.URL, "http")+"/v1/graphql", &websocket.DialOptions{
			Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Origin": {origin}},
		})
		if allowed {
			require.NoError(t, err, origin)
			require.NoError(t, socket.CloseNow())
			continue
		}
		require.Error(t, err, origin)
		require.Equal(t, http.StatusBadRequest, response.StatusCode, origin)
	}
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, "Origin", w.server.URL, "Sec-Fetch-Site", "same-origin")
	require.Equal(t, http.StatusOK, got.status)
}
