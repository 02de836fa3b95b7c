package ir

import "queryengine/pkg/catalog"

// From is a relation to read rows of.
type From interface{ from() }

// Table is a table or view.
type Table struct{ Name catalog.Name }

// Function is a set- or row-returning function call (tracked functions, table computed
// fields; CallArg.Row is the row of the enclosing relation).
type Function struct {
	Name catalog.Name
	Args []CallArg
	// Single is set when the function returns one row that may be all NULL ("no row").
	Single bool
}

// Written are rows of a table that a mutation wrote or removed, in their order: the texts of the
// RowRef that it returned. A later statement reads through them the data related to them.
type Written struct {
	Table catalog.Name
	// Columns are those of the RowRef.
	Columns []Column
	Rows    []Value
}

func (Table) from()       {}
func (Function) from()    {}
func (Written) from()     {}
func (NativeQuery) from() {}
func (Embedded) from()    {}

// Root is the content of one root field: a *Select, an *Aggregate or a *Connection.
type Root interface{ root() }

// Rows selects and orders the rows of a relation that are read.
type Rows struct {
	From From
	// Where has the role's filter merged in; nil is true.
	Where      BoolExp
	DistinctOn []Expr
	OrderBy    []OrderItem
	// Limit is the limit argument; nil for none.
	Limit  Value
	Offset Value
	// MaxRows is the limit of the role's permission, 0 for none, NoRows for a limit of zero. A *Select returns at
	// most that many rows; an *Aggregate applies it to Nodes only.
	MaxRows int
	// WithTies reads the rows beyond the limit, too, that come last in the order together with
	// the last one within it.
	WithTies bool
	// Estimate is the estimated number of rows of the relation, -1 if unknown.
	Estimate float64
}

// NoRows is the MaxRows of a role whose lists are empty. What it aggregates is not.
const NoRows = -1

// Select reads rows.
type Select struct {
	Rows
	Fields []Field
	// One reports whether at most one row is wanted, as an object or null (by primary key,
	// object relationships, functions of a single row); else the answer is a list.
	One bool
}

// Aggregate reads aggregates of rows, and the rows themselves as nodes.
type Aggregate struct {
	Rows
	Fields []AggregateField
}

func (*Select) root()    {}
func (*Aggregate) root() {}

// Field is one key of an answer's object. Exactly one of the members is set besides Alias.
type Field struct {
	Alias string
	// Typename is the constant of __typename.
	Typename string
	// Expr is a scalar of the row.
	Expr Expr
	// ExprType is Expr's type.
	ExprType catalog.Type
	// NodeID is the row's global id.
	NodeID *NodeID
	// Nested are related rows.
	Nested *Nested
}

// Nested joins rows of another relation to the row in scope.
type Nested struct {
	// Join is empty for a function that takes the row (table computed fields).
	Join []JoinPair
	// Unique reports whether at most one row can match, by a key of the target: the join may be
	// a plain one.
	Unique bool
	// Root is the *Select (One for an object relationship), *Aggregate or *Connection of the rows.
	Root Root
}

// AggregateField is one key of an aggregate's object. Exactly one member is set besides
// Alias.
type AggregateField struct {
	Alias    string
	Typename string
	// Aggregates is the content of `aggregate`.
	Aggregates []AggregateExpr
	// Nodes is the content of `nodes`.
	Nodes []Field
	// IsNodes distinguishes an empty Nodes from an empty Aggregates.
	IsNodes bool
}

// AggregateExpr is one key below `aggregate`. Exactly one of Typename, Count, Columns is set.
type AggregateExpr struct {
	Alias    string
	Typename string
	Count    *Count
	// Function (avg, sum, max, ...) applied to each of Columns gives an object.
	Function string
	Columns  []AggregateColumn
}

// Count counts rows, or rows where Args are not NULL.
type Count struct {
	Args     []Expr
	Distinct bool
}

// AggregateColumn is one key below an aggregate function.
type AggregateColumn struct {
	Alias    string
	Typename string
	Expr     Expr
	// Type is the type of Expr: output options (numbers as strings) follow it.
	Type catalog.Type
}

// OrderItem is one ordering key.
type OrderItem struct {
	Target     OrderTarget
	Desc       bool
	NullsFirst bool
}

// OrderTarget is what rows are ordered by.
type OrderTarget interface{ orderTarget() }

// OrderExpr orders by an expression of the row.
type OrderExpr struct{ Expr Expr }

// OrderRelated orders by a target of the one related row (object relationship) that
// satisfies Where (the role's filter); rows without one sort as NULL.
type OrderRelated struct {
	From From
	Join []JoinPair
	// Unique reports whether at most one row can match, by a key of the target.
	Unique bool
	Where  BoolExp
	Target OrderTarget
}

// OrderAggregate orders by an aggregate of the related rows that satisfy Where.
type OrderAggregate struct {
	From     From
	Join     []JoinPair
	Where    BoolExp
	Function string // count for Expr == nil
	Expr     Expr
}

func (OrderExpr) orderTarget()      {}
func (OrderRelated) orderTarget()   {}
func (OrderAggregate) orderTarget() {}
