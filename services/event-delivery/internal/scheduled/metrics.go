package scheduled

import (
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
	"queryengine/services/event-delivery/internal/delivery"
)

// Metrics are those of scheduled events of both kinds.
type Metrics struct {
	cron, oneOff kindMetrics
	paused       *prometheus.GaugeVec
}

// kindMetrics are those of one kind. The bytes of both are counted together.
type kindMetrics struct {
	invocations, processed *prometheus.CounterVec
	sent, got              prometheus.Counter
}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) *prometheus.CounterVec {
		return telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"status"}))
	}
	sent := telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "engine_scheduled_trigger_request_bytes_total", Help: "Bytes sent to webhooks of scheduled events.",
	}))
	got := telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "engine_scheduled_trigger_response_bytes_total", Help: "Bytes that webhooks of scheduled events answered.",
	}))
	return &Metrics{
		paused: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_cron_trigger_paused", Help: "1 for each cron trigger that is paused.",
		}, []string{"trigger_name"})),
		cron: kindMetrics{
			counter("engine_cron_events_invocation_total", "Calls of webhooks of cron triggers."),
			counter("engine_cron_events_processed_total", "Events of cron triggers that came to their end."), sent, got,
		},
		oneOff: kindMetrics{
			counter("engine_oneoff_events_invocation_total", "Calls of webhooks of one-off events."),
			counter("engine_oneoff_events_processed_total", "One-off events that came to their end."), sent, got,
		},
	}
}

const (
	statusSuccess = "success"
	statusFailed  = "failed"
)

func (m *kindMetrics) called(c delivery.Call) {
	status := statusFailed
	if c.Taken {
		status = statusSuccess
	}
	m.invocations.WithLabelValues(status).Inc()
	m.sent.Add(float64(c.Sent))
	m.got.Add(float64(c.Got))
}

func (m *kindMetrics) ended(outcomes []delivery.Outcome) {
	for _, o := range outcomes {
		switch o.State {
		case delivery.Delivered:
			m.processed.WithLabelValues(statusSuccess).Inc()
		case delivery.Failed, delivery.Dead:
			m.processed.WithLabelValues(statusFailed).Inc()
		case delivery.Waiting:
		}
	}
}
