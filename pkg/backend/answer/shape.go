// Package answer writes the JSON of answers from the rows that a database sends, with no Go values in
// between. A dialect defines once, when a plan is rendered, how a row becomes text: its Shape. A Writer
// then appends the text of each row to a buffer. The spelling of JSON, with its spaces and its forms of
// numbers and times, is part of the wire format and the same for all databases; how bytes of a driver
// become such a text is an Encoder of the dialect.
package answer

import "queryengine/pkg/ir"

// Shape is how one row becomes the text of a JSON value: fixed text, and cells of the row
// in between. It is made when a plan is rendered and never changes.
type Shape struct {
	Parts []Part
	Tail  string
}

// Part is one cell of a shape and the text in front of it.
type Part struct {
	Lead   string
	Kind   Kind
	Column int
	Cell   Cell   // of a Value
	Shape  *Shape // of all others
	Page   *Page  // of a PageOfRows
	// Seal encrypts the text of a Base64, nil for not.
	Seal ir.Sealer
}

// Kind is what a part is made of.
type Kind uint8

// The kinds of parts.
const (
	// Value is a value.
	Value Kind = iota
	// Object is an object from the cells of the same row, or null when the column is
	// NULL: a row of a relation that was joined.
	Object
	// Record is an object from the record in the column, or null: see Format.
	Record
	// List is a list of objects, from a list of records.
	List
	// Same is an object from the cells of the same row, which is always there.
	Same
	// Base64 is the base64 of a JSON text that is made from the cells of the same row.
	Base64
	// PageOfRows is a page of rows, from a list of records.
	PageOfRows
)

// Cell is how the values of one column are written.
type Cell struct {
	// Type is the number of the type that the plan expects. When the database sends another
	// one, because the column was changed since the catalog was read, its own encoder is used.
	Type uint32
	// UserTypes takes values of all types from this number on, too: types that users and
	// extensions define (an enum, a domain), whose numbers aren't known. 0 takes none.
	UserTypes uint32
	// Encode is nil when nothing but that the value is a number is known before: the encoder
	// is that of its type.
	Encode Encoder
	// Quoted cells are numbers that the answer has as strings.
	Quoted bool
}

// Encoder appends the JSON of a value in the form that the driver gives it; the value isn't
// NULL. It refuses bytes that aren't a value of its type.
type Encoder func(dst, value []byte) ([]byte, bool)

// Cells is one row: values that may point into the driver's buffer, nil for NULL, and their
// types, nil where values come without.
type Cells struct {
	Values [][]byte
	Types  []uint32
}

// Whole is the shape of a row whose first column is the JSON of all of it, which encode writes.
func Whole(column Cell) *Shape { return &Shape{Parts: []Part{{Cell: column}}} }
