package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"
	"time"

	prometheusbridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// pipeline makes the parts of OpenTelemetry's SDK for one Export.
type pipeline struct {
	exporter *Exporter
	export   Export
	resource *resource.Resource
	client   *http.Client
}

// retries end before the call that they are part of does.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 2 * time.Second
)

func (p *pipeline) traces(ctx context.Context) (*sdktrace.TracerProvider, error) {
	to, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(p.export.Traces), otlptracehttp.WithHeaders(p.export.Headers),
		otlptracehttp.WithHTTPClient(p.client), otlptracehttp.WithTimeout(sendTimeout), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: lastRetry, MaxElapsedTime: sendTimeout,
		}))
	if err != nil {
		return nil, err
	}
	waiting := p.waiting(spans, p.export.Traces)
	batches := sdktrace.NewBatchSpanProcessor(&spanExporter{to, waiting},
		sdktrace.WithMaxQueueSize(queueSize), sdktrace.WithMaxExportBatchSize(p.export.BatchSize),
		sdktrace.WithBatchTimeout(sendEvery), sdktrace.WithExportTimeout(sendTimeout))
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(&spanProcessor{batches, waiting}), sdktrace.WithResource(p.resource)), nil
}

func (p *pipeline) logs(ctx context.Context) (*sdklog.LoggerProvider, error) {
	to, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL(p.export.Logs), otlploghttp.WithHeaders(p.export.Headers),
		otlploghttp.WithHTTPClient(p.client), otlploghttp.WithTimeout(sendTimeout), otlploghttp.WithRetry(otlploghttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: lastRetry, MaxElapsedTime: sendTimeout,
		}))
	if err != nil {
		return nil, err
	}
	waiting := p.waiting(logs, p.export.Logs)
	batches := sdklog.NewBatchProcessor(&logExporter{to, waiting},
		sdklog.WithMaxQueueSize(queueSize), sdklog.WithExportMaxBatchSize(p.export.BatchSize),
		sdklog.WithExportInterval(sendEvery), sdklog.WithExportTimeout(sendTimeout))
	return sdklog.NewLoggerProvider(sdklog.WithProcessor(&logProcessor{batches, waiting}), sdklog.WithResource(p.resource)), nil
}

func (p *pipeline) metrics(ctx context.Context) (stop func(context.Context) error, err error) {
	to, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(p.export.Metrics), otlpmetrichttp.WithHeaders(p.export.Headers),
		otlpmetrichttp.WithHTTPClient(p.client), otlpmetrichttp.WithTimeout(sendTimeout), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: lastRetry, MaxElapsedTime: sendTimeout,
		}))
	if err != nil {
		return nil, err
	}
	reader := sdkmetric.NewPeriodicReader(&metricExporter{to, p.reporter("metrics", p.export.Metrics)},
		sdkmetric.WithInterval(metricsEvery), sdkmetric.WithTimeout(sendTimeout),
		sdkmetric.WithProducer(prometheusbridge.NewMetricProducer(prometheusbridge.WithGatherer(p.exporter.config.Gatherer))))
	return sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(p.resource)).Shutdown, nil
}

// waitingItems are the spans or log lines queued for one target. They are counted here because the SDK
// drops the excess silently.
type waitingItems struct {
	reporter
	pending  atomic.Int64
	counters signalCounters
}

func (p *pipeline) waiting(kind signal, address string) *waitingItems {
	return &waitingItems{reporter: *p.reporter(string(kind), address), counters: p.exporter.counters.of(kind)}
}

// enter reports whether one more fits into the queue, and counts it.
func (w *waitingItems) enter() bool {
	if w.pending.Add(1) <= queueSize {
		return true
	}
	w.pending.Add(-1)
	w.counters.full.Inc()
	return false
}

// left counts items that were sent, or not. The error ends here: it was reported.
func (w *waitingItems) left(n int, err error) {
	w.pending.Add(int64(-n))
	if err != nil {
		w.counters.failed.Add(float64(n))
	} else {
		w.counters.sent.Add(float64(n))
	}
	w.report(err)
}

// reporter logs when a target can't be reached, and when it can again.
type reporter struct {
	exporter *Exporter
	what     string
	host     string
	ill      *atomic.Bool
}

func (p *pipeline) reporter(what, address string) *reporter {
	r := &reporter{exporter: p.exporter, what: what, ill: &atomic.Bool{}}
	if u, err := url.Parse(address); err == nil {
		r.host = u.Host
	}
	return r
}

func (r *reporter) report(err error) {
	if r.ill.Swap(err != nil) == (err != nil) {
		return
	}
	if err != nil {
		r.exporter.config.Logger.Warn("telemetry export failed; retrying", "what", r.what, "host", r.host, "reason", reason(err))
		return
	}
	r.exporter.config.Logger.Info("telemetry export recovered", "what", r.what, "host", r.host)
}

var statusText = regexp.MustCompile(`\b[1-5]\d\d [A-Z][A-Za-z -]*`)

// reason is why a call failed, without its address, which may hold secrets.
func reason(err error) string {
	var failed *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &failed):
		return failed.Err.Error()
	}
	if status := statusText.FindString(err.Error()); status != "" {
		return status
	}
	return "unknown"
}

// spanProcessor and spanExporter count what waits; so do those of log lines.
type spanProcessor struct {
	sdktrace.SpanProcessor
	waiting *waitingItems
}

// OnEnd implements sdktrace.SpanProcessor.
func (p *spanProcessor) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() && p.waiting.enter() {
		p.SpanProcessor.OnEnd(s)
	}
}

type spanExporter struct {
	sdktrace.SpanExporter
	waiting *waitingItems
}

// ExportSpans implements sdktrace.SpanExporter.
func (e *spanExporter) ExportSpans(ctx context.Context, list []sdktrace.ReadOnlySpan) error {
	e.waiting.left(len(list), e.SpanExporter.ExportSpans(ctx, list))
	return nil
}

type logProcessor struct {
	sdklog.Processor
	waiting *waitingItems
}

// OnEmit implements sdklog.Processor.
func (p *logProcessor) OnEmit(ctx context.Context, r *sdklog.Record) error {
	if !p.waiting.enter() {
		return nil
	}
	return p.Processor.OnEmit(ctx, r)
}

type logExporter struct {
	sdklog.Exporter
	waiting *waitingItems
}

// Export implements sdklog.Exporter.
func (e *logExporter) Export(ctx context.Context, list []sdklog.Record) error {
	e.waiting.left(len(list), e.Exporter.Export(ctx, list))
	return nil
}

type metricExporter struct {
	sdkmetric.Exporter
	reporter *reporter
}

// Export implements sdkmetric.Exporter.
func (e *metricExporter) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	e.reporter.report(e.Exporter.Export(ctx, m))
	return nil
}
