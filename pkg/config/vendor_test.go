package config_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
)

func TestVariablesOfAnotherEngine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("of a file\n"), 0o600))
	given := map[string]string{
		"ACME_GRAPHQL_SERVER_PORT":         "9000",
		"ACME_GRAPHQL_ADMIN_SECRET_FILE":   file,
		"ACME_GRAPHQL_AUTH_HOOK_TYPE":      "POST",
		"ACME_GRAPHQL_UNAUTHORIZED_ROLE":   "theirs",
		"ENGINE_GRAPHQL_UNAUTHORIZED_ROLE": "ours",
		"ACME_GRAPHQL_ACTIONS_HOOK":        "http://a variable of the user",
	}
	plain, err := config.Load(config.Gateway, nil, environment(given), io.Discard)
	require.NoError(t, err)
	require.Equal(t, 8080, config.ServerPort.Get(plain), "without the setting they have no meaning")

	for name, load := range map[string]func() (*config.Values, error){
		"flag": func() (*config.Values, error) {
			return config.Load(config.Gateway, []string{"--vendor-names", "Acme"}, environment(given), io.Discard)
		},
		"variable": func() (*config.Values, error) {
			also := map[string]string{"ENGINE_GRAPHQL_VENDOR_NAMES": "acme"}
			for k, v := range given {
				also[k] = v
			}
			return config.Load(config.Gateway, nil, environment(also), io.Discard)
		},
	} {
		v, err := load()
		require.NoError(t, err, name)
		require.Equal(t, "acme", config.VendorNames.Get(v), name)
		require.Equal(t, 9000, config.ServerPort.Get(v), name)
		require.Equal(t, "of a file", config.AdminSecret.Get(v).Reveal(), name)
		require.Equal(t, "POST", config.AuthHookMode.Get(v), name)
		require.Equal(t, "ours", config.UnauthorizedRole.Get(v), name)
	}

	given["ACME_GRAPHQL_SERVER_PORT"] = "many"
	_, err = config.Load(config.Gateway, []string{"--vendor-names=acme"}, environment(given), io.Discard)
	require.ErrorContains(t, err, "ACME_GRAPHQL_SERVER_PORT")
	_, err = config.Load(config.Gateway, []string{"--vendor-names=a-b"}, environment(nil), io.Discard)
	require.ErrorContains(t, err, "--vendor-names")
}

func TestSettingsAmongVariablesOfAnotherEngine(t *testing.T) {
	t.Parallel()
	require.True(t, config.IsVendorSecret("ACME_GRAPHQL_ADMIN_SECRET", "acme"))
	require.True(t, config.IsVendorSecret("ACME_GRAPHQL_JWT_SECRET_FILE", "acme"))
	require.False(t, config.IsVendorSecret("ACME_GRAPHQL_SERVER_PORT", "acme"))
	require.False(t, config.IsVendorSecret("ACME_GRAPHQL_ACTIONS_HOOK", "acme"))
	require.False(t, config.IsVendorSecret("ACME_GRAPHQL_ADMIN_SECRET", ""))
	own, ok := config.OwnVariable("ACME_GRAPHQL_DATABASE_URL", "acme")
	require.True(t, ok)
	require.Equal(t, "ENGINE_GRAPHQL_DATABASE_URL", own)
	_, ok = config.OwnVariable("ACME_GRAPHQL_ACTIONS_HOOK", "acme")
	require.False(t, ok)
}
