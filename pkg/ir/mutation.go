package ir

import "queryengine/pkg/catalog"

// Mutation is one statement that writes to one table: *Insert, *Update or *Delete.
type Mutation interface{ mutation() }

// Insert writes rows into one table.
type Insert struct {
	Table   catalog.Name
	Columns []Column
	// Rows hold one Value per column; Default{} for a missing one.
	Rows       [][]Value
	OnConflict *OnConflict
	// Check must hold for each row after it was written, else the statement fails with
	// the permission error. nil is true.
	Check BoolExp
	// UpdateCheck takes the place of Check for rows that the conflict clause updated.
	UpdateCheck BoolExp
	// Returning are the columns of the written rows that later steps need, or the fields
	// of the answer.
	Returning []Field
}

// OnConflict is the upsert clause.
type OnConflict struct {
	// Constraint names the constraint; Columns are the conflict target when it is empty.
	Constraint string
	Columns    []string
	// Set are the columns taken from the excluded row; none is DO NOTHING.
	Set []string
	// Presets are written besides.
	Presets []Assignment
	Where   BoolExp
}

// Update changes rows of one table.
type Update struct {
	Table     catalog.Name
	Set       []Assignment
	Where     BoolExp
	Check     BoolExp
	Returning []Field
}

// Assignment is column op value.
type Assignment struct {
	Column Column
	Op     AssignOp
	Value  Value
}

// AssignOp is how a value is assigned.
type AssignOp string

// The assignments.
const (
	AssignSet          AssignOp = "_set"
	AssignInc          AssignOp = "_inc"
	AssignMul          AssignOp = "_mul"
	AssignAppend       AssignOp = "_append"
	AssignPrepend      AssignOp = "_prepend"
	AssignDeleteKey    AssignOp = "_delete_key"
	AssignDeleteElem   AssignOp = "_delete_elem"
	AssignDeleteAtPath AssignOp = "_delete_at_path"
)

// Delete removes rows of one table.
type Delete struct {
	Table     catalog.Name
	Where     BoolExp
	Returning []Field
}

func (*Insert) mutation() {}
func (*Update) mutation() {}
func (*Delete) mutation() {}
