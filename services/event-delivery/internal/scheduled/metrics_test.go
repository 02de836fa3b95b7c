package scheduled

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/services/event-delivery/internal/delivery"
)

func TestMetricsOfBothKinds(t *testing.T) {
	t.Parallel()
	r := prometheus.NewRegistry()
	m := NewMetrics(r, true)
	due := time.Unix(1000, 0)
	m.cron.called("nightly", due, delivery.Call{Began: due.Add(2 * time.Second), Took: 20 * time.Millisecond, Taken: true, Sent: 7, Got: 2})
	m.oneOff.called("", due, delivery.Call{Began: due.Add(time.Second), Took: 20 * time.Second, Sent: 5})
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
`), "engine_cron_events_invocation_total", "engine_oneoff_events_invocation_total", "engine_oneoff_events_processed_total",
		"engine_scheduled_trigger_request_bytes_total", "engine_scheduled_trigger_response_bytes_total"))
	require.Equal(t, map[string]float64{
		"engine_cron_event_processing_time_seconds nightly": 2.02, "engine_cron_event_queue_time_seconds nightly": 2,
		"engine_cron_event_webhook_processing_time_seconds nightly": 0.02,
		"engine_oneoff_event_queue_time_seconds ":                   1, "engine_oneoff_event_webhook_processing_time_seconds ": 20,
	}, times(t, r), "a call that failed is no delivery")
	m.cron.forget("nightly")
	require.Len(t, times(t, r), 2)

	few := prometheus.NewRegistry()
	m = NewMetrics(few, false)
	for _, trigger := range []string{"nightly", "hourly"} {
		m.cron.called(trigger, due, delivery.Call{Began: due, Took: time.Second, Taken: true})
	}
	require.Equal(t, map[string]float64{
		"engine_cron_event_processing_time_seconds ": 2, "engine_cron_event_queue_time_seconds ": 0, "engine_cron_event_webhook_processing_time_seconds ": 2,
	}, times(t, few), "triggers are not told apart")
}

// times are the sums of the histograms that have observed anything, by name and trigger.
func times(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	gathered, err := r.Gather()
	require.NoError(t, err)
	found := map[string]float64{}
	for _, f := range gathered {
		for _, m := range f.GetMetric() {
			trigger := ""
			for _, l := range m.GetLabel() {
				trigger = l.GetValue()
			}
			if m.GetHistogram().GetSampleCount() > 0 {
				found[f.GetName()+" "+trigger] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	return found
}
