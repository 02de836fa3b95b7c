package plan

import "queryengine/services/query-executor/internal/introspect"

// Part is a piece of the answer. It is one of the types below, or *Query, *Write, *RemoteQuery,
// *ActionCall, *QueuedCall or *CallResult.
type Part interface {
	// RootField is the name of the root field, with its namespace; empty for what is none.
	RootField() string
	part()
}

// Text is JSON text as it is.
type Text struct {
	Text string
	// Constants are the root fields in the text.
	Constants []string
}

// Joined is a root field whose answer is known but for joins.
type Joined struct {
	Field string
	// Text is JSON that the joins are made in.
	Text  []byte
	Joins []JoinMember
}

// Introspection is a root field that the schema answers.
type Introspection struct{ introspect.Field }

// RootField implements Part.
func (*Text) RootField() string { return "" }

// RootField implements Part.
func (*Introspection) RootField() string { return "" }

// RootField implements Part.
func (j *Joined) RootField() string { return j.Field }

// RootField implements Part.
func (q *Query) RootField() string { return q.Field }

// RootField implements Part.
func (w *Write) RootField() string { return w.Field }

// RootField implements Part.
func (q *RemoteQuery) RootField() string { return q.Field }

// RootField implements Part.
func (c *ActionCall) RootField() string { return c.Field }

// RootField implements Part.
func (c *QueuedCall) RootField() string { return c.Field }

// RootField implements Part.
func (c *CallResult) RootField() string { return c.Field }

func (*Text) part()          {}
func (*Joined) part()        {}
func (*Introspection) part() {}
func (*Query) part()         {}
func (*Write) part()         {}
func (*RemoteQuery) part()   {}
func (*ActionCall) part()    {}
func (*QueuedCall) part()    {}
func (*CallResult) part()    {}
