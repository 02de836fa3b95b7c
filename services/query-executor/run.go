package queryexecutor

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plancache"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/share"
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

// bound finds or makes the plan, and binds the variables to it.
func (e *Executor) bound(ctx context.Context, st *state, d *plancache.Document[planned.Plan], q *request, s *scratch) (*planned.Plan, error) {
	var p *planned.Plan
	p, s.shape = d.Plan(s.values, s.shape)
	if p == nil || !st.accepts(p) {
		var err error
		if p, err = e.plan(ctx, st, d, q, s, nil); err != nil {
			return nil, err
		}
	}
	s.run.Budget = q.budget()
	err := p.Bind(&s.run)
	var inserts []*plan.Insert
	switch {
	case errors.Is(err, plan.ErrReshape):
		d.TellApart()
	case errors.Is(err, plan.ErrGrow):
		inserts = p.Inserts()
	default:
		return p, err
	}
	if p, err = e.plan(ctx, st, d, q, s, inserts); err == nil {
		s.run.Budget = q.budget()
		err = p.Bind(&s.run)
	}
	return p, err
}

// document finds the operation, or parses it.
func (e *Executor) document(ctx context.Context, q *request) (*plancache.Document[planned.Plan], error) {
	key := plancache.Key{
		Role: q.session.Role, Text: q.text, Operation: q.operation, BackendOnly: q.session.BackendOnly, Relay: q.relay,
	}
	if d := e.plans.Find(key); d != nil {
		return d, nil
	}
	_, end := e.stage(ctx, stageParse, time.Now())
	op, err := parse.Parse(q.text, q.operation, parse.Limits{Tokens: e.config.MaxTokens})
	end(err)
	if err != nil {
		return nil, err
	}
	return e.plans.Add(key, op), nil
}

// permitted refuses kinds of operations that can't come this way.
func (e *Executor) permitted(st *state, op *parse.Operation, q *request) error {
	switch {
	case q.live && op.Kind != parse.Subscription:
		return apierror.Newf(apierror.UnexpectedPayload, "a %s is no subscription", op.Kind)
	case op.Kind == parse.Subscription && !q.live && subscribesRemote(e.role(st, q), op.Selections):
		return apierror.New(apierror.NotSupported, "subscription to remote server is not supported")
	case op.Kind == parse.Subscription && !q.live:
		return apierror.New(apierror.UnexpectedPayload, "subscriptions are not supported over HTTP, use websockets instead")
	case op.Kind == parse.Mutation && q.readOnly:
		return apierror.New(apierror.NotSupported, "Mutations are not allowed when read-only mode is enabled")
	}
	return nil
}

// plan makes a plan and keeps it; inserts are those of one that it takes the place of.
func (e *Executor) plan(ctx context.Context, st *state, d *plancache.Document[planned.Plan], q *request, s *scratch, inserts []*plan.Insert) (*planned.Plan, error) {
	spanned, end := e.stage(ctx, stagePlan, time.Now())
	if d.Operation.Kind == parse.Mutation {
		trace.SpanFromContext(spanned).SetName(spanMutationPlan)
	}
	room := q.budget()
	made, err := plan.Build(d.Operation, e.role(st, q), s.values, plan.Options{
		NullCollapse: e.config.NullCollapse, DropUnset: e.config.DropUnsetVariables, Limits: e.config.Limits, Budget: &room,
		Inserts: inserts, RemoteSkipNulls: e.config.RemoteSkipNulls, NoIntrospection: slices.Contains(st.withoutIntrospection, q.session.Role),
	})
	end(err)
	if err != nil {
		return nil, err
	}
	_, end = e.stage(ctx, stageRender, time.Now())
	prepared, err := execute.Prepare(made, e.renderOptions(), commenter(d.Operation, s.values))
	if err == nil {
		_, size := prepared.Size()
		err = room.Take(budget.SQL, size)
	}
	end(err)
	if err != nil {
		return nil, err
	}
	p := planned.New(prepared, made, q.session.Role, st.generation)
	p.Session = sessionUse(d.Operation, made)
	if !made.Once {
		d.Keep(s.values, made.Looks, p)
	}
	return p, nil
}

func (e *Executor) role(st *state, q *request) *schema.Role {
	return st.role(q.session.Role, e.schemaOptions(q.session.BackendOnly, q.relay))
}

// schemaOptions are those of the schemas of this executor.
func (e *Executor) schemaOptions(backendOnly, relay bool) schema.Options {
	return schema.Options{
		BackendOnly:             backendOnly,
		Relay:                   relay,
		Seal:                    e.seal,
		Federation:              e.config.Federation,
		HideAggregatePredicates: e.config.HideAggregatePredicates,
		HideStreamFields:        e.config.HideStreamFields,
		HideUpdateManyFields:    e.config.HideUpdateManyFields,
		ArrayScalars:            e.config.ArrayScalars,
	}
}

// follower knows when a version of the metadata was applied.
type follower interface {
	WaitFor(ctx context.Context, version int64) (*snapshot.Snapshot, error)
}

// versionPatience bounds the wait for a version of the metadata.
const versionPatience = 10 * time.Second

// stateAt is the state at a version or later. It waits for one that has not arrived yet.
func (e *Executor) stateAt(ctx context.Context, version int64) (*state, error) {
	if s := e.state.Load(); s != nil && s.snapshot.Version >= version {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	if _, err := e.follower.WaitFor(ctx, version); err != nil {
		return nil, err
	}
	return e.state.Load(), nil
}

// metadataAt is the metadata at a version or later, and the schema of it.
func (e *Executor) metadataAt(ctx context.Context, version int64) (*snapshot.Snapshot, *resolve.Schema, error) {
	s, err := e.stateAt(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	return s.snapshot, s.schema, nil
}

// source is an open source with a place for the request, and the function that ends its use.
func (e *Executor) source(name string) (backend.Source, func(), error) {
	place, err := e.places.Take(share.Source, name)
	if err != nil {
		return nil, nil, err
	}
	use, err := e.sources.Use(name)
	if err != nil {
		place.Leave()
		return nil, nil, err
	}
	return use.Source, func() { use.Release(); place.Leave() }, nil
}
