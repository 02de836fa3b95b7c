package jwt_test

import (
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/jwt"
)

// The names belong to the process, so that this test isn't parallel.
func TestTokensOfAnotherEngine(t *testing.T) {
	theirs := map[string]any{"x-acme-allowed-roles": []string{"clerk", "boss"}, "x-acme-default-role": "clerk", "X-Acme-User-Id": "7"}
	token := func(claims map[string]any) string { return sign(t, jwa.HS256, []byte(secret), claims) }
	ofAcme := token(map[string]any{"https://acme.io/jwt/claims": theirs})

	plain := verifier(t, false, hmacConfig(nil))
	_, err := plain.Authenticate(bearer(ofAcme), "")
	requireFault(t, err, apierror.JWTInvalidClaims, "claims key: 'https://engine.io/jwt/claims' not found")

	release, err := session.UseVendor("acme")
	require.NoError(t, err)
	t.Cleanup(release)
	for name, c := range map[string]struct {
		config map[string]any
		claims map[string]any
	}{
		"namespace":       {nil, map[string]any{"https://acme.io/jwt/claims": theirs}},
		"other namespace": {map[string]any{"claims_namespace": "shop"}, map[string]any{"shop": theirs}},
		"path":            {map[string]any{"claims_namespace_path": "$.shop.claims"}, map[string]any{"shop": map[string]any{"claims": theirs}}},
		"claims in ours":  {nil, map[string]any{jwt.DefaultNamespace: theirs}},
		"namespace is ours": {nil, map[string]any{
			jwt.DefaultNamespace:         theirs,
			"https://acme.io/jwt/claims": map[string]any{"x-acme-allowed-roles": []string{"admin"}, "x-acme-default-role": "admin"},
		}},
		"both names": {nil, map[string]any{"https://acme.io/jwt/claims": map[string]any{
			"x-acme-allowed-roles": []string{"admin"}, "x-engine-allowed-roles": []string{"clerk", "boss"},
			"x-acme-default-role": "admin", "x-engine-default-role": "clerk", "x-acme-user-id": "8", "x-engine-user-id": "7",
		}}},
		"map": {
			map[string]any{"claims_map": map[string]any{
				"x-acme-allowed-roles": map[string]any{"path": "$.roles"}, "x-acme-default-role": "clerk", "x-acme-user-id": map[string]any{"path": "$.sub"},
			}},
			map[string]any{"roles": []string{"clerk", "boss"}, "sub": "7"},
		},
	} {
		v := verifier(t, false, hmacConfig(c.config))
		for role, want := range map[string]string{"": "clerk", "boss": "boss"} {
			identity, err := v.Authenticate(bearer(token(c.claims)), role)
			require.NoError(t, err, name)
			require.Equal(t, want, identity.Session.Role, name)
			require.Equal(t, map[string]string{
				"x-engine-role": want, "x-acme-role": want, "x-engine-user-id": "7", "x-acme-user-id": "7",
			}, identity.Session.Variables, name)
		}
		_, err := v.Authenticate(bearer(token(c.claims)), "admin")
		requireFault(t, err, apierror.AccessDenied, "Your requested role is not in allowed roles")
	}
}
