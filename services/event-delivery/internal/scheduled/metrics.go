package scheduled

import (
	"time"

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
	// Times are those of each trigger where named.
	delivery, queue, webhook *prometheus.HistogramVec
	named                    bool
}

// NewMetrics registers the metrics; r is nil for none. Unless they are detailed, times are those of all cron
// triggers together.
func NewMetrics(r prometheus.Registerer, detailed bool) *Metrics {
	counter := func(name, help string) *prometheus.CounterVec {
		return telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"status"}))
	}
	sent := telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "engine_scheduled_trigger_request_bytes_total", Help: "Bytes sent to webhooks of scheduled events.",
	}))
	got := telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "engine_scheduled_trigger_response_bytes_total", Help: "Bytes that webhooks of scheduled events answered.",
	}))
	times := func(prefix, of string, named bool) kindMetrics {
		var labels []string
		if named {
			labels = []string{"trigger_name"}
		}
		histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
			return telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + name, Help: help + of, Buckets: buckets}, labels))
		}
		return kindMetrics{
			sent: sent, got: got, named: named,
			delivery: histogram("_event_processing_time_seconds", "Time from when an event, or its retry, was due to its delivery, of ", delivery.WaitBuckets()),
			queue:    histogram("_event_queue_time_seconds", "Time from when an event, or its retry, was due to a worker, of ", delivery.WaitBuckets()),
			webhook:  histogram("_event_webhook_processing_time_seconds", "Time of a call of a webhook, of ", delivery.CallBuckets()),
		}
	}
	m := &Metrics{
		paused: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_cron_trigger_paused", Help: "1 for each cron trigger that is paused.",
		}, []string{"trigger_name"})),
		cron: times("engine_cron", "cron triggers.", detailed), oneOff: times("engine_oneoff", "one-off events.", false),
	}
	m.cron.invocations = counter("engine_cron_events_invocation_total", "Calls of webhooks of cron triggers.")
	m.cron.processed = counter("engine_cron_events_processed_total", "Events of cron triggers that came to their end.")
	m.oneOff.invocations = counter("engine_oneoff_events_invocation_total", "Calls of webhooks of one-off events.")
	m.oneOff.processed = counter("engine_oneoff_events_processed_total", "One-off events that came to their end.")
	return m
}

const (
	statusSuccess = "success"
	statusFailed  = "failed"
)

// called counts a call for an event that was due at a time.
func (m *kindMetrics) called(trigger string, due time.Time, c delivery.Call) {
	status, labels := statusFailed, m.labels(trigger)
	if c.Taken {
		status = statusSuccess
		m.delivery.WithLabelValues(labels...).Observe(c.Began.Add(c.Took).Sub(due).Seconds())
	}
	m.queue.WithLabelValues(labels...).Observe(c.Began.Sub(due).Seconds())
	m.webhook.WithLabelValues(labels...).Observe(c.Took.Seconds())
	m.invocations.WithLabelValues(status).Inc()
	m.sent.Add(float64(c.Sent))
	m.got.Add(float64(c.Got))
}

// labels are the values of the labels of times.
func (m *kindMetrics) labels(trigger string) []string {
	if !m.named {
		return nil
	}
	return []string{trigger}
}

// forget removes the times of a trigger that is gone.
func (m *kindMetrics) forget(trigger string) {
	if !m.named {
		return
	}
	for _, times := range []*prometheus.HistogramVec{m.delivery, m.queue, m.webhook} {
		times.DeleteLabelValues(trigger)
	}
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
