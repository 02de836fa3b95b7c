package ir

import "queryengine/pkg/catalog"

// Groups is a relation with a row for each combination of the values that Keys have in Rows, with aggregates of the rows
// that have them.
type Groups struct {
	// Rows are not ordered, and all of them count.
	Rows       Rows
	Keys       []GroupKey
	Aggregates []GroupAggregate
}

// GroupKey is a column of Groups by which rows are grouped.
type GroupKey struct {
	Name string
	Expr Expr
}

// GroupAggregate is a column of Groups. Function is count for rows, or for those in which no argument is NULL.
type GroupAggregate struct {
	Name     string
	Function string
	Distinct bool
	Args     []Expr
}

// Object is an object of keys that are about the row itself.
type Object []Field

// Aggregated is a value of a column of Groups: that of an aggregate function over values of Type.
type Aggregated struct {
	Column   Column
	Function string
	Type     catalog.Type
}

func (Groups) from() {}

func (Object) fieldValue()     {}
func (Aggregated) fieldValue() {}
