package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// useVendor has a test see the names of acme. They belong to the process, so that none of these
// tests is parallel.
func useVendor(t *testing.T) {
	t.Helper()
	release, err := session.UseVendor("acme")
	require.NoError(t, err)
	t.Cleanup(release)
}

func TestSecretsByAnotherEnginesNamesStayHere(t *testing.T) {
	env := func(string) (string, bool) { return "value", true }
	secret := metadata.Header{Name: "a", ValueFromEnv: "ACME_GRAPHQL_ADMIN_SECRET"}
	value, err := secret.Resolve(env)
	require.NoError(t, err, "it means nothing without that engine's names")
	require.Equal(t, "value", value)

	useVendor(t)
	_, err = secret.Resolve(env)
	require.ErrorContains(t, err, "secrets of the engine are not allowed in value_from_env: ACME_GRAPHQL_ADMIN_SECRET")
	_, err = metadata.Expand("http://a/{{ACME_GRAPHQL_JWT_SECRET}}", env)
	require.ErrorContains(t, err, "secrets of the engine are not allowed in templates: ACME_GRAPHQL_JWT_SECRET")
	value, err = metadata.Expand("{{ACME_GRAPHQL_ACTIONS_HOOK}}/a", env)
	require.NoError(t, err, "a variable of the user's own")
	require.Equal(t, "value/a", value)
}

func TestWordsOfAnotherEngineInMetadata(t *testing.T) {
	useVendor(t)
	var c metadata.RemoteRelationshipDefinition
	require.NoError(t, json.Unmarshal([]byte(`{"remote_schema":"r","acme_fields":["id"],"remote_field":{"f":{"arguments":{"id":"$id"}}}}`), &c))
	require.Equal(t, []string{"id"}, c.ToRemoteSchema.LHSFields)
	var u metadata.UniqueParams
	require.NoError(t, json.Unmarshal([]byte(`["X-Acme-User-Id"]`), &u))
	require.Error(t, json.Unmarshal([]byte(`["X-Acme-Role"]`), &u), "the role always counts")
}
