// Package sqltext renders what SQL dialects have in common of a plan: conditions, expressions,
// values and their parameters, aliases, limits, what rows are ordered by, updates and deletes. It
// walks over the plan; a dialect spells what differs (Spelling) and takes over what it does in
// another way (Strategy). How rows are selected and made JSON, where a dialect has its speed
// from, is no part of it.
//
// The text holds names of the database and numbers of the engine; everything else is bound.
package sqltext

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Spelling is how a dialect spells what all of them have. It is safe for concurrent use.
type Spelling interface {
	// Quote writes a name as an identifier.
	Quote(name string) string
	// Bool is a condition that always holds, or never.
	Bool(holds bool) string
	// Placeholder is the n-th parameter, from 1.
	Placeholder(n int) string
	// Typed has the text of a parameter read as a value of a type, or as what Wrapped takes.
	Typed(text string, as As) string
	// Wrapped applies the function of the dialect that a wrap names.
	Wrapped(text string, as As) string
	// Cast converts an expression.
	Cast(expr string, t catalog.Type) string
	// List is the text of a parameter that is a list of values; nil is NULL.
	List(values [][]byte) []byte
	// Direction is what stands behind an ordering key, with the place of NULL.
	Direction(desc, nullsFirst bool) string
	// Least is the smaller one of two numbers, and the second one where the first is NULL.
	Least(a, b string) string
	// Count counts rows, or those in which no argument is NULL.
	Count(args []string, distinct bool) string
	// ConflictTarget is what stands behind ON CONFLICT for a constraint, by its name or its
	// columns; empty for any constraint.
	ConflictTarget(ir.ConflictTarget) string
	// Operator finds an operator, nil when there is none.
	Operator(op ir.Op) *backend.Operator
	// Tables have the templates of assignments.
	Tables() *backend.Tables
}

// As is what the text of a parameter is read as: a value of Type, or a list of them, whose text is
// then that of Spelling.List.
type As struct {
	Type catalog.Type
	List bool
	Wrap ir.Wrap
}

// Strategy is what a dialect renders in its own way. The methods named Own are called first, and
// give false for what the Renderer is to do. All may call back the Renderer.
type Strategy interface {
	// OwnCondition may take over a condition. By default, Exists is a sub-select.
	OwnCondition(e ir.BoolExp, in *Scope) (string, bool)
	// OwnExpr may take over an expression. RowRef and JSONPath have no default.
	OwnExpr(e ir.Expr, in *Scope) (string, bool)
	// OwnFrom may take over a relation. Only tables and functions have a default.
	OwnFrom(f ir.From, outer *Scope) (string, bool)
	// RowArgument is the row as an argument of a function.
	RowArgument(row *Scope) string
}
