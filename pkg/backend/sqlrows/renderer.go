// Package sqlrows renders what SQL dialects have in common of reading rows for an answer: which rows,
// joined to which others, in which order; aggregates and pages of them; and, along with the text, the
// answer.Shape by which a row of the result becomes JSON. Related rows come as records in one cell, in
// a form that the dialect chooses and its answer.Format reads.
//
// Conditions, values and parameters are those of sqltext. How a statement is run is the dialect's.
package sqlrows

import (
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Dialect is what the renderer leaves to the dialect. Its methods may call back the Renderer.
type Dialect interface {
	// Cell renders a value for the answer, and gives its encoding. What is exact is read back later:
	// numbers stay numbers.
	Cell(expr string, t catalog.Type, exact bool) (string, answer.Cell)
	// CountCell is how a count is encoded.
	CountCell() answer.Cell
	// AggregateCell is Cell for an aggregate of values of type t.
	AggregateCell(function, expr string, t catalog.Type) (string, answer.Cell)
	// Record is the value of a query of at most one row, with its items as one value, and List the value of
	// a query with those of all its rows. Both are operands.
	Record(q *Selection) string
	List(q *Selection) string
	// OwnText may take over the text of a query; it gives false for what Text is to write.
	OwnText(q *Selection) (string, bool)
	// Constant is a constant text.
	Constant(text string) string
	// Distinct has a query take the first row only of those that are alike in its Distinct, which are the texts of on.
	Distinct(q *Selection, on []ir.Expr)
	// Ties has a query take the rows, too, that tie with the last one within its limit.
	Ties(q *Selection)
	// Abilities are the same in every call.
	Abilities() Abilities
}

// Abilities are what dialects differ in.
type Abilities struct {
	// Lateral reports whether a sub-select can be joined that reads the rows before it. Without it, a row that
	// isn't the only one is read as a record.
	Lateral bool
	// Joins is how many relations a query joins at most, 0 for any number. What goes beyond is read as
	// records.
	Joins int
	// Flat reports whether what belongs to rows can't be read next to a sub-select that makes the rows. The rows
	// and all that is joined to them are read in one query then, slices of rows, too.
	Flat bool
	// Nodes reports whether rows are on several nodes. Lists are read next to a sub-select of the aggregates then, and say themselves what is
	// known of the rows that they belong to, so that they are looked for where these are.
	Nodes bool
	// NoItem stands in a query without items; it may be empty.
	NoItem string
	// NoLimit is a limit that is none, for dialects that take neither an offset without a limit nor NULL
	// as one of them; it may be empty.
	NoLimit string
	// NoOffset is an offset of no rows that makes a related row of a written one be looked up for each row, for
	// dialects that may collect the keys of all rows that satisfy a condition instead; it may be empty.
	NoOffset string
}

// Renderer renders queries on rows. Dialect is set before it is used. Not safe for concurrent use.
type Renderer struct {
	sqltext.Renderer
	Dialect Dialect
	// inserted is the condition that tells the rows that an insert added from those that its conflict clause updated.
	inserted func() string
}

// Root renders a root field. Its result has a row for each element of a list or, for one, a row with the
// answer; an object without a row is null.
func (r *Renderer) Root(root ir.Root) (text string, shape *answer.Shape, one bool) {
	q, shape, one, _ := r.RootQuery(root)
	if q == nil {
		return "", nil, false
	}
	return r.Text(q), shape, one
}

// RootQuery is Root before its text is written. in is the row that the items of a select are of.
func (r *Renderer) RootQuery(root ir.Root) (q *Selection, shape *answer.Shape, one bool, in *sqltext.Scope) {
	switch root := root.(type) {
	case *ir.Select:
		q, in = r.SelectRows(Relation{Rows: &root.Rows}, root.Fields)
		return q, r.Object(root.Fields, in, q), root.One, in
	case *ir.Aggregate:
		q, shape = r.aggregateQuery(root, Relation{})
		return q, shape, true, nil
	case *ir.Connection:
		q = &Selection{}
		var b answer.Builder
		r.connection(&b, root, Relation{}, q)
		return q, b.Shape(), true, nil
	}
	r.Fail("unknown root %T", root)
	return nil, nil, false, nil
}

// Origin is what is kept of the row of a scope: its Own.
type Origin struct {
	// Inner is the sub-select that the row comes from, if it does. A row of a sub-select has
	// no type of its own, so a function that takes the row of a table gets it as a column.
	Inner *Selection
	// Query is the query that reads the row.
	Query *Selection
	// sets is how functions that return any number of values are called.
	sets setCalls
}

// OriginOf is the origin of a row.
func OriginOf(in *sqltext.Scope) Origin {
	own, _ := in.Own.(Origin)
	return own
}

// WholeRow is the whole row as a value, for dialects that have such values.
func (r *Renderer) WholeRow(in *sqltext.Scope) string {
	inner := OriginOf(in).Inner
	if inner == nil {
		return in.Alias
	}
	inner.exposeRow(r.Spelling)
	return r.Column(in, rowColumn)
}
