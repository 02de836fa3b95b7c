package backend

import (
	"context"
	"hash/fnv"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// LiveRenderer is a Dialect whose sources can be subscribed to.
type LiveRenderer interface {
	// RenderLive renders a subscription, for any number of cohorts at once.
	RenderLive(l ir.Live, o RenderOptions) (LiveStatement, error)
}

// LiveStatement is a rendered subscription. Subscribers whose statements have the same Key
// are run together. It is immutable and safe for concurrent use.
type LiveStatement interface {
	Statement
	// Key identifies a statement: by the text and by what is part of it.
	Key() string
	// Columns are the values that differ between cohorts, and where they come from.
	Columns() []LiveColumn
	// Bind gives a cohort's values, one for each of the columns; nil is NULL. Subscribers with
	// the same values are one cohort.
	Bind(a Args) ([][]byte, error)
}

// ReadOnlyLive is a LiveStatement of a database that can refuse to write.
type ReadOnlyLive interface {
	// ReadOnly is the statement with the writes of what it calls refused; itself where it calls nothing. Its Key differs otherwise.
	ReadOnly() LiveStatement
}

// LiveMatcher is a LiveStatement that may know which rows matter.
type LiveMatcher interface {
	// Match is nil when any row may.
	Match() LiveMatch
}

// LiveMatch decides by what is known of a row of the root field's table whether it may matter to a cohort: a
// change does only if the row satisfied the cohort's condition before it, or does after it. It is immutable and safe for
// concurrent use.
type LiveMatch interface {
	Table() catalog.Name
	// Columns are the columns that the decisions need.
	Columns() []MatchColumn
	// Image is a row, given by its cells in the order of the columns.
	Image(cells []Cell) RowImage
	// Test is the condition of a cohort, given by its values.
	Test(cohort [][]byte) RowTest
}

// MatchColumn is a column that a LiveMatch decides by.
type MatchColumn struct {
	Name string
	// Type is the ID of its type, and Collation what its collation has to be at least.
	Type      string
	Collation Collation
}

// RowImage is what is known of a row.
type RowImage interface {
	// Key is the row's; ok is false when it isn't known.
	Key() (key RowKey, ok bool)
}

// RowTest is the condition of a cohort.
type RowTest interface {
	// Keys are the keys of all rows that may matter to the cohort; ok is false when rows with any key may.
	Keys() (keys []RowKey, ok bool)
	// Maybe reports whether a row may satisfy the condition.
	Maybe(row RowImage) bool
	// Cost is how many comparisons that takes at most.
	Cost() int
}

// RowKey is the value of the column by which cohorts are looked up.
type RowKey struct {
	Number int64
	Text   string
	// Null is set for NULL, which no cohort has.
	Null bool
}

// LiveColumn is where a value of a cohort comes from.
type LiveColumn struct {
	// Variable is the index of an ir.Variable, -1 for a value of the session.
	Variable int
	// Session names a session variable; empty for all of them, as one object.
	Session string
}

// StreamStarter is a LiveSource in which the start of a stream can depend on the time at which it is read.
type StreamStarter interface {
	// StreamStart returns the text of the start that a cohort of a stream has now, for all times; nil if its text is one for all times.
	StreamStart(ctx context.Context, s LiveStatement, cohort [][]byte) ([]byte, error)
}

// LiveSource is a Source that can be subscribed to.
type LiveSource interface {
	// QueryLive runs a subscription once for all cohorts, given by their values, and calls f
	// for each of them, in no particular order: with its index, the JSON of its root fields
	// and the text of its new cursor, nil when it did not move. What f gets is valid during
	// the call only.
	QueryLive(ctx context.Context, s LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error
	// CheckLive checks that the values of a cohort are values of their types.
	CheckLive(ctx context.Context, s LiveStatement, cohort [][]byte) error
	// ExplainLive gives the lines of the database's plan for one cohort.
	ExplainLive(ctx context.Context, s LiveStatement, cohort [][]byte) (plan []string, err error)
}

// ReplicaFor is which of n replicas the runs of a subscription read, given its statement: the same one each time and in
// each process, because another one may be behind it.
func ReplicaFor(statement string, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(statement))
	return int(h.Sum64() % uint64(n))
}
