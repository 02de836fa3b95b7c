package postgres

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// tables are what PostgreSQL has next to its operators.
var tables = backend.Tables{
	Aggregates: []backend.Aggregate{
		{Name: "avg", Takes: numericValue, Float: true, Result: statistic},
		{Name: "max", Takes: comparableValue},
		{Name: "min", Takes: comparableValue},
		{Name: "stddev", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "sum", Takes: numericValue, Result: statistic},
		{Name: "var_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "var_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "variance", Takes: numericValue, Float: true, Result: statistic},
	},
	Predicates: []backend.Predicate{
		{Name: "count", Operand: typeInteger},
		{Name: "avg", Operand: typeDouble, Takes: double},
		{Name: "bool_and", Operand: typeBoolean, Takes: boolean},
		{Name: "bool_or", Operand: typeBoolean, Takes: boolean},
		{Name: "corr", Operand: typeDouble, Takes: double, Pair: true},
		{Name: "covar_samp", Operand: typeDouble, Takes: double, Pair: true},
		{Name: "max", Operand: typeDouble, Takes: double},
		{Name: "min", Operand: typeDouble, Takes: double},
		{Name: "stddev_samp", Operand: typeDouble, Takes: double},
		{Name: "sum", Operand: typeDouble, Takes: double},
		{Name: "var_samp", Operand: typeDouble, Takes: double},
	},
	Assignments: []backend.Assignment{
		{Op: ir.AssignSet, Takes: anyValue, SQL: "$1"},
		{Op: ir.AssignInc, Takes: numericValue, SQL: "$l + $1"},
		{Op: ir.AssignMul, SQL: "$l * $1"},
		{Op: ir.AssignAppend, Takes: mergeableValue, SQL: "$l || $1"},
		{Op: ir.AssignPrepend, Takes: mergeableValue, SQL: "$1 || $l"},
		{Op: ir.AssignDeleteKey, Takes: mergeableValue, SQL: "$l - $1"},
		{Op: ir.AssignDeleteElem, Takes: mergeableValue, SQL: "$l - $1"},
		{Op: ir.AssignDeleteAtPath, Takes: mergeableValue, SQL: "$l #- $1"},
	},
	Casts:     []string{"String", "geography", "geometry"},
	TextOfAll: true,
	Ordering: []backend.Ordering{
		{Name: "asc", Description: "in ascending order, nulls last"},
		{Name: "asc_nulls_first", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_last", Description: "in ascending order, nulls last"},
		{Name: "desc", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_first", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_last", Description: "in descending order, nulls last", Desc: true},
	},
	Upsert:     backend.OnConflict,
	DistinctOn: true,
}

// Tables are what there is next to operators.
func (*Dialect) Tables() *backend.Tables { return &tables }

func anyValue(catalog.Type, backend.Scalar) bool { return true }

func numericValue(t catalog.Type, s backend.Scalar) bool { return !t.IsArray() && s.Numeric }

func comparableValue(t catalog.Type, s backend.Scalar) bool { return t.IsArray() || s.Comparable }

func mergeableValue(_ catalog.Type, s backend.Scalar) bool { return s.Mergeable }

func double(t catalog.Type) bool { return t.Name == typeDouble.Name && !t.IsArray() }

func boolean(t catalog.Type) bool { return t.Name == typeBoolean.Name && !t.IsArray() }

// statistic is the type that sums and deviations are compared as.
func statistic(t catalog.Type) catalog.Type {
	switch rowOf(t).family {
	case familyMoney:
		return t
	case familyFloat:
		return typeDouble
	}
	return typeNumeric
}
