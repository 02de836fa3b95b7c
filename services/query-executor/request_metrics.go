package queryexecutor

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/parse"
)

// maxNamedOperations bounds the operations that have series of their own. Those that come later
// are counted together, without a name.
const maxNamedOperations = 1000

// requestMetrics count operations.
type requestMetrics struct {
	// detailed tells operations apart by name and shape.
	detailed bool
	total    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec

	mu    sync.RWMutex
	named map[operationName]bool
}

// operationName tells operations apart.
type operationName struct{ Name, Hash string }

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
		named: map[operationName]bool{},
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
func (m *requestMetrics) nameOf(op *parse.Operation, values [][]byte) operationName {
	if op == nil || !m.detailed {
		return operationName{}
	}
	n := operationName{op.Name, op.Hash(values)}
	m.mu.RLock()
	known, full := m.named[n], len(m.named) >= maxNamedOperations
	m.mu.RUnlock()
	switch {
	case known:
		return n
	case full:
		return operationName{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.named) >= maxNamedOperations {
		return operationName{}
	}
	m.named[n] = true
	return n
}
