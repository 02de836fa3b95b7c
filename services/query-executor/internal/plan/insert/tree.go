// Package insert is what an insert with related rows consists of, once it is planned: the tables that
// rows go into, the rows of a request, the order that they are written in, and the statement for some
// of them.
//
// Package write plans the tree of tables; rows that need more of it make it grow. Running an insert
// reads the rows and makes their statements here, without a planner.
package insert

import (
	"errors"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// ErrGrow reports that rows are related in a way that no rows were when the plan was made: it has
// to be made again by plan.Grow.
var ErrGrow = errors.New("the rows need more of the plan")

// Tree is what a root field inserts: into which tables, and where the rows are in a request.
// Which columns they have and how many they are is no part of it, so it stays valid for requests
// that differ in that.
type Tree struct {
	// Nodes are the tables, the first one that of the root field. A table has a node for
	// each way that leads to it, and for each upsert clause that is used on the way.
	Nodes []*Node
	// Spelled is set where rows are given one by one, and not as a list for each column.
	Spelled bool

	// rows is the argument with the rows, list is set when it is a list, and at is where it stands.
	rows *parse.Value
	list bool
	at   []input.Step
	// constants are the values that are spelt in the document.
	constants map[*parse.Value]constant
	// dropUnset is Options.DropUnset.
	dropUnset bool
}

// New is a tree without nodes, for rows that are given at a place of the document; list is set
// when there may be several.
func New(rows *parse.Value, at []input.Step, list, dropUnset bool) Tree {
	return Tree{rows: rows, at: at, list: list, dropUnset: dropUnset, constants: map[*parse.Value]constant{}}
}

type constant struct {
	text []byte
	wrap ir.Wrap
}

// Node is a table that rows are inserted into.
type Node struct {
	Table catalog.Name
	// Display is the name as messages show it.
	Display    string
	Columns    []Column
	Presets    []ir.Assignment
	OnConflict *ir.OnConflict
	// Check must hold for inserted rows, UpdateCheck for those that were updated; see
	// ir.Insert.
	Check, UpdateCheck ir.BoolExp
	// Written are the rows whose checks statements of their own make, with the list of their texts as the only ir.Each; nil where the
	// statement that inserts makes them.
	Written *ir.Written
	// References are the tables that foreign keys of Table lead to.
	References []catalog.Name
	// Relations are those that some row has, in the order that their rows are written in.
	Relations []*Relation
	// Keys are the columns of a written row that related rows take values from. First is set
	// when these are written after it, and can't be without it.
	Keys  []ir.Field
	First bool
	// Validator checks the rows of the table; nil for none.
	Validator *metadata.ValidateInputWebhook
	// UpdateValidator checks what rows that are there already are set to; nil for none.
	UpdateValidator *metadata.ValidateInputWebhook
	// Identity is that of an ir.Insert.
	Identity string
	// AnyColumn is the column that takes its default when a row has no value at all.
	AnyColumn ir.Column

	// Object is the type of the rows, Members what is known by its keys.
	Object  schema.Ref
	Members map[string]Member
	// Determined are the columns whose values come from the parent.
	Determined []int
}

// Column is a column that a row may have a value for.
type Column struct {
	ir.Column
	// Check must hold for inserted rows besides Node.Check when the statement has the column; nil for none.
	Check ir.BoolExp
	// Default is set when a row without a value for it gets another one than NULL.
	Default bool

	// Ref is the type of its values in the schema, and Coercion makes texts of them.
	Ref      schema.Ref
	Coercion input.Coercion
}

// Member is what a key of a row means: a column, or a relationship.
type Member struct {
	Name   string
	Column int
	// Relation is nil for a column.
	Relation *schema.Input
}

// Relation leads from the rows of a node to those of another one.
type Relation struct {
	Name string
	// Node is the index of the related node.
	Node int
	// After is set when the related rows are written after the row, else they are before it.
	After bool
	// Array is set when there may be several.
	Array bool
	// From are indexes into the Keys of the node that is written first, To the columns of
	// the other one that take these values: -1 for one that a preset fills.
	From, To []int

	// Own are the columns of the row itself that the relationship fills, for one that is
	// written before.
	Own []int
	// Conflict is the upsert clause as the request spells it, the zero value for none.
	Conflict input.Value
}
