package postgres

import (
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// item adds an expression to the items, unless it is there, and gives its place.
func (q *selection) item(expr string) int {
	for i, e := range q.items {
		if e == expr {
			return i
		}
	}
	q.items = append(q.items, expr)
	return len(q.items) - 1
}

// object makes the items of q that fields need, and the shape by which a row of them becomes JSON.
func (r *renderer) object(fields []ir.Field, in *sqltext.Scope, q *selection) *answer.Shape {
	whole := r.allPresent(fields, in)
	if whole == "" {
		return r.presentObject(fields, in, q)
	}
	var b answer.Builder
	b.Add(answer.Part{Kind: answer.Object, Column: q.item("nullif(" + whole + ", false)"), Shape: r.presentObject(fields, in, q)})
	return b.Shape()
}

func (r *renderer) presentObject(fields []ir.Field, in *sqltext.Scope, q *selection) *answer.Shape {
	var b answer.Builder
	b.Text("{")
	style := answer.StyleOf(fields)
	for i, f := range fields {
		b.Key(i, f.Alias, style)
		switch {
		case f.Nested != nil:
			r.nested(&b, f.Nested, in, q)
		case f.NodeID != nil:
			b.Add(answer.Part{Kind: answer.Base64, Shape: r.nodeID(f.NodeID, in, q), Seal: f.NodeID.Seal})
		case f.Expr != nil:
			expr, c := r.cell(r.single(f.Expr, in), f.ExprType)
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: c})
		default:
			b.String(f.Typename)
		}
	}
	b.Text("}")
	return b.Shape()
}

func (r *renderer) nested(b *answer.Builder, n *ir.Nested, in *sqltext.Scope, q *selection) {
	switch root := n.Root.(type) {
	case *ir.Aggregate:
		sql, s := r.aggregate(root, relation{join: n.Join, outer: in})
		b.Add(answer.Part{Kind: answer.Record, Column: q.item(sql), Shape: s})
	case *ir.Connection:
		r.connection(b, root, relation{join: n.Join, outer: in}, q)
	case *ir.Select:
		if root.One {
			one := r.joinOne(related(n, root), in, q)
			s := r.object(root.Fields, one, q)
			b.Add(answer.Part{Kind: answer.Object, Column: q.item(one.Marker), Shape: s})
			return
		}
		sql, s := r.list(root, relation{join: n.Join, outer: in})
		b.Add(answer.Part{Kind: answer.List, Column: q.item(sql), Shape: s})
	default:
		r.Fail("unknown root %T", root)
	}
}

// related returns the row that an object relationship reads.
func related(n *ir.Nested, s *ir.Select) relatedRow {
	one := relatedRow{from: s.From, join: n.Join, unique: n.Unique, where: s.Where}
	if len(s.OrderBy) > 0 || s.Limit != nil || s.Offset != nil || len(s.DistinctOn) > 0 {
		one.rows = &s.Rows
	}
	if f, ok := s.From.(ir.Function); ok && f.Single {
		one.rows = &s.Rows
	}
	return one
}

// list renders related rows as an array of what record_send makes of each: the bytes that
// a row of a result would be, without the cost of making JSON. (An array of records itself
// costs far more than that from some hundreds of elements on.)
func (r *renderer) list(s *ir.Select, rel relation) (string, *answer.Shape) {
	rel.Rows = &s.Rows
	q, in := r.rows(rel, s.Fields)
	shape := r.object(s.Fields, in, q)
	q.items = []string{record(q.items)}
	return r.guarded(rel, "ARRAY("+q.String()+")"), shape
}

// guarded keeps a function from being called with a row that isn't there.
func (r *renderer) guarded(rel relation, sql string) string {
	if _, ok := rel.From.(ir.Function); ok && rel.outer != nil && rel.outer.Marker != "" {
		return "CASE WHEN " + rel.outer.Marker + " IS NOT NULL THEN " + sql + " END"
	}
	return sql
}

// record is a row of items in its binary form.
func record(items []string) string {
	return "record_send(ROW(" + strings.Join(items, ", ") + "))"
}

// cell renders the value of a column or an expression for the answer, and returns its encoding.
func (r *renderer) cell(expr string, t catalog.Type) (string, answer.Cell) {
	if sql, ok := r.special(expr, t); ok {
		return sql, jsonCell
	}
	if zoned(t) {
		r.zoned = true
	}
	c, ok := cellOf(t, r.stringified(t))
	if !ok || zoned(t) && r.mode.local {
		return "to_json(" + expr + ")", jsonCell
	}
	return expr, c
}

// special are types whose JSON isn't what to_json makes of them.
func (r *renderer) special(expr string, t catalog.Type) (string, bool) {
	if f := rowOf(t).family; !t.IsArray() && (f == familyGeometry || f == familyGeography) {
		return "ST_AsGeoJSON(" + expr + ", 15, 4)::json", true
	}
	return "", false
}

// stringified reports whether numbers of the type are strings in the answer.
func (r *renderer) stringified(t catalog.Type) bool {
	return r.options.StringifyNumeric && rowOf(t).stringified && !t.IsArray()
}
