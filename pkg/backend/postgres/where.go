package postgres

import (
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// OwnCondition implements sqltext.Strategy.
func (r *renderer) OwnCondition(e ir.BoolExp, in *sqltext.Scope) (string, bool) {
	if e, ok := e.(ir.Exists); ok {
		return r.exists(e, in), true
	}
	return "", false
}

func (r *renderer) exists(e ir.Exists, in *sqltext.Scope) string {
	q := &selection{items: []string{"1"}, alias: r.Alias()}
	inner := in.Nested(q.alias)
	q.from = r.From(e.From, in)
	q.where = r.Joined(e.Join, in, inner)
	inner.Known = rewrite.Know(e.From, e.Where)
	r.filter(r.Open(e.Where, e.Join, in), inner, q)
	return "EXISTS (" + q.String() + ")"
}

// filter adds a condition to those of a query. One on a related row that is the only one is
// joined instead of asked for with EXISTS: neither adds rows, and the planner has fewer
// ways to consider and better ones to choose from.
func (r *renderer) filter(e ir.BoolExp, in *sqltext.Scope, q *selection) {
	switch e := e.(type) {
	case ir.And:
		for _, term := range e.Exps {
			r.filter(term, in, q)
		}
		return
	case ir.Rule:
		r.filter(e.Exp, in.AtRoot(), q)
		return
	case ir.Exists:
		if _, table := e.From.(ir.Table); table && e.Unique && len(e.Join) > 0 {
			inner := in.Nested(r.Alias())
			on := r.Conjunction(r.Joined(e.Join, in, inner))
			q.joins = append(q.joins, join{kind: innerJoin, text: r.From(e.From, in) + " AS " + inner.Alias + " ON " + on})
			inner.Known = rewrite.Know(e.From, e.Where)
			r.filter(r.Open(e.Where, e.Join, in), inner, q)
			return
		}
	}
	q.where = append(q.where, r.Condition(e, in))
}
