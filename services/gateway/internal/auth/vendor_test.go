package auth_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/auth"
)

// The names belong to the process, so that this test isn't parallel.
func TestNamesOfAnotherEngineGiveNoMoreRights(t *testing.T) {
	release, err := session.UseVendor("acme")
	require.NoError(t, err)
	t.Cleanup(release)
	a, err := auth.New(auth.Config{Secrets: []config.Secret{"s3cret"}, UnauthorizedRole: "anonymous"})
	require.NoError(t, err)
	authenticate := func(given ...string) (*session.Session, error) {
		h := http.Header{}
		for i := 0; i < len(given); i += 2 {
			h.Set(given[i], given[i+1])
		}
		session.OwnHeaders(h)
		identity, err := a.Authenticate(t.Context(), h, nil)
		if err != nil {
			return nil, err
		}
		return identity.Session, nil
	}

	s, err := authenticate("X-Acme-Admin-Secret", "s3cret", "X-Acme-Role", "clerk", "X-Acme-User-Id", "7", "X-Acme-Use-Backend-Only-Permissions", "true")
	require.NoError(t, err)
	require.Equal(t, "clerk", s.Role)
	require.True(t, s.Trusted)
	require.True(t, s.BackendOnly)
	require.Equal(t, "7", s.Variables["x-engine-user-id"])
	require.Equal(t, "7", s.Variables["x-acme-user-id"])
	require.NotContains(t, s.Variables, "x-acme-admin-secret")
	require.NotContains(t, s.Variables, "x-engine-admin-secret")

	s, err = authenticate("X-Engine-Admin-Secret", "s3cret", "X-Engine-Role", "clerk", "X-Acme-Role", "admin", "X-Engine-User-Id", "7", "X-Acme-User-Id", "8")
	require.NoError(t, err)
	require.Equal(t, "clerk", s.Role)
	for name, want := range map[string]string{"role": "clerk", "user-id": "7"} {
		require.Equal(t, want, s.Variables["x-engine-"+name])
		require.Equal(t, want, s.Variables["x-acme-"+name], "one variable has one value")
	}

	_, err = authenticate("X-Engine-Admin-Secret", "wrong", "X-Acme-Admin-Secret", "s3cret")
	require.ErrorContains(t, err, "invalid x-engine-admin-secret", "a wrong secret is not followed by another one")
	_, err = authenticate("X-Acme-Admin-Secret", "wrong")
	require.ErrorContains(t, err, "invalid x-engine-admin-secret")
	s, err = authenticate("X-Acme-Role", "admin")
	require.NoError(t, err)
	require.Equal(t, "anonymous", s.Role)
	require.Equal(t, "anonymous", s.Variables["x-acme-role"])
	require.False(t, s.Trusted)
}
