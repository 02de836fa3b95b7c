package postgres

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
)

// family is how a type takes input and which operators it has.
type family int

const (
	familyOther family = iota // known to the database only: text in, text out
	familyInteger
	familyFloat
	familyNumeric
	familyMoney
	familyBoolean
	familyText
	familyString // a type with a text form and no operators of its own: dates, uuid
	familyJSON
	familyJSONB
	familyGeometry
	familyGeography
	familyRaster
	familyLTree
)

// typeRow is what the engine knows of one type of the database.
type typeRow struct {
	scalar string // the GraphQL scalar; empty is the type's own name
	sql    string // the name in messages; empty is the type's own name
	family family
	// stringified types become JSON strings under stringify-numeric-types.
	stringified bool
}

// typeRows holds the types that the engine knows, by their catalog name. A type that isn't
// here is text for the engine.
var typeRows = map[string]typeRow{
	"int2":        {scalar: "smallint", sql: "smallint", family: familyInteger},
	"int4":        {scalar: "Int", sql: "integer", family: familyInteger},
	"int8":        {scalar: "bigint", sql: "bigint", family: familyInteger, stringified: true},
	"float4":      {scalar: "Float", sql: "real", family: familyFloat},
	"float8":      {sql: "float8", family: familyFloat, stringified: true},
	"numeric":     {family: familyNumeric, stringified: true},
	"money":       {family: familyMoney, stringified: true},
	"bool":        {scalar: "Boolean", sql: "boolean", family: familyBoolean},
	"text":        {scalar: "String", family: familyText},
	"varchar":     {scalar: "String", family: familyText},
	"bpchar":      {family: familyText},
	"citext":      {family: familyText},
	"date":        {family: familyString},
	"timestamp":   {family: familyString},
	"timestamptz": {family: familyString},
	"timetz":      {family: familyString},
	"uuid":        {family: familyString},
	"json":        {family: familyJSON},
	"jsonb":       {family: familyJSONB},
	"geometry":    {family: familyGeometry},
	"geography":   {family: familyGeography},
	"raster":      {family: familyRaster},
	"ltree":       {family: familyLTree},
	"lquery":      {family: familyString},
	"ltxtquery":   {family: familyString},
}

// rowOf is the row of a type, or of its elements for an array. Only base types are looked
// up: an enum or a composite type may have any name.
func rowOf(t catalog.Type) typeRow {
	if t.Kind != "" && t.Kind != catalog.TypeBase {
		return typeRow{}
	}
	return typeRows[t.Name]
}

// How texts become values that their type doesn't read by itself.
const (
	wrapGeoJSON ir.Wrap = "geojson" // ST_GeomFromGeoJSON
	wrapRaster  ir.Wrap = "raster"  // ST_RastFromHexWKB
)

// Scalar is the GraphQL scalar of a type, of the elements for an array.
func (*Dialect) Scalar(t catalog.Type) backend.Scalar {
	row := rowOf(t)
	s := backend.Scalar{Name: row.scalar, SQL: row.sql}
	if s.Name == "" {
		s.Name = t.Name
	}
	if s.SQL == "" {
		s.SQL = t.Name
	}
	if t.Kind == catalog.TypeComposite {
		// The plain name belongs to the object type of the table with that row type.
		s.Name += "_scalar"
	}
	s.Valid = gqlname.Valid(s.Name)
	if t.IsArray() {
		s.Comparable = true
		return s
	}
	s.Numeric = row.family.numeric()
	s.Opaque = row.family == familyOther && (t.Kind == "" || t.Kind == catalog.TypeBase)
	s.Comparable = comparable(t, row.family)
	s.JSON = row.family == familyJSON || row.family == familyJSONB
	s.Incomparable = row.family == familyJSON
	s.Mergeable = row.family == familyJSONB
	s.Text = row.family == familyText
	s.Stringified = row.stringified
	if row.family == familyGeometry || row.family == familyGeography {
		s.SessionWrap = wrapGeoJSON
	}
	return s
}

func (f family) numeric() bool {
	switch f {
	case familyInteger, familyFloat, familyNumeric, familyMoney:
		return true
	}
	return false
}

// comparable reports whether a type has min and max in the schema. That isn't the same as having them
// in the database; it follows the wire format.
func comparable(t catalog.Type, f family) bool {
	switch f {
	case familyOther:
		return t.Kind == catalog.TypeEnum
	case familyBoolean, familyJSON, familyJSONB, familyGeometry, familyGeography:
		return false
	}
	return true
}

// CanCast reports whether `_cast` leads from t to the type named target, by its GraphQL or its SQL
// name, and which type that is. The target of a spatial type is in the same schema as the type.
func (*Dialect) CanCast(t catalog.Type, target string) (catalog.Type, bool) {
	if t.IsArray() {
		return catalog.Type{}, false
	}
	switch f := rowOf(t).family; {
	case f == familyJSONB && (target == "String" || target == "text"):
		return typeText, true
	case f == familyGeometry && target == "geography", f == familyGeography && target == "geometry":
		return catalog.Type{Name: target, Schema: t.Schema}, true
	}
	return catalog.Type{}, false
}

// Builtin is the type that PostgreSQL has for what every plan may need.
func (*Dialect) Builtin(known backend.BuiltinType) catalog.Type {
	switch known {
	case backend.TypeInt:
		return typeInteger
	case backend.TypeBigInt:
		return typeBig
	case backend.TypeDecimal:
		return typeNumeric
	case backend.TypeJSON:
		return typeJSONB
	}
	return typeText
}
