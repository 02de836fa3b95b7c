package schema

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// What a Field, Input or Value may mean. Means holds one of these, or:
//
//   - *resolve.SelectColumn: a column that the role may read
//   - *resolve.SelectComputedField: a scalar computed field that the role may read
//   - *resolve.FunctionArg: an argument of a function
//   - *resolve.NativeArgument: an argument of a native query
//   - *backend.Operator: a comparison operator of the source's dialect
//   - *backend.ObjectField: a field of the operand object of an operator
//   - *Predicate: a function of an aggregate predicate
//   - *RemoteRelation, *RemoteAggregate: a relationship to another source
type (
	// Rows is a root field that lists the rows of a table.
	Rows struct{ Table *Table }
	// ByPK is a root field that reads one row; its arguments are *resolve.SelectColumn.
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
