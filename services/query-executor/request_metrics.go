package queryexecutor

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/metadata"
	"queryengine/pkg/status"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/parse"
)

// Values of labels.
const (
	unknownKind   = "unknown"
	statusSuccess = "success"
	statusFailed  = "failed"
)

// requestMetrics count operations.
type requestMetrics struct {
	// detailed distinguishes operations by name and shape.
	detailed bool
	total    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	scanned  *prometheus.CounterVec
	named    *telemetry.Operations
	// byRole is counted apart from the series: a histogram for each role would be too many of them.
	byRole   *status.Operations
	analysis analysis
	// times are those of each kind of operation; the map doesn't change. Each is looked up once, when it is
	// needed.
	times map[string]func() prometheus.Observer

	mu       sync.RWMutex
	outcomes map[counted]*outcomes
}

// counted is what is counted together: operations of a kind, under a name where they are distinguished.
type counted struct {
	kind string
	as   telemetry.Operation
}

// outcomes count how operations end. Each counter is looked up once, when it is needed.
type outcomes struct{ succeeded, failed func() prometheus.Counter }

func newRequestMetrics(r prometheus.Registerer, detailed bool) *requestMetrics {
	var operation []string
	if detailed {
		operation = []string{"operation_name", "parameterized_query_hash"}
	}
	m := &requestMetrics{
		detailed: detailed,
		times:    map[string]func() prometheus.Observer{},
		outcomes: map[counted]*outcomes{},
		total: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_graphql_requests_total",
			Help: "GraphQL operations, by kind and whether they succeeded.",
		}, append([]string{"operation_type", "response_status"}, operation...))),
		seconds: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_graphql_execution_time_seconds",
			Help:    "Time that operations took that succeeded.",
			Buckets: []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10},
		}, []string{"operation_type"})),
		scanned: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_graphql_scanned_bytes_total",
			Help: "Bytes that operations had databases read that charge for them.",
		}, append([]string{"role"}, operation...))),
		named:    telemetry.NewOperations(),
		byRole:   status.NewOperations(),
		analysis: newAnalysis(r, operation),
	}
	for _, kind := range []string{unknownKind, string(parse.Query), string(parse.Mutation), string(parse.Subscription)} {
		m.times[kind] = sync.OnceValue(func() prometheus.Observer { return m.seconds.WithLabelValues(kind) })
	}
	return m
}

// done counts an operation.
func (m *requestMetrics) done(q *request, took time.Duration, err error) {
	kind := unknownKind
	if q.parsed != nil {
		kind = string(q.parsed.Kind)
	}
	name := ""
	if q.parsed != nil {
		name = q.parsed.Name
	}
	m.byRole.Count(q.session.Role, name, kind, took, err != nil)
	of := counted{kind: kind}
	if m.detailed && q.parsed != nil {
		of.as = telemetry.Operation{Name: name, Hash: q.shapeHash()}
	}
	end := m.outcomesOf(of)
	if err != nil {
		end.failed().Inc()
		return
	}
	end.succeeded().Inc()
	m.times[kind]().Observe(took.Seconds())
}

// outcomesOf are the counters of operations, by their own name while they have one.
func (m *requestMetrics) outcomesOf(of counted) *outcomes {
	m.mu.RLock()
	o := m.outcomes[of]
	m.mu.RUnlock()
	if o != nil {
		return o
	}
	if of.as != (telemetry.Operation{}) {
		of.as = m.named.Named(of.as)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if o := m.outcomes[of]; o != nil {
		return o
	}
	counter := func(status string) func() prometheus.Counter {
		labels := []string{of.kind, status}
		if m.detailed {
			labels = append(labels, of.as.Name, of.as.Hash)
		}
		return sync.OnceValue(func() prometheus.Counter { return m.total.WithLabelValues(labels...) })
	}
	o = &outcomes{succeeded: counter(statusSuccess), failed: counter(statusFailed)}
	m.outcomes[of] = o
	return o
}

// scan counts the bytes that an operation had databases read. Of a role, there is a series only if it may read such a
// database, which bounds them.
func (m *requestMetrics) scan(q *request, bytes int64) {
	if bytes == 0 {
		return
	}
	labels := []string{q.session.Role}
	if m.detailed {
		n := m.nameOf(q)
		labels = append(labels, n.Name, n.Hash)
	}
	m.scanned.WithLabelValues(labels...).Add(float64(bytes))
}

// analyse measures an operation that has ended, as far as the metadata asks for it.
func (m *requestMetrics) analyse(config *metadata.MetricsConfig, q *request, size int64) {
	if config == nil || q.parsed == nil {
		return
	}
	var operation []string
	if m.detailed {
		n := m.nameOf(q)
		operation = []string{n.Name, n.Hash}
	}
	m.analysis.count(config, operation, q.values, size)
}

// nameOf is the name under which an operation is counted.
func (m *requestMetrics) nameOf(q *request) telemetry.Operation {
	if q.parsed == nil || !m.detailed {
		return telemetry.Operation{}
	}
	return m.named.Named(telemetry.Operation{Name: q.parsed.Name, Hash: q.shapeHash()})
}
