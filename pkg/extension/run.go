package extension

import (
	"context"
	"encoding/json"
	"errors"

	"queryengine/pkg/session"
)

// Operation is a GraphQL operation that code runs.
type Operation struct {
	Session       *session.Session
	Query         string
	OperationName string
	// Variables is a JSON object or empty.
	Variables json.RawMessage
}

// Runner runs operations. The answer is the whole response document; a request that no executor could carry out is an
// error, *apierror.Error as a rule.
type Runner func(ctx context.Context, o *Operation) (answer []byte, err error)

// Connect gives the code a way to run operations. It is called before the first call.
func (s *Set) Connect(run Runner) {
	if s != nil {
		s.run = run
	}
}

// errApart is for a set that no service uses.
var errApart = errors.New("the engine has not been started")

// Run runs an operation.
func (s *Set) Run(ctx context.Context, o *Operation) ([]byte, error) {
	if s == nil || s.run == nil {
		return nil, errApart
	}
	return s.run(ctx, o)
}

type setKey struct{}

// Of returns the set whose code runs with the context, nil for none.
func Of(ctx context.Context) *Set {
	s, _ := ctx.Value(setKey{}).(*Set)
	return s
}
