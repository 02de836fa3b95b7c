package telemetry_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/telemetry"
)

func TestPropagatorReads(t *testing.T) {
	t.Parallel()
	const long, short, span = "0af7651916cd43dd8448eb211c80319c", "8448eb211c80319c", "b7ad6b7169203331"
	for name, c := range map[string]struct {
		headers map[string]string
		trace   string // "" for none
		sampled bool
	}{
		"nothing":     {},
		"b3":          {map[string]string{"X-B3-TraceId": long, "X-B3-SpanId": span, "X-B3-Sampled": "1"}, long, true},
		"b3, short":   {map[string]string{"X-B3-TraceId": short, "X-B3-SpanId": span}, "0000000000000000" + short, true},
		"not sampled": {map[string]string{"X-B3-TraceId": long, "X-B3-SpanId": span, "X-B3-Sampled": "0"}, long, false},
		"malformed":   {map[string]string{"X-B3-TraceId": "xyz", "X-B3-SpanId": span}, "", false},
		"no span":     {map[string]string{"X-B3-TraceId": long}, "", false},
		"w3c":         {map[string]string{"traceparent": "00-" + long + "-" + span + "-01"}, long, true},
		"both": {map[string]string{
			"traceparent": "00-11111111111111111111111111111111-" + span + "-00", "X-B3-TraceId": long, "X-B3-SpanId": span,
		}, "11111111111111111111111111111111", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			for k, v := range c.headers {
				h.Set(k, v)
			}
			got := trace.SpanContextFromContext(telemetry.Propagator().Extract(t.Context(), propagation.HeaderCarrier(h)))
			require.Equal(t, c.trace != "", got.IsValid())
			if got.IsValid() {
				require.Equal(t, c.trace, got.TraceID().String())
				require.Equal(t, span, got.SpanID().String())
				require.Equal(t, c.sampled, got.IsSampled())
			}
		})
	}
}

func TestPropagatorWrites(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	telemetry.Propagator().Inject(t.Context(), propagation.HeaderCarrier(h))
	require.Empty(t, h)

	tracer := sdktrace.NewTracerProvider().Tracer("test")
	ctx, parent := tracer.Start(t.Context(), "parent")
	defer parent.End()
	ctx, child := tracer.Start(ctx, "child")
	defer child.End()
	telemetry.Propagator().Inject(ctx, propagation.HeaderCarrier(h))
	require.Equal(t, child.SpanContext().TraceID().String(), h.Get("X-B3-TraceId"))
	require.Equal(t, child.SpanContext().SpanID().String(), h.Get("X-B3-SpanId"))
	require.Equal(t, parent.SpanContext().SpanID().String(), h.Get("X-B3-ParentSpanId"))
	require.Equal(t, "1", h.Get("X-B3-Sampled"))
	require.Equal(t, "00-"+h.Get("X-B3-TraceId")+"-"+h.Get("X-B3-SpanId")+"-01", h.Get("Traceparent"))
}
