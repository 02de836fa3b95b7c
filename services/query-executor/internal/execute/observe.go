package execute

import (
	"context"

	"queryengine/pkg/backend"
)

// Observer gets what a run sends, before it is sent. It must not wait, and is called from
// several goroutines.
type Observer interface {
	// Statement is a statement of a root field.
	Statement(ctx context.Context, field string, s backend.Statement, a backend.Args)
	// Call is a call of a remote schema or of the handler of an action.
	Call(ctx context.Context, to Callee)
	// Introspection is an answer from the schema.
	Introspection(ctx context.Context)
}

// Callee is what answers a call.
type Callee int

// The callees.
const (
	RemoteSchema Callee = iota
	Action
)

func (r *Run) asks(ctx context.Context, field string, s backend.Statement, a backend.Args) {
	if r.Observer != nil {
		r.Observer.Statement(ctx, field, s, a)
	}
	if r.Tracer != nil {
		if texts, ok := ctx.Value(textsKey{}).(*texts); ok {
			*texts = append(*texts, s.SQL())
		}
	}
}

func (r *Run) calls(ctx context.Context, to Callee) {
	if r.Observer != nil {
		r.Observer.Call(ctx, to)
	}
}
