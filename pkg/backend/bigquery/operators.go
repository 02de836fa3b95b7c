package bigquery

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// What an operator's columns are called when a rule uses it on another type.
const (
	onText      = `"STRING", "BYTES"`
	onGeography = `"GEOGRAPHY"`
)

// operatorRow is an operator and the families of types that have it.
type operatorRow struct {
	backend.Operator
	families []family
}

var (
	ordered   = []family{familyText, familyInteger, familyFloat, familyDecimal, familyBoolean, familyTime, familyBytes}
	patterned = []family{familyText, familyBytes}
	spatial   = []family{familyGeography}
)

// operatorRows is the table of operators, in the order of the schema.
var operatorRows = []operatorRow{
	{rule(ir.OpEq, backend.OperandSame, "", `$l = $1`), ordered},
	{rule(ir.OpNeq, backend.OperandSame, "", `$l != $1`), ordered},
	{rule(ir.OpGt, backend.OperandSame, "", `$l > $1`), ordered},
	{rule(ir.OpLt, backend.OperandSame, "", `$l < $1`), ordered},
	{rule(ir.OpGte, backend.OperandSame, "", `$l >= $1`), ordered},
	{rule(ir.OpLte, backend.OperandSame, "", `$l <= $1`), ordered},
	{rule(ir.OpIn, backend.OperandList, "", `$l IN $1`), ordered},
	{rule(ir.OpNin, backend.OperandList, "", `$l NOT IN $1`), ordered},

	{rule("_like", backend.OperandSame, onText, `$l LIKE $1`), patterned},
	{rule("_nlike", backend.OperandSame, onText, `$l NOT LIKE $1`), patterned},

	{rule("_st_contains", backend.OperandSame, onGeography, `ST_CONTAINS($l, $1)`), spatial},
	{rule("_st_equals", backend.OperandSame, onGeography, `ST_EQUALS($l, $1)`), spatial},
	{rule("_st_intersects", backend.OperandSame, onGeography, `ST_INTERSECTS($l, $1)`), spatial},
	{rule("_st_touches", backend.OperandSame, onGeography, `ST_TOUCHES($l, $1)`), spatial},
	{rule("_st_within", backend.OperandSame, onGeography, `ST_WITHIN($l, $1)`), spatial},
	{backend.Operator{
		Op: "_st_d_within", Operand: backend.OperandObject, Object: "st_dwithin_input",
		ObjectFields: []backend.ObjectField{
			{Name: "distance", Type: typeDouble, Required: true},
			{Name: "from", Type: typeGeo, Required: true},
			{Name: "use_spheroid", Type: typeBoolean, Default: "false"},
		},
		Columns: onGeography, SQL: `ST_DWITHIN($l, $2, $1, $3)`, Rule: true,
	}, spatial},
}

func rule(op ir.Op, operand backend.Operand, columns, sql string) backend.Operator {
	return backend.Operator{Op: op, Operand: operand, Columns: columns, SQL: sql, Rule: true}
}

// Operators are the comparison operators of a type, in the order of the schema. Lists have none. The rows are
// shared and must not be changed.
func (Dialect) Operators(t catalog.Type) []*backend.Operator {
	if t.IsArray() {
		return nil
	}
	f := rowOf(t).family
	var list []*backend.Operator
	for i := range operatorRows {
		if row := &operatorRows[i]; slices.Contains(row.families, f) {
			list = append(list, &row.Operator)
		}
	}
	return list
}

// Operator finds an operator by its GraphQL name; nil when there is none.
func (Dialect) Operator(op ir.Op) *backend.Operator {
	for i := range operatorRows {
		if row := &operatorRows[i]; row.Op == op {
			return &row.Operator
		}
	}
	return nil
}
