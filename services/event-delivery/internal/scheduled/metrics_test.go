package scheduled

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/services/event-delivery/internal/delivery"
)

func TestMetricsOfBothKinds(t *testing.T) {
	t.Parallel()
	r := prometheus.NewRegistry()
	m := NewMetrics(r)
	m.cron.called(delivery.Call{Taken: true, Sent: 7, Got: 2})
	m.oneOff.called(delivery.Call{Sent: 5})
	m.oneOff.ended([]delivery.Outcome{{State: delivery.Waiting}, {State: delivery.Dead}, {State: delivery.Failed}})
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`
# HELP engine_cron_events_invocation_total Calls of webhooks of cron triggers.
# TYPE engine_cron_events_invocation_total counter
engine_cron_events_invocation_total{status="success"} 1
# HELP engine_oneoff_events_invocation_total Calls of webhooks of one-off events.
# TYPE engine_oneoff_events_invocation_total counter
engine_oneoff_events_invocation_total{status="failed"} 1
# HELP engine_oneoff_events_processed_total One-off events that came to their end.
# TYPE engine_oneoff_events_processed_total counter
engine_oneoff_events_processed_total{status="failed"} 2
# HELP engine_scheduled_trigger_request_bytes_total Bytes sent to webhooks of scheduled events.
# TYPE engine_scheduled_trigger_request_bytes_total counter
engine_scheduled_trigger_request_bytes_total 12
# HELP engine_scheduled_trigger_response_bytes_total Bytes that webhooks of scheduled events answered.
# TYPE engine_scheduled_trigger_response_bytes_total counter
engine_scheduled_trigger_response_bytes_total 2
`)))
}
