package changes

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// Metrics are the metrics of reading logs. A nil *Metrics measures nothing.
type Metrics struct {
	readers *prometheus.GaugeVec
	changes *prometheus.CounterVec
	lag     *prometheus.HistogramVec
}

// lagBuckets are in seconds.
var lagBuckets = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	if r == nil {
		return nil
	}
	label := []string{"source_name"}
	return &Metrics{
		readers: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_change_log_readers", Help: "Logs of sources that this process reads.",
		}, label)),
		changes: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_change_log_changes_total", Help: "Changes of tables that were published; several within milliseconds count as one.",
		}, label)),
		lag: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "engine_change_log_lag_seconds", Help: "Time from the commit of a change until it is published.", Buckets: lagBuckets,
		}, label)),
	}
}

func (m *Metrics) reading(source string, reads bool) {
	if m == nil {
		return
	}
	if reads {
		m.readers.WithLabelValues(source).Set(1)
	} else {
		m.readers.DeleteLabelValues(source)
	}
}

// changed counts a change that was committed at a time by the database's clock.
func (m *Metrics) changed(source string, since time.Time) {
	if m == nil {
		return
	}
	m.changes.WithLabelValues(source).Inc()
	m.lag.WithLabelValues(source).Observe(max(0, time.Since(since).Seconds()))
}
