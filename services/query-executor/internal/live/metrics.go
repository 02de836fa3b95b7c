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
	remotes kind = "remote"
)

// Operation identifies an operation in metrics. It is empty for operations that are counted together.
type Operation struct{ Name, Hash string }

// Metrics are those of the subscriptions. Several executors in one registry count together.
type Metrics struct {
	detailed                   bool
	active, cohortsActive      *prometheus.GaugeVec
	pollersActive              *prometheus.GaugeVec
	pollersFailing             *prometheus.GaugeVec
	cycles, statements, pushes *prometheus.HistogramVec
	batches                    *prometheus.CounterVec
}

// origin is where the rows of a batch of a stream come from.
type origin string

const (
	fromStatement origin = "statement"
	fromLog       origin = "log"
)

// NewMetrics registers the metrics; r is nil for none. detailed has labels for operations, whose number
// the caller bounds.
func NewMetrics(r prometheus.Registerer, detailed bool) *Metrics {
	labels := []string{"subscription_kind"}
	named := labels
	if detailed {
		named = append(named, "operation_name", "parameterized_query_hash")
	}
	gauge := func(name, help string, labels []string) *prometheus.GaugeVec {
		return telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels))
	}
	histogram := func(name, help string, labels []string) *prometheus.HistogramVec {
		return telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name, Help: help, Buckets: []float64{0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100},
		}, labels))
	}
	return &Metrics{
		detailed:       detailed,
		active:         gauge("engine_active_subscriptions", "Subscriptions that run.", named),
		cohortsActive:  gauge("engine_active_subscription_cohorts", "Groups of subscriptions that get the same results.", labels),
		pollersActive:  gauge("engine_active_subscription_pollers", "Statements that are run for subscriptions.", labels),
		pollersFailing: gauge("engine_active_subscription_pollers_in_error_state", "Statements whose last run failed.", labels),
		cycles:         histogram("engine_subscription_total_time_seconds", "One run of a statement for all its cohorts, all steps.", named),
		pushes:         histogram("engine_subscription_push_latency_seconds", "From the news of a change to the end of the run that it led to.", labels),
		batches: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_subscription_stream_batches_total", Help: "Batches of streams, by what gave their rows.",
		}, []string{"from"})),
		statements: histogram("engine_subscription_db_execution_time_seconds", "The database's part of one batch.", named),
	}
}

// named are the values of the labels of an operation.
func (m *Metrics) named(k kind, o Operation) []string {
	if !m.detailed {
		return []string{string(k)}
	}
	return []string{string(k), o.Name, o.Hash}
}

func (m *Metrics) subscribers(k kind, o Operation, n float64) {
	m.active.WithLabelValues(m.named(k, o)...).Add(n)
}

func (m *Metrics) pollers(k kind, n float64) { m.pollersActive.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) cohorts(k kind, n float64) { m.cohortsActive.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) failing(k kind, n float64) { m.pollersFailing.WithLabelValues(string(k)).Add(n) }

func (m *Metrics) cycle(k kind, o Operation, d time.Duration) {
	m.cycles.WithLabelValues(m.named(k, o)...).Observe(d.Seconds())
}

func (m *Metrics) push(k kind, d time.Duration) {
	m.pushes.WithLabelValues(string(k)).Observe(d.Seconds())
}

func (m *Metrics) streamed(from origin) { m.batches.WithLabelValues(string(from)).Inc() }

func (m *Metrics) database(k kind, o Operation, d time.Duration) {
	m.statements.WithLabelValues(m.named(k, o)...).Observe(d.Seconds())
}
