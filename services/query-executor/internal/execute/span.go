package execute

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// label is what the span of a call is called. It is made with the plan.
type label struct {
	name       string
	attributes []attribute.KeyValue
}

// databaseLabel is that of the statements of a root field for a source. what is Query, Mutation or
// Subscription.
func databaseLabel(s *resolve.Source, what, field string) label {
	k := metadata.KindNamed(s.Kind)
	return label{k.Display + " " + what + ` for root field "` + field + `"`, []attribute.KeyValue{
		attribute.String("source.name", s.Name), attribute.String("db.system.name", k.System),
	}}
}

// span begins the span of a call, where the run is traced, and returns what ends it.
func (r *Run) span(ctx context.Context, kind trace.SpanKind, l *label) (context.Context, func(error)) {
	if r.Tracer == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, untraced
	}
	//nolint:spancheck // the returned function ends it
	ctx, span := r.Tracer.Start(ctx, l.name, trace.WithSpanKind(kind), trace.WithAttributes(l.attributes...))
	ran := &texts{}
	ctx = context.WithValue(ctx, textsKey{}, ran)
	return ctx, func(err error) { //nolint:spancheck // see above
		if len(*ran) > 0 {
			span.SetAttributes(attribute.String("db.query.text", ran.String()))
		}
		if err != nil {
			span.SetStatus(codes.Error, apierror.From(err).Message)
		}
		span.End()
	}
}

func untraced(error) {}

// texts are the statements that ran in a span. They hold no values of clients: values are parameters.
type texts []string

type textsKey struct{}

// longestText bounds the texts that a span shows, in bytes.
const longestText = 8 << 10

// String joins the texts as traces show the statements of one call, and cuts what is too long.
func (t texts) String() string {
	all := strings.Join(t, "; ")
	if len(all) <= longestText {
		return all
	}
	return strings.ToValidUTF8(all[:longestText], "") + "..."
}

// The spans of joins: all of an answer, and each step.
var (
	joinsLabel    = label{name: "Process remote joins"}
	joinStepLabel = label{name: "Remote join step"}
)

// Poll begins the spans of one run of a subscription, which is a trace of its own, and returns
// what ends them.
func (l *Live) Poll(ctx context.Context, tracer trace.Tracer) (context.Context, func(error)) {
	ctx, poll := tracer.Start(ctx, "live query poll", trace.WithNewRoot()) //nolint:spancheck // the returned function ends it
	if !poll.IsRecording() {
		return ctx, untraced
	}
	r := Run{Tracer: tracer}
	ctx, end := r.span(ctx, trace.SpanKindClient, &l.label)
	r.asks(ctx, l.Field, l.Statement, backend.Args{})
	return ctx, func(err error) { //nolint:spancheck // see above
		end(err)
		if err != nil {
			poll.SetStatus(codes.Error, apierror.From(err).Message)
		}
		poll.End()
	}
}
