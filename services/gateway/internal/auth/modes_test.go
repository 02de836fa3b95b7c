package auth_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/hook"
	"queryengine/services/gateway/internal/jwt"
)

const sharedKey = "0123456789abcdef0123456789abcdef"

func tokens(t *testing.T) *jwt.Verifier {
	t.Helper()
	c, err := jwt.ParseConfig(`{"type":"HS256","key":"`+sharedKey+`"}`, false)
	require.NoError(t, err)
	return jwt.New([]*jwt.Config{c}, jwt.Deps{Client: http.DefaultClient, Logger: telemetry.Discard(), Now: time.Now})
}

func token(t *testing.T) string {
	t.Helper()
	payload, err := json.Marshal(map[string]any{jwt.DefaultNamespace: map[string]any{
		"x-engine-default-role": "user", "x-engine-allowed-roles": []string{"user", "admin"}, "x-engine-user-id": "7",
	}})
	require.NoError(t, err)
	signed, err := jws.Sign(payload, jws.WithKey(jwa.HS256, []byte(sharedKey)))
	require.NoError(t, err)
	return "Bearer " + string(signed)
}

// webhook answers by what the client sent in X-Who.
func webhook(t *testing.T) *hook.Hook {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Who") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Set-Cookie", "a=1")
		_, _ = io.WriteString(w, `{"x-engine-role":"`+r.Header.Get("X-Who")+`"}`)
	}))
	t.Cleanup(server.Close)
	h, err := hook.New(hook.Config{URL: server.URL}, server.Client(), telemetry.Discard())
	require.NoError(t, err)
	return h
}

// TestDecisions walks the decision table of the modes with tokens and with a webhook.
func TestDecisions(t *testing.T) {
	t.Parallel()
	secrets := []config.Secret{"s3cret"}
	withTokens := auth.Config{Secrets: secrets, Tokens: tokens(t)}
	withFallback := auth.Config{Secrets: secrets, Tokens: tokens(t), UnauthorizedRole: "anonymous"}
	withHook := auth.Config{Secrets: secrets, Hook: webhook(t)}
	tokensAlone := auth.Config{Secrets: secrets, SecretDisabled: true, Tokens: tokens(t)}
	hookAlone := auth.Config{SecretDisabled: true, Hook: webhook(t)}
	good := token(t)
	for name, c := range map[string]struct {
		config  auth.Config
		headers map[string]string
		role    string
		user    string // x-engine-user-id
		backend bool
		code    apierror.Code // of the fault
		status  int
	}{
		"tokens: the secret wins over a token":    {config: withTokens, headers: map[string]string{"X-Engine-Admin-Secret": "s3cret", "Authorization": good}, role: "admin"},
		"tokens: a wrong secret ends it":          {config: withTokens, headers: map[string]string{"X-Engine-Admin-Secret": "x", "Authorization": good}, code: apierror.AccessDenied, status: 401},
		"tokens: claims only":                     {config: withTokens, headers: map[string]string{"Authorization": good, "X-Engine-User-Id": "8", "X-Engine-Use-Backend-Only-Permissions": "true"}, role: "user", user: "7"},
		"tokens: a role that the token allows":    {config: withTokens, headers: map[string]string{"Authorization": good, "X-Engine-Role": "admin"}, role: "admin", user: "7"},
		"tokens: an empty role is none":           {config: withTokens, headers: map[string]string{"Authorization": good, "X-Engine-Role": ""}, role: "user", user: "7"},
		"tokens: another role":                    {config: withTokens, headers: map[string]string{"Authorization": good, "X-Engine-Role": "boss"}, code: apierror.AccessDenied, status: 400},
		"tokens: none":                            {config: withTokens, headers: map[string]string{"X-Engine-Role": "admin"}, code: apierror.InvalidHeaders, status: 400},
		"tokens: none, unauthorized role":         {config: withFallback, headers: map[string]string{"X-Engine-Role": "admin", "X-Engine-User-Id": "9"}, role: "anonymous", user: "9"},
		"tokens: a bad one is not taken for none": {config: withFallback, headers: map[string]string{"Authorization": "Bearer x"}, code: apierror.InvalidJWT, status: 400},
		"tokens alone: a token":                   {config: tokensAlone, headers: map[string]string{"Authorization": good}, role: "user", user: "7"},
		"tokens alone: the secret is refused":     {config: tokensAlone, headers: map[string]string{"X-Engine-Admin-Secret": "s3cret"}, code: apierror.AccessDenied, status: 401},
		"tokens alone: so it is next to a token":  {config: tokensAlone, headers: map[string]string{"X-Engine-Admin-Secret": "s3cret", "Authorization": good}, code: apierror.AccessDenied, status: 401},
		"tokens alone: an empty secret":           {config: tokensAlone, headers: map[string]string{"X-Engine-Access-Key": ""}, code: apierror.AccessDenied, status: 401},
		"tokens alone: a role is no token":        {config: tokensAlone, headers: map[string]string{"X-Engine-Role": "admin"}, code: apierror.InvalidHeaders, status: 400},
		"hook alone: it decides":                  {config: hookAlone, headers: map[string]string{"X-Who": "user", "X-Engine-Role": "admin"}, role: "user"},
		"hook alone: a secret is refused":         {config: hookAlone, headers: map[string]string{"X-Engine-Admin-Secret": "s3cret", "X-Who": "user"}, code: apierror.AccessDenied, status: 401},
		"hook: the secret wins":                   {config: withHook, headers: map[string]string{"X-Engine-Admin-Secret": "s3cret", "X-Engine-Role": "boss", "X-Engine-Use-Backend-Only-Permissions": "true"}, role: "boss", backend: true},
		"hook: it decides":                        {config: withHook, headers: map[string]string{"X-Who": "user", "X-Engine-Role": "admin", "X-Engine-User-Id": "9"}, role: "user"},
		"hook: it refuses":                        {config: withHook, headers: map[string]string{"X-Engine-Role": "admin"}, code: apierror.AccessDenied, status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := auth.New(c.config)
			require.NoError(t, err)
			h := http.Header{}
			for k, v := range c.headers {
				h.Set(k, v)
			}
			got, err := a.Authenticate(t.Context(), h, nil)
			if c.code != "" {
				require.Error(t, err)
				require.Equal(t, c.code, apierror.From(err).Code)
				require.Equal(t, c.status, apierror.From(err).Status)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.role, got.Session.Role)
			require.Equal(t, c.user, got.Session.Variables["x-engine-user-id"])
			require.Equal(t, c.backend, got.Session.BackendOnly)
		})
	}
}

func TestRefusedModes(t *testing.T) {
	t.Parallel()
	secrets := []config.Secret{"s3cret"}
	for message, c := range map[string]auth.Config{
		"--disable-admin-secret (ENGINE_GRAPHQL_DISABLE_ADMIN_SECRET): needs --jwt-secret (ENGINE_GRAPHQL_JWT_SECRET) or --auth-hook (ENGINE_GRAPHQL_AUTH_HOOK)": {Secrets: secrets, SecretDisabled: true, UnauthorizedRole: "anonymous"},
		"--auth-hook (ENGINE_GRAPHQL_AUTH_HOOK): can't be used together with --jwt-secret (ENGINE_GRAPHQL_JWT_SECRET)":                                           {Secrets: secrets, Tokens: tokens(t), Hook: webhook(t)},
		"--auth-hook (ENGINE_GRAPHQL_AUTH_HOOK): needs --admin-secret":                                                                                           {Hook: webhook(t)},
		"--jwt-secret (ENGINE_GRAPHQL_JWT_SECRET): needs --admin-secret":                                                                                         {Tokens: tokens(t)},
		"--unauthorized-role (ENGINE_GRAPHQL_UNAUTHORIZED_ROLE): can't be used together with --auth-hook":                                                        {Secrets: secrets, Hook: webhook(t), UnauthorizedRole: "anonymous"},
	} {
		_, err := auth.New(c)
		require.ErrorContains(t, err, message)
	}
}
