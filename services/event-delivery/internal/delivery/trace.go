package delivery

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// trace begins the span of an attempt, in the trace of the event when it has one. Without a
// tracer, the call carries the trace of the event on.
func (w *Worker) trace(ctx context.Context, a *Attempt) (context.Context, func(Outcome, error)) {
	if a.Trace.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, a.Trace)
	}
	if w.tracer == nil {
		return ctx, func(Outcome, error) {}
	}
	ctx, span := w.tracer.Start(ctx, a.Span, trace.WithSpanKind(trace.SpanKindClient), //nolint:spancheck // the returned function ends it
		trace.WithAttributes(attribute.String("event.id", a.EventID), attribute.Int("event.tries", a.Tries)))
	return ctx, func(o Outcome, err error) { //nolint:spancheck // see above
		if o.Invocation != nil && o.Invocation.Status != nil {
			span.SetAttributes(attribute.Int("http.response.status_code", *o.Invocation.Status))
		}
		if err != nil || o.State != Delivered {
			span.SetStatus(codes.Error, "the event was not delivered")
		}
		span.End()
	}
}

// TraceOf reads the trace context of an event, as the database keeps it. What makes no sense is
// no trace.
func TraceOf(raw json.RawMessage) trace.SpanContext {
	var text struct {
		TraceID  string `json:"trace_id"`
		SpanID   string `json:"span_id"`
		Sampling string `json:"sampling_state"`
	}
	if json.Unmarshal(raw, &text) != nil {
		return trace.SpanContext{}
	}
	traceID, err := trace.TraceIDFromHex(text.TraceID)
	if err != nil {
		return trace.SpanContext{}
	}
	spanID, err := trace.SpanIDFromHex(text.SpanID)
	if err != nil {
		return trace.SpanContext{}
	}
	c := trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, Remote: true}
	if text.Sampling != "0" {
		c.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(c)
}
