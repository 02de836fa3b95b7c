package queryexecutor

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

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

// spanNames are the names of the spans of stages; those of the plan of a mutation have another one.
var spanNames = map[string]string{
	stageParse: "Parse GraphQL", stagePlan: "Resolve query execution plan", stageRender: "Render statements", stageExecute: "Execute",
}

const spanMutationPlan = "Resolve mutation execution plan"

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

// describe adds the operation to a span.
func (e *Executor) describe(span trace.Span, q *request) {
	if !span.IsRecording() || q.parsed == nil {
		return
	}
	span.SetAttributes(
		attribute.String("graphql.operation.name", q.parsed.Name), attribute.String("graphql.operation.type", string(q.parsed.Kind)))
	if e.config.TraceDocuments {
		span.SetAttributes(attribute.String("graphql.document", q.text))
	}
}

// stage begins a stage; the returned function ends it.
func (e *Executor) stage(ctx context.Context, name string, started time.Time) (context.Context, func(error)) {
	observe := e.metrics.stages[name]
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, func(error) { observe.Observe(time.Since(started).Seconds()) }
	}
	ctx, span := e.tracer.Start(ctx, spanNames[name], trace.WithTimestamp(started)) //nolint:spancheck // the returned function ends it
	return ctx, func(err error) {                                                   //nolint:spancheck // see above
		observe.Observe(time.Since(started).Seconds())
		if err != nil {
			span.SetStatus(codes.Error, apierror.From(err).Message)
		}
		span.End()
	}
}
