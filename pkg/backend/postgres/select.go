package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// selection is a SELECT under construction.
type selection struct {
	// with, when set, is a sub-select that is named withName and computed once.
	with     *selection
	withName string
	distinct []string
	items    []string
	// from is the relation that is read; inner is the sub-select that is read in its place.
	from   string
	inner  *selection
	alias  string
	joins  []join
	where  []string
	order  []orderKey
	limit  string
	ties   bool // rows that tie with the last one within the limit count, too
	offset string
	// ordered reports whether the rows have an implicit order, which joins must keep.
	ordered bool
	// rowOf, when set, is the row that can be made an item as a whole, once.
	rowOf   *sqltext.Scope
	withRow bool
}

// join is one join of a query: plain text, or a sub-select.
type join struct {
	kind  string // innerJoin or leftJoin
	text  string
	inner *selection
	alias string
}

const (
	innerJoin = " JOIN "
	leftJoin  = " LEFT JOIN "
)

// Names of columns that a sub-select adds to those of its relation. A name with "?" is
// unlikely for a column of a user; where it happens, PostgreSQL refuses the statement.
const (
	rowColumn   = "?row"
	existColumn = "?exists"
)

// exposeRow makes the whole row one of the items. Where it comes from a sub-select itself, it
// is among the columns of that.
func (q *selection) exposeRow() {
	switch {
	case q.withRow:
	case originOf(q.rowOf).inner != nil:
		originOf(q.rowOf).inner.exposeRow()
	default:
		q.items = append(q.items, q.rowOf.Alias+" AS "+quoteName(rowColumn))
	}
	q.withRow = true
}

func (q *selection) String() string {
	var b strings.Builder
	if q.with != nil {
		b.WriteString("WITH " + q.withName + " AS MATERIALIZED (" + q.with.String() + ") ")
	}
	b.WriteString("SELECT")
	if len(q.distinct) > 0 {
		b.WriteString(" DISTINCT ON (" + strings.Join(q.distinct, ", ") + ")")
		if len(q.items) == 0 {
			b.WriteString(" NULL") // DISTINCT needs something to be distinct
		}
	}
	if len(q.items) > 0 {
		b.WriteString(" " + strings.Join(q.items, ", "))
	}
	switch {
	case q.inner != nil:
		b.WriteString(" FROM (" + q.inner.String() + ") AS " + q.alias)
	case q.from != "":
		b.WriteString(" FROM " + q.from + " AS " + q.alias)
	}
	for _, j := range q.joins {
		if j.inner != nil {
			b.WriteString(j.kind + "LATERAL (" + j.inner.String() + ") AS " + j.alias + " ON TRUE")
		} else {
			b.WriteString(j.kind + j.text)
		}
	}
	b.WriteString(sqltext.Where(spelling{}, q.where))
	for i, k := range q.order {
		if i == 0 {
			b.WriteString(" ORDER BY ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(k.expr + k.direction)
	}
	switch {
	case q.limit != "" && q.ties:
		b.WriteString(" FETCH FIRST (" + q.limit + ") ROWS WITH TIES")
	case q.limit != "":
		b.WriteString(" LIMIT " + q.limit)
	}
	if q.offset != "" {
		b.WriteString(" OFFSET " + q.offset)
	}
	return b.String()
}

// relation is which rows are read: those of rows that are joined to the row of outer.
type relation struct {
	*ir.Rows
	join  []ir.JoinPair
	outer *sqltext.Scope
	// named, when set, has the rows of From already: a query that is computed once.
	named *sqltext.Scope
}

// rows starts a query on rows of a relation. Its items are the caller's, and fields is what they will
// be made for.
//
// If only a part of the rows is wanted and fields needs more than their columns, the rows are selected
// in a sub-select first: joins and computed values of dropped rows would cost as much as those of the
// others.
func (r *renderer) rows(rel relation, fields []ir.Field) (*selection, *sqltext.Scope) {
	q, in := r.plainRows(rel)
	if !sliced(rel.Rows) || !joins(fields, rel.Offset != nil || len(rel.DistinctOn) > 0) {
		return q, in
	}
	return r.around(q, in)
}

// sliced reports whether not all rows that match are read.
func sliced(rows *ir.Rows) bool {
	return rows.Limit != nil || rows.Offset != nil || rows.MaxRows != 0 || len(rows.DistinctOn) > 0
}

// joins reports whether fields join other relations to their row. Lists do not, but lists asks
// about them too: they are computed for each row that is looked at.
func joins(fields []ir.Field, lists bool) bool {
	for _, f := range fields {
		if f.Nested == nil {
			continue
		}
		if s, ok := f.Nested.Root.(*ir.Select); lists || ok && s.One {
			return true
		}
	}
	return false
}

// plainRows is rows without a sub-select.
func (r *renderer) plainRows(rel relation) (*selection, *sqltext.Scope) {
	q := &selection{alias: r.Alias()}
	in := &sqltext.Scope{Alias: q.alias}
	if rel.named != nil {
		q.from, in.Own = rel.named.Alias, rel.named.Own
	} else {
		q.from = r.From(rel.From, rel.outer)
	}
	q.where = r.Joined(rel.join, rel.outer, in)
	in.Known = rewrite.Know(rel.From, rel.Where)
	r.filter(r.Open(rel.Where, rel.join, rel.outer), in, q)
	_, q.ordered = rel.From.(ir.Written)
	if f, ok := rel.From.(ir.Function); ok && f.Single && rel.named == nil {
		q.where = append(q.where, "NOT ("+in.Alias+" IS NULL)")
	}
	q.distinct = r.Exprs(rel.DistinctOn, in)
	q.order = r.orderKeys(rel.Rows, in, q)
	q.limit, q.ties = r.Limit(rel.Limit, rel.MaxRows), rel.WithTies
	if rel.Offset != nil {
		q.offset = r.Number(rel.Offset)
	}
	return q, in
}

// around is a query on the rows of inner, in the same order.
func (r *renderer) around(inner *selection, in *sqltext.Scope) (*selection, *sqltext.Scope) {
	q := &selection{inner: inner, alias: r.Alias()}
	inner.items = []string{in.Alias + ".*"}
	inner.rowOf = in
	own := &sqltext.Scope{Alias: q.alias, Known: in.Known, Own: origin{inner: inner}}
	for i, k := range inner.order {
		name := k.column
		if name == "" {
			name = "?" + strconv.Itoa(i+1)
			inner.items = append(inner.items, k.expr+" AS "+quoteName(name))
		}
		q.order = append(q.order, orderKey{expr: r.Column(own, name), direction: k.direction, column: name})
	}
	return q, own
}

// relatedRow is one row of another relation that belongs to the row in scope.
type relatedRow struct {
	from   ir.From
	join   []ir.JoinPair
	unique bool
	where  ir.BoolExp
	// rows is how to choose among several; nil is any of them.
	rows *ir.Rows
}

// joinOne joins a related row to q. Where at most one can match it is a plain join, which
// leaves the way to the planner; else, and where the order of q's rows has to stay, the first
// one of a sub-select.
func (r *renderer) joinOne(one relatedRow, outer *sqltext.Scope, q *selection) *sqltext.Scope {
	if _, table := one.from.(ir.Table); table && one.unique && !q.ordered && len(one.join) > 0 && one.rows == nil {
		in := &sqltext.Scope{Alias: r.Alias(), Known: rewrite.Know(one.from, one.where)}
		in.Marker = r.Column(in, one.join[0].Inner)
		on := append(r.Joined(one.join, outer, in), r.Condition(r.Open(one.where, one.join, outer), in))
		q.joins = append(q.joins, join{kind: leftJoin, text: r.From(one.from, outer) + " AS " + in.Alias + " ON " + r.Conjunction(on)})
		return in
	}
	rows := one.rows
	if rows == nil {
		rows = &ir.Rows{From: one.from, Where: one.where}
	}
	inner, row := r.plainRows(relation{Rows: rows, join: one.join, outer: outer})
	if inner.limit == "" {
		inner.limit = "1"
	}
	inner.items = []string{row.Alias + ".*", sqlTrue + " AS " + quoteName(existColumn)}
	inner.rowOf = row
	in := &sqltext.Scope{Alias: r.Alias(), Known: row.Known, Own: origin{inner: inner}}
	in.Marker = r.Column(in, existColumn)
	q.joins = append(q.joins, join{kind: leftJoin, inner: inner, alias: in.Alias})
	return in
}
