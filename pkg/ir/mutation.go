package ir

import "queryengine/pkg/catalog"

// Mutation is one statement that writes to one table: *Insert, *Update or *Delete.
type Mutation interface{ mutation() }

// Output is what a mutation gives back of the rows that it wrote. The zero value gives
// nothing but their number.
type Output struct {
	// Returning are the columns of the written rows: of each row that Tx.Exec hands out,
	// or, when there is no Answer, of the list that Tx.Query writes.
	Returning []Field
	// Handed reports whether the statement is for Tx.Exec and Tx.Defer alone, so that nothing is made
	// for the answer.
	Handed bool
	// Objects are handed out as well, after Returning: each is the JSON of an object with these fields
	// of the row, as an answer has it. It is for Handed alone.
	Objects [][]Field
	// One makes Tx.Query write the first row of Returning as an object, or null, in place
	// of a list.
	One bool
	// Answer are the keys of the object that Tx.Query writes.
	Answer []OutputField
}

// OutputField is one key of a mutation's answer.
type OutputField struct {
	Alias string
	Value OutputValue
}

// OutputValue is what a key of a mutation's answer holds: a Typename, AffectedRows or Returning.
type OutputValue interface{ outputValue() }

// AffectedRows is the number of rows that were written.
type AffectedRows struct{}

// Returning are the rows that were written.
type Returning []Field

func (Typename) outputValue()     {}
func (AffectedRows) outputValue() {}
func (Returning) outputValue()    {}

// Insert writes rows into one table.
type Insert struct {
	Table   catalog.Name
	Columns []Column
	// Rows hold one Value per column; Default{} for a missing one. A single row with an
	// Each stands for as many rows as that has values.
	Rows       [][]Value
	OnConflict *OnConflict
	// Identity names the column of the table that the database counts up by itself, empty for none.
	Identity string
	// Check must hold for each row after it was written, else the statement fails with
	// the permission error. nil is true.
	Check BoolExp
	// UpdateCheck takes the place of Check for rows that the conflict clause updated.
	UpdateCheck BoolExp
	Output
}

// OnConflict is the upsert clause.
type OnConflict struct {
	// Target is what rows are in conflict about; the zero value is any constraint.
	Target ConflictTarget
	// TableKind is the kind of the table. A database may tell inserted rows from updated ones in another
	// way for each.
	TableKind catalog.TableKind
	// Set are the columns taken from the excluded row; none is DO NOTHING.
	Set []string
	// Presets are written besides.
	Presets []Assignment
	Where   BoolExp
}

// ConflictTarget is a constraint, a unique index or a list of columns. Which of its parts a statement
// names depends on the dialect.
type ConflictTarget struct {
	// Constraint is the name of the constraint or index, empty where it is known by its columns only.
	Constraint string
	// Index reports whether that is a unique index that stands for no constraint.
	Index bool
	// Columns are those that identify the row in conflict.
	Columns []string
}

// Update changes rows of one table.
type Update struct {
	Table catalog.Name
	Set   []Assignment
	Where BoolExp
	// Check must hold for each row after it was written. nil is true.
	Check BoolExp
	Output
}

// Assignment is column op value.
type Assignment struct {
	Column Column
	Op     AssignOp
	Value  Value
	// Edits take the place of Value where parts of a JSON value are changed, one after the other.
	Edits []Edit
}

// Edit changes the part of a JSON value at a path, which is a list of texts.
type Edit struct {
	Path Value
	// Value is nil where the part is removed.
	Value Value
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
	AssignMerge        AssignOp = "_merge"
	AssignSetAt        AssignOp = "_set_at"
	AssignDeleteAt     AssignOp = "_delete_at"
)

// Delete removes rows of one table.
type Delete struct {
	Table catalog.Name
	Where BoolExp
	Output
}

func (*Insert) mutation() {}
func (*Update) mutation() {}
func (*Delete) mutation() {}
