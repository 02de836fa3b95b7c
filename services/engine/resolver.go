package engine

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"

	"queryengine/pkg/extension"
)

// guard has the schema's resolvers log panics with their stacks, and give the code and extensions of an [Error] to
// graphql-go, which would drop them.
func (s *goSchema) guard() {
	for name, t := range s.schema.TypeMap() {
		if o, ok := t.(*graphql.Object); ok && !strings.HasPrefix(name, "__") { // those of introspection belong to all schemas
			for _, f := range o.Fields() {
				if f.Resolve == nil {
					f.Resolve = graphql.DefaultResolveFn
				}
				f.Resolve, f.Subscribe = s.guarded(f.Resolve), s.guarded(f.Subscribe)
			}
		}
	}
}

// settling is held while tables are filled: those of introspection belong to all schemas.
var settling sync.Mutex

// settle has graphql-go fill the tables that it fills at their first use, which isn't safe for requests that run at once:
// which objects an abstract type has, and the values of enums.
func (s *goSchema) settle() {
	settling.Lock()
	defer settling.Unlock()
	introspectDefaults()
	for _, t := range s.schema.TypeMap() {
		switch t := t.(type) {
		case *graphql.Enum:
			t.ParseValue("")
			t.Serialize("")
		case *graphql.Interface:
			s.schema.IsPossibleType(t, s.schema.QueryType())
		case *graphql.Union:
			s.schema.IsPossibleType(t, s.schema.QueryType())
		}
	}
}

func (s *goSchema) guarded(f graphql.FieldResolveFn) graphql.FieldResolveFn {
	if f == nil {
		return nil
	}
	return func(p graphql.ResolveParams) (result any, err error) {
		if call, ok := p.Context.Value(callKey{}).(context.Context); ok {
			p.Context = call
		}
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

type callKey struct{}

// unending is a context for graphql-go, which returns when its context ends, while resolvers go on. Resolvers get the
// context of the call. So the call ends when the resolvers have returned.
func unending(call context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(call), callKey{}, call)
}

// parseScalars has the schema's own scalars parse the variables of an operation: graphql-go does so on a goroutine that ends
// the process when a scalar panics.
func (s *goSchema) parseScalars(document *ast.Document, variables map[string]any) {
	for _, d := range document.Definitions {
		if o, ok := d.(*ast.OperationDefinition); ok {
			for _, v := range o.VariableDefinitions {
				s.parse(v.Type, variables[v.Variable.Name.Value])
			}
		}
	}
}

func (s *goSchema) parse(t ast.Type, v any) {
	switch t := t.(type) {
	case *ast.NonNull:
		s.parse(t.Type, v)
	case *ast.List:
		each(v, func(item any) { s.parse(t.Type, item) })
	case *ast.Named:
		parseInput(s.schema.Type(t.Name.Value), v)
	}
}

func parseInput(t graphql.Type, v any) {
	switch t := t.(type) {
	case *graphql.NonNull:
		parseInput(t.OfType, v)
	case *graphql.List:
		each(v, func(item any) { parseInput(t.OfType, item) })
	case *graphql.InputObject:
		fields, _ := v.(map[string]any)
		for name, field := range fields {
			if f := t.Fields()[name]; f != nil {
				parseInput(f.Type, field)
			}
		}
	case *graphql.Scalar:
		if v != nil {
			t.ParseValue(v)
		}
	}
}

// each calls f with the items of a list, or with a value that is a list of one.
func each(v any, f func(any)) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		f(item)
	}
}

// outcome replaces the error of a resolver, which is deferred.
func (s *goSchema) outcome(ctx context.Context, err *error) {
	if p := recover(); p != nil {
		extension.Of(ctx).LogPanic(ctx, extension.RemoteSchema, s.name, p)
		*err = extension.ErrPanicked
	}
	var shown *Error
	switch {
	case !errors.As(*err, &shown):
	case shown == nil:
		*err = errNil
	default:
		*err = extended{shown}
	}
}

// errNil replaces a nil pointer that a resolver returns as its error: such an error has no message.
var errNil = errors.New("the error is a nil *engine.Error")

// extended is an error whose extensions graphql-go finds.
type extended struct{ of *Error }

// Error implements error.
func (e extended) Error() string { return e.of.Message }

// Extensions implements gqlerrors.ExtendedError.
func (e extended) Extensions() map[string]any { return e.of.extensions() }
