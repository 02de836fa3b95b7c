package api

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"queryengine/pkg/telemetry"
)

// tracing makes the server span of each request, as part of the client's trace if it has
// one.
type tracing struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// newTracing returns nil when nothing would come of it, so that it costs nothing.
func newTracing(p trace.TracerProvider) *tracing {
	if _, off := p.(noop.TracerProvider); off || p == nil {
		return nil
	}
	return &tracing{tracer: p.Tracer("queryengine/services/gateway"), propagator: telemetry.Propagator()}
}

// start begins the span of an exchange, and returns what ends it.
func (t *tracing) start(x *exchange) (end func()) {
	ctx := t.propagator.Extract(x.ctx, propagation.HeaderCarrier(x.r.Header))
	ctx, span := t.tracer.Start(ctx, x.r.URL.Path, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("request_id", x.requestID),
		attribute.String("http.request.method", x.r.Method),
		attribute.String("url.path", x.r.URL.Path),
	))
	x.ctx = ctx
	return func() {
		if x.session != nil {
			span.SetAttributes(attribute.String("enduser.role", x.session.Role))
		}
		span.SetAttributes(
			attribute.Int("http.response.status_code", x.stream.Status()),
			attribute.Int64("http.response_content_length", x.stream.Sent()),
		)
		if x.failure != nil {
			span.SetStatus(codes.Error, x.failure.Message)
		}
		span.End()
	}
}
