package ir

import "queryengine/pkg/catalog"

// BoolExp is a condition on one row of the relation in scope.
type BoolExp interface {
	Part
	boolExp()
}

// And holds when all hold; empty is true.
type And struct{ Exps []BoolExp }

// Or holds when one holds; empty is false.
type Or struct{ Exps []BoolExp }

// Not is the negation in three-valued logic.
type Not struct{ Exp BoolExp }

// Compare applies an operator of the dialect to an expression and its operands.
type Compare struct {
	Left Expr
	Op   Op
	// Args are the operands, as many as the operator takes (most take one).
	Args []Value
	// NullSafe makes OpEq and OpNeq match NULL with NULL (permission rules on nullable
	// columns).
	NullSafe bool
}

// CompareColumn compares two columns of equal type (_ceq and so on; Op is the plain
// operator).
type CompareColumn struct {
	Left     Expr
	Op       Op
	Right    Column
	NullSafe bool
}

// IsNull tests for NULL, or for not NULL. A Variable operand of _is_null decides the shape
// of the plan and is never bound.
type IsNull struct {
	Expr Expr
	Not  bool
}

// Exists holds when a row of From that is joined to the row in scope satisfies Where.
// Without Join it is uncorrelated. The scope of Where is From's row.
type Exists struct {
	From From
	Join []JoinPair
	// Unique reports whether at most one row can match, by a key of the target.
	Unique bool
	Where  BoolExp
}

// AggregateCompare compares an aggregate over the joined rows of From that satisfy Filter.
// The scope of Filter and of Args is From's row.
type AggregateCompare struct {
	From      From
	Join      []JoinPair
	Function  string // count, bool_and, avg, corr, ...
	Distinct  bool
	Args      []Expr // none: count(*)
	Filter    BoolExp
	Predicate []Compare // all hold; Left is ignored and stands for the aggregate
	// Null, when set, tests the aggregate besides: true for NULL, false for not NULL.
	Null *bool
}

// Rule is a condition that was written for one relation, with the row in scope as its root:
// the "$" of its column paths (Column.Root) means that row, however deep it is used, and
// whatever the rule was merged into. Outside of any Rule the root is the row that the
// enclosing Rows or mutation reads or writes.
type Rule struct{ Exp BoolExp }

func (And) boolExp()              {}
func (Or) boolExp()               {}
func (Not) boolExp()              {}
func (Compare) boolExp()          {}
func (CompareColumn) boolExp()    {}
func (IsNull) boolExp()           {}
func (Exists) boolExp()           {}
func (AggregateCompare) boolExp() {}
func (Rule) boolExp()             {}

// JoinPair joins a column of the outer row to one of the inner row by equality.
type JoinPair struct {
	Outer string
	Inner string
}

// Expr is a value computed from a row.
type Expr interface {
	Part
	expr()
}

// Column is a column of the row in scope, or of the root row of the rule ("$" paths in
// permission rules) when Root is set.
type Column struct {
	Name string
	Type catalog.Type
	Root bool
}

// Call is a scalar function of the row: a computed field.
type Call struct {
	Function catalog.Name
	Args     []CallArg
	Type     catalog.Type
	// Set reports whether the function returns any number of values. As a field it has to be one
	// value; a row without any is null as a whole.
	Set bool
}

// Cast converts an expression (_cast).
type Cast struct {
	Expr Expr
	Type catalog.Type
}

// Redacted is Else unless When holds: a cell that a role may see in some rows. Without Else it is NULL.
type Redacted struct {
	Expr Expr
	When BoolExp
	Else Expr
}

// Masked is what a cell shows instead of the value of Expr, of the same type: one of Mask, Value and Parts.
type Masked struct {
	Expr Expr
	// Mask is the name of a backend.Mask.
	Mask  string
	Value Value
	Parts []MaskPart
}

// MaskPart is a piece of an expression: SQL that isn't anybody's text, a column of the row in scope, or a value.
type MaskPart struct {
	Text   string
	Column *Column
	Value  Value
}

// JSONPath is a part of a JSON value.
type JSONPath struct {
	Expr Expr
	Path []string
}

// JSONValue is the value at a path of a JSON value, read as what the dialect calls Kind (backend.JSONKind). It is NULL
// where there is none, or one that can't be read that way.
type JSONValue struct {
	Expr Expr
	Path []string
	Kind string
	Type catalog.Type
}

// Upper is the upper case of a text (values of enum tables under graphql-default naming).
type Upper struct{ Expr Expr }

// RowRef refers to the row in scope: Written reads it again by the text that Tx.Exec hands out, whose
// meaning is up to the dialect.
type RowRef struct {
	// Columns are all columns of the table.
	Columns []Column
	// Key, where it is set, is what Written reads the row by: see backend.KeyedWrites.
	Key []Column
}

// Inserted is "1" of a row that an insert added, and "0" of one that its conflict clause updated. It is for Output.Returning.
type Inserted struct{}

func (Column) expr()    {}
func (Call) expr()      {}
func (Cast) expr()      {}
func (Redacted) expr()  {}
func (Masked) expr()    {}
func (JSONPath) expr()  {}
func (JSONValue) expr() {}
func (Upper) expr()     {}
func (RowRef) expr()    {}
func (Inserted) expr()  {}

// CallArg is one argument of a function call: the row in scope, a column of it, or a value. Name is
// set for named notation, empty for positional.
type CallArg struct {
	Name   string
	Row    bool
	Column *Column
	Value  Value
}

// Op names a comparison operator by its GraphQL name; the dialect's row gives its meaning.
type Op string

// The operators that plans are made with besides those that clients name, and that every
// dialect has.
const (
	OpEq  Op = "_eq"
	OpNeq Op = "_neq"
	OpGt  Op = "_gt"
	OpLt  Op = "_lt"
	OpGte Op = "_gte"
	OpLte Op = "_lte"
	OpIn  Op = "_in"
	OpNin Op = "_nin"
)
