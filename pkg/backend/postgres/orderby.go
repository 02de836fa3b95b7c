package postgres

import "queryengine/pkg/ir"

// orderKey is one ordering key.
type orderKey struct {
	expr      string
	direction string
	column    string // the name, of a plain column
}

// orderKeys renders ordering keys. Relations that they need are joined to q.
func (r *renderer) orderKeys(items []ir.OrderItem, in *scope, q *selection) []orderKey {
	keys := make([]orderKey, len(items))
	for i, item := range items {
		keys[i] = orderKey{expr: r.orderTarget(item.Target, in, q), direction: direction(item)}
		if e, ok := item.Target.(ir.OrderExpr); ok {
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

func (r *renderer) orderAggregate(t ir.OrderAggregate, in *scope) string {
	inner := &scope{alias: r.alias()}
	value := "count(*)"
	if t.Expr != nil {
		value = r.aggregateFunction(t.Function) + "(" + r.expr(t.Expr, inner) + ")"
	}
	where := append(r.joined(t.Join, in, inner), r.condition(t.Where, inner))
	return "(SELECT " + value + " FROM " + r.from(t.From, in) + " AS " + inner.alias + whereClause(where) + ")"
}
