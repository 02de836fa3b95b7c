package sqlite

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Dialect is the pure part of the backend: types, operators and rendering. It has no state.
type Dialect struct{}

// New returns the dialect.
func New() *Dialect { return &Dialect{} }

// Kind is the name of the backend in metadata.
func (*Dialect) Kind() string { return kindName }

// spelling is how SQLite spells what all SQL dialects have: see sqltext.Spelling.
type spelling struct{ *Dialect }

func (spelling) Quote(name string) string { return quoteName(name) }

func (spelling) Bool(holds bool) string {
	if holds {
		return "TRUE"
	}
	return "FALSE"
}

func (spelling) Placeholder(n int) string { return "?" + strconv.Itoa(n) }

// Typed leaves a value as it is, since it is bound as one of its type. A list comes as the rows of one
// JSON array.
func (spelling) Typed(text string, as sqltext.As) string {
	if !as.List {
		return text
	}
	return "(SELECT " + element("value", as.Type) + " FROM json_each(" + text + "))"
}

// element is a value in JSON as a value of a type. JSON has no bytes: they come as digits.
func element(json string, t catalog.Type) string {
	if t.Name == typeBytes.Name {
		return "unhex(" + json + ")"
	}
	return json
}

func (spelling) Wrapped(text string, _ sqltext.As) string { return text }

func (spelling) Cast(expr string, t catalog.Type) string {
	if expr == "NULL" {
		return expr
	}
	text := "CAST(" + expr + " AS " + rowOf(t).cast + ")"
	if rowOf(t).family == familyText {
		// Of JSON alone there is a cast to text, and it may be stored in a binary form.
		text = "CASE typeof(" + expr + ") WHEN 'blob' THEN json(" + expr + ") ELSE " + text + " END"
	}
	return text
}

func (spelling) List(values [][]byte) []byte { return input.ListText(values) }

// Direction spells where NULL goes as far as it isn't the default: it is the least value.
func (spelling) Direction(desc, nullsFirst bool) string {
	switch {
	case desc && nullsFirst:
		return " DESC NULLS FIRST"
	case desc:
		return " DESC"
	case nullsFirst:
		return ""
	}
	return " NULLS LAST"
}

// Least passes over NULL, which min doesn't.
func (spelling) Least(a, b string) string { return "min(coalesce(" + a + ", " + b + "), " + b + ")" }

// Count takes several columns as one record, which is never NULL.
func (spelling) Count(args []string, distinct bool) string {
	switch {
	case len(args) == 0:
		return "count(*)"
	case len(args) > 1 && !distinct:
		return "count(coalesce(" + strings.Join(args, ", ") + ", 1))" // with all parameters that they have
	case !distinct:
		return "count(" + args[0] + ")"
	case len(args) == 1:
		return "count(DISTINCT " + args[0] + ")"
	}
	return "count(DISTINCT " + functionRow + "(" + strings.Join(args, ", ") + "))"
}

// ConflictTarget knows constraints by their columns alone.
func (s spelling) ConflictTarget(t ir.ConflictTarget) string {
	if len(t.Columns) == 0 {
		return ""
	}
	return " " + sqltext.Columns(s, t.Columns)
}

// tables are what SQLite has next to its operators.
var tables = backend.Tables{
	Aggregates: []backend.Aggregate{
		{Name: "avg", Takes: numericValue, Float: true, Result: statistic},
		{Name: "max", Takes: comparableValue},
		{Name: "min", Takes: comparableValue},
		{Name: "stddev", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "sum", Takes: numericValue, Result: func(t catalog.Type) catalog.Type {
			if rowOf(t).family == familyInteger {
				return typeBig
			}
			return t
		}},
		{Name: "var_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "var_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "variance", Takes: numericValue, Float: true, Result: statistic},
	},
	Masks: []backend.Mask{
		{Name: backend.MaskRedact, Takes: textual, SQL: `'***'`},
		{Name: backend.MaskHash, Takes: textual, SQL: functionHash + `($l)`},
		{Name: backend.MaskLast4, Takes: textual, SQL: `'****' || CASE WHEN length($l) > 4 THEN substr($l, -4) WHEN $l IS NOT NULL THEN '' END`},
		{Name: backend.MaskEmail, Takes: textual, SQL: functionEmail + `($l)`},
	},
	Predicates: []backend.Predicate{
		{Name: "count", Operand: typeInteger},
		{Name: "avg", Operand: typeDouble, Takes: double},
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
	},
	Casts: []string{"String"},
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
	TypeSuffix: "_SQLITE",
}

// Tables are what there is next to operators.
func (*Dialect) Tables() *backend.Tables { return &tables }

func statistic(catalog.Type) catalog.Type { return typeDouble }

func anyValue(catalog.Type, backend.Scalar) bool { return true }

func numericValue(_ catalog.Type, s backend.Scalar) bool { return s.Numeric }

func comparableValue(_ catalog.Type, s backend.Scalar) bool { return s.Comparable }

func textual(t catalog.Type) bool { return rowOf(t).family == familyText }

func double(t catalog.Type) bool { return t.Name == typeDouble.Name }
