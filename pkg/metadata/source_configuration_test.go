package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// addSource are the arguments of pg_add_source with a configuration.
func addSource(t *testing.T, configuration string) (*metadata.AddSource, error) {
	t.Helper()
	e := &metadata.Envelope{Type: "pg_add_source", Version: 1, Args: json.RawMessage(`{"name":"s","configuration":` + configuration + `}`)}
	o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, e)
	if err != nil {
		return nil, err
	}
	a, ok := o.Args.(*metadata.AddSource)
	require.True(t, ok)
	return a, nil
}

// What comes of a configuration is the business of its kind, whichever way it comes.
func TestConfigurationsAreThoseOfTheirKind(t *testing.T) {
	t.Parallel()
	const kept = `{"connection_info":{"database_url":{"from_env":"DB"},"isolation_level":"read-committed"}}`
	const given = `{"connection_info": {"more": 1, "database_url": {"from_env": "DB"}}, "read_replicas": null}`
	a, err := addSource(t, given)
	require.NoError(t, err)
	require.Equal(t, kept, string(a.Configuration))

	doc, err := metadata.Parse(json.RawMessage(`{"version":3,"sources":[
		{"name":"s","kind":"pg","tables":[],"configuration":`+given+`},
		{"name":"other","kind":"abacus","tables":[],"configuration":{"connection_info": 7}}]}`), metadata.Empty(), backends())
	require.NoError(t, err)
	require.Equal(t, kept, string(doc.Source("s").Configuration))
	exported, err := metadata.Encode(doc)
	require.NoError(t, err)
	require.Contains(t, string(exported), `"configuration":{"connection_info":7}`, "a source without a backend is kept as given")

	update := &metadata.Envelope{Type: "pg_update_source", Version: 1, Args: json.RawMessage(`{"name":"s","configuration":` + given + `}`)}
	o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, update)
	require.NoError(t, err)
	u, ok := o.Args.(*metadata.UpdateSource)
	require.True(t, ok)
	require.Equal(t, kept, string(u.Configuration))
	update.Args = json.RawMessage(`{"name":"s"}`)
	o, err = metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, update)
	require.NoError(t, err)
	require.Equal(t, &metadata.UpdateSource{Name: "s"}, o.Args)
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]struct{ path, message string }{
		`null`: {"", "parsing Object failed, expected Object, but encountered Null"},
		`{}`:   {"", `key "connection_info" not found`},
		`{"connection_info":{"database_url":7}}`: {
			".connection_info.database_url", "parsing UrlConf failed, expected String, but encountered Number",
		},
		`{"connection_info":{"database_url":"x","ssl_configuration":{"sslmode":"often"}}}`: {
			".connection_info.ssl_configuration.sslmode",
			"expected one of disable, allow, prefer, require, verify-ca, verify-full, but found often",
		},
		`{"connection_info":{"database_url":"x"},"read_replicas":[{"database_url":"x"},{"database_url":"x","isolation_level":"none"}]}`: {
			".read_replicas[1].isolation_level", "Only expecting read-committed / repeatable-read / serializable",
		},
		`{"connection_info":{"database_url":"x"},"change_feed":"poll"}`: {".change_feed", `Only expecting "notify" or "log"`},
	} {
		_, err := addSource(t, given)
		e := apierror.From(err)
		require.Equal(t, apierror.ParseFailed, e.Code, given)
		require.Equal(t, "$.args.configuration"+want.path, e.Path, given)
		require.Equal(t, "Error when parsing command add_source.\nSee our documentation at docs/metadata-api.md.\nInternal error message: "+
			want.message, e.Message, given)

		_, err = metadata.Parse(json.RawMessage(`{"version":3,"sources":[{"name":"s","tables":[],"configuration":`+given+`}]}`),
			metadata.Empty(), backends())
		e = apierror.From(err)
		require.Equal(t, "$.sources[0].configuration"+want.path, e.Path, given)
		require.Equal(t, want.message, e.Message, given)
	}
}

// A typing error in a configuration is found as in the rest of a document.
func TestUnknownKeysOfConfigurations(t *testing.T) {
	t.Parallel()
	replace := metadata.ReplaceMetadata{}
	require.NoError(t, json.Unmarshal([]byte(`{"allow_warnings":false,"metadata":{"version":3,"sources":[{"name":"s","tables":[],"configuration":{
		"conection_set":[],"connection_info":{"database_url":"x","isolation":1,"ssl_configuration":{"sslmode":"allow","ssl":1}}}}]}}`), &replace))
	_, err := replace.Apply(metadata.View{Document: metadata.Empty(), Kinds: backends()})
	require.ErrorContains(t, err, "failed due to metadata warnings")
	var found []string
	for _, w := range internalOf[[]metadata.Warning](t, err) {
		found = append(found, w.Name)
	}
	require.Equal(t, []string{
		"$.sources[0].configuration.conection_set",
		"$.sources[0].configuration.connection_info.isolation",
		"$.sources[0].configuration.connection_info.ssl_configuration.ssl",
	}, found)
}
