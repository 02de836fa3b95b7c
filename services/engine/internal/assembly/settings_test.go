package assembly_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/services/engine/internal/assembly"
)

// TestSettingsOfAllServicesAreCheckedAtOnce: a fault of one service doesn't hide those of others.
func TestSettingsOfAllServicesAreCheckedAtOnce(t *testing.T) {
	t.Parallel()
	load := func(args ...string) *config.Values {
		v, err := config.Load(config.Engine, args, func(string) (string, bool) { return "", false }, io.Discard)
		require.NoError(t, err)
		return v
	}
	v := load("--jwt-secret", `{"type":"RS256","key":"no key"}`, "--auth-hook", "nowhere", "--cors-domain", "good.example", "--tls-key", "key.pem")
	err := assembly.Check(v, config.RunServices.Get(v))
	require.Error(t, err)
	for _, text := range []string{
		"no metadata database: set --database-url (ENGINE_GRAPHQL_DATABASE_URL)",
		"--jwt-secret (ENGINE_GRAPHQL_JWT_SECRET): Invalid JWK",
		"--auth-hook (ENGINE_GRAPHQL_AUTH_HOOK): the authentication hook is not an http or https URL",
		"--cors-domain (ENGINE_GRAPHQL_CORS_DOMAIN): invalid domain: 'good.example'",
		"TLS needs both a certificate and its key",
	} {
		require.Contains(t, err.Error(), text)
	}
	require.NotContains(t, strings.ToLower(err.Error()), "fatal")
	require.NoError(t, assembly.Check(v, []string{"query-executor"}), "what doesn't run isn't checked")
	require.NoError(t, assembly.Check(load("--database-url", "postgres://h/d"), []string{"metadata", "scheduler", "gateway"}))
}
