package dataop

import (
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/validate"
)

// plan is what a source has to do: a query or a mutation.
type plan struct {
	source *resolve.Source
	query  ir.Root
	count  bool // of query: its answer is the number alone
	// explained makes the answer of that of query; nil for the answer itself.
	explained *explanation
	mutation  ir.Mutation
	// budget is what is left of the request's budget.
	budget budget.Budget
	// scan bounds what databases read that charge for it.
	scan backend.Scan
	// lookups are what rules take from other sources.
	lookups []*resolve.Lookup
	// inputs go to webhooks before anything is written.
	inputs []validate.Input
}

// planner plans the operations of one role. Its errors have paths within the arguments.
type planner struct {
	schema *resolve.Schema
	user   *session.Session
	role   string // of user
	// unguarded are the guards that are switched off.
	unguarded []string
	// jsonText is the text type that JSON is cast to; nil means no cast.
	jsonText *catalog.Type
	// budget is the budget of the request. relations and depth are of its statement.
	budget           budget.Budget
	relations, depth int
	// inputs are those of the plan.
	inputs []validate.Input
}

// newPlanner plans a request of size bytes.
func newPlanner(s *resolve.Schema, user *session.Session, size int, unguarded []string) *planner {
	return &planner{schema: s, user: user, role: user.Role, budget: budget.New(size), unguarded: unguarded}
}

func (p *planner) plan(r *request) (*plan, error) {
	source := p.schema.Source(r.source)
	if source == nil {
		return nil, apierror.Newf(apierror.NotExists, "source with name %q does not exist", r.source)
	}
	t := source.Table(source.Meta.Qualified(r.table))
	if t == nil {
		return nil, apierror.At(apierror.Newf(apierror.NotExists, "table %q does not exist", source.Meta.Display(r.table)), "table")
	}
	plan := &plan{source: source}
	err := p.readJSONAs(r, t)
	if err != nil {
		return nil, err
	}
	switch a := r.args.(type) {
	case *selectArgs:
		plan.query, err = p.selectFrom(t, a)
	case *countArgs:
		plan.query, err = p.countOf(t, a)
		plan.count = true
	case *insertArgs:
		plan.mutation, err = p.insertInto(t, a)
	case *updateArgs:
		plan.mutation, err = p.update(t, a)
	case *deleteArgs:
		plan.mutation, err = p.deleteFrom(t, a)
	case *explainArgs:
		plan.query, plan.explained, err = p.explain(t, a)
	default:
		err = fmt.Errorf("no plan for %T", a)
	}
	if err == nil && p.role != session.Admin { // no rule binds admin, which writes the most
		err = plan.findLookups(p.schema)
	}
	plan.budget, plan.inputs = p.budget, p.inputs
	return plan, err
}

// denied is the fault of an operation that the role has no permission for. The blank at the
// end is part of the text.
func (p *planner) denied(operation string, t *resolve.Table) *apierror.Error {
	return apierror.Newf(apierror.PermissionDenied, "%s on %q for role %q is not allowed. ", operation, t.Display(), p.role)
}

// reading is the select permission that a part of another operation needs; why is for its error.
func (p *planner) reading(t *resolve.Table, why string) (*resolve.SelectPermission, error) {
	if permission := t.SelectPermission(p.role); permission != nil {
		return permission, nil
	}
	e := p.denied("select", t)
	e.Message += "; " + why
	return nil, e
}

// unreadable is the fault of a column that the role may not select.
func (p *planner) unreadable(name string) error {
	if p.role == session.Admin {
		return noSuchColumn(name)
	}
	return resolve.ErrUnreadableColumn(name, p.role)
}

func noSuchColumn(name string) error {
	return apierror.Newf(apierror.PermissionDenied, "no such column exists: %q", name)
}

// where is the condition of a request; nil is true.
func (p *planner) where(t *resolve.Table, raw []byte) (ir.BoolExp, error) {
	if raw == nil {
		return nil, nil
	}
	exp, err := resolve.ParseWhere(t, p.role, raw)
	if err == nil {
		err = p.condition(exp, 0, 0)
	}
	return exp, apierror.At(err, "where")
}

// both holds when both hold; nil is true.
func both(a, b ir.BoolExp) ir.BoolExp {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return ir.And{Exps: []ir.BoolExp{a, b}}
}

// rule is the filter or check of a permission, nil for true.
func rule(exp ir.BoolExp) ir.BoolExp {
	if exp == nil {
		return nil
	}
	return ir.Rule{Exp: exp}
}
