package sqlite

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// What an operator's columns are called when a rule uses it on another type.
const (
	onText = `"text"`
	onJSON = `"jsonb"`
)

// operatorRow is an operator and the families of types that have it; nil is for all.
type operatorRow struct {
	backend.Operator
	families []family
}

var (
	ordered  = []family{familyText, familyInteger, familyFloat, familyNumeric, familyBoolean, familyTime, familyUUID, familyBytes}
	textOnly = []family{familyText}
	jsonOnly = []family{familyJSON}
)

// operatorRows is the table of operators, in the order of the schema. Patterns are matched by functions
// of ours: LIKE of SQLite takes upper and lower case of ASCII as the same, and has no escape character.
var operatorRows = []operatorRow{
	{rule(ir.OpEq, backend.OperandSame, "", `$l = $1`), nil},
	{rule(ir.OpNeq, backend.OperandSame, "", `$l <> $1`), nil},
	{rule(ir.OpGt, backend.OperandSame, "", `$l > $1`), ordered},
	{rule(ir.OpLt, backend.OperandSame, "", `$l < $1`), ordered},
	{rule(ir.OpGte, backend.OperandSame, "", `$l >= $1`), ordered},
	{rule(ir.OpLte, backend.OperandSame, "", `$l <= $1`), ordered},
	{rule(ir.OpIn, backend.OperandList, "", `$l IN $1`), nil},
	{rule(ir.OpNin, backend.OperandList, "", `$l NOT IN $1`), nil},

	{rule("_like", backend.OperandSame, onText, functionLike+`($l, $1)`), textOnly},
	{rule("_nlike", backend.OperandSame, onText, `NOT `+functionLike+`($l, $1)`), textOnly},
	{rule("_ilike", backend.OperandSame, onText, functionILike+`($l, $1)`), textOnly},
	{rule("_nilike", backend.OperandSame, onText, `NOT `+functionILike+`($l, $1)`), textOnly},
	{rule("_regex", backend.OperandSame, onText, functionRegex+`($l, $1)`), textOnly},
	{rule("_iregex", backend.OperandSame, onText, functionIRegex+`($l, $1)`), textOnly},
	{rule("_nregex", backend.OperandSame, onText, `NOT `+functionRegex+`($l, $1)`), textOnly},
	{rule("_niregex", backend.OperandSame, onText, `NOT `+functionIRegex+`($l, $1)`), textOnly},

	{rule("_contains", backend.OperandSame, onJSON, functionContains+`($l, $1)`), jsonOnly},
	{rule("_contained_in", backend.OperandSame, onJSON, functionContains+`($1, $l)`), jsonOnly},
	{nullable(rule("_has_key", backend.OperandText, onJSON, functionHasKey+`($l, $1)`)), jsonOnly},
	{rule("_has_keys_any", backend.OperandTextList, onJSON, functionHasAny+`($l, (SELECT json_group_array(value) FROM $1))`), jsonOnly},
	{rule("_has_keys_all", backend.OperandTextList, onJSON, functionHasAll+`($l, (SELECT json_group_array(value) FROM $1))`), jsonOnly},
}

func rule(op ir.Op, operand backend.Operand, columns, sql string) backend.Operator {
	return backend.Operator{Op: op, Operand: operand, Columns: columns, SQL: sql, Rule: true}
}

func nullable(o backend.Operator) backend.Operator {
	o.Nullable = true
	return o
}

// Operators are the comparison operators of a type, in the order of the schema. The rows
// are shared and must not be changed.
func (*Dialect) Operators(t catalog.Type) []*backend.Operator {
	f := rowOf(t).family
	var list []*backend.Operator
	for i := range operatorRows {
		if row := &operatorRows[i]; row.families == nil || slices.Contains(row.families, f) {
			list = append(list, &row.Operator)
		}
	}
	return list
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
