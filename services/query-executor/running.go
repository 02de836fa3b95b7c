package queryexecutor

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	"queryengine/pkg/backend"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/call"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/remote"
)

// supply gives a run what its plan needs besides what every run has.
func (e *Executor) supply(needs execute.Needs, st *state, q *request, s *scratch) {
	if needs.Has(execute.NeedsSchema) {
		s.run.Role, s.run.Introspections = e.role(st, q), e.introspections
	}
	if needs.Has(execute.NeedsRemotes) {
		s.run.Remotes, s.run.SetCookies = e.callRemotes(q), setCookies(s)
	}
	if needs.Has(execute.NeedsActions) {
		s.run.Actions, s.run.Calls, s.run.SetCookies = e.callActions(q), e.asyncCalls(q, st), setCookies(s)
	}
	if needs.Has(execute.NeedsValidator) {
		s.run.Validator = e.validator.For(q.clientHeaders)
	}
}

// callRemotes is what calls the servers of remote schemas for a request.
func (e *Executor) callRemotes(q *request) execute.Remotes {
	return execute.Remotes{
		Caller: &remote.Caller{Client: e.remotes, Session: q.session, Headers: q.clientHeaders, RequestID: q.id},
	}
}

// callActions is what calls the handlers of actions for a request.
func (e *Executor) callActions(q *request) *action.Caller {
	return &action.Caller{Client: e.actions, Session: q.session, Headers: q.clientHeaders, Query: q.text}
}

// asyncCalls is what asks about calls of asynchronous actions for a request.
func (e *Executor) asyncCalls(q *request, s *state) *call.Caller {
	return &call.Caller{Client: e.calls, Session: q.session, Headers: q.clientHeaders, Version: s.snapshot.Version}
}

// setCookies passes on the cookies that called servers set for a client.
func setCookies(s *scratch) func(values []string) {
	return func(values []string) {
		for _, value := range values {
			s.responder.AddHeaders(&queryv1.Header{Name: "Set-Cookie", Value: value})
		}
	}
}

// passErrors makes the errors of a remote the answer: clients get them as they are. err is
// handed on when it is another one, or the answer has begun.
func passErrors(err error, out *backend.Answer) error {
	var errs *remote.ServerError
	if !errors.As(err, &errs) || out.Sent() > 0 {
		return err
	}
	out.Buf = execute.AppendErrors(out.Buf[:0], errs)
	return nil
}

// write runs the statements and writes the answer.
func (e *Executor) write(ctx context.Context, q *request, p *planned.Plan, out *backend.Answer, s *scratch) error {
	ctx, end := e.stage(ctx, stageExecute, time.Now())
	e.describe(trace.SpanFromContext(ctx), q)
	err := passErrors(p.Write(ctx, &s.run, out), out)
	if err == nil {
		err = out.Close()
	}
	end(err)
	return err
}
