package mssql

import (
	"strconv"
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
	familyTime // dates and times, as text
	familyUUID
	familyBytes
	familyPath // hierarchyid
	familySpatial
)

// typeRow is what the engine knows of a type.
type typeRow struct {
	family family
	name   string // what SQL Server calls it
	scalar string // the GraphQL scalar; empty is name
	bits   int    // of an integer
	// cast is what a value of the type is cast to, where that isn't name.
	cast string
	// read is how a text becomes a value, with $ for the text; empty for a cast.
	read string
	// output is how a value becomes one that a result or FOR JSON can hold, with $ for the value; empty for as
	// it is.
	output string
	// plain is like output, but for any use of a column: the type has no comparisons.
	plain string
	// assigned values are taken as text: the column has the length, the scale or the code page.
	assigned bool
}

// castDecimal holds the numbers that are compared: the scale of a column isn't part of its type.
const castDecimal = "decimal(38, 18)"

// typeRows are the types of columns, by their names in the catalog. Those that other kinds have, too, have their
// names.
var typeRows = map[string]typeRow{
	"tinyint":     {family: familyInteger, name: "tinyint", bits: 16},
	"int2":        {family: familyInteger, name: "smallint", bits: 16},
	"int4":        {family: familyInteger, name: "int", scalar: "Int", bits: 32},
	"int8":        {family: familyInteger, name: "bigint", bits: 64},
	"numeric":     {family: familyDecimal, name: "numeric", cast: castDecimal, assigned: true},
	"decimal":     {family: familyDecimal, name: "decimal", cast: castDecimal, assigned: true},
	"money":       {family: familyDecimal, name: "money"},
	"smallmoney":  {family: familyDecimal, name: "smallmoney"},
	"float4":      {family: familyFloat, name: "real", bits: 32},
	"float8":      {family: familyFloat, name: "float", scalar: "Float", bits: 64},
	"bool":        {family: familyBoolean, name: "bit", scalar: "Boolean"},
	"text":        {family: familyText, name: "nvarchar", scalar: "String", cast: "nvarchar(max)", read: "$"},
	"nchar":       {family: familyText, name: "nchar", scalar: "String", cast: "nvarchar(max)", read: "$"},
	"varchar":     {family: familyText, name: "varchar", scalar: "String", cast: "varchar(max)", assigned: true},
	"bpchar":      {family: familyText, name: "char", scalar: "String", cast: "varchar(max)", assigned: true},
	"text_old":    {family: familyText, name: "text", scalar: "String", cast: "varchar(max)", plain: "CAST($ AS varchar(max))"},
	"ntext_old":   {family: familyText, name: "ntext", scalar: "String", cast: "nvarchar(max)", plain: "CAST($ AS nvarchar(max))", read: "$"},
	"xml":         {family: familyText, name: "xml", cast: "nvarchar(max)", plain: "CAST($ AS nvarchar(max))", read: "$"},
	"date":        {family: familyTime, name: "date"},
	"time":        {family: familyTime, name: "time"},
	"timestamp":   {family: familyTime, name: "datetime2"},
	"timestamptz": {family: familyTime, name: "datetimeoffset"},
	// What a text like 2020-02-03 04:05 means to the older types depends on the language of the session.
	"datetime":      {family: familyTime, name: "datetime", read: "CAST(CAST($ AS datetime2) AS datetime)"},
	"smalldatetime": {family: familyTime, name: "smalldatetime", read: "CAST(CAST($ AS datetime2) AS smalldatetime)"},
	"uuid":          {family: familyUUID, name: "uniqueidentifier"},
	"bytea":         {family: familyBytes, name: "varbinary", cast: "varbinary(max)", read: "CONVERT(varbinary(max), $, 1)"},
	"binary":        {family: familyBytes, name: "binary", cast: "varbinary(max)", read: "CONVERT(varbinary(max), $, 1)"},
	"image":         {family: familyBytes, name: "image", cast: "varbinary(max)", read: "CONVERT(varbinary(max), $, 1)", plain: "CAST($ AS varbinary(max))"},
	"rowversion":    {family: familyBytes, name: "timestamp", cast: "binary(8)", read: "CONVERT(binary(8), $, 1)", output: "CAST($ AS binary(8))"},
	"hierarchyid":   {family: familyPath, name: "hierarchyid", read: "CAST(CAST($ AS nvarchar(4000)) AS hierarchyid)", output: "$.ToString()"},
	"geometry":      {family: familySpatial, name: "geometry", read: "geometry::STGeomFromText($, 0)", output: "$.STAsText()"},
	"geography":     {family: familySpatial, name: "geography", read: "geography::STGeomFromText($, 4326)", output: "$.STAsText()"},
	"sql_variant":   {family: familyOpaque, name: "sql_variant", cast: "sql_variant", read: "CAST($ AS nvarchar(4000))", output: "CAST($ AS nvarchar(4000))"},
	typeJSON.Name:   {family: familyText, name: "json", cast: "nvarchar(max)", read: "$"},
}

// unknownRow is the row of a type that users or extensions define.
var unknownRow = typeRow{cast: "nvarchar(max)", read: "$", output: "CAST($ AS nvarchar(max))"}

// Types that are mentioned.
var (
	typeInteger = catalog.Type{Name: "int4"}
	typeBig     = catalog.Type{Name: "int8"}
	typeDouble  = catalog.Type{Name: "float8"}
	typeDecimal = catalog.Type{Name: "numeric"}
	typeText    = catalog.Type{Name: "text"}
	// typeJSON is no type of columns: JSON is kept in nvarchar.
	typeJSON = catalog.Type{Name: "jsonb"}
)

// catalogNames are the names of types in the catalog by those of SQL Server.
var catalogNames = func() map[string]string {
	names := make(map[string]string, len(typeRows))
	for name, row := range typeRows {
		names[row.name] = name
	}
	delete(names, "json")
	return names
}()

// columnType is the type of a column by the name of its system type.
func columnType(name string) catalog.Type {
	name = strings.ToLower(name)
	if known := catalogNames[name]; known != "" {
		return catalog.Type{Name: known}
	}
	return catalog.Type{Name: name}
}

// rowOf is the row of a type.
func rowOf(t catalog.Type) typeRow {
	if row, known := typeRows[t.Name]; known {
		return row
	}
	row := unknownRow
	row.name = t.Name
	return row
}

func (r typeRow) castName() string {
	if r.cast != "" {
		return r.cast
	}
	return r.name
}

// read is a text as a value of a type. A parameter, and what is read of it, has the collation of the database: a cast to
// varchar would keep the characters of its code page only, and texts of different collations don't compare.
func read(text string, t catalog.Type) string {
	row := rowOf(t)
	if t.Collation != "" {
		text += " COLLATE " + t.Collation
	}
	if row.read == "" {
		return "CAST(" + text + " AS " + row.castName() + ")"
	}
	return strings.ReplaceAll(row.read, "$", text)
}

// keyed is a text as a value that is looked for in a column: in its own type, since the column would be converted to another
// one, and no index on it could be used. The length keeps one character too many, which no row has.
func keyed(text string, t catalog.Type) string {
	if t.Length == 0 {
		return read(text, t)
	}
	if t.Collation != "" {
		text += " COLLATE " + t.Collation
	}
	size := "max"
	if t.Length < maxVarchar {
		size = strconv.Itoa(t.Length + 1)
	}
	return "CAST(" + text + " AS varchar(" + size + "))"
}

// maxVarchar is the greatest length of a varchar with one.
const maxVarchar = 8000

// output is a value in a form that a result can hold.
func output(expr string, t catalog.Type) string {
	if form := rowOf(t).output; form != "" {
		return strings.ReplaceAll(form, "$", expr)
	}
	return expr
}

// Scalar is the GraphQL scalar of a type.
func (*Dialect) Scalar(t catalog.Type) backend.Scalar {
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
		s.Text, s.Comparable = true, row.name != "xml"
	case familyTime, familyUUID, familyPath:
		s.Comparable = true
	case familySpatial:
		s.Incomparable = true
	case familyOpaque, familyBoolean, familyBytes:
	}
	return s
}

// Builtin is the type that SQL Server has for what every plan may need.
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

// NamedType is the type of that name, as SQL Server or the engine spells it; a length is ignored.
func (*Dialect) NamedType(name string) (catalog.Type, bool) {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), "(")
	name = strings.TrimSpace(name)
	switch name {
	case "integer":
		name = "int"
	case "boolean":
		name = "bit"
	case "string":
		name = "nvarchar"
	case "double precision":
		name = "float"
	}
	known := catalogNames[name]
	return catalog.Type{Name: known}, known != ""
}

// CanCast reports that there is no `_cast`.
func (*Dialect) CanCast(catalog.Type, string) (catalog.Type, bool) { return catalog.Type{}, false }

// Joins reports that columns of any types may be compared: what can't be is for the database to say.
func (*Dialect) Joins(_, _ catalog.Type) bool { return true }
