// Package budget bounds the work that is done for a request.
//
// A request has one Budget, which follows from its size in bytes: a longer request may cause more work,
// up to a bound. Everything that works for the request draws on it before it works, and gets an error
// once it is used up. The time of a request isn't here: its context bounds it.
//
// The bound on introspection follows from the size of the schema, too: see Allow.
package budget

import (
	"math"

	"queryengine/pkg/apierror"
)

// Kind is a kind of work.
type Kind uint8

// The kinds of work.
const (
	// Selections are those of a document, in fragments each time they are used, and the columns that a
	// star stands for.
	Selections Kind = iota
	// InputValues are members of input objects and items of lists of them, those of a variable
	// each time it is used.
	InputValues
	// RootFields are those of an operation: most of them are a statement.
	RootFields
	// Statements are those besides the first one of a root field: the updates of a list of them, and
	// the statements and calls that complete the answers of others.
	Statements
	// Relations are related rows that statements look at, whether they are shown, ordered by or a
	// condition.
	Relations
	// Constants are bytes of values that are looked at while a plan is made, Operands those that
	// statements and calls are given, each time they are.
	Constants
	Operands
	// SQL is bytes of the statements.
	SQL
	// Members and Bytes are what introspection writes: members of objects, and bytes.
	Members
	Bytes
	kinds
)

// limit is how much of a kind of work a request may cause: Base, and PerByte for each of its bytes, but
// no more than Most.
type limit struct {
	base, perByte, most float64
	message             string
}

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)

var limits = [kinds]limit{
	Selections:  {5_000, 10, 50_000, "the query selects too much"},
	InputValues: {5_000, 4, 100_000, "the query has too many input values"},
	RootFields:  {100, 0.2, 1000, "the operation has too many root fields"},
	Statements:  {100, 0.1, 20_000, "the operation needs too many statements"},
	Relations:   {500, 0.25, 20_000, "the operation looks at too many relationships"},
	Constants:   {megabyte, 64, 32 * megabyte, usedTooOften},
	Operands:    {megabyte, 64, 32 * megabyte, usedTooOften},
	SQL:         {4 * megabyte, kilobyte, 64 * megabyte, "the statements of the operation are too large"},
	Members:     {100_000, 0, 100_000, tooMuchIntrospection},
	Bytes:       {2 * megabyte, 0, 2 * megabyte, tooMuchIntrospection},
}

const (
	usedTooOften         = "the values of variables are used too often"
	tooMuchIntrospection = "the introspection asks for too much"
)

// Of is how much of a kind of work a request of size bytes may have.
func Of(k Kind, size int) int {
	l := &limits[k]
	return int(min(l.most, l.base+math.Floor(l.perByte*float64(size))))
}

// Budget is what one request may still have done. It is not safe for concurrent use.
type Budget struct{ left [kinds]int }

// New is the budget of a request of size bytes.
func New(size int) Budget {
	var b Budget
	for k := range kinds {
		b.left[k] = Of(k, size)
	}
	return b
}

// Allow adds to what may be done of a kind.
func (b *Budget) Allow(k Kind, n int) { b.left[k] += n }

// Left is how much may still be done of a kind, negative once more than that was requested.
func (b *Budget) Left(k Kind) int { return b.left[k] }

// Take draws n of a kind, or fails with validation-failed at $ when there is less left. A budget
// that failed stays used up.
func (b *Budget) Take(k Kind, n int) error {
	if b.left[k] -= n; b.left[k] < 0 {
		return apierror.New(apierror.ValidationFailed, limits[k].message)
	}
	return nil
}
