package telemetry

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Propagator reads and writes the trace of HTTP requests, in the headers of W3C (traceparent,
// tracestate) and of B3 (X-B3-TraceId and so on). Where a request has both, W3C's count.
func Propagator() propagation.TextMapPropagator {
	return propagation.NewCompositeTextMapPropagator(b3{}, propagation.TraceContext{})
}

// The headers of B3.
const (
	b3TraceID  = "X-B3-TraceId"
	b3SpanID   = "X-B3-SpanId"
	b3ParentID = "X-B3-ParentSpanId"
	b3Sampled  = "X-B3-Sampled"
)

// b3 is the format of B3 with one header for each part.
type b3 struct{}

// Inject writes the span of ctx.
func (b3) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return
	}
	carrier.Set(b3TraceID, span.TraceID().String())
	carrier.Set(b3SpanID, span.SpanID().String())
	// Spans that are recorded know their parent.
	if child, ok := trace.SpanFromContext(ctx).(interface{ Parent() trace.SpanContext }); ok && child.Parent().HasSpanID() {
		carrier.Set(b3ParentID, child.Parent().SpanID().String())
	}
	sampled := "0"
	if span.IsSampled() {
		sampled = "1"
	}
	carrier.Set(b3Sampled, sampled)
}

// Extract reads a span. Headers that make no sense are ignored, which begins a new trace.
func (b3) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	id := carrier.Get(b3TraceID)
	if len(id) == 16 {
		id = strings.Repeat("0", 16) + id
	}
	traceID, err := trace.TraceIDFromHex(id)
	if err != nil {
		return ctx
	}
	spanID, err := trace.SpanIDFromHex(carrier.Get(b3SpanID))
	if err != nil {
		return ctx
	}
	c := trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, Remote: true}
	// Without a word on it, the trace is up to us.
	if s := carrier.Get(b3Sampled); s != "0" && s != "false" {
		c.TraceFlags = trace.FlagsSampled
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(c))
}

// Fields are the headers.
func (b3) Fields() []string { return []string{b3TraceID, b3SpanID, b3ParentID, b3Sampled} }
