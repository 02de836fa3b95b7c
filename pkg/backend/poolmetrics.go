package backend

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// Measurable is a Source that measures its connections, or what it has read.
type Measurable interface {
	// Measure begins to measure, before the source is used. name is the source's.
	Measure(m *PoolMetrics, name string)
}

// PoolMetrics measure connections to sources, and what is read of those that charge for it.
type PoolMetrics struct {
	open                *prometheus.GaugeVec
	connectTime, waited *prometheus.HistogramVec
	statements          *prometheus.HistogramVec
	errors              *prometheus.CounterVec
	mixed               *prometheus.GaugeVec
	shared              *prometheus.CounterVec
	scheduling          *prometheus.GaugeVec
	scanned             *prometheus.CounterVec
	log                 *slog.Logger

	mu sync.Mutex
	// users counts the pools with these labels: a source that is opened again has two for a while.
	users map[PoolLabels]int
}

// The stages of a statement.
const (
	stageWait = "wait"
	stageRows = "rows"
)

// SharedOutcome is what becomes of a statement that shares a round trip.
type SharedOutcome uint8

// The outcomes.
const (
	// SharedAnswered is one that was answered in it.
	SharedAnswered SharedOutcome = iota
	// SharedEqual is one that wasn't sent, because an equal one was: it has the same answer.
	SharedEqual
	// SharedAlone is one that was overtaken, and has to run alone.
	SharedAlone

	sharedOutcomes
)

var sharedLabels = [sharedOutcomes]string{"answered", "equal", "alone"}

// Decision is something that a pool does where it saves time.
type Decision uint8

// The decisions.
const (
	// ShareQueries and ShareMutations have short statements of different requests share round trips.
	ShareQueries Decision = iota
	ShareMutations
	// WaitToWrite has transactions that write wait for each other.
	WaitToWrite

	decisions
)

var decisionLabels = [decisions]string{"share_queries", "share_mutations", "wait_to_write"}

// PoolLabels tell pools apart.
type PoolLabels struct {
	// Host is the server's, and never more of the address.
	Source, Host string
	Replica      bool
}

func (l PoolLabels) values() []string {
	role := "primary"
	if l.Replica {
		role = "replica"
	}
	return []string{l.Source, l.Host, role}
}

// NewPoolMetrics registers the metrics; r is nil for none. What people should know about the
// connections of a source goes to log.
func NewPoolMetrics(r prometheus.Registerer, log *slog.Logger) *PoolMetrics {
	labels := []string{"source_name", "conn_info", "role"}
	buckets := []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100}
	//nolint:promlinter // the names of the wire format
	return &PoolMetrics{
		open: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_postgres_connections", Help: "Open connections to sources.",
		}, labels)),
		connectTime: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "engine_postgres_connection_init_time", Help: "Seconds that it took to open a connection.", Buckets: buckets,
		}, labels)),
		waited: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "engine_postgres_pool_wait_time", Help: "Seconds that a statement waited for a connection.", Buckets: buckets,
		}, labels)),
		statements: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_postgres_statement_seconds",
			Help:    "Seconds that statements of requests took, by stage: wait for the first of the result, rows to read it and to write it as JSON.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 14),
		}, append(slices.Clone(labels), "stage"))),
		errors: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_postgres_connection_error_total", Help: "Connections that could not be opened.",
		}, labels)),
		mixed: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_postgres_mixed_sessions",
			Help: "1 where nothing is prepared because a pooler gives the sessions of the server to any client.",
		}, labels)),
		shared: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_postgres_shared_statements_total",
			Help: "Statements that shared a round trip with those of other requests: answered in it, answered by an equal one, or overtaken because one ahead took long, and run alone.",
		}, append(slices.Clone(labels), "outcome"))),
		scheduling: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_postgres_scheduling",
			Help: "1 while a pool lets statements share round trips, or transactions wait for each other, by decision.",
		}, append(slices.Clone(labels), "decision"))),
		scanned: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_source_scanned_bytes_total", Help: "Bytes that sources read that charge for them, by what for.",
		}, []string{"source_name", "purpose"})),
		log:   log,
		users: map[PoolLabels]int{},
	}
}

// Pool is the meter of a pool, which lives as long as the pool.
func (m *PoolMetrics) Pool(l PoolLabels) *PoolMeter {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users[l]++
	values := l.values()
	meter := &PoolMeter{
		metrics: m, labels: l, open: m.open.WithLabelValues(values...), connectTime: m.connectTime.WithLabelValues(values...),
		waited: m.waited.WithLabelValues(values...),
		waits:  m.statements.WithLabelValues(append(slices.Clone(values), stageWait)...),
		rows:   m.statements.WithLabelValues(append(slices.Clone(values), stageRows)...),
		errors: m.errors.WithLabelValues(values...),
		mixed:  m.mixed.WithLabelValues(values...),
	}
	for o, label := range sharedLabels {
		meter.shared[o] = m.shared.WithLabelValues(append(slices.Clone(values), label)...)
	}
	for d, label := range decisionLabels {
		meter.scheduling[d] = m.scheduling.WithLabelValues(append(slices.Clone(values), label)...)
	}
	return meter
}

// Scans is the meter of what a source reads. Its series outlive the source: they are what it has cost.
func (m *PoolMetrics) Scans(source string) *ScanMeter {
	return &ScanMeter{m.scanned.MustCurryWith(prometheus.Labels{"source_name": source})}
}

// ScanMeter measures what a source reads; nil measures nothing.
type ScanMeter struct{ bytes *prometheus.CounterVec }

// Add counts bytes that were read for a purpose, of which a kind of sources has few.
func (m *ScanMeter) Add(purpose string, bytes int64) {
	if m != nil && bytes > 0 {
		m.Of(purpose).Add(float64(bytes))
	}
}

// Of is the counter of a purpose.
func (m *ScanMeter) Of(purpose string) prometheus.Counter { return m.bytes.WithLabelValues(purpose) }

// leave ends the series of pools that are gone.
func (m *PoolMetrics) leave(l PoolLabels) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[l]--; m.users[l] > 0 {
		return
	}
	delete(m.users, l)
	values := l.values()
	m.open.DeleteLabelValues(values...)
	m.connectTime.DeleteLabelValues(values...)
	m.waited.DeleteLabelValues(values...)
	m.statements.DeleteLabelValues(append(slices.Clone(values), stageWait)...)
	m.statements.DeleteLabelValues(append(slices.Clone(values), stageRows)...)
	m.errors.DeleteLabelValues(values...)
	m.mixed.DeleteLabelValues(values...)
	for _, label := range sharedLabels {
		m.shared.DeleteLabelValues(append(slices.Clone(values), label)...)
	}
	for _, label := range decisionLabels {
		m.scheduling.DeleteLabelValues(append(slices.Clone(values), label)...)
	}
}

// PoolMeter measures one pool; nil measures nothing.
type PoolMeter struct {
	metrics             *PoolMetrics
	labels              PoolLabels
	open                prometheus.Gauge
	connectTime, waited prometheus.Observer
	waits, rows         prometheus.Observer // of statements
	errors              prometheus.Counter
	mixed               prometheus.Gauge
	shared              [sharedOutcomes]prometheus.Counter
	scheduling          [decisions]prometheus.Gauge
}

// Opened counts an attempt to open a connection.
func (m *PoolMeter) Opened(began time.Time, err error) {
	switch {
	case m == nil:
	case err != nil:
		m.errors.Inc()
	default:
		m.connectTime.Observe(time.Since(began).Seconds())
		m.open.Inc()
	}
}

// Closed counts a connection that is closed.
func (m *PoolMeter) Closed() {
	if m != nil {
		m.open.Dec()
	}
}

// Waited notes how long it took to get a connection.
func (m *PoolMeter) Waited(began time.Time) {
	if m != nil {
		m.WaitedFor(time.Since(began))
	}
}

// WaitedFor is Waited for a statement that has waited for that long.
func (m *PoolMeter) WaitedFor(d time.Duration) {
	if m != nil {
		m.waited.Observe(d.Seconds())
	}
}

// Shared counts a statement that has shared a round trip with others.
func (m *PoolMeter) Shared(o SharedOutcome) {
	if m != nil {
		m.shared[o].Inc()
	}
}

// Decided notes whether a pool does something from now on.
func (m *PoolMeter) Decided(d Decision, does bool) {
	if m == nil {
		return
	}
	value := 0.0
	if does {
		value = 1
	}
	m.scheduling[d].Set(value)
}

// Answered notes a statement that succeeded: when it was sent, and when the first of its result was there.
func (m *PoolMeter) Answered(sent, first time.Time) {
	if m != nil {
		m.waits.Observe(first.Sub(sent).Seconds())
		m.rows.Observe(time.Since(first).Seconds())
	}
}

// Mixed notes that a pooler shares the server's sessions between clients; why is the evidence.
func (m *PoolMeter) Mixed(why error) {
	if m == nil {
		return
	}
	m.mixed.Set(1)
	m.metrics.log.Warn("pooler shares sessions between clients; statements of this source are no longer prepared",
		"source", m.labels.Source, "host", m.labels.Host, "replica", m.labels.Replica, "error", why)
}

// Leave is called when the pool is closed.
func (m *PoolMeter) Leave() {
	if m != nil {
		m.metrics.leave(m.labels)
	}
}
