package sqlrows

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// Selection is a SELECT under construction.
type Selection struct {
	// With, when set, is a sub-select that is named WithName and computed once.
	With     *Selection
	WithName string
	Distinct []string // DISTINCT ON
	Items    []string
	// apart is the number of items that nothing else may use: their values come in another form.
	apart int
	// From is the relation that is read; Inner is the sub-select that is read in its place.
	From   string
	Inner  *Selection
	Alias  string
	Joins  []Join
	Where  []string
	Order  []OrderKey
	Limit  string
	Ties   bool // rows that tie with the last one within the limit count, too: FETCH FIRST
	Offset string
	// Ordered reports whether the rows have an implicit order, that of an ir.Written or ir.Procedure, which
	// joins must keep.
	Ordered bool
	// Related is the relation that a query begins with when its rows are joined to a row around it: the first of
	// Where are its joins. Grouped reports whether the items are aggregates. Dialects that can't read rows around
	// a sub-select make a join of it with these.
	Related *Relation
	Grouped bool
	// Called reports whether the rows are those of a function, which may take values of the row around it.
	Called bool
	// rowOf, when set, is the row that can be made an item as a whole, once.
	rowOf   *sqltext.Scope
	withRow bool
}

// Join is one join of a query: plain text, or a sub-select.
type Join struct {
	Kind  string // innerJoin or leftJoin
	Text  string
	Inner *Selection
	Alias string
}

const (
	innerJoin = " JOIN "
	leftJoin  = " LEFT JOIN "
)

// Names of columns that a sub-select adds to those of its relation. A name with "?" is
// unlikely for a column of a user; where it happens, the database refuses the statement.
const (
	rowColumn   = "?row"
	existColumn = "?exists"
)

// exposeRow makes the whole row one of the items. Where it comes from a sub-select itself, it
// is among the columns of that.
func (q *Selection) exposeRow(s sqltext.Spelling) {
	switch {
	case q.withRow:
	case OriginOf(q.rowOf).Inner != nil:
		OriginOf(q.rowOf).Inner.exposeRow(s)
	default:
		q.Items = append(q.Items, q.rowOf.Alias+" AS "+s.Quote(rowColumn))
	}
	q.withRow = true
}

// Text is the text of a query.
func (r *Renderer) Text(q *Selection) string {
	if text, ok := r.Dialect.OwnText(q); ok {
		return text
	}
	var b strings.Builder
	if q.With != nil {
		b.WriteString("WITH " + q.WithName + " AS MATERIALIZED (" + r.Text(q.With) + ") ")
	}
	b.WriteString("SELECT")
	if len(q.Distinct) > 0 {
		b.WriteString(" DISTINCT ON (" + strings.Join(q.Distinct, ", ") + ")")
		if len(q.Items) == 0 {
			b.WriteString(" NULL") // DISTINCT needs something to be distinct
		}
	}
	switch none := r.Dialect.Abilities().NoItem; {
	case len(q.Items) > 0:
		b.WriteString(" " + strings.Join(q.Items, ", "))
	case none != "":
		b.WriteString(" " + none)
	}
	switch {
	case q.Inner != nil:
		b.WriteString(" FROM (" + r.Text(q.Inner) + ") AS " + q.Alias)
	case q.From != "":
		b.WriteString(" FROM " + q.From + " AS " + q.Alias)
	}
	for _, j := range q.Joins {
		if j.Inner != nil {
			b.WriteString(j.Kind + "LATERAL (" + r.Text(j.Inner) + ") AS " + j.Alias + " ON TRUE")
		} else {
			b.WriteString(j.Kind + j.Text)
		}
	}
	b.WriteString(r.Where(q.Where))
	for i, k := range q.Order {
		if i == 0 {
			b.WriteString(" ORDER BY ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(k.Expr + r.Spelling.Direction(k.Desc, k.NullsFirst))
	}
	limit, offset := q.Limit, q.Offset
	if none := r.Dialect.Abilities().NoLimit; none != "" && limit+offset != "" {
		limit, offset = number(limit, none), number(offset, "0")
	}
	switch {
	case limit != "" && q.Ties:
		b.WriteString(" FETCH FIRST (" + limit + ") ROWS WITH TIES")
	case limit != "":
		b.WriteString(" LIMIT " + limit)
	}
	if offset != "" {
		b.WriteString(" OFFSET " + offset)
	}
	return b.String()
}

// number is a limit or an offset where it may be missing or NULL.
func number(text, none string) string {
	if text == "" {
		return none
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text
	}
	return "coalesce(" + text + ", " + none + ")"
}

// Relation is which rows are read: those of Rows that are joined to the row of Outer.
type Relation struct {
	*ir.Rows
	Join  []ir.JoinPair
	Outer *sqltext.Scope
	// named, when set, has the rows of From already: a query that is computed once.
	named *sqltext.Scope
}

// SelectRows starts a query on rows of a relation. Its items are the caller's, and fields is what they will
// be made for.
//
// If only a part of the rows is wanted and fields needs more than their columns, the rows are selected
// in a sub-select first: joins and computed values of dropped rows would cost as much as those of the
// others.
func (r *Renderer) SelectRows(rel Relation, fields []ir.Field) (*Selection, *sqltext.Scope) {
	q, in := r.PlainRows(rel)
	if r.Dialect.Abilities().Flat || !sliced(rel.Rows) || !joins(fields, rel.Offset != nil || len(rel.DistinctOn) > 0) {
		return q, in
	}
	return r.Around(q, in)
}

// sliced reports whether not all rows that match are read.
func sliced(rows *ir.Rows) bool {
	return rows.Limit != nil || rows.Offset != nil || rows.MaxRows != 0 || len(rows.DistinctOn) > 0
}

// joins reports whether fields join other relations to their row. Lists do not, but lists asks
// about them too: they are computed for each row that is looked at.
func joins(fields []ir.Field, lists bool) bool {
	for _, f := range fields {
		nested, ok := f.Value.(*ir.Nested)
		if !ok {
			continue
		}
		if s, ok := nested.Root.(*ir.Select); lists || ok && s.One {
			return true
		}
	}
	return false
}

// PlainRows is SelectRows without a sub-select.
func (r *Renderer) PlainRows(rel Relation) (*Selection, *sqltext.Scope) {
	q := &Selection{Alias: r.Alias()}
	in := &sqltext.Scope{Alias: q.Alias}
	if rel.Outer != nil && r.Dialect.Abilities().Nodes {
		rows := *rel.Rows
		rows.Where = r.along(rows.Where, rel.Join, rel.Outer)
		rel.Rows = &rows
	}
	if rel.named != nil {
		q.From, in.Own = rel.named.Alias, rel.named.Own
	} else {
		q.From = r.From(rel.From, rel.Outer)
	}
	origin := OriginOf(in)
	origin.Query = q
	in.Own = origin
	if len(rel.Join) > 0 {
		related := rel
		q.Related = &related
	}
	q.Where = r.Joined(rel.Join, rel.Outer, in)
	in.Known = rewrite.Know(rel.From, rel.Where)
	r.filter(r.Open(rel.Where, rel.Join, rel.Outer), in, q)
	switch f := rel.From.(type) {
	case ir.Written:
		q.Ordered = len(f.Key) == 0
	case ir.Procedure:
		q.Ordered = true
	case ir.Function:
		if rel.named != nil {
			break
		}
		q.Called = true
		if f.Single {
			q.Where = append(q.Where, "NOT ("+in.Alias+" IS NULL)")
		}
	}
	q.Distinct = r.Exprs(rel.DistinctOn, in)
	q.Order = r.orderKeys(rel.Rows, in, q)
	if len(q.Distinct) > 0 {
		r.Dialect.Distinct(q, rel.DistinctOn)
	}
	q.Limit = r.Limit(rel.Limit, rel.MaxRows)
	if rel.Offset != nil {
		q.Offset = r.Number(rel.Offset)
	}
	if rel.WithTies {
		r.Dialect.Ties(q)
	}
	return q, in
}

// along is the condition on rows that are joined to one, with what that one's says of their columns, where rows are on several
// nodes.
func (r *Renderer) along(where ir.BoolExp, join []ir.JoinPair, outer *sqltext.Scope) ir.BoolExp {
	if !r.Dialect.Abilities().Nodes {
		return where
	}
	return rewrite.Along(where, join, &outer.Known)
}

// Around is a query on the rows of inner, in the same order.
func (r *Renderer) Around(inner *Selection, in *sqltext.Scope) (*Selection, *sqltext.Scope) {
	q := &Selection{Inner: inner, Alias: r.Alias()}
	inner.Items = []string{in.Alias + ".*"}
	inner.rowOf = in
	own := &sqltext.Scope{Alias: q.Alias, Known: in.Known, Own: Origin{Inner: inner, Query: q}}
	for i, k := range inner.Order {
		name := k.Column
		if name == "" {
			name = "?" + strconv.Itoa(i+1)
			inner.Items = append(inner.Items, k.Expr+" AS "+r.Spelling.Quote(name))
		}
		q.Order = append(q.Order, OrderKey{Expr: r.Column(own, name), Desc: k.Desc, NullsFirst: k.NullsFirst, Column: name})
	}
	return q, own
}

// RelatedRow is one row of another relation that belongs to the row in scope.
type RelatedRow struct {
	from   ir.From
	join   []ir.JoinPair
	unique bool
	where  ir.BoolExp
	// rows is how to choose among several; nil is any of them.
	rows *ir.Rows
}

// JoinOne joins a related row to q. Where at most one can match it is a plain join, which
// leaves the way to the planner; else, and where the order of q's rows has to stay, the first
// one of a sub-select.
func (r *Renderer) JoinOne(one RelatedRow, outer *sqltext.Scope, q *Selection) *sqltext.Scope {
	if r.plain(one, q) {
		in := &sqltext.Scope{Alias: r.Alias(), Known: rewrite.Know(one.from, r.along(one.where, one.join, outer)), Own: Origin{Query: q}}
		in.Marker = r.Column(in, one.join[0].Inner)
		on := append(r.Joined(one.join, outer, in), r.Condition(r.Open(one.where, one.join, outer), in))
		q.Joins = append(q.Joins, Join{Kind: leftJoin, Text: r.From(one.from, outer) + " AS " + in.Alias + " ON " + r.Conjunction(on)})
		return in
	}
	inner, row := r.firstRow(one, outer)
	inner.Items = []string{row.Alias + ".*", r.Spelling.Bool(true) + " AS " + r.Spelling.Quote(existColumn)}
	inner.rowOf = row
	in := &sqltext.Scope{Alias: r.Alias(), Known: row.Known, Own: Origin{Inner: inner}}
	in.Marker = r.Column(in, existColumn)
	q.Joins = append(q.Joins, Join{Kind: leftJoin, Inner: inner, Alias: in.Alias})
	return in
}

// joined reports whether a related row is joined to q; else it is read in a sub-select of its own.
func (r *Renderer) joined(one RelatedRow, q *Selection) bool {
	return r.Dialect.Abilities().Lateral || r.plain(one, q)
}

// plain reports whether a related row is joined without a sub-select.
func (r *Renderer) plain(one RelatedRow, q *Selection) bool {
	_, table := one.from.(ir.Table)
	return table && one.unique && !q.Ordered && len(one.join) > 0 && one.rows == nil && r.joinsMore(q)
}

// firstRow is a query of the row itself, which has no items yet.
func (r *Renderer) firstRow(one RelatedRow, outer *sqltext.Scope) (*Selection, *sqltext.Scope) {
	rows := one.rows
	if rows == nil {
		rows = &ir.Rows{From: one.from, Where: one.where}
	}
	q, in := r.PlainRows(Relation{Rows: rows, Join: one.join, Outer: outer})
	if q.Limit == "" {
		q.Limit = "1"
	}
	return q, in
}
