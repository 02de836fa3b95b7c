// Package ir is the plan of an operation as plain data: what to read or write, with the
// permissions of the role already merged in. It holds no SQL, no driver types and no
// behaviour; a backend renders it.
//
// Every name in it is a name of the database (never of the GraphQL schema), except
// Alias, which is the key of the answer. Equal input gives equal IR, so a plan may be
// cached: values that differ between requests are Variable, SessionVar
// and Lookup.
package ir

import "queryengine/pkg/catalog"

// Value is an operand whose value is known by the time the statement runs.
type Value interface {
	Part
	value()
}

// Literal is a constant of the plan, in the text form of the database.
type Literal struct {
	Text string
	Null bool
	Type catalog.Type
	// List reports whether the text is that of a list of values of Type.
	List bool
	// Wrap is how the text becomes a value: see Wrap.
	Wrap Wrap
}

// Variable is bound when the plan runs: the Index-th value that the caller supplies, in
// the text form of the database.
type Variable struct {
	Index int
	Type  catalog.Type
	// List reports whether the value is a list of values of Type.
	List bool
	Wrap Wrap
}

// Each is bound when the plan runs: the Index-th list that the caller supplies, with one value
// for each row, in the text form of the database. The rows of an Insert may be one row of
// them, and those of Written one of them; how many rows there are is then no part of the plan.
type Each struct {
	Index int
	Type  catalog.Type
	Wrap  Wrap
}

// SessionVar is the value of a session variable, cast to Type. A missing one is an error
// before the statement runs.
type SessionVar struct {
	Name string // lower case
	Type catalog.Type
	// List reports whether the value is a list of values of Type.
	List bool
	Wrap Wrap
}

// SessionObject is the JSON object of all session variables (session arguments).
type SessionObject struct {
	Type catalog.Type // json or jsonb
}

// Lookup is a list of the values that a column has in the rows of a table of any source that
// satisfy a condition. They are read before the statement runs.
type Lookup struct {
	Source string
	Table  catalog.Name
	Column string
	// Where is the condition, in the language of permission rules.
	Where string
	Type  catalog.Type // of the values
}

// Default is the default of the column; only in inserts and updates.
type Default struct{}

func (Literal) value()       {}
func (Variable) value()      {}
func (Each) value()          {}
func (SessionVar) value()    {}
func (SessionObject) value() {}
func (Lookup) value()        {}
func (Default) value()       {}

// Wrap names a function of the dialect that turns the text of a value into the type. The
// dialect gives it with the text when it reads a value, and applies it.
type Wrap string

// WrapNone is for a text that the type itself reads.
const WrapNone Wrap = ""
