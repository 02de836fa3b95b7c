package queryexecutor

import (
	"context"
	"time"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
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

// prepare does everything up to the statements.
func (e *Executor) prepare(ctx context.Context, q *request, s *scratch) (r ready, err error) {
	if r.state, err = e.stateAt(ctx, q.minVersion); err != nil {
		return ready{}, err
	}
	document, err := e.document(ctx, q)
	if err != nil {
		return ready{}, err
	}
	if err = e.admit(r.state, document.Operation, q); err != nil {
		return ready{}, err
	}
	if err = e.readValues(document.Operation, q, s); err != nil {
		return ready{}, err
	}
	if most, bounded := r.state.ScanLimit(q.session); bounded {
		s.run.Scan.Bound(most)
	}
	if r.plan, err = e.bound(ctx, r.state, document, q, s); err != nil {
		return ready{}, err
	}
	e.supply(r.plan.Needs(), r.state, q, s)
	if e.queryLog.LogsExecution() {
		q.planned = time.Now()
	}
	r.cached = cachedDirective(document.Operation)
	return r, nil
}

// admit refuses operations that the session may not run, or that can't come this way.
func (e *Executor) admit(st *state, op *parse.Operation, q *request) error {
	q.parsed = op
	if !q.anyQuery {
		if err := st.admit(q.session, q.text, op.Size); err != nil {
			return err
		}
	}
	return e.permitted(st, op, q)
}

// readValues reads the values of the variables, and begins the run.
func (e *Executor) readValues(op *parse.Operation, q *request, s *scratch) (err error) {
	if s.values, err = op.Values(s.values, q.variables, parse.NullPolicy(e.config.NullInNonNullableVariables)); err != nil {
		return err
	}
	q.values = s.values
	if q.describe {
		q.shapeHash()
	}
	s.run = execute.Run{
		Session: q.session, RequestID: q.id, Operation: op.Name, Tracer: e.tracer, Sources: e.sources, Places: e.places,
		Values: s.values, Bound: s.run.Bound[:0], ReadOnly: q.readOnly,
	}
	return nil
}
