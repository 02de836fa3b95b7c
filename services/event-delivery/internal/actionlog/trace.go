package actionlog

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
)

// trace begins the spans of a call, in a trace of its own: the request that asked for it has its
// answer already. The returned function ends them.
func (w *Worker) trace(ctx context.Context, c *Call) (context.Context, func(error)) {
	if w.Tracer == nil {
		return ctx, func(error) {}
	}
	//nolint:spancheck // the returned function ends both
	ctx, processor := w.Tracer.Start(ctx, "async actions processor", trace.WithNewRoot(), trace.WithAttributes(
		attribute.String("action.name", c.Action), attribute.String("action.id", c.ID)))
	//nolint:spancheck // see above
	ctx, handler := w.Tracer.Start(ctx, `Action "`+c.Action+`"`, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(err error) { //nolint:spancheck // see above
		for _, span := range []trace.Span{handler, processor} {
			if err != nil {
				span.SetStatus(codes.Error, apierror.From(err).Message)
			}
			span.End()
		}
	}
}
