package postgres

import (
	"reflect"
	"slices"

	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// orderKey is one ordering key.
type orderKey struct {
	expr      string
	direction string
	column    string // the name, of a plain column
}

// orderKeys renders ordering keys. Relations that they need are joined to q.
//
// A key that is distinct, too, gets the same text: DISTINCT ON must match the first keys, and a
// condition with a sub-select would have other aliases the second time.
func (r *renderer) orderKeys(rows *ir.Rows, in *scope, q *selection) []orderKey {
	keys := make([]orderKey, len(rows.OrderBy))
	for i, item := range rows.OrderBy {
		keys[i].direction = direction(item)
		e, ok := item.Target.(ir.OrderExpr)
		same := -1
		if ok {
			same = slices.IndexFunc(rows.DistinctOn, func(d ir.Expr) bool { return reflect.DeepEqual(d, e.Expr) })
		}
		if same >= 0 {
			keys[i].expr = q.distinct[same]
		} else {
			keys[i].expr = r.orderTarget(item.Target, in, q)
		}
		if ok {
			if c, ok := e.Expr.(ir.Column); ok {
				keys[i].column = c.Name
			}
		}
	}
	return keys
}

// direction spells ASC or DESC, and where NULL goes as far as it isn't the default.
func direction(item ir.OrderItem) string {
	switch {
	case item.Desc && item.NullsFirst:
		return " DESC"
	case item.Desc:
		return " DESC NULLS LAST"
	case item.NullsFirst:
		return " ASC NULLS FIRST"
	}
	return ""
}

func (r *renderer) orderTarget(t ir.OrderTarget, in *scope, q *selection) string {
	switch t := t.(type) {
	case ir.OrderExpr:
		return r.expr(t.Expr, in)
	case ir.OrderRelated:
		related := r.joinOne(relatedRow{from: t.From, join: t.Join, unique: t.Unique, where: t.Where}, in, q)
		return r.orderTarget(t.Target, related, q)
	case ir.OrderAggregate:
		return r.orderAggregate(t, in)
	}
	r.fail("unknown order %T", t)
	return "NULL"
}

// orderAggregate renders an aggregate of the rows that are related to a row. Where there is no
// row, because it was joined and none is visible, there is no count either.
func (r *renderer) orderAggregate(t ir.OrderAggregate, in *scope) string {
	inner := &scope{alias: r.alias()}
	value := "count(*)"
	if t.Expr != nil {
		value = r.aggregateFunction(t.Function) + "(" + r.expr(t.Expr, inner) + ")"
	}
	where := append(r.joined(t.Join, in, inner), r.condition(rewrite.Open(t.Where, t.Join, in.certain()), inner))
	sql := "(SELECT " + value + " FROM " + r.from(t.From, in) + " AS " + inner.alias + whereClause(where) + ")"
	if in.marker != "" {
		return "(CASE WHEN " + in.marker + " IS NOT NULL THEN " + sql + " END)"
	}
	return sql
}
