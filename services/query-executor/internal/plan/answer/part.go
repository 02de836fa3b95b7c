// Package answer is what the answer to an operation consists of: its parts, in order, and the joins
// in them.
//
// The parts of the kinds of root fields are declared next to their planners. Each embeds Named, which
// makes it a Part.
package answer

import "queryengine/services/query-executor/internal/introspect"

// Part is a piece of the answer: Text, Joined, Introspection, or a root field of one of the packages
// that plan some.
type Part interface {
	// RootField is the name of the root field, with its namespace; empty for what is none.
	RootField() string
	part()
}

// Named makes a Part of what it is embedded in.
type Named struct {
	// Field is the name of the root field: with its namespace, if any.
	Field string
}

// RootField implements Part.
func (n *Named) RootField() string { return n.Field }

func (*Named) part() {}

// Text is JSON text as it is.
type Text struct {
	Named
	Text string
	// Constants are the root fields in the text.
	Constants []string
}

// Joined is a root field whose answer is known but for joins.
type Joined struct {
	Named
	// Text is JSON that the joins are made in.
	Text  []byte
	Joins []Member
}

// Introspection is a root field that the schema answers.
type Introspection struct {
	Named
	Query introspect.Field
}
