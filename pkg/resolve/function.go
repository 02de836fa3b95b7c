package resolve

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Function is a tracked function.
type Function struct {
	Source  *Source
	Meta    *metadata.Function
	Catalog *catalog.Function
	Returns *Table
	// Field and AggregateField are the root fields, ArgsType is the type of `args`; all
	// after customisation.
	Field          RootField
	AggregateField RootField
	ArgsType       string
	// Mutation says that the function is exposed in the mutation root, else in the query
	// and subscription roots.
	Mutation bool
	Args     []FunctionArg
	// SessionArg is the index in Catalog.Args that takes the session variables, -1 for
	// none.
	SessionArg int
}

// Allowed says whether the role sees the function: by its own or an inherited function
// permission, or by an inferred one. The role needs a select permission on Returns too.
func (f *Function) Allowed(role string) bool { return false }
