package live

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// kind is a kind of subscription, as metrics and logs call it.
type kind string

const (
	queries kind = "live-query"
	streams kind = "streaming"
)

// Metrics are those of the subscriptions. Several executors in one registry count together.
type Metrics struct {
	active, pollersActive, pollersFailing *prometheus.GaugeVec
	cycles, statements, pushes            *prometheus.HistogramVec
}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	labels := []string{"subscription_kind"}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels))
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name, Help: help, Buckets: []float64{0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100},
		}, labels))
	}
	return &Metrics{
		active:         gauge("engine_active_subscriptions", "Subscriptions that run."),
		pollersActive:  gauge("engine_active_subscription_pollers", "Statements that are run for subscriptions."),
		pollersFailing: gauge("engine_active_subscription_pollers_in_error_state", "Statements whose last run failed."),
		cycles:         histogram("engine_subscription_total_time_seconds", "One run of a statement for all its cohorts, all steps."),
		pushes:         histogram("engine_subscription_push_latency_seconds", "From the news of a change to the end of the run that it led to."),
		statements:     histogram("engine_subscription_db_execution_time_seconds", "The database's part of one batch."),
	}
}

func (m *Metrics) subscribers(k kind, n float64) { m.active.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) pollers(k kind, n float64) { m.pollersActive.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) failing(k kind, n float64) { m.pollersFailing.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) cycle(k kind, d time.Duration) {
	m.cycles.WithLabelValues(string(k)).Observe(d.Seconds())
}

func (m *Metrics) push(k kind, d time.Duration) {
	m.pushes.WithLabelValues(string(k)).Observe(d.Seconds())
}

func (m *Metrics) database(k kind, d time.Duration) {
	m.statements.WithLabelValues(string(k)).Observe(d.Seconds())
}
