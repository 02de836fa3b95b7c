package api

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
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
	x.stream.OnPack(func() func() {
		_, packing := x.api.tracer.Start(x.ctx, "Compress response") //nolint:spancheck // the returned function ends it
		return func() { packing.End() }                              //nolint:spancheck // see above
	})
	return func() { //nolint:spancheck // see above
		span.SetAttributes(sessionAttributes(x.session)...)
		span.SetAttributes(x.operationAttributes()...)
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

// operationAttributes describe the request; lists for a batch, nil for what is not GraphQL.
func (x *exchange) operationAttributes() []attribute.KeyValue {
	switch {
	case x.mode == accesslog.ModeBatched:
		var hashes, names, kinds []string
		for _, d := range x.operations {
			hashes, names, kinds = append(hashes, d.Hash), append(names, d.Name), append(kinds, d.Kind)
		}
		return []attribute.KeyValue{
			attribute.StringSlice(attributeHash, hashes), attribute.StringSlice(attributeName, names), attribute.StringSlice(attributeKind, kinds),
		}
	case x.request.Query == "":
		return nil
	case len(x.operations) == 1:
		return x.api.describe(x.operations[0], &x.request)
	default:
		return x.api.describe(request.Description{}, &x.request)
	}
}

// The attributes of operations.
const (
	attributeName = "graphql.operation.name"
	attributeKind = "graphql.operation.type"
	attributeHash = "parameterized_query_hash"
)

// describe are the attributes of an operation. Of one that an executor doesn't know, it may be
// that its client has named it.
func (a *API) describe(d request.Description, r *request.GraphQL) []attribute.KeyValue {
	var list []attribute.KeyValue
	add := func(key, value string) {
		if value != "" {
			list = append(list, attribute.String(key, value))
		}
	}
	add(attributeName, cmp.Or(d.Name, r.OperationName))
	add(attributeKind, d.Kind)
	add(attributeHash, d.Hash)
	if a.TraceDocuments {
		add("graphql.document", r.Query)
	}
	return list
}

// operationSpan is the server span of an operation over a WebSocket; nil while there are no spans.
type operationSpan struct {
	span  trace.Span
	api   *API
	asked *request.GraphQL
	known request.Description
}

// traceOperation begins the server span of an operation over a WebSocket.
func (a *API) traceOperation(ctx context.Context, o *websocket.Operation) (context.Context, *operationSpan) {
	ctx = a.Tracing.Incoming(ctx, o.Header)
	if !a.Tracing.On() {
		return ctx, nil
	}
	ctx, span := a.tracer.Start(ctx, "websocket", trace.WithSpanKind(trace.SpanKindServer), //nolint:spancheck // operationSpan.end ends it
		trace.WithAttributes(attribute.String("request_id", o.RequestID)), trace.WithAttributes(sessionAttributes(o.Session)...))
	return ctx, &operationSpan{span: span, api: a, asked: &o.Request} //nolint:spancheck // see above
}

// describe notes the executor's description of the operation.
func (s *operationSpan) describe(d request.Description) {
	if s != nil {
		s.known = d
	}
}

// end ends the span; err is what became of the operation.
func (s *operationSpan) end(err error) {
	if s == nil {
		return
	}
	s.span.SetAttributes(s.api.describe(s.known, s.asked)...)
	if err != nil {
		s.span.SetStatus(codes.Error, apierror.From(err).Message)
	}
	s.span.End()
}

// sink is to, noting the head of the answer.
func (s *operationSpan) sink(to bus.Sink) bus.Sink {
	if s == nil {
		return to
	}
	return &tracedSink{Sink: to, span: s}
}

type tracedSink struct {
	bus.Sink
	span *operationSpan
}

// Head implements bus.Sink.
func (t *tracedSink) Head(m proto.Message) error {
	t.span.describe(request.Describe(m))
	return t.Sink.Head(m)
}

// sessionAttributes describe the caller; nil before it is authenticated.
func sessionAttributes(s *session.Session) []attribute.KeyValue {
	if s == nil {
		return nil
	}
	return []attribute.KeyValue{
		attribute.String("enduser.role", s.Role), attribute.String("session_variables", string(s.JSON())),
	}
}
