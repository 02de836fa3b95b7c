package schema

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// FieldMeaning is what the selection of a field means, and what the planner acts on.
type FieldMeaning interface{ fieldMeaning() }

// InputMeaning is what a value means that is given for an argument or a field of an input object.
type InputMeaning interface{ inputMeaning() }

// ValueMeaning is what a value of an enum means.
type ValueMeaning interface{ valueMeaning() }

// What fields, inputs and values mean. Those of mutations, the Relay schema, remote schemas, actions and
// federation are next to what makes them.
type (
	// Column is a column that the role may read: a field, a condition on it, an ordering by it, or its
	// name as a value.
	Column struct{ *resolve.SelectColumn }
	// Computed is a scalar computed field that the role may read.
	Computed struct{ *resolve.SelectComputedField }
	// FunctionArgument is an argument of a function.
	FunctionArgument struct{ *resolve.FunctionArg }
	// NativeArgument is an argument of a native query.
	NativeArgument struct{ *resolve.NativeArgument }
	// Operator is a comparison operator of the source's dialect.
	Operator struct{ *backend.Operator }
	// OperandField is a field of the operand object of an operator.
	OperandField struct{ *backend.ObjectField }

	// Rows is a root field that lists the rows of a table.
	Rows struct{ Table *Table }
	// ByPK is a root field that reads one row; its arguments are Column.
	ByPK struct{ Table *Table }
	// Aggregated is a root field that aggregates the rows of a table.
	Aggregated struct{ Table *Table }
	// FunctionRows is a root field that calls a tracked function.
	FunctionRows struct {
		Function *resolve.Function
		Table    *Table
	}
	// FunctionAggregated is a root field that aggregates the result of a tracked function.
	FunctionAggregated struct {
		Function *resolve.Function
		Table    *Table
	}
	// NativeRows is a root field that a native query answers.
	NativeRows struct {
		Query *resolve.NativeQuery
		Table *Table
	}
	// NativeRelation is a relationship to the rows of a native query, which takes the
	// arguments of the query.
	NativeRelation struct {
		*resolve.NativeRelationship
		Target *Table
	}
	// EmbeddedRows is a field of a logical model whose values are rows of another one.
	EmbeddedRows struct {
		*resolve.Embedded
		Target *Table
		// Redact is that of the column.
		Redact ir.BoolExp
	}
	// Namespace is a root field that holds the root fields of one source.
	Namespace struct{ Type *Type }
	// NoQueries is the root field of a role that may query nothing.
	NoQueries struct{}
	// Stream is a root field of the subscription root that follows a table.
	Stream struct{ Table *Table }

	// Relation is a relationship whose target the role may read: a field of the row, a
	// condition on related rows, or an ordering by them.
	Relation struct {
		*resolve.Relationship
		Target *Table
	}
	// RelationAggregate is the aggregate of an array relationship: a field, an ordering or
	// a condition.
	RelationAggregate struct{ *Relation }
	// ComputedRows is a computed field whose rows the role may read.
	ComputedRows struct {
		*resolve.ComputedField
		Target *Table
	}
	// ComputedAggregate orders by an aggregate of a ComputedRows.
	ComputedAggregate struct{ *ComputedRows }

	// AggregateFields is the field `aggregate` of an aggregate.
	AggregateFields struct{}
	// Nodes is the field `nodes` of an aggregate.
	Nodes struct{ Table *Table }
	// Count is a count: a field, an ordering or an aggregate predicate.
	Count struct{}
	// AggregateFunction is a function over columns: avg, max and so on.
	AggregateFunction struct{ Name string }

	// And is a condition that holds when all of a list do.
	And struct{}
	// Or is a condition that holds when one of a list does.
	Or struct{}
	// Not is the opposite of a condition.
	Not struct{}
	// IsNull is the operator _is_null.
	IsNull struct{}
	// Cast is the operator _cast.
	Cast struct{}
	// CastTo is a field of _cast: the type that is cast to.
	CastTo struct{ Type catalog.Type }
	// EnumValue is a value of an enum table.
	EnumValue struct{ Text string }
	// Order is a value of the enum order_by.
	Order struct{ Desc, NullsFirst bool }
)

// Argument identifies one of the arguments that fields of rows have in common.
type Argument string

// The arguments.
const (
	ArgWhere      Argument = "where"
	ArgOrderBy    Argument = "order_by"
	ArgLimit      Argument = "limit"
	ArgOffset     Argument = "offset"
	ArgDistinctOn Argument = "distinct_on"
	ArgPath       Argument = "path"
	ArgColumns    Argument = "columns"
	ArgDistinct   Argument = "distinct"
	ArgFunction   Argument = "args"
	ArgNative     Argument = "native args"
	ArgFilter     Argument = "filter"
	ArgPredicate  Argument = "predicate"
	ArgArguments  Argument = "arguments"

	// Of streaming subscriptions.
	ArgBatchSize    Argument = "batch_size"
	ArgCursor       Argument = "cursor"
	ArgInitialValue Argument = "initial_value"
	ArgOrdering     Argument = "ordering"
)

func (Column) fieldMeaning()             {}
func (Computed) fieldMeaning()           {}
func (Rows) fieldMeaning()               {}
func (ByPK) fieldMeaning()               {}
func (Aggregated) fieldMeaning()         {}
func (FunctionRows) fieldMeaning()       {}
func (FunctionAggregated) fieldMeaning() {}
func (NativeRows) fieldMeaning()         {}
func (NativeRelation) fieldMeaning()     {}
func (EmbeddedRows) fieldMeaning()       {}
func (Namespace) fieldMeaning()          {}
func (NoQueries) fieldMeaning()          {}
func (Stream) fieldMeaning()             {}
func (*Relation) fieldMeaning()          {}
func (*RelationAggregate) fieldMeaning() {}
func (*ComputedRows) fieldMeaning()      {}
func (AggregateFields) fieldMeaning()    {}
func (Nodes) fieldMeaning()              {}
func (Count) fieldMeaning()              {}
func (AggregateFunction) fieldMeaning()  {}

func (Column) inputMeaning()             {}
func (Computed) inputMeaning()           {}
func (FunctionArgument) inputMeaning()   {}
func (NativeArgument) inputMeaning()     {}
func (Operator) inputMeaning()           {}
func (OperandField) inputMeaning()       {}
func (*Relation) inputMeaning()          {}
func (*RelationAggregate) inputMeaning() {}
func (*ComputedRows) inputMeaning()      {}
func (*ComputedAggregate) inputMeaning() {}
func (Count) inputMeaning()              {}
func (AggregateFunction) inputMeaning()  {}
func (And) inputMeaning()                {}
func (Or) inputMeaning()                 {}
func (Not) inputMeaning()                {}
func (IsNull) inputMeaning()             {}
func (Cast) inputMeaning()               {}
func (CastTo) inputMeaning()             {}
func (Argument) inputMeaning()           {}

func (Column) valueMeaning()    {}
func (EnumValue) valueMeaning() {}
func (Order) valueMeaning()     {}
