package sqlrows

import (
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// item adds an expression to the items, unless it is there, and gives its place.
func (q *Selection) item(expr string) int {
	for i, e := range q.Items[q.apart:] {
		if e == expr {
			return q.apart + i
		}
	}
	q.Items = append(q.Items, expr)
	return len(q.Items) - 1
}

// Object makes the items of q that fields need, and the shape by which a row of them becomes JSON.
func (r *Renderer) Object(fields []ir.Field, in *sqltext.Scope, q *Selection) *answer.Shape {
	whole := r.AllPresent(fields, in)
	if whole == "" {
		return r.presentObject(fields, in, q)
	}
	var b answer.Builder
	b.Add(answer.Part{Kind: answer.Object, Column: q.item("nullif(" + whole + ", false)"), Shape: r.presentObject(fields, in, q)})
	return b.Shape()
}

func (r *Renderer) presentObject(fields []ir.Field, in *sqltext.Scope, q *Selection) *answer.Shape {
	var b answer.Builder
	r.members(&b, fields, in, q)
	return b.Shape()
}

func (r *Renderer) members(b *answer.Builder, fields []ir.Field, in *sqltext.Scope, q *Selection) {
	b.Text("{")
	style := answer.StyleOf(fields)
	for i, f := range fields {
		b.Key(i, f.Alias, style)
		switch v := f.Value.(type) {
		case *ir.Nested:
			r.nested(b, v, in, q)
		case *ir.NodeID:
			b.Add(answer.Part{Kind: answer.Base64, Shape: r.nodeID(v, in, q), Seal: v.Seal})
		case ir.Scalar:
			expr, c := r.Dialect.Cell(r.Single(v.Expr, in), v.Type, false)
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: c})
		case ir.Typename:
			b.String(string(v))
		case ir.Object:
			r.members(b, v, in, q)
		case ir.Aggregated:
			expr, c := r.Expr(v.Column, in), r.Dialect.CountCell()
			if v.Function != countFunction {
				expr, c = r.Dialect.AggregateCell(v.Function, expr, v.Type)
			}
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: c})
		default:
			r.Fail("unknown field %T", v)
		}
	}
	b.Text("}")
}

const countFunction = "count"

func (r *Renderer) nested(b *answer.Builder, n *ir.Nested, in *sqltext.Scope, q *Selection) {
	switch root := n.Root.(type) {
	case *ir.Aggregate:
		sql, s := r.aggregate(root, Relation{Join: n.Join, Outer: in})
		b.Add(answer.Part{Kind: answer.Record, Column: q.item(sql), Shape: s})
	case *ir.Connection:
		r.connection(b, root, Relation{Join: n.Join, Outer: in}, q)
	case *ir.Select:
		if root.One {
			r.nestedOne(b, n, root, in, q)
			return
		}
		sql, s := r.list(root, Relation{Join: n.Join, Outer: in})
		b.Add(answer.Part{Kind: answer.List, Column: q.item(sql), Shape: s})
	default:
		r.Fail("unknown root %T", root)
	}
}

// nestedOne joins a related row, or reads it as a record.
func (r *Renderer) nestedOne(b *answer.Builder, n *ir.Nested, s *ir.Select, in *sqltext.Scope, q *Selection) {
	one := Related(n, s)
	if r.joined(one, q) {
		row := r.JoinOne(one, in, q)
		shape := r.Object(s.Fields, row, q)
		b.Add(answer.Part{Kind: answer.Object, Column: q.item(row.Marker), Shape: shape})
		return
	}
	first, row := r.firstRow(one, in)
	shape := r.Object(s.Fields, row, first)
	b.Add(answer.Part{Kind: answer.Record, Column: q.item(r.Dialect.Record(first)), Shape: shape})
}

// Related returns the row that an object relationship reads.
func Related(n *ir.Nested, s *ir.Select) RelatedRow {
	one := RelatedRow{from: s.From, join: n.Join, unique: n.Unique, where: s.Where}
	if len(s.OrderBy) > 0 || s.Limit != nil || s.Offset != nil || len(s.DistinctOn) > 0 {
		one.rows = &s.Rows
	}
	if f, ok := s.From.(ir.Function); ok && f.Single {
		one.rows = &s.Rows
	}
	return one
}

// list renders related rows as one value.
func (r *Renderer) list(s *ir.Select, rel Relation) (string, *answer.Shape) {
	rel.Rows = &s.Rows
	q, in := r.SelectRows(rel, s.Fields)
	shape := r.Object(s.Fields, in, q)
	return r.Guarded(rel, r.Dialect.List(q)), shape
}

// Guarded keeps a function from being called with a row that isn't there.
func (r *Renderer) Guarded(rel Relation, sql string) string {
	if _, ok := rel.From.(ir.Function); ok && rel.Outer != nil && rel.Outer.Marker != "" {
		return "CASE WHEN " + rel.Outer.Marker + " IS NOT NULL THEN " + sql + " END"
	}
	return sql
}
