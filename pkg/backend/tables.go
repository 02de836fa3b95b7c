package backend

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Tables say what a dialect has next to its operators. Schemas offer what is in them and nothing
// else. They are shared and must not be changed.
type Tables struct {
	// Aggregates are the functions over one column, in the order of the schema.
	Aggregates []Aggregate
	// Predicates are the functions that conditions may compare the aggregates of, in the order
	// of the schema.
	Predicates []Predicate
	// Assignments are the ways to change a column.
	Assignments []Assignment
	// Casts are the GraphQL names of types that CanCast may lead to, in the order of the schema.
	Casts []string
	// TextOfAll reports whether a cast to text writes values of all types, so that the database reads the same values of the texts.
	TextOfAll bool
	// Ordering are the values of order_by.
	Ordering []Ordering
	Upsert   Upsert
	// CountOne reports whether counts are of one column at most.
	CountOne bool
	// LeavesOutUnwritable reports whether permissions may name columns that can't be written: these are left out, as of "*".
	LeavesOutUnwritable bool
	// DistinctOn reports whether rows can be distinct on some of their columns.
	DistinctOn bool
	// TypeSuffix tells the names of types of operators and orders from those of other dialects,
	// whose content may differ: String_MSSQL_comparison_exp. One dialect has none.
	TypeSuffix string
}

// Aggregate is a function over one column.
type Aggregate struct {
	Name string
	// Takes reports whether it takes a type, whose scalar is s.
	Takes func(t catalog.Type, s Scalar) bool
	// Float reports whether the result is Float, whatever the column is.
	Float bool
	// Result is the type of the value for columns of a type, where it isn't that type.
	Result func(t catalog.Type) catalog.Type
}

// Aggregate finds an aggregate, nil when there is none.
func (t *Tables) Aggregate(name string) *Aggregate {
	for i := range t.Aggregates {
		if a := &t.Aggregates[i]; a.Name == name {
			return a
		}
	}
	return nil
}

// Predicate is a function whose value for related rows is compared.
type Predicate struct {
	Name string
	// Operand is the type that it is compared with.
	Operand catalog.Type
	// Takes reports whether it takes columns of a type; nil is for one that takes any columns, or
	// none at all: a count.
	Takes func(t catalog.Type) bool
	// Pair reports whether it takes two columns, as X and Y.
	Pair bool
}

// Assignment is a way to change a column.
type Assignment struct {
	Op ir.AssignOp
	// Takes reports whether schemas offer it for a type, whose scalar is s; nil for never: it is
	// known to other operations alone.
	Takes func(t catalog.Type, s Scalar) bool
	// SQL is the template: $l is the column, $1 the value.
	SQL string
}

// Assignment finds an assignment, nil when there is none.
func (t *Tables) Assignment(op ir.AssignOp) *Assignment {
	for i := range t.Assignments {
		if a := &t.Assignments[i]; a.Op == op {
			return a
		}
	}
	return nil
}

// Ordering is a value of order_by: a direction, and where NULL goes.
type Ordering struct {
	Name, Description string
	Desc, NullsFirst  bool
}

// Upsert is what an insert can do about rows that are there already.
type Upsert uint8

// The ways of upserts.
const (
	NoUpsert Upsert = iota
	// OnConflict names a constraint, and the columns that are updated where it is violated.
	OnConflict
	// IfMatched names the columns whose values tell that a row is there already, whatever is unique, and the
	// columns that are updated then.
	IfMatched
)
