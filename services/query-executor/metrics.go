package queryexecutor

import (
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/apierror"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/plancache"
	"queryengine/services/query-executor/internal/planned"
)

// The stages that are timed.
const (
	stageParse   = "parse"
	stagePlan    = "plan"
	stageRender  = "render"
	stageExecute = "execute"
)

type metrics struct {
	stages  map[string]prometheus.Observer
	errors  *prometheus.CounterVec
	version prometheus.Gauge

	requests *requestMetrics

	cacheHits, cacheMisses prometheus.Counter
}

// newMetrics makes the service's metrics; detailed distinguishes operations. Several executors in one
// registry count together.
func newMetrics(r prometheus.Registerer, plans *plancache.Cache[planned.Plan], detailed bool) *metrics {
	seconds := telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "engine_query_stage_seconds",
		Help:    "Time that the stages of a query took. Stages that a kept plan saves are not counted.",
		Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 14),
	}, []string{"stage"}))
	m := &metrics{
		requests: newRequestMetrics(r, detailed),
		stages:   map[string]prometheus.Observer{},
		errors: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_query_errors_total",
			Help: "Queries that failed, by the code of the error.",
		}, []string{"code"})),
		version: telemetry.Register(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "engine_query_metadata_version",
			Help: "Version of the metadata that queries are answered with.",
		})),
	}
	requests := telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "engine_cache_request_count", //nolint:promlinter // the name of the wire format
		Help: "Queries with @cached, by whether the answer came from the cache.",
	}, []string{"status"}))
	m.cacheHits, m.cacheMisses = requests.WithLabelValues("hit"), requests.WithLabelValues("miss")
	for _, stage := range []string{stageParse, stagePlan, stageRender, stageExecute} {
		m.stages[stage] = seconds.WithLabelValues(stage)
	}
	for name, read := range map[string]func() float64{
		"engine_plan_cache_hits_total":   func() float64 { n, _, _ := plans.Stats(); return float64(n) },
		"engine_plan_cache_misses_total": func() float64 { _, n, _ := plans.Stats(); return float64(n) },
	} {
		telemetry.Register(r, prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: "Plans that were looked for in the plan cache."}, read))
	}
	telemetry.Register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "engine_plan_cache_plans",
		Help: "Plans in the plan cache.",
	}, func() float64 { _, _, n := plans.Stats(); return float64(n) }))
	return m
}

func (m *metrics) applied(version int64) { m.version.Set(float64(version)) }

// failed counts an error and returns it.
func (m *metrics) failed(err error) error {
	if err != nil {
		m.errors.WithLabelValues(string(apierror.From(err).Code)).Inc()
	}
	return err
}
