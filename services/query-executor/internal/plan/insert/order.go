package insert

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Order is what has to run before all rows of a table are inserted together, followed by the
// rows related to them, instead of each row with those related to it. It reports false when the
// result can't be the same: a table is written in two places or with an upsert clause, or a check
// looks at more than the row itself and the row that it belongs to.
//
// used reports whether a node has rows.
func (i *Tree) Order(used func(node int) bool) (ir.InsertOrder, bool) {
	f := &orderFinder{nodes: map[catalog.Name]*Node{}}
	for at, n := range i.Nodes {
		if !used(at) {
			continue
		}
		if n.OnConflict != nil || f.nodes[n.Table] != nil {
			return ir.InsertOrder{}, false
		}
		f.nodes[n.Table] = n
		f.order.Tables = append(f.order.Tables, n.Table)
	}
	for at, n := range i.Nodes {
		if !used(at) {
			continue
		}
		for _, r := range n.Relations {
			if used(r.Node) {
				f.order.Links = append(f.order.Links, r.link(n, i.Nodes[r.Node]))
			}
		}
	}
	for _, n := range f.nodes {
		if !f.condition(n.Check, n) || slices.ContainsFunc(n.Columns, func(c Column) bool { return !f.condition(c.Check, n) }) {
			return ir.InsertOrder{}, false
		}
	}
	return f.order, true
}

// link is the relationship between rows of a node and of a related one, from those that take
// values to those that have them.
func (r *Relation) link(n, related *Node) ir.InsertLink {
	from, to := related, n
	if !r.After {
		from, to = n, related
	}
	l := ir.InsertLink{From: from.Table, To: to.Table}
	for i, key := range r.From {
		if r.To[i] >= 0 {
			l.Columns = append(l.Columns, ir.JoinPair{Outer: from.Columns[r.To[i]].Name, Inner: to.Keys[key].Alias})
		}
	}
	return l
}

// orderFinder looks for what checks depend on.
type orderFinder struct {
	nodes map[catalog.Name]*Node
	order ir.InsertOrder
}

// condition reports whether a condition on a row gives the same whatever other rows are
// inserted before it. at is the node of the row, nil for one of a table that isn't written.
func (f *orderFinder) condition(e ir.BoolExp, at *Node) bool {
	switch e := e.(type) {
	case nil:
		return true
	case ir.And:
		return f.all(e.Exps, at)
	case ir.Or:
		return f.all(e.Exps, at)
	case ir.Not:
		return f.condition(e.Exp, at)
	case ir.Rule:
		return f.condition(e.Exp, at)
	case ir.Compare:
		return f.expr(e.Left)
	case ir.CompareColumn:
		return f.expr(e.Left)
	case ir.IsNull:
		return f.expr(e.Expr)
	case ir.Exists:
		return f.exists(e, at)
	}
	return false
}

func (f *orderFinder) all(list []ir.BoolExp, at *Node) bool {
	return !slices.ContainsFunc(list, func(e ir.BoolExp) bool { return !f.condition(e, at) })
}

// expr reports whether an expression is made of the row alone. Functions may read tables.
func (f *orderFinder) expr(e ir.Expr) bool {
	switch e := e.(type) {
	case ir.Column:
		return true
	case ir.Cast:
		return f.expr(e.Expr)
	case ir.JSONPath:
		return f.expr(e.Expr)
	case ir.JSONValue:
		return f.expr(e.Expr)
	case ir.Upper:
		return f.expr(e.Expr)
	}
	return false
}

// exists follows a condition into another table. Of one that is written, only the row counts
// that the current row belongs to: a foreign key guarantees that there is exactly one, and that it
// is there already.
func (f *orderFinder) exists(e ir.Exists, at *Node) bool {
	table, ok := e.From.(ir.Table)
	if !ok {
		return false
	}
	to := f.nodes[table.Name]
	if to == nil {
		if !slices.Contains(f.order.Reads, table.Name) {
			f.order.Reads = append(f.order.Reads, table.Name)
		}
		return f.condition(e.Where, nil)
	}
	if at == nil {
		return false
	}
	for i := range f.order.Links {
		l := &f.order.Links[i]
		if l.From == at.Table && l.To == to.Table && samePairs(l.Columns, e.Join) {
			l.Key = true
			return f.condition(e.Where, to)
		}
	}
	return false
}

func samePairs(a, b []ir.JoinPair) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p ir.JoinPair) bool { return !slices.Contains(b, p) })
}
