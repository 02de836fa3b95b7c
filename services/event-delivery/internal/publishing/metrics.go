package publishing

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/bus"
	"queryengine/pkg/telemetry"
)

// Metrics are the metrics of published changes. A nil *Metrics measures nothing.
type Metrics struct {
	publishers *prometheus.GaugeVec
	messages   *prometheus.CounterVec
	lag        *prometheus.HistogramVec
}

// lagBuckets are in seconds.
var lagBuckets = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	if r == nil {
		return nil
	}
	labels := []string{"source_name", "publication"}
	return &Metrics{
		publishers: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_published_changes_publishers", Help: "Publications of changes that this process publishes.",
		}, labels)),
		messages: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_published_changes_messages_total", Help: "Messages that were stored in streams of published changes.",
		}, labels)),
		lag: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "engine_published_changes_lag_seconds", Help: "Time from the commit of a change until it is stored in its stream.", Buckets: lagBuckets,
		}, labels)),
	}
}

func (m *Metrics) publishing(n bus.PublishedName, publishes bool) {
	switch {
	case m == nil:
	case publishes:
		m.publishers.WithLabelValues(n.Source, n.Name).Set(1)
	default:
		m.publishers.DeleteLabelValues(n.Source, n.Name)
	}
}

// stored counts messages; lag is 0 for those of rows.
func (m *Metrics) stored(n bus.PublishedName, messages int, lag time.Duration) {
	if m == nil {
		return
	}
	m.messages.WithLabelValues(n.Source, n.Name).Add(float64(messages))
	if lag > 0 {
		m.lag.WithLabelValues(n.Source, n.Name).Observe(lag.Seconds())
	}
}
