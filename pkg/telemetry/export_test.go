package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/telemetry"
	"queryengine/pkg/telemetry/collectortest"
)

// exporting is an exporter and what it sends.
type exporting struct {
	*telemetry.Exporter
	tracing   *telemetry.Tracing
	logs      *telemetry.Log
	written   *bytes.Buffer
	log       *bytes.Buffer
	registry  *prometheus.Registry
	collector *collectortest.Collector
}

func newExporting(t *testing.T) *exporting {
	t.Helper()
	e := &exporting{
		tracing: telemetry.NewTracing(), written: &bytes.Buffer{}, log: &bytes.Buffer{}, registry: prometheus.NewRegistry(),
		collector: collectortest.New(t),
	}
	var err error
	e.logs, err = telemetry.NewLog(e.written, "info", nil)
	require.NoError(t, err)
	e.Exporter = telemetry.NewExporter(telemetry.ExporterConfig{
		Service: "gateway", Version: "1.2.3", Gatherer: e.registry, Registerer: e.registry, Tracing: e.tracing, Logs: e.logs,
		Logger: slog.New(slog.NewTextHandler(e.log, nil)),
	})
	return e
}

func (e *exporting) span(t *testing.T, name string) {
	t.Helper()
	_, span := e.tracing.Tracer("test").Start(t.Context(), name)
	span.End()
}

// to sends everything to the collector.
func (e *exporting) to() telemetry.Export {
	return telemetry.Export{
		Traces: e.collector.URL + "/v1/traces", Metrics: e.collector.URL + "/v1/metrics", Logs: e.collector.URL + "/v1/logs",
		Headers: map[string]string{"Api-Key": "s3cret"}, Attributes: map[string]string{"zone": "b", "service.name": "shop"},
	}
}

func TestExportFollowsWhatItIsTold(t *testing.T) {
	t.Parallel()
	e := newExporting(t)
	require.False(t, e.tracing.On())
	e.span(t, "before")
	e.logs.Logger("gateway").Info("before")

	require.NoError(t, e.Apply(t.Context(), e.to()))
	require.True(t, e.tracing.On())
	e.span(t, "sent")
	e.logs.Logger("gateway").Info("one")
	e.logs.Logger("gateway").Warn("two")

	// What was not sent yet is sent when the target changes.
	other := collectortest.New(t)
	require.NoError(t, e.Apply(t.Context(), telemetry.Export{Traces: other.URL + "/v1/traces"}))
	e.span(t, "elsewhere")
	require.NoError(t, e.Close(t.Context()))
	e.span(t, "after")

	sent := e.collector.Spans()
	require.Len(t, sent, 1)
	require.Equal(t, "sent", sent[0].Name)
	require.Equal(t, map[string]string{"service.name": "shop", "service.version": "1.2.3", "zone": "b", "engine.service": "gateway"}, sent[0].OfResources)
	lines := e.collector.Lines()
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "one")
	require.Contains(t, lines[1], "two")
	require.Contains(t, e.collector.Metrics(), "engine_otel_sent_spans")
	require.Equal(t, "s3cret", e.collector.Header().Get("Api-Key"))
	require.Len(t, other.Spans(), 1)
	require.Empty(t, other.Lines())
	require.Equal(t, 3, strings.Count(e.written.String(), "\n"), "lines are written all the same")
	require.NoError(t, testutil.GatherAndCompare(e.registry, strings.NewReader(`# HELP engine_otel_sent_spans Spans sent to an OpenTelemetry collector.
# TYPE engine_otel_sent_spans counter
engine_otel_sent_spans 2
`), "engine_otel_sent_spans"))
}

func TestExportOfWhatIsNoURL(t *testing.T) {
	t.Parallel()
	e := newExporting(t)
	require.NoError(t, e.Apply(t.Context(), e.to()))
	for _, address := range []string{"collector:4318", "://", "ftp://collector", "/v1/traces"} {
		require.ErrorContains(t, e.Apply(t.Context(), telemetry.Export{Traces: address}), "is not an HTTP URL")
		_, err := telemetry.TracesURL(address)
		require.ErrorContains(t, err, "is not an HTTP URL")
	}
	require.True(t, e.tracing.On(), "what was before is still so")
	require.NoError(t, e.Close(t.Context()))
	for endpoint, want := range map[string]string{
		"http://c:4318": "http://c:4318/v1/traces", "http://c:4318/": "http://c:4318/v1/traces", "https://c/otlp": "https://c/otlp",
	} {
		address, err := telemetry.TracesURL(endpoint)
		require.NoError(t, err)
		require.Equal(t, want, address)
	}
}

// TestCollectorsThatFailCostNothingButTelemetry has one refuse everything.
func TestCollectorsThatFailCostNothingButTelemetry(t *testing.T) {
	t.Parallel()
	e := newExporting(t)
	e.collector.Answer(http.StatusForbidden)
	target := e.to()
	target.Traces += "?token=s3cret"
	target.Metrics, target.Logs = "", ""
	require.NoError(t, e.Apply(t.Context(), target))
	const many = 20_000
	began := time.Now()
	for range many {
		e.span(t, "lost")
	}
	require.Less(t, time.Since(began), 30*time.Second, "no request waits for the collector")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, e.Close(ctx))
	require.Empty(t, e.collector.Spans())

	families, err := e.registry.Gather()
	require.NoError(t, err)
	dropped := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "engine_otel_dropped_spans" {
			for _, m := range f.GetMetric() {
				dropped[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	require.InDelta(t, many, dropped["buffer_full"]+dropped["send_failed"], 0, dropped)
	require.Positive(t, dropped["send_failed"])
	require.Contains(t, e.log.String(), "telemetry export failed; retrying")
	require.Contains(t, e.log.String(), "403 Forbidden")
	require.Equal(t, 1, strings.Count(e.log.String(), "\n"), "a failure that goes on is reported once")
	require.NotContains(t, e.log.String(), "s3cret")
}

func TestTracesAreCarriedOnAsConfigured(t *testing.T) {
	t.Parallel()
	const client, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	both := http.Header{
		"X-B3-Traceid": {client}, "X-B3-Spanid": {span}, "Traceparent": {"00-11111111111111111111111111111111-" + span + "-01"},
	}
	e := newExporting(t)
	carried := func() (trace.SpanContext, http.Header) {
		ctx := e.tracing.Incoming(t.Context(), both)
		out := http.Header{}
		ctx, s := e.tracing.Tracer("test").Start(ctx, "work")
		defer s.End()
		e.tracing.Propagator().Inject(ctx, propagation.HeaderCarrier(out))
		return s.SpanContext(), out
	}
	s, out := carried()
	require.Equal(t, client, s.TraceID().String())
	require.Equal(t, []string{client}, out["X-B3-Traceid"], "without spans, the trace goes through")
	require.Equal(t, []string{span}, out["X-B3-Spanid"])
	require.Empty(t, out["Traceparent"])

	require.NoError(t, e.Apply(t.Context(), e.to()))
	s, out = carried()
	require.Equal(t, client, s.TraceID().String())
	require.Equal(t, []string{span}, out["X-B3-Parentspanid"])
	require.Empty(t, out["Traceparent"])

	x := e.to()
	x.W3C = true
	require.NoError(t, e.Apply(t.Context(), x))
	s, out = carried()
	require.Equal(t, "11111111111111111111111111111111", s.TraceID().String(), "W3C counts more")
	require.NotEmpty(t, out["Traceparent"])
	require.NotEmpty(t, out["X-B3-Traceid"])
	require.NoError(t, e.Close(t.Context()))

	var none *telemetry.Tracing
	require.False(t, none.On())
	_, noSpan := none.Tracer("test").Start(t.Context(), "op")
	defer noSpan.End()
	require.False(t, noSpan.IsRecording())
	require.Equal(t, t.Context(), none.Incoming(t.Context(), http.Header{}))
}

// BenchmarkSpansThatNobodyWants measures what a span costs while nothing is exported.
func BenchmarkSpansThatNobodyWants(b *testing.B) {
	tracer := telemetry.NewTracing().Tracer("test")
	for b.Loop() {
		_, span := tracer.Start(b.Context(), "op")
		span.End()
	}
}
