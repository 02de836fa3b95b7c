package bigquery

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// kindName is the kind in metadata.
const kindName = "bigquery"

// Dialect is the pure part of the backend: types, operators and rendering.
type Dialect struct {
	// Limit is how many rows a list has at most, 0 for any number.
	Limit int
}

// Kind is the name of the backend in metadata.
func (Dialect) Kind() string { return kindName }

// spelling is how BigQuery spells what all SQL dialects have: see sqltext.Spelling.
type spelling struct{ Dialect }

func (spelling) Quote(name string) string { return quoteName(name) }

// quoteName writes a name as an identifier.
func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// quoteText writes a constant text.
func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}

func (spelling) Bool(holds bool) string {
	if holds {
		return "TRUE"
	}
	return "FALSE"
}

func (spelling) Placeholder(n int) string { return "@" + parameterName(n) }

// parameterName is the name of the n-th parameter, from 1.
func parameterName(n int) string { return "p" + strconv.Itoa(n) }

// Typed returns a value unchanged, since parameters are typed, except types that parameters can't have.
func (spelling) Typed(text string, as sqltext.As) string {
	switch form := rowOf(as.Type).read; {
	case as.List:
		return "UNNEST(" + text + ")"
	case as.Wrap == wrapGeoJSON:
		return "ST_GEOGFROMGEOJSON(" + text + ")"
	case form != "":
		return strings.ReplaceAll(form, "$", text)
	}
	return text
}

func (spelling) Wrapped(text string, _ sqltext.As) string { return text }

func (spelling) Cast(expr string, t catalog.Type) string {
	return "CAST(" + expr + " AS " + rowOf(t).name + ")"
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

func (spelling) Least(a, b string) string { return "LEAST(IFNULL(" + a + ", " + b + "), " + b + ")" }

// Count takes several columns as one record, which is never NULL.
func (spelling) Count(args []string, distinct bool) string {
	switch {
	case len(args) == 0, len(args) > 1 && !distinct:
		return countOf + "*)"
	case !distinct:
		return countOf + args[0] + ")"
	case len(args) == 1:
		return countOf + "DISTINCT " + args[0] + ")"
	}
	return countOf + "DISTINCT TO_JSON_STRING(STRUCT(" + strings.Join(args, ", ") + ")))"
}

// countOf begins all counts. Where there are no rows, they are 0 and not NULL.
const countOf = "COUNT("

// ConflictTarget isn't asked for: nothing is inserted.
func (spelling) ConflictTarget(ir.ConflictTarget) string { return "" }

// tables are what BigQuery has next to its operators.
var tables = backend.Tables{
	Aggregates: []backend.Aggregate{
		{Name: "avg", Takes: numericValue, Float: true, Result: statistic},
		{Name: "max", Takes: comparableValue},
		{Name: "min", Takes: comparableValue},
		{Name: "stddev", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "sum", Takes: numericValue},
		{Name: "var_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "var_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "variance", Takes: numericValue, Float: true, Result: statistic},
	},
	Masks: []backend.Mask{
		{Name: backend.MaskRedact, Takes: textual, SQL: `CAST('***' AS STRING)`},
		{Name: backend.MaskHash, Takes: textual, SQL: `TO_HEX(SHA256($l))`},
		{Name: backend.MaskLast4, Takes: textual, SQL: `CONCAT('****', CASE WHEN LENGTH($l) > 4 THEN RIGHT($l, 4) WHEN $l IS NOT NULL THEN '' END)`},
		{Name: backend.MaskEmail, Takes: textual, SQL: `CASE WHEN STRPOS($l, '@') > 0 ` +
			`THEN CONCAT(LEFT($l, 1), '***', RIGHT($l, STRPOS(REVERSE($l), '@'))) WHEN $l IS NOT NULL THEN '***' END`},
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
	Ordering: []backend.Ordering{
		{Name: "asc", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_first", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_last", Description: "in ascending order, nulls last"},
		{Name: "desc", Description: "in descending order, nulls last", Desc: true},
		{Name: "desc_nulls_first", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_last", Description: "in descending order, nulls last", Desc: true},
	},
	DistinctOn: true,
	TypeSuffix: "_BigQuery",
}

// Tables are what there is next to operators.
func (Dialect) Tables() *backend.Tables { return &tables }

func statistic(catalog.Type) catalog.Type { return typeDouble }

func numericValue(_ catalog.Type, s backend.Scalar) bool { return s.Numeric }

func comparableValue(t catalog.Type, s backend.Scalar) bool { return s.Comparable && !t.IsArray() }

func textual(t catalog.Type) bool { return rowOf(t).family == familyText && !t.IsArray() }

func double(t catalog.Type) bool { return t.Name == typeDouble.Name }
