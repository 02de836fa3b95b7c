package mssql

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// What an operator's columns are called when a rule uses it on another type.
const (
	onText    = `"char", "varchar", "nchar", "nvarchar", "text", "ntext"`
	onSpatial = `"geometry", "geography"`
	onPlane   = `"geometry"`
)

// operatorRow is an operator and which types have it; nil is for all.
type operatorRow struct {
	backend.Operator
	has func(t catalog.Type) bool
}

func comparable(t catalog.Type) bool { return rowOf(t).family != familySpatial }

func textual(t catalog.Type) bool { return rowOf(t).family == familyText }

func spatial(t catalog.Type) bool { return rowOf(t).family == familySpatial }

func plane(t catalog.Type) bool { return t.Name == "geometry" }

// operatorRows is the table of operators, in the order of the schema.
var operatorRows = []operatorRow{
	{rule(ir.OpEq, backend.OperandSame, "", `$l = $1`), comparable},
	{rule(ir.OpNeq, backend.OperandSame, "", `$l <> $1`), comparable},
	{rule(ir.OpGt, backend.OperandSame, "", `$l > $1`), comparable},
	{rule(ir.OpLt, backend.OperandSame, "", `$l < $1`), comparable},
	{rule(ir.OpGte, backend.OperandSame, "", `$l >= $1`), comparable},
	{rule(ir.OpLte, backend.OperandSame, "", `$l <= $1`), comparable},
	{rule(ir.OpIn, backend.OperandList, "", `$l IN $1`), comparable},
	{rule(ir.OpNin, backend.OperandList, "", `$l NOT IN $1`), comparable},

	{rule("_like", backend.OperandSame, onText, `$l LIKE $1`), textual},
	{rule("_nlike", backend.OperandSame, onText, `$l NOT LIKE $1`), textual},

	{rule("_st_contains", backend.OperandSame, onSpatial, `$l.STContains($1) = 1`), spatial},
	{rule("_st_crosses", backend.OperandSame, onPlane, `$l.STCrosses($1) = 1`), plane},
	{rule("_st_equals", backend.OperandSame, onSpatial, `$l.STEquals($1) = 1`), spatial},
	{rule("_st_intersects", backend.OperandSame, onSpatial, `$l.STIntersects($1) = 1`), spatial},
	{rule("_st_overlaps", backend.OperandSame, onSpatial, `$l.STOverlaps($1) = 1`), spatial},
	{rule("_st_touches", backend.OperandSame, onPlane, `$l.STTouches($1) = 1`), plane},
	{rule("_st_within", backend.OperandSame, onSpatial, `$l.STWithin($1) = 1`), spatial},
}

func rule(op ir.Op, operand backend.Operand, columns, sql string) backend.Operator {
	return backend.Operator{Op: op, Operand: operand, Columns: columns, SQL: sql, Rule: true}
}

// Operators are the comparison operators of a type, in the order of the schema. The rows
// are shared and must not be changed.
func (*Dialect) Operators(t catalog.Type) []*backend.Operator {
	var list []*backend.Operator
	for i := range operatorRows {
		if row := &operatorRows[i]; row.has(t) {
			list = append(list, &row.Operator)
		}
	}
	return slices.Clip(list)
}

// Operator finds an operator by its GraphQL name; nil when there is none.
func (*Dialect) Operator(op ir.Op) *backend.Operator {
	for i := range operatorRows {
		if row := &operatorRows[i]; row.Op == op {
			return &row.Operator
		}
	}
	return nil
}
