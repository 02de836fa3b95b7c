package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/graphql-go/graphql"

	"queryengine/pkg/extension"
)

// guard has the schema's resolvers log panics with their stacks, and give the code and extensions of an [Error] to
// graphql-go, which would drop them.
func (s *goSchema) guard() {
	for name, t := range s.schema.TypeMap() {
		if o, ok := t.(*graphql.Object); ok && !strings.HasPrefix(name, "__") { // those of introspection belong to all schemas
			for _, f := range o.Fields() {
				f.Resolve, f.Subscribe = s.guarded(f.Resolve), s.guarded(f.Subscribe)
			}
		}
	}
}

func (s *goSchema) guarded(f graphql.FieldResolveFn) graphql.FieldResolveFn {
	if f == nil {
		return nil
	}
	return func(p graphql.ResolveParams) (result any, err error) {
		defer s.outcome(p.Context, &err)
		result, err = f(p)
		if later, ok := result.(func() (any, error)); ok && err == nil {
			result = func() (_ any, err error) {
				defer s.outcome(p.Context, &err)
				return later()
			}
		}
		return result, err
	}
}

// outcome replaces the error of a resolver, which is deferred.
func (s *goSchema) outcome(ctx context.Context, err *error) {
	if p := recover(); p != nil {
		extension.Of(ctx).LogPanic(ctx, extension.RemoteSchema, s.name, p)
		*err = extension.ErrPanicked
	}
	var shown *Error
	if errors.As(*err, &shown) {
		*err = extended{shown}
	}
}

// extended is an error whose extensions graphql-go finds.
type extended struct{ of *Error }

// Error implements error.
func (e extended) Error() string { return e.of.Message }

// Extensions implements gqlerrors.ExtendedError.
func (e extended) Extensions() map[string]any { return e.of.extensions() }
