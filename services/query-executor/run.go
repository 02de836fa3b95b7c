package queryexecutor

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/planned"
)

// run answers a request: it finds or makes the plan, binds the variables, and runs the
// statements while the answer is written.
func (e *Executor) run(ctx context.Context, q *request, out *backend.Answer, s *scratch) error {
	r, err := e.prepare(ctx, q, s)
	if err != nil {
		return err
	}
	if q.describe {
		s.responder.Describe(cache.About{Hash: q.hash, Name: q.parsed.Name, Kind: string(q.parsed.Kind)})
	}
	if e.queryLog.LogsQueries() {
		s.run.Observer = e.queryLog.Observer(q.logged())
	}
	if r.cached != nil && e.cache != nil && !r.plan.LooksCallsUp() {
		return e.runCached(ctx, q, &r, out, s)
	}
	return e.write(ctx, q, r.plan, out, s)
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

// prepare does everything up to the statements.
func (e *Executor) prepare(ctx context.Context, q *request, s *scratch) (ready, error) {
	st, err := e.stateAt(ctx, q.minVersion)
	if err != nil {
		return ready{}, err
	}
	document, err := e.document(ctx, q)
	if err != nil {
		return ready{}, err
	}
	q.parsed = document.Operation
	if !q.anyQuery {
		if err := st.admit(q.session, q.text, document.Operation.Size); err != nil {
			return ready{}, err
		}
	}
	if err := e.permitted(st, document.Operation, q); err != nil {
		return ready{}, err
	}
	s.values, err = document.Operation.Values(s.values, q.variables, parse.NullPolicy(e.config.NullInNonNullableVariables))
	if err != nil {
		return ready{}, err
	}
	q.values = s.values
	if q.describe {
		q.shapeHash()
	}
	s.run = execute.Run{
		Session: q.session, RequestID: q.id, Tracer: e.tracer, Sources: e.sources, Places: e.places, Values: s.values, Bound: s.run.Bound[:0],
	}
	p, err := e.bound(ctx, st, document, q, s)
	if err != nil {
		return ready{}, err
	}
	if p.Introspects() {
		s.run.Role, s.run.Introspections = e.role(st, q), e.introspections
	}
	if p.CallsRemotes() {
		s.run.Remotes, s.run.SetCookies = e.callRemotes(q), setCookies(s)
	}
	if p.CallsActions() {
		s.run.Actions, s.run.SetCookies = e.callActions(q), setCookies(s)
		s.run.Calls = e.asyncCalls(q, st)
	}
	if p.Validates() {
		s.run.Validator = e.validator.For(q.clientHeaders)
	}
	if e.queryLog.LogsExecution() {
		q.planned = time.Now()
	}
	return ready{state: st, plan: p, cached: cachedDirective(document.Operation)}, nil
}
