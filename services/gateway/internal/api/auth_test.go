package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
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
	"queryengine/services/gateway/internal/hook"
	"queryengine/services/gateway/internal/jwt"
)

const (
	adminSecret = "the-admin-secret-of-this-test"
	tokenKey    = "0123456789abcdef0123456789abcdef"
)

func testTokens(t *testing.T) *jwt.Verifier {
	t.Helper()
	c, err := jwt.ParseConfig(`{"type":"HS256","key":"`+tokenKey+`"}`, false)
	require.NoError(t, err)
	return jwt.New([]*jwt.Config{c}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: time.Now})
}

func testToken(t *testing.T, key string, more map[string]any) string {
	t.Helper()
	claims := map[string]any{jwt.DefaultNamespace: map[string]any{
		"x-engine-default-role": "user", "x-engine-allowed-roles": []string{"user", "editor"}, "x-engine-user-id": "7",
	}}
	for k, v := range more {
		claims[k] = v
	}
	payload, err := json.Marshal(claims)
	require.NoError(t, err)
	signed, err := jws.Sign(payload, jws.WithKey(jwa.HS256, []byte(key)))
	require.NoError(t, err)
	return "Bearer " + string(signed)
}

// testHook is a webhook that takes X-Who for the role.
func testHook(t *testing.T) *hook.Hook {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who := r.Header.Get("X-Who"); who != "" {
			_ = json.NewEncoder(w).Encode(map[string]string{"x-engine-role": who, "x-engine-user-id": "7"})
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	h, err := hook.New(hook.Config{URL: server.URL}, server.Client(), telemetry.Discard())
	require.NoError(t, err)
	return h
}

// TestWhoMayAsk walks the decision table over HTTP and over WebSockets: both refuse and admit the same
// callers.
func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	secrets := []config.Secret{"another", adminSecret}
	open := auth.Config{}
	secret := auth.Config{Secrets: secrets}
	anonymous := auth.Config{Secrets: secrets, UnauthorizedRole: "anonymous"}
	tokens := auth.Config{Secrets: secrets, Tokens: testTokens(t)}
	tokensOrNot := auth.Config{Secrets: secrets, Tokens: testTokens(t), UnauthorizedRole: "anonymous"}
	asked := auth.Config{Secrets: secrets, Hook: testHook(t)}
	good, foreign := testToken(t, tokenKey, nil), testToken(t, strings.Repeat("x", 32), nil)
	expired := testToken(t, tokenKey, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()})
	early := testToken(t, tokenKey, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()})
	type headers map[string]string
	const backendOnly = "X-Engine-Use-Backend-Only-Permissions"

	for name, c := range map[string]struct {
		config  auth.Config
		headers headers
		role    string // "" for no caller
		user    string
		backend bool
		code    string
	}{
		"open":                             {config: open, role: "admin"},
		"open, a role":                     {config: open, headers: headers{"X-Engine-Role": "clerk", "X-Engine-User-Id": "1", backendOnly: "true"}, role: "clerk", user: "1", backend: true},
		"secret":                           {config: secret, headers: headers{"X-Engine-Admin-Secret": adminSecret}, role: "admin"},
		"secret, the other":                {config: secret, headers: headers{"X-Engine-Admin-Secret": "another"}, role: "admin"},
		"secret, its old name":             {config: secret, headers: headers{"X-Engine-Access-Key": adminSecret, "X-Engine-Role": "clerk", backendOnly: "t"}, role: "clerk", backend: true},
		"secret, none":                     {config: secret, headers: headers{"X-Engine-Role": "admin"}, code: "access-denied"},
		"secret, wrong":                    {config: secret, headers: headers{"X-Engine-Admin-Secret": adminSecret + "x", "X-Engine-Role": "clerk"}, code: "access-denied"},
		"secret, both joined":              {config: secret, headers: headers{"X-Engine-Admin-Secret": "another" + adminSecret}, code: "access-denied"},
		"secret, empty":                    {config: secret, headers: headers{"X-Engine-Admin-Secret": ""}, code: "access-denied"},
		"secret, wrong before right":       {config: secret, headers: headers{"X-Engine-Admin-Secret": "x", "X-Engine-Access-Key": adminSecret}, code: "access-denied"},
		"anonymous":                        {config: anonymous, headers: headers{"X-Engine-Role": "admin", "X-Engine-User-Id": "1", backendOnly: "true"}, role: "anonymous", user: "1"},
		"anonymous, wrong secret":          {config: anonymous, headers: headers{"X-Engine-Admin-Secret": "x"}, code: "access-denied"},
		"token":                            {config: tokens, headers: headers{"Authorization": good, "X-Engine-User-Id": "1", backendOnly: "true"}, role: "user", user: "7"},
		"token, another of its roles":      {config: tokens, headers: headers{"Authorization": good, "X-Engine-Role": "editor"}, role: "editor", user: "7"},
		"token, a role it doesn't allow":   {config: tokens, headers: headers{"Authorization": good, "X-Engine-Role": "admin"}, code: "access-denied"},
		"token and secret":                 {config: tokens, headers: headers{"Authorization": good, "X-Engine-Admin-Secret": adminSecret}, role: "admin"},
		"token and wrong secret":           {config: tokens, headers: headers{"Authorization": good, "X-Engine-Admin-Secret": "x"}, code: "access-denied"},
		"token of another":                 {config: tokens, headers: headers{"Authorization": foreign}, code: "invalid-jwt"},
		"token, expired":                   {config: tokens, headers: headers{"Authorization": expired}, code: "invalid-jwt"},
		"token, not yet valid":             {config: tokens, headers: headers{"Authorization": early}, code: "invalid-jwt"},
		"token, none":                      {config: tokens, headers: headers{"X-Engine-Role": "user"}, code: "invalid-headers"},
		"token, malformed":                 {config: tokens, headers: headers{"Authorization": adminSecret}, code: "invalid-headers"},
		"token or anonymous, none":         {config: tokensOrNot, headers: headers{"X-Engine-Role": "admin"}, role: "anonymous"},
		"token or anonymous, a bad token":  {config: tokensOrNot, headers: headers{"Authorization": foreign}, code: "invalid-jwt"},
		"token or anonymous, wrong secret": {config: tokensOrNot, headers: headers{"X-Engine-Admin-Secret": "x"}, code: "access-denied"},
		"webhook":                          {config: asked, headers: headers{"X-Who": "user", "X-Engine-Role": "admin", "X-Engine-User-Id": "1", backendOnly: "true"}, role: "user", user: "7"},
		"webhook, refused":                 {config: asked, headers: headers{"X-Engine-Role": "admin"}, code: "access-denied"},
		"webhook and secret":               {config: asked, headers: headers{"X-Engine-Admin-Secret": adminSecret}, role: "admin"},
		"webhook and wrong secret":         {config: asked, headers: headers{"X-Who": "user", "X-Engine-Admin-Secret": "x"}, code: "access-denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, func(w *world) {
				var err error
				w.deps.Authenticator, err = auth.New(c.config)
				require.NoError(t, err)
				w.bus.answer = says(`{"data":{}}`)
				w.settings.WebSocket.InitTimeout = time.Minute
			})
			requireCaller := func() {
				t.Helper()
				in, ok := w.bus.last(t).(*queryv1.ExecuteRequest)
				require.True(t, ok)
				require.Equal(t, c.role, in.GetSession().GetRole())
				require.Equal(t, c.user, in.GetSession().GetVariables()["x-engine-user-id"])
				require.Equal(t, c.backend, in.GetSession().GetBackendOnly())
			}

			var list []string
			for k, v := range c.headers {
				list = append(list, k, v)
			}
			got := w.send(t, http.MethodPost, "/v1/graphql", `{"query":"{a}"}`, list...)
			require.NotContains(t, got.body, adminSecret)
			if c.role != "" {
				require.Equal(t, `{"data":{}}`, got.body)
				requireCaller()
			} else {
				require.Contains(t, got.body, `"code":"`+c.code+`"`)
				require.Empty(t, w.bus.calls)
			}

			socket, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.server.URL, "http")+"/v1/graphql", //nolint:bodyclose // Dial closes it
				&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
			require.NoError(t, err)
			defer socket.CloseNow() //nolint:errcheck // the test is over then
			init, err := json.Marshal(map[string]any{"type": "connection_init", "payload": map[string]any{"headers": c.headers}})
			require.NoError(t, err)
			require.NoError(t, socket.Write(t.Context(), websocket.MessageText, init))
			require.NoError(t, socket.Write(t.Context(), websocket.MessageText, []byte(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`)))
			for {
				_, message, err := socket.Read(t.Context())
				if c.role == "" && err != nil {
					require.Equal(t, websocket.StatusCode(4403), websocket.CloseStatus(err))
					require.Empty(t, w.bus.calls)
					return
				}
				require.NoError(t, err)
				require.NotContains(t, string(message), adminSecret)
				if strings.Contains(string(message), `"next"`) {
					require.NotEmpty(t, c.role, "no caller gets an answer")
					requireCaller()
					return
				}
			}
		})
	}
}
