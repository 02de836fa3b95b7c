package sqlite

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// family is how a type takes input, and which operators it has.
type family uint8

const (
	familyText family = iota
	familyInteger
	familyFloat
	familyNumeric
	familyBoolean
	familyTime // a point in time, as text
	familyUUID
	familyJSON
	familyBytes
)

// typeRow is what the engine knows of a type.
type typeRow struct {
	scalar string // the GraphQL scalar; empty is the type's own name
	sql    string // the name in messages; empty is the type's own name
	family family
	bits   int // of an integer
	// stringified types become JSON strings under stringify-numeric-types.
	stringified bool
	// cast is the type in a CAST.
	cast string
}

// typeRows are the types that columns have for the engine. SQLite itself has storage classes only:
// which of these a column has follows from what it was declared as.
var typeRows = map[string]typeRow{
	"int2":        {scalar: "smallint", sql: "smallint", family: familyInteger, bits: 16, cast: "INTEGER"},
	"int4":        {scalar: "Int", sql: "integer", family: familyInteger, bits: 32, cast: "INTEGER"},
	"int8":        {scalar: "bigint", sql: "bigint", family: familyInteger, bits: 64, stringified: true, cast: "INTEGER"},
	"float8":      {scalar: "Float", sql: "real", family: familyFloat, cast: "REAL"},
	"numeric":     {family: familyNumeric, stringified: true, cast: "NUMERIC"},
	"bool":        {scalar: "Boolean", sql: "boolean", family: familyBoolean, cast: "INTEGER"},
	"text":        {scalar: "String", family: familyText, cast: "TEXT"},
	"date":        {family: familyTime, cast: "TEXT"},
	"time":        {family: familyTime, cast: "TEXT"},
	"timestamp":   {family: familyTime, cast: "TEXT"},
	"timestamptz": {family: familyTime, cast: "TEXT"},
	"uuid":        {family: familyUUID, cast: "TEXT"},
	"jsonb":       {family: familyJSON, cast: "TEXT"},
	"bytea":       {family: familyBytes, cast: "BLOB"},
}

// Types that are mentioned.
var (
	typeInteger = catalog.Type{Name: "int4"}
	typeBig     = catalog.Type{Name: "int8"}
	typeDouble  = catalog.Type{Name: "float8"}
	typeDecimal = catalog.Type{Name: "numeric"}
	typeText    = catalog.Type{Name: "text"}
	typeJSON    = catalog.Type{Name: "jsonb"}
	typeBytes   = catalog.Type{Name: "bytea"}
)

// declared are the names of types in the definitions of tables, without lengths.
var declared = map[string]string{
	"boolean": "bool", "bool": "bool",
	"tinyint": "int2", "smallint": "int2", "int2": "int2",
	"int": "int4", "integer": "int4", "mediumint": "int4", "int4": "int4",
	"bigint": "int8", "int8": "int8",
	"real": "float8", "double": "float8", "double precision": "float8", "float": "float8", "float4": "float8", "float8": "float8",
	"numeric": "numeric", "num": "numeric", "decimal": "numeric", "dec": "numeric", "money": "numeric",
	"date": "date", "time": "time", "time without time zone": "time",
	"datetime": "timestamp", "timestamp": "timestamp", "timestamp without time zone": "timestamp",
	"timestamptz": "timestamptz", "timestamp with time zone": "timestamptz",
	"json": "jsonb", "jsonb": "jsonb",
	"uuid": "uuid", "blob": "bytea", "bytea": "bytea",
	"text": "text", "varchar": "text", "char": "text", "character varying": "text", "string": "text",
}

// columnType is the type of a column that was declared as text. What isn't a name that is known is
// taken by the rules of SQLite's affinity; a column without a type, and one of an unknown type, is text.
func columnType(text string) catalog.Type {
	name := plainType(text)
	if known := declared[name]; known != "" {
		return catalog.Type{Name: known}
	}
	switch {
	case strings.Contains(name, "int"):
		return typeBig
	case strings.Contains(name, "char"), strings.Contains(name, "clob"), strings.Contains(name, "text"):
		return typeText
	case strings.Contains(name, "blob"):
		return typeBytes
	case strings.Contains(name, "real"), strings.Contains(name, "floa"), strings.Contains(name, "doub"):
		return typeDouble
	}
	return typeText
}

// plainType is the name of a type without its length, in lower case.
func plainType(text string) string {
	text = strings.ToLower(text)
	if before, rest, ok := strings.Cut(text, "("); ok {
		_, after, _ := strings.Cut(rest, ")")
		text = before + " " + after
	}
	return strings.Join(strings.Fields(text), " ")
}

// rowOf is the row of a type.
func rowOf(t catalog.Type) typeRow { return typeRows[t.Name] }

// Scalar is the GraphQL scalar of a type.
func (*Dialect) Scalar(t catalog.Type) backend.Scalar {
	row, known := typeRows[t.Name]
	s := backend.Scalar{Name: row.scalar, SQL: row.sql, Stringified: row.stringified, Opaque: !known}
	if s.Name == "" {
		s.Name = t.Name
	}
	if s.SQL == "" {
		s.SQL = t.Name
	}
	s.Valid = gqlname.Valid(s.Name)
	switch row.family {
	case familyInteger, familyFloat, familyNumeric:
		s.Numeric, s.Comparable = true, true
	case familyText:
		s.Text, s.Comparable = known, known
	case familyTime, familyUUID:
		s.Comparable = true
	case familyJSON:
		s.JSON = true
	case familyBoolean, familyBytes:
	}
	return s
}

// Builtin is the type that SQLite has for what every plan may need.
func (*Dialect) Builtin(known backend.BuiltinType) catalog.Type {
	switch known {
	case backend.TypeInt:
		return typeInteger
	case backend.TypeBigInt:
		return typeBig
	case backend.TypeDecimal:
		return typeDecimal
	case backend.TypeJSON:
		return typeJSON
	case backend.TypeText:
	}
	return typeText
}

// NamedType is the type of that name, as the definition of a column or the engine spells it.
func (*Dialect) NamedType(name string) (catalog.Type, bool) {
	known := declared[plainType(name)]
	return catalog.Type{Name: known}, known != ""
}

// CanCast reports whether `_cast` leads from t to the type named target: JSON is compared as text.
func (*Dialect) CanCast(t catalog.Type, target string) (catalog.Type, bool) {
	if rowOf(t).family == familyJSON && (target == "String" || target == "text") {
		return typeText, true
	}
	return catalog.Type{}, false
}

// Joins reports that columns of any types may be compared: what can't be is for the database to say.
func (*Dialect) Joins(_, _ catalog.Type) bool { return true }
