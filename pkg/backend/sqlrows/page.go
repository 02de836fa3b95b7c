package sqlrows

import (
	"slices"
	"strconv"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// connection makes the items of q that a page needs: its rows, as a list with one row more than the
// page has if there is one, and whether there are rows on the other side of the cursor. The page
// information follows from these, so the rows are read once.
func (r *Renderer) connection(b *answer.Builder, c *ir.Connection, rel Relation, q *Selection) {
	rows, in := r.PageRows(c, rel)
	p := &answer.Page{Size: c.Size, Last: c.Last, Excluded: -1, After: c.Split != nil && c.Split.After}
	p.Cursor, p.Seal = r.cursor(c, rows), c.Seal
	var pb answer.Builder
	add := func(part answer.PagePart) {
		part.Lead = pb.Take()
		p.Parts = append(p.Parts, part)
	}
	pb.Text("{")
	for i, f := range c.Fields {
		pb.Key(i, f.Alias, answer.Spaced)
		switch v := f.Value.(type) {
		case ir.Edges:
			add(answer.PagePart{Edges: r.edge(c, v, in, rows)})
		case ir.PageInfoFields:
			pb.Text("{")
			for j, info := range v {
				pb.Key(j, info.Alias, answer.Spaced)
				switch v := info.Value.(type) {
				case ir.Typename:
					pb.String(string(v))
				case ir.PageInfo:
					add(answer.PagePart{Info: v})
				}
			}
			pb.Text("}")
		case ir.Typename:
			pb.String(string(v))
		}
	}
	pb.Text("}")
	p.Tail = pb.Take()
	column := q.item(r.Dialect.List(rows))
	if c.Split != nil && slices.ContainsFunc(c.Fields, asksForPages) {
		p.Excluded = q.item(r.Excluded(c, rel))
	}
	b.Add(answer.Part{Kind: answer.PageOfRows, Column: column, Page: p})
}

// asksForPages reports whether a field tells whether there are other pages.
func asksForPages(f ir.ConnectionField) bool {
	info, _ := f.Value.(ir.PageInfoFields)
	return slices.ContainsFunc(info, func(i ir.PageInfoField) bool {
		return i.Value == ir.HasNextPage || i.Value == ir.HasPreviousPage
	})
}

// edge is the shape of an item of a page.
func (r *Renderer) edge(c *ir.Connection, fields []ir.EdgeField, in *sqltext.Scope, q *Selection) *answer.Shape {
	var b answer.Builder
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch v := f.Value.(type) {
		case ir.EdgeCursor:
			b.Add(answer.Part{Kind: answer.Base64, Shape: r.cursor(c, q), Seal: c.Seal})
		case ir.Node:
			b.Add(answer.Part{Kind: answer.Same, Shape: r.Object(v, in, q)})
		case ir.Typename:
			b.String(string(v))
		}
	}
	b.Text("}")
	return b.Shape()
}

// PageRows starts the query of a page's rows, one more than it has. Those of a page at the end
// come from there, in the opposite order. Order keys of the query are the values of cursors.
func (r *Renderer) PageRows(c *ir.Connection, rel Relation) (*Selection, *sqltext.Scope) {
	q, in := r.splitRows(c, rel, false)
	if c.Last {
		for i, item := range c.OrderBy {
			item = opposite(item)
			q.Order[i].Desc, q.Order[i].NullsFirst = item.Desc, item.NullsFirst
		}
	}
	if c.Size < 0 {
		return q, in
	}
	q.Limit = strconv.Itoa(c.Size + 1)
	var nodes []ir.Field
	for _, f := range c.Fields {
		edges, _ := f.Value.(ir.Edges)
		for _, e := range edges {
			node, _ := e.Value.(ir.Node)
			nodes = append(nodes, node...)
		}
	}
	if !r.Dialect.Abilities().Flat && joins(nodes, false) {
		q, in = r.Around(q, in)
	}
	return q, in
}

func opposite(item ir.OrderItem) ir.OrderItem {
	item.Desc, item.NullsFirst = !item.Desc, !item.NullsFirst
	return item
}

// Excluded reports whether there are rows on the other side of the cursor.
func (r *Renderer) Excluded(c *ir.Connection, rel Relation) string {
	q, _ := r.splitRows(c, rel, true)
	q.Order = nil
	return "EXISTS(" + r.Text(q) + ")"
}

// splitRows are the rows on the side of the cursor that is wanted, or on the other one.
func (r *Renderer) splitRows(c *ir.Connection, rel Relation, other bool) (*Selection, *sqltext.Scope) {
	rel.Rows = &c.Rows
	q, in := r.PlainRows(rel)
	if len(c.DistinctOn) > 0 {
		// A cursor is a place among the rows that are left.
		q, in = r.Around(q, in)
	}
	if c.Split == nil {
		return q, in
	}
	split := r.split(c, q.Order)
	if other {
		split = "(" + split + ") IS NOT TRUE"
	}
	q.Where = append(q.Where, split)
	return q, in
}

// split holds for the rows behind or before a cursor: those that differ from it in a key, to
// the right side, and not in the keys before.
func (r *Renderer) split(c *ir.Connection, keys []OrderKey) string {
	var sides, same, bound []string
	for i, item := range c.OrderBy {
		if !c.Split.After {
			item = opposite(item)
		}
		key, value := keys[i].Expr, c.Split.Values[i]
		if value == nil {
			if item.NullsFirst {
				sides = append(sides, r.Conjunction(append(slices.Clone(same), sqltext.IsNull(key, false))))
			}
			same = append(same, sqltext.IsNull(key, true))
			continue
		}
		text, operator := r.Value(value), ">"
		if item.Desc {
			operator = "<"
		}
		beyond := key + " " + operator + " " + text
		switch {
		case !item.NullsFirst && !c.Keys[i].NotNull:
			beyond = "(" + beyond + " OR " + sqltext.IsNull(key, true) + ")"
		case i == 0 && len(keys) > 1:
			// It follows from the rest, but only in this form an index can begin here.
			bound = []string{key + " " + operator + "= " + text}
		}
		sides = append(sides, r.Conjunction(append(slices.Clone(same), beyond)))
		same = append(same, key+" = "+text)
	}
	return r.Conjunction(append(bound, r.Disjunction(sides)))
}

// cursor is the shape of the text of cursors, which are made of the order keys of q.
func (r *Renderer) cursor(c *ir.Connection, q *Selection) *answer.Shape {
	var b answer.Builder
	r.cursorObject(&b, c, answer.CursorFields(c.Keys), q)
	return b.Shape()
}

func (r *Renderer) cursorObject(b *answer.Builder, c *ir.Connection, fields []answer.CursorField, q *Selection) {
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Name, answer.Spaced)
		if f.Fields != nil {
			r.cursorObject(b, c, f.Fields, q)
			continue
		}
		expr, cell := r.Dialect.Cell(q.Order[f.Key].Expr, c.Keys[f.Key].Type, true)
		b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: cell})
	}
	b.Text("}")
}

// nodeID is the shape of the text of a global id.
func (r *Renderer) nodeID(id *ir.NodeID, in *sqltext.Scope, q *Selection) *answer.Shape {
	var b answer.Builder
	b.Text("[1, ")
	b.String(id.Table.Schema)
	b.Text(", ")
	b.String(id.Table.Name)
	for _, c := range id.Key {
		b.Text(", ")
		expr, cell := r.Dialect.Cell(r.Expr(c, in), c.Type, true)
		b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: cell})
	}
	b.Text("]")
	return b.Shape()
}
