package live

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

func TestMetricsTellOperationsApart(t *testing.T) {
	t.Parallel()
	const head = "# HELP engine_active_subscriptions Subscriptions that run.\n# TYPE engine_active_subscriptions gauge\n"
	for detailed, want := range map[bool]string{
		true: `engine_active_subscriptions{operation_name="A",parameterized_query_hash="h1",subscription_kind="live-query"} 2
engine_active_subscriptions{operation_name="B",parameterized_query_hash="h2",subscription_kind="live-query"} 0
`,
		false: `engine_active_subscriptions{subscription_kind="live-query"} 2
`,
	} {
		r := prometheus.NewRegistry()
		m := NewMetrics(r, detailed)
		a, b := Operation{"A", "h1"}, Operation{"B", "h2"}
		m.subscribers(queries, a, 1)
		m.subscribers(queries, a, 1)
		m.subscribers(queries, b, 1)
		m.subscribers(queries, b, -1)
		m.cycle(queries, a, time.Second)
		m.database(queries, a, time.Second)
		m.pollers(queries, 1)
		require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(head+want), "engine_active_subscriptions"))
	}
}
