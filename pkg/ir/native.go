package ir

import "queryengine/pkg/catalog"

// NativeQuery is the result of a statement that the metadata holds.
type NativeQuery struct {
	Code    []Code
	Columns []NativeColumn
}

// Procedure is the result of a stored procedure. Its rows have the columns, in their order.
type Procedure struct {
	Name    catalog.Name
	Args    []ProcedureArg
	Columns []NativeColumn
}

// ProcedureArg is a value of a parameter.
type ProcedureArg struct {
	Name  string
	Type  catalog.Type
	Value Value
}

// Code is a piece of a native query's statement: text of the metadata, or the place of a
// value, which is bound and never becomes text.
type Code struct {
	Text  string
	Value Value
}

// NativeColumn is a column that is read of a native query's result, or a member that is read
// of an embedded object.
type NativeColumn struct {
	Name string
	Type catalog.Type
	// Embeds reports whether the values are objects, or lists of them: Embedded reads them.
	Embeds bool
}

// Embedded are the objects that a column of the row in scope holds: one, or those of a list.
type Embedded struct {
	Column  string
	Array   bool
	Columns []NativeColumn
	// When, if set, must hold for the row in scope: else it holds no objects.
	When BoolExp
}
