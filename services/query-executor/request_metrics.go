package queryexecutor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/parse"
)

// requestMetrics count operations.
type requestMetrics struct {
	// detailed tells operations apart by name and shape.
	detailed bool
	total    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	named    *telemetry.Operations
}

func newRequestMetrics(r prometheus.Registerer, detailed bool) *requestMetrics {
	labels := []string{"operation_type", "response_status"}
	if detailed {
		labels = append(labels, "operation_name", "parameterized_query_hash")
	}
	return &requestMetrics{
		detailed: detailed,
		total: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_graphql_requests_total",
			Help: "GraphQL operations, by kind and whether they succeeded.",
		}, labels)),
		seconds: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_graphql_execution_time_seconds",
			Help:    "Time that operations took that succeeded.",
			Buckets: []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10},
		}, []string{"operation_type"})),
		named: telemetry.NewOperations(),
	}
}

// done counts an operation; op is nil for a text that is none.
func (m *requestMetrics) done(op *parse.Operation, values [][]byte, took time.Duration, err error) {
	kind, status := "unknown", "success"
	if op != nil {
		kind = string(op.Kind)
	}
	if err != nil {
		status = "failed"
	} else {
		m.seconds.WithLabelValues(kind).Observe(took.Seconds())
	}
	if !m.detailed {
		m.total.WithLabelValues(kind, status).Inc()
		return
	}
	n := m.nameOf(op, values)
	m.total.WithLabelValues(kind, status, n.Name, n.Hash).Inc()
}

// nameOf is the name under which an operation is counted; op is nil for a text that is none.
func (m *requestMetrics) nameOf(op *parse.Operation, values [][]byte) telemetry.Operation {
	if op == nil || !m.detailed {
		return telemetry.Operation{}
	}
	return m.named.Named(telemetry.Operation{Name: op.Name, Hash: op.Hash(values)})
}
