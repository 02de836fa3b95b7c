package bigquery

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
)

// The rows of a query are written as sub-selects with columns of these names: the items, what they are ordered by, the
// key by which they are related to a row elsewhere. Columns that stand next to all columns of a table have names that are
// unlikely there; where it happens, the database refuses the statement.
const (
	prefixItem  = "c"
	prefixOrder = "_engine_o"
	prefixKey   = "_engine_k"
	columnRank  = "_engine_n"
	columnFirst = "_engine_d"
	columnValue = "v"
)

// unlimited is a limit that is none.
const unlimited = "9223372036854775807"

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	return names
}

// aliased gives expressions names.
func aliased(exprs, names []string) []string {
	list := make([]string, len(exprs))
	for i := range exprs {
		list[i] = exprs[i] + " AS " + names[i]
	}
	return list
}

// star reports whether the items are all columns of what is read, for a query around.
func star(q *sqlrows.Selection) bool {
	return len(q.Items) > 0 && q.Items[0] == q.Alias+".*"
}

// OwnText implements sqlrows.Dialect.
func (r *renderer) OwnText(q *sqlrows.Selection) (string, bool) {
	if q.Related != nil && !q.Grouped {
		// One value of the first of related rows, which is an operand.
		value := "ANY_VALUE(" + prefixItem + "0)"
		q.Limit = ""
		return r.hoisted(q, value), true
	}
	if len(q.Distinct) == 0 && constant(q.Limit) && constant(q.Offset) {
		return r.plain(q), true
	}
	items, page := "*", ""
	if !star(q) {
		items = strings.Join(numbered(prefixItem, max(len(q.Items), 1)), ", ")
	}
	if constant(q.Limit) && constant(q.Offset) {
		page = pageText(q)
		q.Limit, q.Offset = "", ""
	}
	return "SELECT " + items + " FROM (" + r.sliced(q) + ")" + r.orderBy(q, numbered(prefixOrder, len(q.Order))) + page, true
}

// pageText is the end of a query whose limits are constants.
func pageText(q *sqlrows.Selection) string {
	text := ""
	switch {
	case q.Offset != "" && q.Limit == "":
		text = " LIMIT " + unlimited
	case q.Limit != "":
		text = " LIMIT " + q.Limit
	}
	if q.Offset != "" {
		text += " OFFSET " + q.Offset
	}
	return text
}

// plain is a query whose limits are constants.
func (r *renderer) plain(q *sqlrows.Selection) string {
	items := q.Items
	switch {
	case len(items) == 0:
		items = []string{"NULL AS " + prefixItem + "0"}
	case star(q):
		items = items[:1]
	default:
		items = aliased(items, numbered(prefixItem, len(items)))
	}
	text := "SELECT " + strings.Join(items, ", ") + r.source(q, q.Where)
	exprs := make([]string, len(q.Order))
	for i, k := range q.Order {
		exprs[i] = k.Expr
	}
	return text + r.orderBy(q, exprs) + pageText(q)
}

// source is what a query reads, from FROM on.
func (r *renderer) source(q *sqlrows.Selection, where []string) string {
	var b strings.Builder
	switch {
	case q.Inner != nil:
		b.WriteString(" FROM (" + r.Text(q.Inner) + ") AS " + q.Alias)
	case q.From != "":
		b.WriteString(" FROM " + q.From + " AS " + q.Alias)
	}
	for _, j := range q.Joins {
		b.WriteString(j.Kind + j.Text)
	}
	b.WriteString(r.Where(where))
	return b.String()
}

func (r *renderer) orderBy(q *sqlrows.Selection, exprs []string) string {
	keys := make([]string, len(exprs))
	for i, e := range exprs {
		keys[i] = e + r.Spelling.Direction(q.Order[i].Desc, q.Order[i].NullsFirst)
	}
	if len(keys) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// aggregateOrder is orderBy in an aggregate, where the place of NULL can't be given.
func (r *renderer) aggregateOrder(q *sqlrows.Selection) string {
	var keys []string
	for i, name := range numbered(prefixOrder, len(q.Order)) {
		k := q.Order[i]
		if k.Desc == k.NullsFirst {
			keys = append(keys, name+" IS NULL"+map[bool]string{true: " DESC"}[k.NullsFirst])
		}
		keys = append(keys, name+map[bool]string{true: " DESC"}[k.Desc])
	}
	if len(keys) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// sliced are the rows of a query within its limits, for related rows within each key, with all of its columns.
func (r *renderer) sliced(q *sqlrows.Selection) string {
	items := q.Items
	switch {
	case len(items) == 0:
		items = []string{"NULL AS " + prefixItem + "0"}
	case star(q):
		items = items[:1]
	default:
		items = aliased(items, numbered(prefixItem, len(items)))
	}
	where := q.Where
	var keys []string
	if q.Related != nil {
		where = where[len(q.Related.Join):]
		for _, p := range q.Related.Join {
			keys = append(keys, q.Alias+"."+quoteName(p.Inner))
		}
	}
	names := numbered(prefixKey, len(keys))
	columns := append(append([]string{}, items...), aliased(keys, names)...)
	exprs := make([]string, len(q.Order))
	for i, k := range q.Order {
		exprs[i] = k.Expr
	}
	orders := numbered(prefixOrder, len(exprs))
	columns = append(columns, aliased(exprs, orders)...)
	if len(q.Distinct) > 0 {
		first := rank(append(append([]string{}, keys...), q.Distinct...), r.orderBy(q, exprs))
		columns = append(columns, first+" AS "+columnFirst)
	}
	text := "SELECT " + strings.Join(columns, ", ") + r.source(q, where)
	if len(q.Distinct) > 0 {
		text = "SELECT * EXCEPT (" + columnFirst + ") FROM (" + text + ") WHERE " + columnFirst + " = 1"
	}
	if q.Limit == "" && q.Offset == "" {
		return text
	}
	text = "SELECT *, " + rank(names, r.orderBy(q, orders)) + " AS " + columnRank + " FROM (" + text + ")"
	var bounds []string
	offset := ""
	if q.Offset != "" {
		offset = known(q.Offset, "0")
		bounds = append(bounds, columnRank+" > "+offset)
	}
	if q.Limit != "" {
		most := known(q.Limit, unlimited)
		if offset != "" {
			bounds = append(bounds, columnRank+" - "+offset+" <= "+most)
		} else {
			bounds = append(bounds, columnRank+" <= "+most)
		}
	}
	return "SELECT * EXCEPT (" + columnRank + ") FROM (" + text + ") WHERE " + strings.Join(bounds, " AND ")
}

// rank numbers rows.
func rank(partition []string, order string) string {
	over := ""
	if len(partition) > 0 {
		over = "PARTITION BY " + strings.Join(partition, ", ")
	}
	return "ROW_NUMBER() OVER (" + strings.TrimSpace(over+order) + ")"
}

// constant reports whether a limit is a number, or none.
func constant(limit string) bool {
	_, err := strconv.ParseInt(limit, 10, 64)
	return limit == "" || err == nil
}

// known is a number that may be NULL.
func known(text, none string) string {
	if constant(text) {
		return text
	}
	return "IFNULL(" + text + ", " + none + ")"
}

// record is the value of items.
func record(items []string) string {
	if len(items) == 0 {
		items = []string{"NULL"}
	}
	return "STRUCT(" + strings.Join(aliased(items, numbered(prefixItem, len(items))), ", ") + ")"
}

// List implements sqlrows.Dialect. A page is cut out of the list, whose aggregate keeps no more rows than are needed, so
// that nothing has to be ranked. Rows of a function that are more than a constant number are cut, too: such a sub-select
// reads the row around it, and BigQuery has to make a join of it, which it can't where rows are ranked.
func (r *renderer) List(q *sqlrows.Selection) string {
	value := record(numbered(prefixItem, max(len(q.Items), 1))) + r.aggregateOrder(q)
	limit, limited := positive(q.Limit)
	offset, moved := positive(q.Offset)
	switch {
	case len(q.Distinct) > 0 || q.Limit == "0":
	case limited && (q.Offset == "" || q.Offset == "0"):
		q.Limit, q.Offset = "", ""
		return r.hoisted(q, "ARRAY_AGG("+value+" LIMIT "+strconv.FormatInt(limit, 10)+")")
	case limited && moved && limit+offset > 0:
		return r.pageOf(q, "ARRAY_AGG("+value+" LIMIT "+strconv.FormatInt(limit+offset, 10)+")")
	case q.Called && q.Limit+q.Offset != "":
		return r.pageOf(q, "ARRAY_AGG("+value+")")
	}
	return r.hoisted(q, "ARRAY_AGG("+value+")")
}

// positive is a limit that is a number above 0.
func positive(limit string) (int64, bool) {
	n, err := strconv.ParseInt(limit, 10, 64)
	return n, err == nil && n > 0
}

// pageOf is a page of the list of all rows.
func (r *renderer) pageOf(q *sqlrows.Selection, all string) string {
	var bounds []string
	offset := ""
	if q.Offset != "" {
		offset = known(q.Offset, "0")
		bounds = append(bounds, "i >= "+offset)
	}
	if q.Limit != "" {
		most := known(q.Limit, unlimited)
		if offset != "" {
			bounds = append(bounds, "i - "+offset+" < "+most)
		} else {
			bounds = append(bounds, "i < "+most)
		}
	}
	q.Limit, q.Offset = "", ""
	page := "(SELECT ARRAY_AGG(e ORDER BY i) FROM UNNEST(" + r.hoisted(q, all) + ") AS e WITH OFFSET AS i WHERE " + strings.Join(bounds, " AND ") + ")"
	r.outside[page] = true
	return page
}

// Record implements sqlrows.Dialect.
func (r *renderer) Record(q *sqlrows.Selection) string {
	if q.Grouped {
		return r.grouped(q)
	}
	limit := ""
	if q.Limit == "1" && q.Offset == "" && len(q.Distinct) == 0 {
		q.Limit, limit = "", " LIMIT 1"
	}
	return r.hoisted(q, "ARRAY_AGG("+record(numbered(prefixItem, max(len(q.Items), 1)))+r.aggregateOrder(q)+limit+")[SAFE_OFFSET(0)]")
}

// hoisted is an aggregate of the rows of a query. That of related rows is joined to the query of the row that they
// belong to, where it is one row at most for each key.
func (r *renderer) hoisted(q *sqlrows.Selection, value string) string {
	operand := "(SELECT " + value + " FROM (" + r.sliced(q) + "))"
	if q.Related != nil {
		keys := numbered(prefixKey, len(q.Related.Join))
		alias := r.join(q.Related, "SELECT "+strings.Join(keys, ", ")+", "+value+" AS "+columnValue+
			" FROM ("+r.sliced(q)+") GROUP BY "+strings.Join(keys, ", "))
		operand = alias + "." + columnValue
	}
	r.outside[operand] = true
	return operand
}

// join joins a query with a row for each key to the one around it, and returns its alias.
func (r *renderer) join(rel *sqlrows.Relation, text string) string {
	around := sqlrows.OriginOf(rel.Outer).Query
	if around == nil {
		r.Fail("there is no query to join related rows to")
		return "NULL"
	}
	in := &sqltext.Scope{Alias: r.Alias()}
	on := make([]string, len(rel.Join))
	for i, p := range rel.Join {
		on[i] = in.Alias + "." + prefixKey + strconv.Itoa(i) + " = " + r.Column(rel.Outer, p.Outer)
	}
	around.Joins = append(around.Joins, sqlrows.Join{
		Kind: " LEFT JOIN ", Text: "(" + text + ") AS " + in.Alias + " ON " + strings.Join(on, " AND "),
	})
	return in.Alias
}

// grouped is the record of the aggregates of a query. Where no row is related, counts are 0.
func (r *renderer) grouped(q *sqlrows.Selection) string {
	items := append([]string{}, q.Items...)
	rel, where := q.Related, q.Where
	var keys []string
	switch {
	case rel != nil:
		where = where[len(rel.Join):]
		for _, p := range rel.Join {
			keys = append(keys, q.Alias+"."+quoteName(p.Inner))
		}
	case q.Inner != nil && q.Inner.Related != nil:
		rel = q.Inner.Related
		keys = numbered(prefixKey, len(rel.Join))
		for i := range keys {
			keys[i] = q.Alias + "." + keys[i]
		}
	}
	names := numbered(prefixKey, len(keys))
	var columns []string
	for i, item := range items {
		if !r.outside[item] {
			columns = append(columns, item+" AS "+prefixItem+strconv.Itoa(i))
		}
	}
	if len(columns) == 0 {
		return record(items)
	}
	var source string
	if q.Inner != nil {
		source = " FROM (" + r.sliced(q.Inner) + ") AS " + q.Alias + r.Where(where)
	} else {
		source = r.source(q, where)
	}
	if rel == nil {
		return "(SELECT AS STRUCT " + strings.Join(aliased(items, numbered(prefixItem, len(items))), ", ") + source + ")"
	}
	text := "SELECT " + strings.Join(append(aliased(keys, names), columns...), ", ") + source + " GROUP BY " + strings.Join(names, ", ")
	alias := r.join(rel, text)
	for i, item := range items {
		if r.outside[item] {
			continue
		}
		items[i] = alias + "." + prefixItem + strconv.Itoa(i)
		if strings.HasPrefix(item, countOf) {
			items[i] = "IFNULL(" + items[i] + ", 0)"
		}
	}
	operand := record(items)
	r.outside[operand] = true
	return operand
}
