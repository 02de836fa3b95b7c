package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Abilities implements sqlrows.Dialect.
func (r *renderer) Abilities() sqlrows.Abilities {
	a := sqlrows.Abilities{Lateral: true, Flat: r.flavor.flat, Nodes: r.flavor.flat}
	if r.flavor.plain || r.flavor.flat {
		a.NoItem = "1" // CockroachDB wants an item, and so does Citus in what it has to store
	}
	if !r.flavor.flat && !r.flavor.plain {
		a.NoOffset = "0" // an EXISTS with an offset isn't turned into a hashed IN
	}
	return a
}

// Distinct implements sqlrows.Dialect: there is DISTINCT ON.
func (r *renderer) Distinct(*sqlrows.Selection, []ir.Expr) {}

// Ties implements sqlrows.Dialect.
func (r *renderer) Ties(q *sqlrows.Selection) {
	if r.flavor.plain {
		r.TiesByRank(q)
		return
	}
	q.Ties = true
}

// Constant implements sqlrows.Dialect.
func (r *renderer) Constant(text string) string { return quote.Literal(text) + "::text" }

// List renders rows as an array of what record_send makes of each: the bytes that
// a row of a result would be, without the cost of making JSON. (An array of records itself
// costs far more than that from some hundreds of elements on.)
func (r *renderer) List(q *sqlrows.Selection) string {
	if r.flavor.plain {
		return r.plainList(q)
	}
	q.Items = []string{r.record(q.Items)}
	return "ARRAY(" + r.Text(q) + ")"
}

// Record is a row in its binary form.
func (r *renderer) Record(q *sqlrows.Selection) string {
	q.Items = []string{r.record(q.Items)}
	return "(" + r.Text(q) + ")"
}

func (r *renderer) record(items []string) string {
	if r.flavor.plain {
		return "json_build_array(" + strings.Join(items, ", ") + ")"
	}
	return "record_send(ROW(" + strings.Join(items, ", ") + "))"
}

// plainList renders rows as a JSON array of arrays. The keys of their order go along, because only the
// aggregate's own order counts.
func (r *renderer) plainList(q *sqlrows.Selection) string {
	list := r.Alias()
	q.Items = []string{r.record(q.Items) + ` AS "r"`}
	order := ""
	for i, k := range q.Order {
		name := `"k` + strconv.Itoa(i) + `"`
		q.Items = append(q.Items, k.Expr+" AS "+name)
		if i == 0 {
			order = " ORDER BY "
		} else {
			order += ", "
		}
		order += list + "." + name + r.Spelling.Direction(k.Desc, k.NullsFirst)
	}
	return "(SELECT coalesce(json_agg(" + list + `."r"` + order + "), '[]') FROM (" + r.Text(q) + ") AS " + list + ")"
}

// OwnText implements sqlrows.Dialect: the common text is that of PostgreSQL.
func (r *renderer) OwnText(*sqlrows.Selection) (string, bool) { return "", false }

// Cell renders the value of a column or an expression for the answer, and returns its encoding.
func (r *renderer) Cell(expr string, t catalog.Type, exact bool) (string, answer.Cell) {
	if sql, ok := r.special(expr, t); ok {
		return sql, encode.JSON
	}
	if encode.Zoned(t) {
		r.zoned = true
	}
	c, ok := encode.CellOf(t, !exact && r.stringified(t))
	if !ok || encode.Zoned(t) && r.mode.local {
		return "to_json(" + expr + ")", encode.JSON
	}
	return expr, c
}

// CountCell implements sqlrows.Dialect.
func (r *renderer) CountCell() answer.Cell {
	c, _ := encode.CellOf(typeBig, false)
	return c
}

// AggregateCell renders one aggregate of a column and returns its encoding. Numbers may change their
// type in between, so the server is only expected to send a number; but whether it becomes a string
// depends on the column.
func (r *renderer) AggregateCell(function, expr string, t catalog.Type) (string, answer.Cell) {
	if function == "min" || function == "max" {
		return r.Cell(expr, t, false)
	}
	switch rowOf(t).family {
	case familyInteger, familyFloat, familyNumeric:
		return expr, answer.Cell{Quoted: r.stringified(t)}
	}
	return "to_json(" + expr + ")", encode.JSON
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
