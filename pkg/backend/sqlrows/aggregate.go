package sqlrows

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// aggregate renders aggregates of related rows as a record.
func (r *Renderer) aggregate(a *ir.Aggregate, rel Relation) (string, *answer.Shape) {
	q, shape := r.aggregateQuery(a, rel)
	rel.Rows = &a.Rows
	return r.Guarded(rel, r.Dialect.Record(q)), shape
}

// aggregateQuery makes the one row of an aggregate. Nodes are a list of their own besides the
// aggregates: the role's limit applies to them alone.
func (r *Renderer) aggregateQuery(a *ir.Aggregate, rel Relation) (*Selection, *answer.Shape) {
	q, in, nodes := r.Aggregated(a, rel)
	var b answer.Builder
	var lists []int
	b.Text("{")
	for i, f := range a.Fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch v := f.Value.(type) {
		case ir.Nodes:
			sql, s := r.list(&ir.Select{Rows: a.Rows, Fields: v}, nodes)
			lists = append(lists, q.item(sql))
			b.Add(answer.Part{Kind: answer.List, Column: lists[len(lists)-1], Shape: s})
		case ir.Typename:
			b.String(string(v))
		case ir.Aggregates:
			r.aggregates(&b, v, in, q)
		}
	}
	b.Text("}")
	if in != nil {
		for _, text := range *in.Applied {
			q.Joins = append(q.Joins, Join{Text: text})
		}
	}
	if r.Dialect.Abilities().Nodes && rel.Outer == nil && q.With == nil && in != nil && lists != nil {
		q = r.beside(q, lists)
	}
	return q, b.Shape()
}

// next to moves the aggregates of a query into a sub-select, so that its lists are read next to that and not next to the rows.
func (r *Renderer) beside(q *Selection, lists []int) *Selection {
	out := &Selection{Inner: q, Alias: r.Alias(), Items: slices.Clone(q.Items)}
	in := &sqltext.Scope{Alias: out.Alias}
	q.Items = nil
	for i, item := range out.Items {
		if !slices.Contains(lists, i) {
			name := "?" + strconv.Itoa(i)
			q.Items = append(q.Items, item+" AS "+r.Spelling.Quote(name))
			out.Items[i] = r.Column(in, name)
		}
	}
	return out
}

// Aggregated starts the query of aggregates, on the rows that the arguments select, and returns the
// relation of the nodes.
func (r *Renderer) Aggregated(a *ir.Aggregate, nodes Relation) (*Selection, *sqltext.Scope, Relation) {
	rows := a.Rows
	rows.MaxRows = 0
	if !sliced(&rows) {
		rows.OrderBy = nil
	}
	rel := nodes
	rel.Rows = &rows
	var values, lists bool
	for _, f := range a.Fields {
		switch v := f.Value.(type) {
		case ir.Nodes:
			lists = true
		case ir.Aggregates:
			values = values || slices.ContainsFunc(v, valued)
		}
	}
	if !values {
		return &Selection{Grouped: true}, nil, nodes
	}
	var once *Selection
	if _, ok := a.From.(ir.Function); ok && lists {
		// The function is called once for both.
		var row *sqltext.Scope
		once, row = r.PlainRows(Relation{Rows: &ir.Rows{From: a.From}, Outer: rel.Outer})
		once.Items, once.rowOf = []string{row.Alias + ".*"}, row
		rel.named = &sqltext.Scope{Alias: r.Alias(), Own: Origin{Inner: once}}
		nodes.named = rel.named
	}
	q, in := r.PlainRows(rel)
	if sliced(&rows) {
		q, in = r.Around(q, in)
		q.Order = nil
	}
	if aggregatesSets(a.Fields) {
		q, in = r.Around(q, in)
		in.Own = Origin{Inner: OriginOf(in).Inner, sets: setsInner}
	}
	if once != nil {
		q.With, q.WithName = once, rel.named.Alias
	}
	q.Grouped = true
	return q, in.Aggregated(), nodes
}

// valued reports whether a field needs the rows: it is more than names of types.
func valued(e ir.AggregateExpr) bool {
	switch v := e.Value.(type) {
	case *ir.Count:
		return true
	case *ir.AggregateCall:
		return slices.ContainsFunc(v.Columns, func(c ir.AggregateColumn) bool {
			_, ok := c.Value.(ir.Scalar)
			return ok
		})
	}
	return false
}

// aggregates makes the object below `aggregate`.
func (r *Renderer) aggregates(b *answer.Builder, fields []ir.AggregateExpr, in *sqltext.Scope, q *Selection) {
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch v := f.Value.(type) {
		case ir.Typename:
			b.String(string(v))
		case *ir.Count:
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(r.CountRows(v, in)), Cell: r.Dialect.CountCell()})
		case *ir.AggregateCall:
			r.aggregateCall(b, v, in, q)
		}
	}
	b.Text("}")
}

// aggregateCall makes the object of a function of some columns.
func (r *Renderer) aggregateCall(b *answer.Builder, call *ir.AggregateCall, in *sqltext.Scope, q *Selection) {
	b.Text("{")
	for i, column := range call.Columns {
		b.Key(i, column.Alias, answer.Spaced)
		switch v := column.Value.(type) {
		case ir.Typename:
			b.String(string(v))
		case ir.Scalar:
			expr, c := r.Dialect.AggregateCell(call.Function, r.AggregateOf(call.Function, v, in), v.Type)
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: c})
		}
	}
	b.Text("}")
}

// Groups renders rows of groups as a relation. It is for dialects that group by the positions of items.
func (r *Renderer) Groups(g ir.Groups, outer *sqltext.Scope) string {
	q, in := r.PlainRows(Relation{Rows: &g.Rows, Outer: outer})
	in = in.Aggregated()
	by := make([]string, len(g.Keys))
	for i, k := range g.Keys {
		by[i] = strconv.Itoa(i + 1)
		q.Items = append(q.Items, r.Expr(k.Expr, in)+" AS "+r.Spelling.Quote(k.Name))
	}
	for _, a := range g.Aggregates {
		q.Items = append(q.Items, r.AggregateCall(a.Function, a.Distinct, a.Args, in)+" AS "+r.Spelling.Quote(a.Name))
	}
	return "(" + r.Text(q) + " GROUP BY " + strings.Join(by, ", ") + ")"
}

// CountRows counts rows.
func (r *Renderer) CountRows(c *ir.Count, in *sqltext.Scope) string {
	return r.Spelling.Count(r.Exprs(c.Args, in), c.Distinct)
}

// AggregateOf is an aggregate of a column.
func (r *Renderer) AggregateOf(function string, column ir.Scalar, in *sqltext.Scope) string {
	return r.AggregateCall(function, false, []ir.Expr{column.Expr}, in)
}
