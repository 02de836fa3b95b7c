package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

// TestHealthChecksOfSources: operations on a source replace its health check, take it away with null, and leave it where they don't name it.
func TestHealthChecksOfSources(t *testing.T) {
	t.Parallel()
	before := json.RawMessage(`{"test":{"sql":"SELECT 1"},"interval":5,"retries":3,"retry_interval":10,"timeout":10}`)
	const replacing = `{"type":"pg_add_source","args":{"name":"crm","replace_configuration":true,"configuration":{"connection_info":{"database_url":"x"}}`
	for request, want := range map[string]string{
		replacing + `}}`: string(before),
		replacing + `,"health_check":{"interval":30}}}`:                                    `{"test":{"sql":"SELECT 1"},"interval":30,"retries":3,"retry_interval":10,"timeout":10}`,
		replacing + `,"health_check":null}}`:                                               ``,
		`{"type":"pg_update_source","args":{"name":"crm"}}`:                                string(before),
		`{"type":"pg_update_source","args":{"name":"crm","health_check":{"interval":30}}}`: `{"test":{"sql":"SELECT 1"},"interval":30,"retries":3,"retry_interval":10,"timeout":10}`,
		`{"type":"pg_update_source","args":{"name":"crm","health_check":null}}`:            ``,
	} {
		e, err := metadata.ParseEnvelope([]byte(request))
		require.NoError(t, err)
		o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, e)
		require.NoError(t, err, request)
		command, ok := o.Args.(metadata.Command)
		require.True(t, ok)
		document := &metadata.Document{Version: 3, Sources: []*metadata.Source{{Name: "crm", Kind: "postgres", HealthCheck: before}}}
		r, err := metadata.Apply(command, metadata.View{Document: document, Kinds: backends(), Kind: o.Kind})
		require.NoError(t, err, request)
		require.Equal(t, want, string(r.Document.Source("crm").HealthCheck), request)
	}
}
