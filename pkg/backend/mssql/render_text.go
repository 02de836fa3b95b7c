package mssql

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqlrows"
)

// OwnText implements sqlrows.Dialect: limits stand in front of the items, and offsets need an order.
func (r *renderer) OwnText(q *sqlrows.Selection) (string, bool) { return r.query(q, true), true }

// query writes a query. One that is read by another one has an order only as far as that decides which rows there
// are: the database refuses any other.
func (r *renderer) query(q *sqlrows.Selection, ordered bool) string {
	if q.With != nil {
		r.Fail("there are no functions to call once")
		return ""
	}
	limit, offset := q.Limit, q.Offset
	if offset != "" && (r.Shared != nil && (!constant(limit) || !constant(offset)) || q.Ties) {
		r.ranked(q)
		limit, offset = "", ""
	}
	where := q.Where
	if offset != "" {
		switch {
		case limit == "0":
			offset = ""
		case limit != "" && !constant(limit):
			// FETCH refuses no rows.
			limit = "COALESCE(" + limit + ", " + mostRows + ")"
			where = append(slices.Clone(where), limit+" > 0")
			limit = "(CASE WHEN " + limit + " > 0 THEN " + limit + " ELSE 1 END)"
		}
	}
	var b strings.Builder
	b.WriteString("SELECT ")
	if limit != "" && offset == "" {
		b.WriteString("TOP (" + orElse(limit, mostRows) + ") ")
		if q.Ties {
			b.WriteString("WITH TIES ")
		}
	}
	if len(q.Items) > 0 {
		b.WriteString(strings.Join(q.Items, ", "))
	} else {
		b.WriteString(r.Dialect.Abilities().NoItem)
	}
	switch {
	case q.Inner != nil:
		b.WriteString(" FROM (" + r.query(q.Inner, false) + ") AS " + q.Alias)
	case q.From != "":
		b.WriteString(" FROM " + q.From + " AS " + q.Alias)
	}
	for _, j := range q.Joins {
		b.WriteString(j.Kind + j.Text)
	}
	b.WriteString(r.Where(where))
	if !ordered && limit == "" && offset == "" {
		return b.String()
	}
	keys := orderBy(q.Order)
	if q.Ordered && keys == "" {
		keys = q.Alias + "." + orderColumn
	}
	if keys != "" {
		b.WriteString(" ORDER BY " + keys)
	} else if offset != "" {
		b.WriteString(" ORDER BY (SELECT NULL)")
	}
	if offset != "" {
		b.WriteString(" OFFSET " + count(offset, "0") + " ROWS")
		if limit != "" {
			b.WriteString(" FETCH NEXT " + limit + " ROWS ONLY")
		}
	}
	return b.String()
}

// mostRows is a limit that is none.
const mostRows = "CAST(9223372036854775807 AS bigint)"

// constant reports whether a limit or an offset is a number, or there is none.
func constant(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return text == "" || err == nil
}

// orElse is a number that may be NULL.
func orElse(text, none string) string {
	if constant(text) {
		return text
	}
	return "COALESCE(" + text + ", " + none + ")"
}

// count is the same behind a keyword.
func count(text, none string) string {
	if constant(text) {
		return text
	}
	return "(" + orElse(text, none) + ")"
}

// orderBy are the keys of an order, each once: the database refuses to order by the same twice. NULL is the least
// value there.
func orderBy(keys []sqlrows.OrderKey) string {
	var texts, seen []string
	for _, k := range keys {
		if slices.Contains(seen, k.Expr) {
			continue
		}
		seen = append(seen, k.Expr)
		if k.Desc == k.NullsFirst {
			first, second := "1", "0"
			if k.NullsFirst {
				first, second = "0", "1"
			}
			texts = append(texts, "CASE WHEN "+k.Expr+" IS NULL THEN "+first+" ELSE "+second+" END")
		}
		if k.Desc {
			texts = append(texts, k.Expr+" DESC")
		} else {
			texts = append(texts, k.Expr)
		}
	}
	return strings.Join(texts, ", ")
}

// rankColumn is the name of the column with the place of a row among others.
const rankColumn = "[?rank]"

// ranked moves the rows of a query into a sub-select that counts them, and replaces the limit and the offset by
// conditions on the count: those of TOP and FETCH can't be columns.
func (r *renderer) ranked(q *sqlrows.Selection) {
	if q.Ties {
		r.Fail("ties of a query that has an offset")
		return
	}
	inner := &sqlrows.Selection{From: q.From, Inner: q.Inner, Alias: q.Alias, Joins: q.Joins, Where: q.Where}
	inner.Items = []string{q.Alias + ".*"}
	over := orderBy(q.Order)
	if over == "" {
		over = "(SELECT NULL)"
	}
	for i, k := range q.Order {
		if k.Column == "" {
			name := quoteName("?key" + strconv.Itoa(i))
			inner.Items = append(inner.Items, k.Expr+" AS "+name)
			q.Order[i].Expr = q.Alias + "." + name
		}
	}
	inner.Items = append(inner.Items, "ROW_NUMBER() OVER (ORDER BY "+over+") AS "+rankColumn)
	rank, from := q.Alias+"."+rankColumn, orElse(q.Offset, "0")
	q.From, q.Inner, q.Joins = "", inner, nil
	q.Where = []string{rank + " > " + from}
	if q.Limit != "" {
		q.Where = append(q.Where, rank+" - "+from+" <= "+orElse(q.Limit, mostRows))
	}
	q.Limit, q.Offset = "", ""
}
