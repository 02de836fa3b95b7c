package auth_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/auth"
)

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	open := auth.Config{}
	secret := auth.Config{Secrets: []config.Secret{"s3cret"}}
	several := auth.Config{Secrets: []config.Secret{"old", "new"}}
	anonymous := auth.Config{Secrets: []config.Secret{"s3cret"}, UnauthorizedRole: "anonymous"}
	denied := func(message string) *apierror.Error { return apierror.New(apierror.AccessDenied, message) }
	required := denied("x-engine-admin-secret/x-engine-access-key required, but not found")
	invalid := denied("invalid x-engine-admin-secret/x-engine-access-key")
	type headers map[string]string
	type variables = map[string]string
	for name, c := range map[string]struct {
		config  auth.Config
		headers headers
		want    *session.Session
		err     *apierror.Error
	}{
		"open": {config: open, want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}}},
		"open, with a role": {
			config: open, headers: headers{"X-Engine-Role": "clerk", "x-engine-User-ID": "7", "Other": "x"},
			want: &session.Session{Trusted: true, Role: "clerk", Variables: variables{"x-engine-role": "clerk", "x-engine-user-id": "7"}},
		},
		"open, with an empty role": {
			config: open, headers: headers{"X-Engine-Role": ""},
			want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}},
		},
		"open, a secret is no session variable": {
			config: open, headers: headers{"X-Engine-Admin-Secret": "x", "X-Engine-Access-Key": "y"},
			want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}},
		},
		"open, backend only": {
			config: open, headers: headers{"X-Engine-Use-Backend-Only-Permissions": "YES"},
			want: &session.Session{Trusted: true, Role: "admin", BackendOnly: true, Variables: variables{"x-engine-role": "admin", "x-engine-use-backend-only-permissions": "YES"}},
		},
		"open, backend only is nonsense": {
			config: open, headers: headers{"X-Engine-Use-Backend-Only-Permissions": "1"},
			err: apierror.New(apierror.BadRequest, `x-engine-use-backend-only-permissions:  Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`),
		},
		"not UTF-8": {
			config: open, headers: headers{"X-Engine-Role": "cl\xffrk", "X-Engine-Org": "\xfe"},
			want: &session.Session{Trusted: true, Role: "cl\uFFFDrk", Variables: variables{"x-engine-role": "cl\uFFFDrk", "x-engine-org": "\uFFFD"}},
		},

		"secret":          {config: secret, headers: headers{"X-Engine-Admin-Secret": "s3cret"}, want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}}},
		"its old name":    {config: secret, headers: headers{"X-Engine-Access-Key": "s3cret"}, want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}}},
		"the first wins":  {config: secret, headers: headers{"X-Engine-Admin-Secret": "no", "X-Engine-Access-Key": "s3cret"}, err: invalid},
		"secret and role": {config: secret, headers: headers{"X-Engine-Admin-Secret": "s3cret", "X-Engine-Role": "clerk", "X-Engine-Use-Backend-Only-Permissions": "true"}, want: &session.Session{Trusted: true, Role: "clerk", BackendOnly: true, Variables: variables{"x-engine-role": "clerk", "x-engine-use-backend-only-permissions": "true"}}},
		"no secret":       {config: secret, headers: headers{"X-Engine-Role": "clerk"}, err: required},
		"wrong secret":    {config: secret, headers: headers{"X-Engine-Admin-Secret": "s3cre"}, err: invalid},
		"empty secret":    {config: secret, headers: headers{"X-Engine-Admin-Secret": ""}, err: invalid},

		"the first of several":  {config: several, headers: headers{"X-Engine-Admin-Secret": "old"}, want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}}},
		"the second of several": {config: several, headers: headers{"X-Engine-Admin-Secret": "new"}, want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}}},
		"none of several":       {config: several, headers: headers{"X-Engine-Admin-Secret": "oldnew"}, err: invalid},

		"unauthorized role": {
			config: anonymous, headers: headers{"X-Engine-Role": "admin", "X-Engine-User-Id": "7", "X-Engine-Use-Backend-Only-Permissions": "true"},
			want: &session.Session{Role: "anonymous", Variables: variables{"x-engine-role": "anonymous", "x-engine-user-id": "7", "x-engine-use-backend-only-permissions": "true"}, Anonymous: true},
		},
		"unauthorized role does not hide a wrong secret": {config: anonymous, headers: headers{"X-Engine-Admin-Secret": "x"}, err: invalid},
		"unauthorized role is not for those with a secret": {
			config: anonymous, headers: headers{"X-Engine-Admin-Secret": "s3cret"},
			want: &session.Session{Trusted: true, Role: "admin", Variables: variables{"x-engine-role": "admin"}},
		},
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
			if c.err != nil {
				require.Equal(t, c.err, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.Session)
		})
	}
}

func TestDeniedIs401(t *testing.T) {
	t.Parallel()
	a, err := auth.New(auth.Config{Secrets: []config.Secret{"x"}})
	require.NoError(t, err)
	require.False(t, a.Open())
	_, err = a.Authenticate(t.Context(), http.Header{}, nil)
	require.Equal(t, http.StatusUnauthorized, apierror.From(err).Status)
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	_, err := auth.New(auth.Config{UnauthorizedRole: "anonymous"})
	require.EqualError(t, err, "--unauthorized-role (ENGINE_GRAPHQL_UNAUTHORIZED_ROLE): needs --admin-secret (ENGINE_GRAPHQL_ADMIN_SECRET)")
	_, err = auth.New(auth.Config{Secrets: []config.Secret{""}})
	require.ErrorContains(t, err, "empty string not allowed")
}

func TestSecret(t *testing.T) {
	t.Parallel()
	require.True(t, auth.NewSecret("x").Is("x"))
	require.False(t, auth.NewSecret("x").Is("X"))
	require.Nil(t, auth.NewSecret(""))
	require.False(t, auth.NewSecret("").Is(""))
}

// TestTrustedCallersWithoutVariablesShareASession: their session is made once, and never serves a request
// with a role, a variable or backend-only permissions.
func TestTrustedCallersWithoutVariablesShareASession(t *testing.T) {
	t.Parallel()
	a, err := auth.New(auth.Config{Secrets: []config.Secret{"s3cret"}})
	require.NoError(t, err)
	session := func(headers map[string]string) *session.Session {
		h := http.Header{"X-Engine-Admin-Secret": {"s3cret"}, "Accept": {"*/*"}}
		for name, value := range headers {
			h.Set(name, value)
		}
		identity, err := a.Authenticate(t.Context(), h, nil)
		require.NoError(t, err)
		return identity.Session
	}
	shared := session(nil)
	require.True(t, shared.Trusted)
	require.Same(t, shared, session(map[string]string{"X-Request-Id": "7"}))
	for _, name := range []string{"X-Engine-Role", "X-Engine-User-Id", "X-Engine-Use-Backend-Only-Permissions"} {
		require.NotSame(t, shared, session(map[string]string{name: "true"}))
	}
	require.Equal(t, map[string]string{"x-engine-role": "admin"}, shared.Variables)
}
