package changes

import (
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// Metrics are the metrics of reading logs. A nil *Metrics measures nothing.
type Metrics struct {
	readers *prometheus.GaugeVec
	changes *prometheus.CounterVec
}

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

func (m *Metrics) changed(source string) {
	if m != nil {
		m.changes.WithLabelValues(source).Inc()
	}
}
