package websocket_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/websocket"
)

// TestSentBytesByOperation counts the bytes sent for a query and for a subscription, and the rest.
func TestSentBytesByOperation(t *testing.T) {
	t.Parallel()
	const (
		ack    = `{"type":"connection_ack"}`
		answer = `{"type":"next","id":"1","payload":{"data":{"role":"clerk"}}}`
		done   = `{"type":"complete","id":"1"}`
		result = `{"type":"next","id":"2","payload":{"data":{"a":1}}}`
	)
	for name, c := range map[string]struct {
		detailed bool
		want     map[string]int
	}{
		"detailed": {true, map[string]int{
			`{operation_name="",parameterized_query_hash=""}`:                         len(ack) + len(ping) + len(done),
			`{operation_name="Role",parameterized_query_hash="hash-of-role"}`:         len(answer),
			`{operation_name="Feed",parameterized_query_hash="hash-of-subscription"}`: len(result),
		}},
		"plain": {false, map[string]int{"": len(ack) + len(ping) + len(done) + len(answer) + len(result)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := prometheus.NewRegistry()
			w := setupWith(t, websocket.Config{}, websocket.Endpoint{}, websocket.Deps{Metrics: websocket.NewMetrics(registry, c.detailed)})
			conn := w.dial(t, "graphql-transport-ws")
			conn.init(ping)
			conn.send(`{"type":"subscribe","id":"1","payload":{"query":"role"}}`)
			conn.expect(answer)
			conn.expect(done)
			conn.send(`{"type":"subscribe","id":"2","payload":{"query":"subscription { a }"}}`)
			s := <-w.subscriptions
			require.True(t, s.Data([]byte(`{"data":{"a":1}}`), false))
			conn.expect(result)
			want := "# HELP engine_websocket_messages_sent_bytes_total Bytes of the messages to clients, by operation.\n" +
				"# TYPE engine_websocket_messages_sent_bytes_total counter\n"
			for labels, bytes := range c.want {
				want += fmt.Sprintf("engine_websocket_messages_sent_bytes_total%s %d\n", labels, bytes)
			}
			compare := func() error { // sent bytes are counted a moment later
				return testutil.GatherAndCompare(registry, strings.NewReader(want), "engine_websocket_messages_sent_bytes_total")
			}
			require.Eventually(t, func() bool { return compare() == nil }, 30*time.Second, 5*time.Millisecond, "%v", compare())
		})
	}
}
