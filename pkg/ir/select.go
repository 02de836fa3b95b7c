package ir

import "queryengine/pkg/catalog"

// From is a relation to read rows of.
type From interface {
	Part
	from()
}

// Table is a table or view.
type Table struct {
	Name catalog.Name
	// Stored is catalog.Table.Stored; where it isn't known, false.
	Stored bool
}

// TableOf is a table as a relation.
func TableOf(t *catalog.Table) Table { return Table{Name: t.Name, Stored: t.Stored()} }

// Function is a set- or row-returning function call (tracked functions, table computed
// fields; CallArg.Row is the row of the enclosing relation, CallArg.Column a column of it).
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
	// Columns and Key are those of the RowRef.
	Columns []Column
	Key     []Column
	Rows    []Value
}

func (Table) from()       {}
func (Function) from()    {}
func (Written) from()     {}
func (NativeQuery) from() {}
func (Procedure) from()   {}
func (Embedded) from()    {}

// Root is the content of one root field: a *Select, an *Aggregate or a *Connection.
type Root interface {
	Part
	root()
	rows() *Rows
}

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

func (r *Select) rows() *Rows     { return &r.Rows }
func (r *Aggregate) rows() *Rows  { return &r.Rows }
func (r *Connection) rows() *Rows { return &r.Rows }

// Field is one key of an answer's object.
type Field struct {
	Alias string
	Value FieldValue
}

// FieldValue is what a key of the object of a row holds: a Typename, a Scalar, a *NodeID or a *Nested.
type FieldValue interface {
	Part
	fieldValue()
}

// Typename is the constant of __typename, in objects of all sorts.
type Typename string

// Scalar is a scalar of the row.
type Scalar struct {
	Expr Expr
	// Type is the type of Expr: output options (numbers as strings) follow it.
	Type catalog.Type
}

func (Typename) fieldValue() {}
func (Scalar) fieldValue()   {}
func (*NodeID) fieldValue()  {}
func (*Nested) fieldValue()  {}

// Nested joins rows of another relation to the row in scope.
type Nested struct {
	// Join is empty for a function that takes the row, or columns of it (table computed fields).
	Join []JoinPair
	// Unique reports whether at most one row can match, by a key of the target: the join may be
	// a plain one.
	Unique bool
	// Root is the *Select (One for an object relationship), *Aggregate or *Connection of the rows.
	Root Root
}

// AggregateField is one key of an aggregate's object.
type AggregateField struct {
	Alias string
	Value AggregateFieldValue
}

// AggregateFieldValue is what a key of an aggregate's object holds: a Typename, Aggregates or Nodes.
type AggregateFieldValue interface {
	Part
	aggregateFieldValue()
}

// Aggregates is the content of `aggregate`.
type Aggregates []AggregateExpr

// Nodes is the content of `nodes`.
type Nodes []Field

func (Typename) aggregateFieldValue()   {}
func (Aggregates) aggregateFieldValue() {}
func (Nodes) aggregateFieldValue()      {}

// AggregateExpr is one key below `aggregate`.
type AggregateExpr struct {
	Alias string
	Value AggregateValue
}

// AggregateValue is what a key below `aggregate` holds: a Typename, a *Count or an *AggregateCall.
type AggregateValue interface {
	Part
	aggregateValue()
}

// AggregateCall is a function (avg, sum, max, ...) that is applied to each of Columns. It gives an object.
type AggregateCall struct {
	Function string
	Columns  []AggregateColumn
}

func (Typename) aggregateValue()       {}
func (*Count) aggregateValue()         {}
func (*AggregateCall) aggregateValue() {}

// Count counts rows, or rows where Args are not NULL.
type Count struct {
	Args     []Expr
	Distinct bool
}

// AggregateColumn is one key below an aggregate function.
type AggregateColumn struct {
	Alias string
	Value AggregateColumnValue
}

// AggregateColumnValue is what a key below an aggregate function holds: a Typename, or the Scalar that the
// function is applied to.
type AggregateColumnValue interface {
	Part
	aggregateColumnValue()
}

func (Typename) aggregateColumnValue() {}
func (Scalar) aggregateColumnValue()   {}

// OrderItem is one ordering key.
type OrderItem struct {
	Target     OrderTarget
	Desc       bool
	NullsFirst bool
}

// OrderTarget is what rows are ordered by.
type OrderTarget interface {
	Part
	orderTarget()
}

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
