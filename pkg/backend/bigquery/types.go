package bigquery

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// family is how a type takes input, and which operators it has.
type family uint8

const (
	familyOpaque family = iota
	familyText
	familyInteger
	familyFloat
	familyDecimal
	familyBoolean
	familyTime
	familyBytes
	familyGeography
	familyJSON
)

// typeRow is what the engine knows of a type.
type typeRow struct {
	family family
	name   string // BigQuery's name
	scalar string // the GraphQL scalar
	// bound is the type that a parameter is bound as, where it isn't name; read makes the value of it, with $ for
	// the parameter.
	bound, read string
	// output is the value in the form of answers, with $ for it; empty for as it is.
	output string
}

// typeRows are the types by their names in the catalog, which other kinds have too.
var typeRows = map[string]typeRow{
	"text":        {family: familyText, name: "STRING", scalar: "String"},
	"int8":        {family: familyInteger, name: "INT64", scalar: "Int"},
	"float8":      {family: familyFloat, name: "FLOAT64", scalar: "Float"},
	"numeric":     {family: familyDecimal, name: "NUMERIC", scalar: "Decimal"},
	"bignumeric":  {family: familyDecimal, name: "BIGNUMERIC", scalar: "BigDecimal"},
	"bool":        {family: familyBoolean, name: "BOOL", scalar: "Boolean"},
	"date":        {family: familyTime, name: "DATE", scalar: "Date"},
	"time":        {family: familyTime, name: "TIME", scalar: "Time"},
	"timestamp":   {family: familyTime, name: "DATETIME", scalar: "Datetime"},
	"timestamptz": {family: familyTime, name: "TIMESTAMP", scalar: "Timestamp", output: "FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E*SZ', $)"},
	"bytea":       {family: familyBytes, name: "BYTES", scalar: "Bytes"},
	"geography":   {family: familyGeography, name: "GEOGRAPHY", scalar: "Geography", bound: "STRING", read: "ST_GEOGFROMTEXT($)", output: "ST_ASTEXT($)"},
	"jsonb":       {family: familyJSON, name: "JSON", scalar: "JSON", bound: "STRING", read: "PARSE_JSON($)", output: "TO_JSON_STRING($)"},
	"struct":      {family: familyJSON, name: "STRUCT", scalar: "Struct", bound: "STRING", output: "TO_JSON_STRING($)"},
}

// unknownRow is the row of a type that isn't known: a text in answers.
var unknownRow = typeRow{bound: "STRING", output: "CAST($ AS STRING)"}

// Types that are mentioned.
var (
	typeText    = catalog.Type{Name: "text"}
	typeInteger = catalog.Type{Name: "int8"}
	typeDouble  = catalog.Type{Name: "float8"}
	typeDecimal = catalog.Type{Name: "numeric"}
	typeJSON    = catalog.Type{Name: "jsonb"}
	typeGeo     = catalog.Type{Name: "geography"}
	typeBoolean = catalog.Type{Name: "bool"}
)

// named maps BigQuery's type names to the catalog's, with their other names.
var named = func() map[string]string {
	names := map[string]string{
		"INT": "int8", "SMALLINT": "int8", "INTEGER": "int8", "BIGINT": "int8", "TINYINT": "int8", "BYTEINT": "int8",
		"FLOAT": "float8", "DOUBLE": "float8", "DECIMAL": "numeric", "BIGDECIMAL": "bignumeric", "BOOLEAN": "bool", "RECORD": "struct", "TEXT": "text",
	}
	for name, row := range typeRows {
		names[row.name] = name
	}
	return names
}()

// columnType is the type of a column as INFORMATION_SCHEMA spells it: NUMERIC(10, 2), ARRAY<STRUCT<a INT64>>.
func columnType(text string) catalog.Type {
	name := strings.ToUpper(strings.TrimSpace(text))
	if inner, ok := strings.CutPrefix(name, "ARRAY<"); ok {
		t := columnType(strings.TrimSuffix(inner, ">"))
		t.Dims = 1
		return t
	}
	if i := strings.IndexAny(name, "(<"); i >= 0 {
		name = strings.TrimSpace(name[:i])
	}
	if known := named[name]; known != "" {
		return catalog.Type{Name: known}
	}
	return catalog.Type{Name: strings.ToLower(name)}
}

// rowOf is the row of a type, for an array that of its elements.
func rowOf(t catalog.Type) typeRow {
	if row, known := typeRows[t.Name]; known {
		return row
	}
	row := unknownRow
	row.name = strings.ToUpper(t.Name)
	return row
}

// boundAs is the type of a parameter.
func (r typeRow) boundAs() string {
	if r.bound != "" {
		return r.bound
	}
	return r.name
}

// output is a value in the form of answers.
func output(expr string, t catalog.Type) string {
	form := rowOf(t).output
	switch {
	case form == "":
		return expr
	case t.IsArray():
		return "ARRAY(SELECT " + strings.ReplaceAll(form, "$", "e") + " FROM UNNEST(" + expr + ") AS e WITH OFFSET AS i ORDER BY i)"
	}
	return strings.ReplaceAll(form, "$", expr)
}

// Scalar is the GraphQL scalar of a type.
func (Dialect) Scalar(t catalog.Type) backend.Scalar {
	row := rowOf(t)
	s := backend.Scalar{Name: row.scalar, SQL: row.name, Opaque: row.family == familyOpaque}
	if s.Name == "" {
		s.Name = row.name
	}
	s.Valid = gqlname.Valid(s.Name)
	switch row.family {
	case familyInteger, familyFloat, familyDecimal:
		s.Numeric, s.Comparable = true, true
	case familyText:
		s.Text, s.Comparable = true, true
	case familyTime, familyBoolean, familyBytes:
		s.Comparable = true
	case familyJSON:
		s.JSON, s.Incomparable = t.Name == typeJSON.Name, true
	case familyGeography, familyOpaque:
		s.Incomparable = true
	}
	return s
}

// Builtin is the type that BigQuery has for what every plan may need.
func (Dialect) Builtin(known backend.BuiltinType) catalog.Type {
	switch known {
	case backend.TypeInt, backend.TypeBigInt:
		return typeInteger
	case backend.TypeDecimal:
		return typeDecimal
	case backend.TypeJSON:
		return typeJSON
	case backend.TypeText:
	}
	return typeText
}

// NamedType is the type of that name, as BigQuery or the engine spells it.
func (Dialect) NamedType(name string) (catalog.Type, bool) {
	t := columnType(name)
	_, known := typeRows[t.Name]
	return t, known
}

// CanCast reports that there is no `_cast`.
func (Dialect) CanCast(catalog.Type, string) (catalog.Type, bool) { return catalog.Type{}, false }

// Joins reports that columns of any types may be compared: what can't be is for the database to say.
func (Dialect) Joins(_, _ catalog.Type) bool { return true }
