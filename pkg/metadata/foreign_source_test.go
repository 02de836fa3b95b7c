package metadata_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

// foreignSources are sources of kinds that have forms of their own; the numbers, the order of
// the keys and the characters are what re-encoding would change.
var foreignSources = []string{
	`{"tables":[{"table":{"schema":"dbo","name":"a<b>&c"},"x":1.50}],"name":"bq2","kind":"abacus","configuration":{"connection_info":{"connection_string":"Driver={ODBC}"}}}`,
	`{"kind":"abacus","name":"bq","tables":[{"table":{"dataset":"d","name":"t"}}],"configuration":{"service_account":{"from_env":"X"},"datasets":["d"]}}`,
	`{"name":"lite","kind":"sqlite","tables":[{"table":["a"]}],"configuration":{"value":{"db":"/x"},"template":null}}`,
	`{"name":"z","kind":"abacus","tables":[],"configuration":{"read_only":true}}`,
}

func TestForeignSources(t *testing.T) {
	t.Parallel()
	raw := `{"version":3,"sources":[` + strings.Join(foreignSources, ", ") + `]}`
	doc, err := metadata.Parse(json.RawMessage(raw), metadata.Empty(), backends())
	require.NoError(t, err)
	encoded, err := metadata.Encode(doc)
	require.NoError(t, err)
	for _, source := range foreignSources {
		require.Contains(t, string(encoded), source)
	}
	again, err := metadata.Parse(encoded, doc, backends())
	require.NoError(t, err)
	require.Equal(t, doc, again)
	require.True(t, doc.Source("bq2").IsForeign())
	require.Empty(t, doc.Source("bq2").Tables)

	_, err = metadata.Parse(json.RawMessage(`{"version":3,"sources":[{"kind":"abacus","tables":[]}]}`), metadata.Empty(), backends())
	require.ErrorContains(t, err, `$.sources[0]: key "name" not found`)
}
