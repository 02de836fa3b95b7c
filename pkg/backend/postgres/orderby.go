package postgres

import (
	"reflect"
	"slices"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
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
func (r *renderer) orderKeys(rows *ir.Rows, in *sqltext.Scope, q *selection) []orderKey {
	keys := make([]orderKey, len(rows.OrderBy))
	for i, item := range rows.OrderBy {
		keys[i].direction = r.Direction(item)
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

func (r *renderer) orderTarget(t ir.OrderTarget, in *sqltext.Scope, q *selection) string {
	switch t := t.(type) {
	case ir.OrderExpr:
		return r.Expr(t.Expr, in)
	case ir.OrderRelated:
		related := r.joinOne(relatedRow{from: t.From, join: t.Join, unique: t.Unique, where: t.Where}, in, q)
		return r.orderTarget(t.Target, related, q)
	case ir.OrderAggregate:
		return r.OrderAggregate(t, in)
	}
	r.Fail("unknown order %T", t)
	return "NULL"
}
