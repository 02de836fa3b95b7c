package config

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariablesOfAnotherEngineAreNoticed where the setting that has them taken is missing.
func TestVariablesOfAnotherEngineAreNoticed(t *testing.T) {
	v, err := Load(Engine, nil, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	names, vendor := IgnoredVariables([]string{"PATH=/bin", "ACME_GRAPHQL_LOG_LEVEL=info", "ACME_GRAPHQL_ADMIN_SECRET=x", "ACME_GRAPHQL_OF_MINE=x"}, v)
	require.Equal(t, []string{"ACME_GRAPHQL_ADMIN_SECRET", "ACME_GRAPHQL_LOG_LEVEL"}, names)
	require.Equal(t, "acme", vendor)
	v, err = Load(Engine, []string{"--vendor-names", "acme"}, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	names, _ = IgnoredVariables([]string{"ACME_GRAPHQL_ADMIN_SECRET=x"}, v)
	require.Empty(t, names)
	require.Empty(t, VendorIn([]string{"PATH=/bin", "ENGINE_GRAPHQL_DATABASE_URL=x", "_GRAPHQL_DATABASE_URL=x", "ACME_GRAPHQL_DATABASE_URL="}))
	t.Setenv("ACME_GRAPHQL_DATABASE_URL", "postgres://db/shop")
	require.NoError(t, NeedMetadataURL("postgres://db/shop"))
	require.ErrorContains(t, NeedMetadataURL(""), "; for the settings of another engine, such as ACME_GRAPHQL_DATABASE_URL, "+
		"set --vendor-names (ENGINE_GRAPHQL_VENDOR_NAMES) to acme")
}
