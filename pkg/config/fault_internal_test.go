package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariablesOfAnotherEngineAreNoticed where the setting that has them taken is missing.
func TestVariablesOfAnotherEngineAreNoticed(t *testing.T) {
	require.Empty(t, vendorIn([]string{"PATH=/bin", "ENGINE_GRAPHQL_DATABASE_URL=x", "_GRAPHQL_DATABASE_URL=x", "ACME_GRAPHQL_DATABASE_URL="}))
	t.Setenv("ACME_GRAPHQL_DATABASE_URL", "postgres://db/shop")
	require.NoError(t, NeedMetadataURL("postgres://db/shop"))
	require.ErrorContains(t, NeedMetadataURL(""), "; for the settings of another engine, such as ACME_GRAPHQL_DATABASE_URL, "+
		"set --vendor-names (ENGINE_GRAPHQL_VENDOR_NAMES) to acme")
}
