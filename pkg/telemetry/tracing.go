package telemetry

import (
	"context"
	"net/http"
	"sync/atomic"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"
)

// Tracing is the tracer provider of a process. Whether there are spans, and where they go, may change
// while it is in use. While there are none, its calls cost next to nothing. It is safe for concurrent
// use; a nil *Tracing never makes spans.
type Tracing struct {
	embedded.TracerProvider
	current atomic.Pointer[spanTarget]
}

// spanTarget is where spans go.
type spanTarget struct {
	provider trace.TracerProvider
	// w3c reports whether traces are read and written in the headers of W3C, too.
	w3c bool
}

// NewTracing returns a Tracing that makes no spans.
func NewTracing() *Tracing { return &Tracing{} }

// Use has spans made by a provider from now on, nil for none. w3c has traces read and written in
// the headers of W3C besides those of B3.
func (t *Tracing) Use(p trace.TracerProvider, w3c bool) {
	if p == nil {
		t.current.Store(nil)
		return
	}
	t.current.Store(&spanTarget{p, w3c})
}

// On reports whether spans are made.
func (t *Tracing) On() bool { return t.target() != nil }

func (t *Tracing) target() *spanTarget {
	if t == nil {
		return nil
	}
	return t.current.Load()
}

// Tracer returns a tracer that follows the calls of Use.
func (t *Tracing) Tracer(name string, _ ...trace.TracerOption) trace.Tracer {
	return &tracer{tracing: t, name: name}
}

// tracer keeps the tracer of the provider that it has last seen.
type tracer struct {
	embedded.Tracer
	tracing *Tracing
	name    string
	known   atomic.Pointer[knownTracer]
}

type knownTracer struct {
	of     *spanTarget
	tracer trace.Tracer
}

// Start begins a span. Without a provider, what comes back only carries the trace on.
func (t *tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	target := t.tracing.target()
	if target == nil {
		if span := trace.SpanFromContext(ctx); !span.IsRecording() {
			return ctx, span
		}
		return noop.Tracer{}.Start(ctx, name) // the span of ctx isn't the caller's to end
	}
	known := t.known.Load()
	if known == nil || known.of != target {
		known = &knownTracer{target, target.provider.Tracer(t.name)}
		t.known.Store(known)
	}
	return known.tracer.Start(ctx, name, o...) //nolint:spancheck // the caller ends it
}

// Propagator reads and writes traces in the headers of HTTP: B3, and W3C when
// that is configured, which then count more.
func (t *Tracing) Propagator() propagation.TextMapPropagator { return propagator{t} }

// Incoming continues the trace of a request. While no spans are made, only the trace of a client
// that has one is carried on.
func (t *Tracing) Incoming(ctx context.Context, h http.Header) context.Context {
	if !t.On() && len(h[b3TraceHeader]) == 0 {
		return ctx
	}
	return t.Propagator().Extract(ctx, propagation.HeaderCarrier(h))
}

// b3TraceHeader is b3TraceID as net/http spells it.
const b3TraceHeader = "X-B3-Traceid"

type propagator struct{ tracing *Tracing }

// Inject implements propagation.TextMapPropagator.
func (p propagator) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	b3{}.Inject(ctx, carrier)
	if p.w3c() {
		propagation.TraceContext{}.Inject(ctx, carrier)
	}
}

// Extract implements propagation.TextMapPropagator.
func (p propagator) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	ctx = b3{}.Extract(ctx, carrier)
	if p.w3c() {
		ctx = propagation.TraceContext{}.Extract(ctx, carrier)
	}
	return ctx
}

// Fields implements propagation.TextMapPropagator.
func (p propagator) Fields() []string {
	if p.w3c() {
		return Propagator().Fields()
	}
	return b3{}.Fields()
}

func (p propagator) w3c() bool {
	target := p.tracing.target()
	return target != nil && target.w3c
}
