package api_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
)

// Nothing that may write is ever carried out twice.
func TestOnlyQueriesAreRepeatable(t *testing.T) {
	t.Parallel()
	var asked bus.Endpoint
	w := setup(t, func(w *world) {
		w.bus.answer = func(_ context.Context, ep bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			asked = ep
			_, err := sink.Write([]byte(`{}`))
			return err
		}
	})
	for _, c := range []struct {
		document, operation string
		want                bool
	}{
		{`{ a }`, "", true},
		{`query { a }`, "", true},
		{`query Q { mutation } mutation M { a }`, "Q", true},
		{`query Q { mutation } mutation M { a }`, "M", false},
		{`mutation { a }`, "", false},
		{"# query\nmutation { a }", "", false},
		{`fragment query on m { a } mutation { ...query }`, "", false},
		{`{ a } mutation M { a }`, "M", false},
		{`subscription { a }`, "", false},
		{`"`, "", false},
	} {
		body, err := json.Marshal(map[string]any{"query": c.document, "operationName": c.operation})
		require.NoError(t, err)
		w.send(t, "POST", "/v1/graphql", string(body), admin...)
		require.Equal(t, bus.QueryExecute.Subject, asked.Subject)
		require.Equal(t, c.want, asked.Repeatable, c.document)
	}
}
