package sqlrows

import (
	"strconv"
	"strings"
)

// rankColumn is the name of the column with the place of a row among others.
const rankColumn = "?rank"

// DistinctByRank takes the first row of each partition, for dialects without DISTINCT ON.
func (r *Renderer) DistinctByRank(q *Selection) {
	rank := r.ranked(q, "row_number()", q.Distinct)
	q.Distinct, q.Where = nil, []string{rank + " = 1"}
}

// TiesByRank replaces the limit of a query by a condition on the rank of rows, for dialects without
// WITH TIES.
func (r *Renderer) TiesByRank(q *Selection) {
	if q.Limit == "" || q.Inner != nil || q.Offset != "" {
		r.Fail("ties of a query that has no limit, or has an offset")
		return
	}
	q.Where = []string{r.ranked(q, "rank()", nil) + " <= " + q.Limit}
	q.Limit = ""
}

// ranked moves the rows of a query into a sub-select that ranks them, with what its keys are computed
// of, and returns the rank.
func (r *Renderer) ranked(q *Selection, function string, partition []string) string {
	over := ""
	if len(partition) > 0 {
		over = "PARTITION BY " + strings.Join(partition, ", ")
	}
	inner := &Selection{From: q.From, Inner: q.Inner, Alias: q.Alias, Joins: q.Joins, Where: q.Where}
	inner.Items = []string{q.Alias + ".*"}
	for i, k := range q.Order {
		if i == 0 {
			over += " ORDER BY "
		} else {
			over += ", "
		}
		over += k.Expr + r.Spelling.Direction(k.Desc, k.NullsFirst)
		if k.Column == "" {
			name := r.Spelling.Quote("?key" + strconv.Itoa(i))
			inner.Items = append(inner.Items, k.Expr+" AS "+name)
			q.Order[i].Expr = q.Alias + "." + name
		}
	}
	rank := r.Spelling.Quote(rankColumn)
	inner.Items = append(inner.Items, function+" OVER ("+over+") AS "+rank)
	q.From, q.Inner, q.Joins, q.Where = "", inner, nil, nil
	return q.Alias + "." + rank
}
