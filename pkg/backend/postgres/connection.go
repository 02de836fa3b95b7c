package postgres

import (
	"slices"
	"strconv"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// rootConnection renders a connection as a root field: a result of one row.
func (r *renderer) rootConnection(c *ir.Connection) (string, reply) {
	if r.mode.json {
		return "SELECT " + r.jsonConnection(c, relation{}) + ` AS "root"`, whole()
	}
	q := &selection{}
	var b answer.Builder
	r.connection(&b, c, relation{}, q)
	return q.String(), reply{kind: replyOne, shape: b.Shape()}
}

// connection makes the items of q that a page needs: its rows, as a list with one row more than the
// page has if there is one, and whether there are rows on the other side of the cursor. The page
// information follows from these, so the rows are read once.
func (r *renderer) connection(b *answer.Builder, c *ir.Connection, rel relation, q *selection) {
	rows, in := r.pageRows(c, rel)
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
		switch {
		case f.IsEdges:
			add(answer.PagePart{Edges: r.edge(c, f.Edges, in, rows)})
		case f.IsPageInfo:
			pb.Text("{")
			for j, info := range f.PageInfo {
				pb.Key(j, info.Alias, answer.Spaced)
				if info.Value == "" {
					pb.String(info.Typename)
				} else {
					add(answer.PagePart{Info: info.Value})
				}
			}
			pb.Text("}")
		default:
			pb.String(f.Typename)
		}
	}
	pb.Text("}")
	p.Tail = pb.Take()
	rows.items = []string{record(rows.items)}
	column := q.item("ARRAY(" + rows.String() + ")")
	if c.Split != nil && slices.ContainsFunc(c.Fields, asksForPages) {
		p.Excluded = q.item(r.excluded(c, rel))
	}
	b.Add(answer.Part{Kind: answer.PageOfRows, Column: column, Page: p})
}

// asksForPages reports whether a field tells whether there are other pages.
func asksForPages(f ir.ConnectionField) bool {
	return slices.ContainsFunc(f.PageInfo, func(i ir.PageInfoField) bool {
		return i.Value == ir.HasNextPage || i.Value == ir.HasPreviousPage
	})
}

// edge is the shape of an item of a page.
func (r *renderer) edge(c *ir.Connection, fields []ir.EdgeField, in *sqltext.Scope, q *selection) *answer.Shape {
	var b answer.Builder
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch {
		case f.Cursor:
			b.Add(answer.Part{Kind: answer.Base64, Shape: r.cursor(c, q), Seal: c.Seal})
		case f.IsNode:
			b.Add(answer.Part{Kind: answer.Same, Shape: r.object(f.Node, in, q)})
		default:
			b.String(f.Typename)
		}
	}
	b.Text("}")
	return b.Shape()
}

// pageRows starts the query of a page's rows, one more than it has. Those of a page at the end
// come from there, in the opposite order. Order keys of the query are the values of cursors.
func (r *renderer) pageRows(c *ir.Connection, rel relation) (*selection, *sqltext.Scope) {
	q, in := r.splitRows(c, rel, false)
	if c.Last {
		for i, item := range c.OrderBy {
			q.order[i].direction = r.Direction(opposite(item))
		}
	}
	if c.Size < 0 {
		return q, in
	}
	q.limit = strconv.Itoa(c.Size + 1)
	var nodes []ir.Field
	for _, f := range c.Fields {
		for _, e := range f.Edges {
			nodes = append(nodes, e.Node...)
		}
	}
	if joins(nodes, false) {
		q, in = r.around(q, in)
	}
	return q, in
}

func opposite(item ir.OrderItem) ir.OrderItem {
	item.Desc, item.NullsFirst = !item.Desc, !item.NullsFirst
	return item
}

// excluded reports whether there are rows on the other side of the cursor.
func (r *renderer) excluded(c *ir.Connection, rel relation) string {
	q, _ := r.splitRows(c, rel, true)
	q.order = nil
	return "EXISTS(" + q.String() + ")"
}

// splitRows are the rows on the side of the cursor that is wanted, or on the other one.
func (r *renderer) splitRows(c *ir.Connection, rel relation, other bool) (*selection, *sqltext.Scope) {
	rel.Rows = &c.Rows
	q, in := r.plainRows(rel)
	if len(c.DistinctOn) > 0 {
		// A cursor is a place among the rows that are left.
		q, in = r.around(q, in)
	}
	if c.Split == nil {
		return q, in
	}
	split := r.split(c, q.order)
	if other {
		split = "(" + split + ") IS NOT TRUE"
	}
	q.where = append(q.where, split)
	return q, in
}

// split holds for the rows behind or before a cursor: those that differ from it in a key, to
// the right side, and not in the keys before.
func (r *renderer) split(c *ir.Connection, keys []orderKey) string {
	var sides, same, bound []string
	for i, item := range c.OrderBy {
		if !c.Split.After {
			item = opposite(item)
		}
		key, value := keys[i].expr, c.Split.Values[i]
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
func (r *renderer) cursor(c *ir.Connection, q *selection) *answer.Shape {
	var b answer.Builder
	r.cursorObject(&b, c, answer.CursorFields(c.Keys), q)
	return b.Shape()
}

func (r *renderer) cursorObject(b *answer.Builder, c *ir.Connection, fields []answer.CursorField, q *selection) {
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Name, answer.Spaced)
		if f.Fields != nil {
			r.cursorObject(b, c, f.Fields, q)
			continue
		}
		expr, cell := r.exactCell(q.order[f.Key].expr, c.Keys[f.Key].Type)
		b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: cell})
	}
	b.Text("}")
}

// nodeID is the shape of the text of a global id.
func (r *renderer) nodeID(id *ir.NodeID, in *sqltext.Scope, q *selection) *answer.Shape {
	var b answer.Builder
	b.Text("[1, ")
	b.String(id.Table.Schema)
	b.Text(", ")
	b.String(id.Table.Name)
	for _, c := range id.Key {
		b.Text(", ")
		expr, cell := r.exactCell(r.Expr(c, in), c.Type)
		b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: cell})
	}
	b.Text("]")
	return b.Shape()
}

// exactCell is cell for values that are read back: numbers stay numbers.
func (r *renderer) exactCell(expr string, t catalog.Type) (string, answer.Cell) {
	given := r.options
	r.options.StringifyNumeric = false
	defer func() { r.options = given }()
	return r.cell(expr, t)
}
