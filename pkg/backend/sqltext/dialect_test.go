package sqltext_test

import (
	"encoding/json"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// brackets is a dialect that spells nearly everything unlike PostgreSQL: names in brackets,
// named parameters, CAST, no boolean constants, lists as JSON, NULL as the least value.
type brackets struct{}

func (brackets) Quote(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

func (brackets) Bool(holds bool) string {
	if holds {
		return "(1 = 1)"
	}
	return "(1 = 0)"
}

func (brackets) Placeholder(n int) string { return "@p" + strconv.Itoa(n) }

func (b brackets) Typed(text string, as sqltext.As) string {
	if as.List {
		return text
	}
	return b.Cast(text, as.Type)
}

func (brackets) Wrapped(text string, as sqltext.As) string {
	if as.Wrap != "" {
		return "from_" + string(as.Wrap) + "(" + text + ")"
	}
	return text
}

func (brackets) Cast(expr string, t catalog.Type) string {
	return "CAST(" + expr + " AS " + t.Name + ")"
}

func (brackets) List(values [][]byte) []byte {
	texts := make([]*string, len(values))
	for i, v := range values {
		if v != nil {
			text := string(v)
			texts[i] = &text
		}
	}
	list, _ := json.Marshal(texts) // texts always encode
	return list
}

func (brackets) Direction(desc, _ bool) string {
	if desc {
		return " DESC"
	}
	return " ASC"
}

func (brackets) Least(a, b string) string {
	return "CASE WHEN " + a + " < " + b + " THEN " + a + " ELSE " + b + " END"
}

func (brackets) Count(args []string, distinct bool) string {
	switch {
	case len(args) == 0:
		return "count_big(*)"
	case distinct:
		return "count_big(DISTINCT " + strings.Join(args, ", ") + ")"
	}
	return "count_big(" + strings.Join(args, ", ") + ")"
}

var bracketOperators = []*backend.Operator{
	{Op: "_eq", SQL: "$l = $1"},
	{Op: "_neq", SQL: "$l <> $1"},
	{Op: "_gt", SQL: "$l > $1"},
	{Op: "_in", SQL: "$l IN (SELECT value FROM OPENJSON($1))"},
	{Op: "_between", SQL: "$l BETWEEN $1 AND $2"},
	{Op: "_near", SQL: "near($l, $*)"},
}

func (brackets) Operator(op ir.Op) *backend.Operator {
	for _, o := range bracketOperators {
		if o.Op == op {
			return o
		}
	}
	return nil
}

// ConflictTarget knows constraints by their columns alone, as SQLite does.
func (b brackets) ConflictTarget(t ir.ConflictTarget) string {
	if len(t.Columns) == 0 {
		return ""
	}
	return " " + sqltext.Columns(b, t.Columns)
}

func (brackets) Tables() *backend.Tables {
	return &backend.Tables{Assignments: []backend.Assignment{{Op: "_set", SQL: "$1"}, {Op: "_inc", SQL: "$l + $1"}}}
}

// plain takes nothing over but what has no default.
type plain struct{}

func (plain) OwnCondition(ir.BoolExp, *sqltext.Scope) (string, bool) { return "", false }

func (plain) OwnExpr(ir.Expr, *sqltext.Scope) (string, bool) { return "", false }

func (plain) RowArgument(row *sqltext.Scope) string { return row.Alias + ".[key]" }

func (plain) OwnFrom(f ir.From, _ *sqltext.Scope) (string, bool) {
	if k, ok := f.(ir.Keys); ok {
		return "OPENJSON(@keys" + strconv.Itoa(k.Index) + ")", true
	}
	return "", false
}
