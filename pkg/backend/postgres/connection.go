package postgres

import (
	"slices"
	"strconv"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// rootConnection renders a connection as a root field: a result of one row.
func (r *renderer) rootConnection(c *ir.Connection) (string, answer) {
	if r.mode.json {
		return "SELECT " + r.jsonConnection(c, relation{}) + ` AS "root"`, whole()
	}
	q := &selection{}
	var b shapeBuilder
	r.connection(&b, c, relation{}, q)
	return q.String(), answer{kind: answerOne, shape: b.done()}
}

// connection makes the items of q that a page needs: its rows, as a list with one row more
// than the page has if there is one, and whether there are rows on the other side of the
// cursor. What is said of the page follows from these, so the rows are read once.
func (r *renderer) connection(b *shapeBuilder, c *ir.Connection, rel relation, q *selection) {
	rows, in := r.pageRows(c, rel)
	p := &page{size: c.Size, last: c.Last, excluded: -1, after: c.Split != nil && c.Split.After}
	p.cursor, p.seal = r.cursor(c, rows), c.Seal
	var pb shapeBuilder
	add := func(part pagePart) {
		part.lead = pb.take()
		p.parts = append(p.parts, part)
	}
	pb.text = append(pb.text, '{')
	for i, f := range c.Fields {
		pb.key(i, f.Alias, spaced)
		switch {
		case f.IsEdges:
			add(pagePart{edges: r.edge(c, f.Edges, in, rows)})
		case f.IsPageInfo:
			pb.text = append(pb.text, '{')
			for j, info := range f.PageInfo {
				pb.key(j, info.Alias, spaced)
				if info.Value == "" {
					pb.text = appendString(pb.text, info.Typename)
				} else {
					add(pagePart{info: info.Value})
				}
			}
			pb.text = append(pb.text, '}')
		default:
			pb.text = appendString(pb.text, f.Typename)
		}
	}
	pb.text = append(pb.text, '}')
	p.tail = pb.take()
	rows.items = []string{record(rows.items)}
	column := q.item("ARRAY(" + rows.String() + ")")
	if c.Split != nil && slices.ContainsFunc(c.Fields, asksForPages) {
		p.excluded = q.item(r.excluded(c, rel))
	}
	b.add(part{kind: partPage, column: column, page: p})
}

// asksForPages says that a field tells whether there are other pages.
func asksForPages(f ir.ConnectionField) bool {
	return slices.ContainsFunc(f.PageInfo, func(i ir.PageInfoField) bool {
		return i.Value == ir.HasNextPage || i.Value == ir.HasPreviousPage
	})
}

// edge is the shape of an item of a page.
func (r *renderer) edge(c *ir.Connection, fields []ir.EdgeField, in *scope, q *selection) *shape {
	var b shapeBuilder
	b.text = append(b.text, '{')
	for i, f := range fields {
		b.key(i, f.Alias, spaced)
		switch {
		case f.Cursor:
			b.add(part{kind: partBase64, shape: r.cursor(c, q), seal: c.Seal})
		case f.IsNode:
			b.add(part{kind: partSame, shape: r.object(f.Node, in, q)})
		default:
			b.text = appendString(b.text, f.Typename)
		}
	}
	b.text = append(b.text, '}')
	return b.done()
}

// pageRows starts the query of a page's rows, one more than it has. Those of a page at the end
// come from there, in the opposite order. Order keys of the query are the values of cursors.
func (r *renderer) pageRows(c *ir.Connection, rel relation) (*selection, *scope) {
	q, in := r.splitRows(c, rel, false)
	if c.Last {
		for i, item := range c.OrderBy {
			q.order[i].direction = direction(opposite(item))
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

// excluded says whether there are rows on the other side of the cursor.
func (r *renderer) excluded(c *ir.Connection, rel relation) string {
	q, _ := r.splitRows(c, rel, true)
	q.order = nil
	return "EXISTS(" + q.String() + ")"
}

// splitRows are the rows on the side of the cursor that is wanted, or on the other one.
func (r *renderer) splitRows(c *ir.Connection, rel relation, other bool) (*selection, *scope) {
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
				sides = append(sides, conjunction(append(slices.Clone(same), isNull(key, false))))
			}
			same = append(same, isNull(key, true))
			continue
		}
		text, operator := r.value(value), ">"
		if item.Desc {
			operator = "<"
		}
		beyond := key + " " + operator + " " + text
		switch {
		case !item.NullsFirst && !c.Keys[i].NotNull:
			beyond = "(" + beyond + " OR " + isNull(key, true) + ")"
		case i == 0 && len(keys) > 1:
			// It follows from the rest, but only in this form an index can begin here.
			bound = []string{key + " " + operator + "= " + text}
		}
		sides = append(sides, conjunction(append(slices.Clone(same), beyond)))
		same = append(same, key+" = "+text)
	}
	return conjunction(append(bound, disjunction(sides)))
}

// cursor is the shape of the text of cursors, which are made of the order keys of q.
func (r *renderer) cursor(c *ir.Connection, q *selection) *shape {
	var b shapeBuilder
	r.cursorObject(&b, c, cursorTree(c.Keys), q)
	return b.done()
}

func (r *renderer) cursorObject(b *shapeBuilder, c *ir.Connection, fields []cursorField, q *selection) {
	b.text = append(b.text, '{')
	for i, f := range fields {
		b.key(i, f.name, spaced)
		if f.fields != nil {
			r.cursorObject(b, c, f.fields, q)
			continue
		}
		expr, cell := r.exactCell(q.order[f.key].expr, c.Keys[f.key].Type)
		b.add(part{kind: partCell, column: q.item(expr), cell: cell})
	}
	b.text = append(b.text, '}')
}

// cursorField is one key of a cursor: a value, or an object of such.
type cursorField struct {
	name   string
	key    int // of the value, in Connection.Keys
	fields []cursorField
}

// cursorTree groups the values of a cursor by their paths; of those with the same path there is
// the first one.
func cursorTree(keys []ir.CursorKey) []cursorField {
	var tree []cursorField
	for i, k := range keys {
		level := &tree
		for j, name := range k.Path {
			at := slices.IndexFunc(*level, func(f cursorField) bool { return f.name == name })
			if at < 0 {
				at = len(*level)
				*level = append(*level, cursorField{name: name, key: i})
			}
			if j < len(k.Path)-1 {
				level = &(*level)[at].fields
			}
		}
	}
	return tree
}

// nodeID is the shape of the text of a global id.
func (r *renderer) nodeID(id *ir.NodeID, in *scope, q *selection) *shape {
	var b shapeBuilder
	b.text = append(b.text, "[1, "...)
	b.text = appendString(b.text, id.Table.Schema)
	b.text = append(b.text, ", "...)
	b.text = appendString(b.text, id.Table.Name)
	for _, c := range id.Key {
		b.text = append(b.text, ", "...)
		expr, cell := r.exactCell(r.expr(c, in), c.Type)
		b.add(part{kind: partCell, column: q.item(expr), cell: cell})
	}
	b.text = append(b.text, ']')
	return b.done()
}

// exactCell is cell for values that are read back: numbers stay numbers.
func (r *renderer) exactCell(expr string, t catalog.Type) (string, cell) {
	given := r.options
	r.options.StringifyNumeric = false
	defer func() { r.options = given }()
	return r.cell(expr, t)
}
