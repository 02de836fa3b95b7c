package backend

import (
	"context"

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

// LiveMatcher is a LiveStatement that may know which rows matter.
type LiveMatcher interface {
	// Match is nil when it isn't known.
	Match() *LiveMatch
}

// LiveMatch tells that a cohort reads, of the table in the root field, only rows that have one of certain values in
// a column.
type LiveMatch struct {
	Table  catalog.Name
	Column string
	// Type is the ID of the type that the column has for Texts.
	Type string
	// Texts are these values for a cohort, given by its values, as the database writes them; ok is false when they
	// aren't known.
	Texts func(cohort [][]byte) (texts []string, ok bool)
}

// LiveColumn is where a value of a cohort comes from.
type LiveColumn struct {
	// Variable is the index of an ir.Variable, -1 for a value of the session.
	Variable int
	// Session names a session variable; empty for all of them, as one object.
	Session string
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
