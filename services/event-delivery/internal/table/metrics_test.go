package table

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/services/event-delivery/internal/delivery"
)

func TestMetricsWithoutDetailsHaveFewSeries(t *testing.T) {
	t.Parallel()
	for detailed, want := range map[bool]int{true: 2, false: 1} {
		m, err := NewMetrics(prometheus.NewRegistry(), detailed)
		require.NoError(t, err)
		for _, trigger := range []string{"a", "b"} {
			m.called("default", trigger, time.Now(), delivery.Call{Began: time.Now(), Taken: true, Sent: 10, Got: 2})
			m.ended([]delivery.Outcome{{Source: "default", Trigger: trigger, State: delivery.Delivered}})
		}
		for _, c := range []prometheus.Collector{m.invocations, m.processed, m.processing, m.queueTime, m.webhookTime} {
			require.Equal(t, want, testutil.CollectAndCount(c))
		}
		require.Equal(t, 2, testutil.CollectAndCount(m.requestBytes))
	}
}
