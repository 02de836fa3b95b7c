package sqlrows

import (
	"reflect"
	"slices"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// OrderKey is one ordering key.
type OrderKey struct {
	Expr             string
	Desc, NullsFirst bool
	Column           string // the name, of a plain column
}

// orderKeys renders ordering keys. Relations that they need are joined to q.
//
// A key that is distinct, too, gets the same text: DISTINCT ON must match the first keys, and a
// condition with a sub-select would have other aliases the second time.
func (r *Renderer) orderKeys(rows *ir.Rows, in *sqltext.Scope, q *Selection) []OrderKey {
	keys := make([]OrderKey, len(rows.OrderBy))
	for i, item := range rows.OrderBy {
		keys[i].Desc, keys[i].NullsFirst = item.Desc, item.NullsFirst
		e, ok := item.Target.(ir.OrderExpr)
		same := -1
		if ok {
			same = slices.IndexFunc(rows.DistinctOn, func(d ir.Expr) bool { return reflect.DeepEqual(d, e.Expr) })
		}
		if same >= 0 {
			keys[i].Expr = q.Distinct[same]
		} else {
			keys[i].Expr = r.orderTarget(item.Target, in, q)
		}
		if ok {
			if c, ok := e.Expr.(ir.Column); ok {
				keys[i].Column = c.Name
			}
		}
	}
	return keys
}

func (r *Renderer) orderTarget(t ir.OrderTarget, in *sqltext.Scope, q *Selection) string {
	switch t := t.(type) {
	case ir.OrderExpr:
		return r.Expr(t.Expr, in)
	case ir.OrderRelated:
		one := RelatedRow{from: t.From, join: t.Join, unique: t.Unique, where: t.Where}
		if r.joined(one, q) {
			return r.orderTarget(t.Target, r.JoinOne(one, in, q), q)
		}
		first, row := r.firstRow(one, in)
		first.Items = []string{r.orderTarget(t.Target, row, first)}
		return "(" + r.Text(first) + ")"
	case ir.OrderAggregate:
		return r.OrderAggregate(t, in)
	}
	r.Fail("unknown order %T", t)
	return "NULL"
}
