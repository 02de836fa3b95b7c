package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// Parts that are kept without an effect are warned of when they are set.
func TestPartsWithoutEffect(t *testing.T) {
	t.Parallel()
	const info = `"connection_info":{"database_url":"postgres://db/shop"}`
	none := metadata.View{Document: metadata.Empty(), Kinds: backends(), Kind: metadata.DefaultKind}

	replace := metadata.ReplaceMetadata{}
	require.NoError(t, json.Unmarshal([]byte(`{"allow_warnings":false,"metadata":{"version":3,
		"backend_configs":{"dataconnector":{"lite":{"uri":"http://lite"}}},
		"sources":[{"name":"s","kind":"postgres","tables":[],"stored_procedures":[{"stored_procedure":"p","configuration":{"exposed_as":"query"},"returns":"m"}],
			"configuration":{"extensions_schema":"ext",`+info+`}}]}}`), &replace))
	_, err := replace.Apply(none)
	require.ErrorContains(t, err, "failed due to metadata warnings")
	require.Equal(t, []metadata.Warning{
		{Message: "backend_configs is kept and has no effect: there are no agents of connectors", Type: "metadata", Name: "backend_configs", Code: "no-effect"},
		{Message: "stored_procedures is kept and has no effect: a source of Postgres has none", Type: "metadata", Name: "s", Code: "no-effect"},
		{Message: "extensions_schema is kept and has no effect: the engine installs no extensions", Type: "metadata", Name: "s", Code: "no-effect"},
	}, internalOf[[]metadata.Warning](t, err))

	for configuration, want := range map[string]string{
		`{` + info + `}`: "",
		`{"extensions_schema":"ext",` + info + `}`: `{"message":"success","warnings":[{"message":"extensions_schema is kept and has no effect: ` +
			`the engine installs no extensions","type":"metadata","name":"s","code":"no-effect"}]}`,
	} {
		add := metadata.AddSource{Name: "s"}
		require.NoError(t, json.Unmarshal([]byte(configuration), &add.Configuration))
		result, err := add.Apply(none)
		require.NoError(t, err)
		if want == "" {
			require.Nil(t, result.Reply)
			continue
		}
		reply, err := result.Reply(none)
		require.NoError(t, err)
		require.JSONEq(t, want, string(reply))
	}
}

func internalOf[T any](t *testing.T, err error) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(apierror.From(err).InternalJSON(), &v))
	return v
}
