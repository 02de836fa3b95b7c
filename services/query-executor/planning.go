package queryexecutor

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plancache"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
)

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
	var inserts []*insert.Tree
	switch {
	case errors.Is(err, input.ErrReshape):
		d.SplitByShape()
	case errors.Is(err, insert.ErrGrow):
		inserts = p.Inserts
	default:
		return p, err
	}
	if p, err = e.plan(ctx, st, d, q, s, inserts); err == nil {
		s.run.Budget = q.budget()
		err = p.Bind(&s.run)
	}
	return p, err
}

// plan makes a plan and keeps it; inserts are those of the one that it replaces.
func (e *Executor) plan(ctx context.Context, st *state, d *plancache.Document[planned.Plan], q *request, s *scratch, inserts []*insert.Tree) (*planned.Plan, error) {
	spanned, end := e.stage(ctx, stagePlan, time.Now())
	if d.Operation.Kind == parse.Mutation {
		trace.SpanFromContext(spanned).SetName(spanMutationPlan)
	}
	room := q.budget()
	made, err := plan.Grow(d.Operation, e.role(st, q), s.values, env.Options{
		NullCollapse: e.config.NullCollapse, DropUnset: e.config.DropUnsetVariables, Limits: e.config.Limits, Budget: &room,
		RemoteSkipNulls: e.config.RemoteSkipNulls, FilterReturning: e.config.FilterReturning, ChecksSeeWrites: e.config.ChecksSeeWrites,
		NoIntrospection: slices.Contains(st.withoutIntrospection, q.session.Role),
	}, inserts)
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
	p.Session = sessionDeps(d.Operation, made)
	p.Reads = cachedReads(d.Operation, made)
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

func (e *Executor) renderOptions() backend.RenderOptions {
	return backend.RenderOptions{StringifyNumeric: e.config.StringifyNumericTypes, NullChecksPass: e.config.NullChecksPass}
}
