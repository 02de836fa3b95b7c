package mssql

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

// kindName is the kind in metadata.
const kindName = "mssql"

// Kind is the name of the backend in metadata.
func (*Dialect) Kind() string { return kindName }

// quoteName writes a name as an identifier, whatever QUOTED_IDENTIFIER is.
func quoteName(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

// quoteText writes a constant text.
func quoteText(text string) string { return "N'" + strings.ReplaceAll(text, "'", "''") + "'" }

// spelling is how SQL Server spells what all SQL dialects have: see sqltext.Spelling.
type spelling struct {
	*Dialect
	// assigned reports whether values are written to columns: the column says which number
	// or text it takes. A cast would cut off digits, or characters of another code page.
	assigned *bool
	fail     func(format string, args ...any)
}

func (spelling) Quote(name string) string { return quoteName(name) }

// Bool is a comparison: there are no boolean values.
func (spelling) Bool(holds bool) string {
	if holds {
		return "1 = 1"
	}
	return "1 = 0"
}

func (spelling) Placeholder(n int) string { return "@p" + strconv.Itoa(n) }

// Typed converts the text of a parameter, all of which are bound as nvarchar. A list comes as the rows of one
// JSON array.
func (s spelling) Typed(text string, as sqltext.As) string {
	if as.List {
		return "(SELECT " + read("j.[value]", as.Type) + " FROM OPENJSON(" + text + ") AS j)"
	}
	if row := rowOf(as.Type); *s.assigned && (row.assigned || row.family == familyText) {
		return text
	}
	return read(text, as.Type)
}

func (spelling) Wrapped(text string, _ sqltext.As) string { return text }

func (spelling) Cast(expr string, t catalog.Type) string {
	return "CAST(" + expr + " AS " + rowOf(t).castName() + ")"
}

func (spelling) List(values [][]byte) []byte { return input.ListText(values) }

// Direction leaves out where NULL goes: it is the least value, and renderer.OwnText orders by a key before
// this one where it isn't to be.
func (spelling) Direction(desc, _ bool) string {
	if desc {
		return " DESC"
	}
	return ""
}

func (spelling) Least(a, b string) string {
	return "(CASE WHEN " + a + " < " + b + " THEN " + a + " ELSE " + b + " END)"
}

// Count counts rows. There is no count of different values of several columns: schemas offer one.
func (s spelling) Count(args []string, distinct bool) string {
	switch {
	case len(args) == 0:
		return "COUNT_BIG(*)"
	case len(args) > 1 && distinct:
		s.fail("a count of different values of %d columns", len(args))
	case len(args) > 1:
		return "COUNT_BIG(CASE WHEN " + strings.Join(args, " IS NOT NULL AND ") + " IS NOT NULL THEN 1 END)"
	case distinct:
		return "COUNT_BIG(DISTINCT " + args[0] + ")"
	}
	return "COUNT_BIG(" + args[0] + ")"
}

// ConflictTarget isn't asked for: there is no ON CONFLICT.
func (spelling) ConflictTarget(ir.ConflictTarget) string { return "" }

// aggregates are the functions by the names that they have in schemas.
var aggregates = map[string]string{
	"avg": "AVG", "max": "MAX", "min": "MIN", "sum": "SUM",
	"stddev": "STDEV", "stddev_samp": "STDEV", "stddev_pop": "STDEVP",
	"variance": "VAR", "var_samp": "VAR", "var_pop": "VARP",
}

// tables are what SQL Server has next to its operators.
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
		{Name: backend.MaskRedact, Takes: textual, SQL: `CASE WHEN $l IS NULL THEN N'***' ELSE N'***' END`},
		{Name: backend.MaskHash, Takes: textual, SQL: `LOWER(CONVERT(varchar(64), HASHBYTES('SHA2_256', CAST($l AS nvarchar(max))), 2))`},
		{Name: backend.MaskLast4, Takes: textual, SQL: `N'****' + CASE WHEN LEN(CAST($l AS nvarchar(max))) > 4 THEN RIGHT(CAST($l AS nvarchar(max)), 4) WHEN $l IS NOT NULL THEN N'' END`},
		{Name: backend.MaskEmail, Takes: textual, SQL: `CASE WHEN CHARINDEX('@', CAST($l AS nvarchar(max))) > 0 THEN LEFT(CAST($l AS nvarchar(max)), 1) + N'***' + ` +
			`RIGHT(CAST($l AS nvarchar(max)), CHARINDEX('@', REVERSE(CAST($l AS nvarchar(max))))) WHEN $l IS NOT NULL THEN N'***' END`},
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
	Ordering: []backend.Ordering{
		{Name: "asc", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_first", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_last", Description: "in ascending order, nulls last"},
		{Name: "desc", Description: "in descending order, nulls last", Desc: true},
		{Name: "desc_nulls_first", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_last", Description: "in descending order, nulls last", Desc: true},
	},
	Upsert:   backend.IfMatched,
	CountOne: true,
	// A rowversion is called timestamp, and metadata of others grants its writing.
	LeavesOutUnwritable: true,
	TypeSuffix:          "_MSSQL",
}

// Tables are what there is next to operators.
func (*Dialect) Tables() *backend.Tables { return &tables }

func statistic(catalog.Type) catalog.Type { return typeDouble }

func anyValue(catalog.Type, backend.Scalar) bool { return true }

func numericValue(_ catalog.Type, s backend.Scalar) bool { return s.Numeric }

func comparableValue(_ catalog.Type, s backend.Scalar) bool { return s.Comparable }

func double(t catalog.Type) bool { return t.Name == typeDouble.Name }
