package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSubscriptionsOfASessionAreBounded holds that a session has as many subscriptions as it may,
// over all of its connections and however it asks, and may have others once they have ended.
func TestSubscriptionsOfASessionAreBounded(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE counter (id int PRIMARY KEY); INSERT INTO counter VALUES (1)`)
	c.start(metadata)
	c.start(executor)
	g := c.start(gateway, "SUBSCRIPTIONS_PER_SESSION=2", "SUBSCRIPTIONS_PER_CONNECTION=3", "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false")
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"source": "default", "table": "counter"}},
		map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"source": "default", "table": "counter", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
		}},
	})
	const watch, seen = `subscription { counter { id } }`, `{"counter":[{"id":1}]}`
	const full = `the session has too many subscriptions: at most 2 are allowed`

	first, second := g.subscriber(as("user")), g.subscriber(as("user"))
	first.await(first.subscribe(watch, nil), seen)
	second.await(second.subscribe(watch, nil), seen)
	second.subscribe(watch, nil)
	second.awaitTrouble(full)
	events := g.firstEvent("/v1/graphql", as("user"), map[string]any{"query": watch})
	require.Contains(t, string(events.body), full)

	require.NoError(t, first.socket.CloseNow())
	eventually(t, startLimit, func() bool {
		events = g.firstEvent("/v1/graphql", as("user"), map[string]any{"query": watch})
		return sameJSON(string(events.body), `{"data":`+seen+`}`)
	}, func() string { return string(events.body) })

	admin := g.subscriber(asAdmin)
	for range 3 {
		admin.await(admin.subscribe(watch, nil), seen)
	}
	admin.subscribe(watch, nil)
	admin.awaitTrouble("the connection has too many subscriptions: at most 3 are allowed")
}
