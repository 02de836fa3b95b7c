package postgres

import (
	"strconv"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Names of the columns of the rows of a page.
const (
	pageRow    = `"n"`
	pageCursor = `"c"`
)

// jsonConnection renders a page as a json value that the database makes.
func (r *renderer) jsonConnection(c *ir.Connection, rel sqlrows.Relation) string {
	rows, in := r.PageRows(c, rel)
	items := []string{r.jsonCursor(c, answer.CursorFields(c.Keys), rows)}
	items[0] = r.encodedText(items[0], c.Seal) + " AS " + pageCursor
	first, last := " ORDER BY "+pageRow, " ORDER BY "+pageRow+" DESC"
	if c.Last {
		first, last = last, first
	}
	kept, more := "", sqlFalse
	if c.Size >= 0 {
		kept = " FILTER (WHERE " + pageRow + " <= " + strconv.Itoa(c.Size) + ")"
		more = "(count(*) > " + strconv.Itoa(c.Size) + ")"
	}
	cursor := func(order string) string {
		return "coalesce((array_agg(" + pageCursor + order + ")" + kept + ")[1], '')"
	}
	before, after := sqlFalse, more
	if c.Last {
		before, after = more, sqlFalse
	}
	if c.Split != nil {
		if c.Split.After {
			before = "(" + before + " OR " + r.Excluded(c, rel) + ")"
		} else {
			after = "(" + after + " OR " + r.Excluded(c, rel) + ")"
		}
	}
	info := map[ir.PageInfo]string{
		ir.StartCursor: cursor(first), ir.EndCursor: cursor(last), ir.HasPreviousPage: before, ir.HasNextPage: after,
	}
	var pairs []string
	for i, f := range c.Fields {
		var value string
		switch v := f.Value.(type) {
		case ir.Typename:
			value = quote.Literal(string(v))
		case ir.Edges:
			name := `"e` + strconv.Itoa(i) + `"`
			items = append(items, r.jsonEdge(c, v, in, rows)+" AS "+name)
			value = "coalesce(json_agg(" + name + first + ")" + kept + ", '[]')"
		case ir.PageInfoFields:
			var facts []string
			for _, i := range v {
				var fact string
				switch v := i.Value.(type) {
				case ir.Typename:
					fact = quote.Literal(string(v))
				case ir.PageInfo:
					fact = info[v]
				}
				facts = append(facts, quote.Literal(i.Alias)+", "+fact)
			}
			value = buildObject(facts)
		}
		pairs = append(pairs, quote.Literal(f.Alias)+", "+value)
	}
	rows.Items = items
	return "(SELECT " + buildObject(pairs) + " FROM (SELECT *, row_number() OVER () AS " + pageRow +
		" FROM (" + r.Text(rows) + `) AS "_q") AS "_p")`
}

func (r *renderer) jsonEdge(c *ir.Connection, fields []ir.EdgeField, in *sqltext.Scope, q *sqlrows.Selection) string {
	var pairs []string
	for _, f := range fields {
		var value string
		switch v := f.Value.(type) {
		case ir.Typename:
			value = quote.Literal(string(v))
		case ir.EdgeCursor:
			value = r.encodedText(r.jsonCursor(c, answer.CursorFields(c.Keys), q), c.Seal)
		case ir.Node:
			value = r.jsonObject(v, in, q)
		}
		pairs = append(pairs, quote.Literal(f.Alias)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonCursor(c *ir.Connection, fields []answer.CursorField, q *sqlrows.Selection) string {
	var pairs []string
	for _, f := range fields {
		value := ""
		if f.Fields != nil {
			value = r.jsonCursor(c, f.Fields, q)
		} else {
			value = r.exactJSON(q.Order[f.Key].Expr, c.Keys[f.Key].Type)
		}
		pairs = append(pairs, quote.Literal(f.Name)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonNodeID(id *ir.NodeID, in *sqltext.Scope) string {
	text := "json_build_array(1, " + quote.Literal(id.Table.Schema) + "::text, " + quote.Literal(id.Table.Name) + "::text"
	for _, c := range id.Key {
		text += ", " + r.exactJSON(r.Expr(c, in), c.Type)
	}
	return r.encodedText(text+")", id.Seal)
}

// exactJSON is jsonCell for values that are read back: numbers stay numbers.
func (r *renderer) exactJSON(expr string, t catalog.Type) string {
	given := r.options
	r.options.StringifyNumeric = false
	defer func() { r.options = given }()
	return r.jsonCell(expr, t)
}

// encodedText is the text of a cursor or an id. What is to be sealed is marked.
func (r *renderer) encodedText(json string, seal ir.Sealer) string {
	if seal == nil {
		return base64Of(json)
	}
	return "(" + quote.Literal(r.sealMark(seal)) + " || " + base64Of(json) + ")"
}

// base64Of is the base64 of a json value's text, in one line.
func base64Of(json string) string {
	return "translate(encode(convert_to(" + json + "::text, 'UTF8'), 'base64'), E'\\n', '')"
}
