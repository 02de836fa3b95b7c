package api

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/websocket"
)

// trace begins the server span of a request, as part of the client's trace if it has one, and
// returns what ends it; nil while there are no spans.
func (x *exchange) trace() (end func()) {
	x.ctx = x.api.Tracing.Incoming(x.ctx, x.r.Header)
	if !x.api.Tracing.On() {
		return nil
	}
	var span trace.Span
	//nolint:spancheck // the returned function ends it
	x.ctx, span = x.api.tracer.Start(x.ctx, x.r.URL.Path, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("request_id", x.requestID),
		attribute.String("http.request.method", x.r.Method),
		attribute.String("url.path", x.r.URL.Path),
	))
	return func() { //nolint:spancheck // see above
		span.SetAttributes(sessionAttributes(x.session)...)
		if x.hash != "" {
			span.SetAttributes(attribute.String("parameterized_query_hash", x.hash))
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

// traceOperation begins the server span of an operation over a WebSocket; the returned function
// ends it.
func (a *API) traceOperation(ctx context.Context, o *websocket.Operation) (context.Context, func(error)) {
	ctx = a.Tracing.Incoming(ctx, o.Header)
	if !a.Tracing.On() {
		return ctx, func(error) {}
	}
	ctx, span := a.tracer.Start(ctx, "websocket", trace.WithSpanKind(trace.SpanKindServer), //nolint:spancheck // the returned function ends it
		trace.WithAttributes(attribute.String("request_id", o.RequestID)), trace.WithAttributes(sessionAttributes(o.Session)...))
	return ctx, func(err error) { //nolint:spancheck // see above
		if err != nil {
			span.SetStatus(codes.Error, apierror.From(err).Message)
		}
		span.End()
	}
}

// sessionAttributes say who asks; nil for nobody yet.
func sessionAttributes(s *session.Session) []attribute.KeyValue {
	if s == nil {
		return nil
	}
	return []attribute.KeyValue{
		attribute.String("enduser.role", s.Role), attribute.String("session_variables", string(s.JSON())),
	}
}
