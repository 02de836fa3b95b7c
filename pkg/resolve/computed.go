package resolve

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// ComputedField is a field whose value a function of the row gives.
type ComputedField struct {
	Name     string
	Meta     *metadata.ComputedField
	Function *catalog.Function
	// Type and Scalar describe the value of a scalar computed field.
	Type   catalog.Type
	Scalar backend.Scalar
	// Returns is the table of the rows of a table computed field, nil for a scalar one.
	Returns *Table
	// RowArg is the index in Function.Args that takes the row.
	RowArg int
	// SessionArg is the index that takes the session variables, -1 for none.
	SessionArg int
	// Args are the arguments left to the client.
	Args        []FunctionArg
	Description string
}

// FunctionArg is an argument that the client supplies.
type FunctionArg struct {
	// Field is the GraphQL name.
	Field string
	// Index is the position in catalog.Function.Args.
	Index int
	*catalog.Argument
	Scalar backend.Scalar
	// Optional arguments have a default.
	Optional bool
}
