package queryexecutor

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
)

// spanNames are the names of the spans of stages; those of the plan of a mutation have another one.
var spanNames = map[string]string{
	stageParse: "Parse GraphQL", stagePlan: "Resolve query execution plan", stageRender: "Render statements", stageExecute: "Execute",
}

const spanMutationPlan = "Resolve mutation execution plan"

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
