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
	// Masks are what text can be shown as.
	Masks []Mask
	// MaskTypes are the types of columns that expressions in the SQL of PostgreSQL may mask, by their names; nil where there are none.
	MaskTypes map[string]MaskType
	// Groups reports whether the rows of a table can be grouped.
	Groups bool
	// JSONKinds are what the parts of JSON values are compared and ordered as, in the order of the schema; nil where
	// conditions on parts aren't supported.
	JSONKinds []JSONKind
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

// The names of the masks.
const (
	MaskRedact = "redact" // three stars, also for NULL
	MaskHash   = "hash"   // SHA-256 in hexadecimal digits
	MaskLast4  = "last4"  // four stars and the last four characters of more than four
	MaskEmail  = "email"  // the first character, three stars, and what follows the last @, with it
)

// Mask hides a text, or a part of it. All but MaskRedact make NULL of NULL.
type Mask struct {
	Name string
	// Takes reports whether it takes a type.
	Takes func(t catalog.Type) bool
	// SQL is the template: $l is the text.
	SQL string
}

// MaskType is what an expression of a type can be used as.
type MaskType struct {
	Family MaskFamily
	// Bits is the size of a whole number, 0 for other types.
	Bits int
}

// MaskFamily is a set of types whose values can be used in each other's place.
type MaskFamily string

// The families.
const (
	MaskText    MaskFamily = "text"
	MaskNumber  MaskFamily = "number"
	MaskTime    MaskFamily = "time"
	MaskBoolean MaskFamily = "boolean"
)

// Mask finds a mask, nil when there is none.
func (t *Tables) Mask(name string) *Mask {
	for i := range t.Masks {
		if m := &t.Masks[i]; m.Name == name {
			return m
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
	// SQL is the template: $l is the column, $1 the value, and $2 the path of an ir.Edit.
	SQL string
	// Parts reports whether it belongs to the setting json_paths of sources.
	Parts bool
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

// JSONKind is what the part of a JSON value at a path is read as.
type JSONKind struct {
	Name string
	// Shown is the type whose comparisons clients use, Operand the one of their operands, and Type that of the value.
	Shown, Operand, Type catalog.Type
	// Unordered reports whether rows can't be ordered by it.
	Unordered bool
	// SQL is the template: $l is the JSON value, $1 the path. It is NULL, and never an error, for values of another kind.
	SQL string
}

// JSONKind finds a kind of values, nil when there is none.
func (t *Tables) JSONKind(name string) *JSONKind {
	for i := range t.JSONKinds {
		if k := &t.JSONKinds[i]; k.Name == name {
			return k
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
