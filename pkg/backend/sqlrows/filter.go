package sqlrows

import (
	"slices"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// Exists asks for a related row.
func (r *Renderer) Exists(e ir.Exists, in *sqltext.Scope) string {
	q := &Selection{Items: []string{"1"}, Alias: r.Alias()}
	inner := in.Nested(q.Alias)
	q.From = r.From(e.From, in)
	q.Where = r.Joined(e.Join, in, inner)
	inner.Known = rewrite.Know(e.From, e.Where)
	r.filter(r.Open(e.Where, e.Join, in), inner, q)
	if in != nil && in.Written && byKey(e) {
		q.Offset = r.Dialect.Abilities().NoOffset
	}
	return "EXISTS (" + r.Text(q) + ")"
}

// byKey reports whether a condition is on rows that are found by their keys alone, however many there are.
func byKey(e ir.BoolExp) bool {
	switch e := e.(type) {
	case ir.And:
		return !slices.ContainsFunc(e.Exps, func(term ir.BoolExp) bool { return !byKey(term) })
	case ir.Or:
		return !slices.ContainsFunc(e.Exps, func(term ir.BoolExp) bool { return !byKey(term) })
	case ir.Not:
		return byKey(e.Exp)
	case ir.Rule:
		return byKey(e.Exp)
	case ir.Exists:
		return e.Unique && byKey(e.Where)
	case ir.AggregateCompare:
		return false
	}
	return true
}

// filter adds a condition to those of a query. One on a related row that is the only one is
// joined instead of asked for with EXISTS: neither adds rows, and the planner has fewer
// ways to consider and better ones to choose from.
func (r *Renderer) filter(e ir.BoolExp, in *sqltext.Scope, q *Selection) {
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
		if _, table := e.From.(ir.Table); table && e.Unique && len(e.Join) > 0 && r.joinsMore(q) {
			inner := in.Nested(r.Alias())
			on := r.Conjunction(r.Joined(e.Join, in, inner))
			q.Joins = append(q.Joins, Join{Kind: innerJoin, Text: r.From(e.From, in) + " AS " + inner.Alias + " ON " + on})
			inner.Known = rewrite.Know(e.From, e.Where)
			r.filter(r.Open(e.Where, e.Join, in), inner, q)
			return
		}
	}
	q.Where = append(q.Where, r.Condition(e, in))
}

// joinsMore reports whether one more relation can be joined.
func (r *Renderer) joinsMore(q *Selection) bool {
	most := r.Dialect.Abilities().Joins
	return most == 0 || len(q.Joins) < most
}
