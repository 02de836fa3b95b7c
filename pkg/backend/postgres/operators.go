package postgres

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// What an operator's columns are called when a rule uses it on another type.
const (
	onText      = `"varchar", "text", "citext", "bpchar"`
	onJSONB     = `"jsonb"`
	onContainer = `an array or JSONB`
	onLTree     = `"ltree"`
	onGeometry  = `"geometry"`
	onSpatial   = `"geometry", "geography"`
	onRaster    = `"raster"`
)

// Types of operands that aren't the column's. They have no schema: like the operators
// themselves, types of extensions are found through the search path.
var (
	typeInteger   = catalog.Type{Name: "int4", ID: "23"}
	typeText      = catalog.Type{Name: "text", ID: "25"}
	typeBig       = catalog.Type{Name: "int8", ID: "20"}
	typeNumeric   = catalog.Type{Name: "numeric", ID: "1700"}
	typeBoolean   = catalog.Type{Name: "bool", ID: "16"}
	typeDouble    = catalog.Type{Name: "float8", ID: "701"}
	typeGeometry  = catalog.Type{Name: "geometry"}
	typeGeography = catalog.Type{Name: "geography"}
	typeLQuery    = catalog.Type{Name: "lquery"}
	typeLTxtQuery = catalog.Type{Name: "ltxtquery"}
)

// The operators that aren't in every dialect, by their GraphQL names.
const (
	opLike                  ir.Op = "_like"
	opNlike                 ir.Op = "_nlike"
	opIlike                 ir.Op = "_ilike"
	opNilike                ir.Op = "_nilike"
	opSimilar               ir.Op = "_similar"
	opNsimilar              ir.Op = "_nsimilar"
	opRegex                 ir.Op = "_regex"
	opIregex                ir.Op = "_iregex"
	opNregex                ir.Op = "_nregex"
	opNiregex               ir.Op = "_niregex"
	opContains              ir.Op = "_contains"
	opContainedIn           ir.Op = "_contained_in"
	opHasKey                ir.Op = "_has_key"
	opHasKeysAny            ir.Op = "_has_keys_any"
	opHasKeysAll            ir.Op = "_has_keys_all"
	opAncestor              ir.Op = "_ancestor"
	opAncestorAny           ir.Op = "_ancestor_any"
	opDescendant            ir.Op = "_descendant"
	opDescendantAny         ir.Op = "_descendant_any"
	opMatches               ir.Op = "_matches"
	opMatchesAny            ir.Op = "_matches_any"
	opMatchesFulltext       ir.Op = "_matches_fulltext"
	opSTContains            ir.Op = "_st_contains"
	opSTCrosses             ir.Op = "_st_crosses"
	opSTEquals              ir.Op = "_st_equals"
	opSTOverlaps            ir.Op = "_st_overlaps"
	opSTTouches             ir.Op = "_st_touches"
	opSTWithin              ir.Op = "_st_within"
	opSTIntersects          ir.Op = "_st_intersects"
	opST3DIntersects        ir.Op = "_st_3d_intersects"
	opSTDWithin             ir.Op = "_st_d_within"    // from, distance[, use_spheroid]
	opST3DDWithin           ir.Op = "_st_3d_d_within" // from, distance
	opSTIntersectsRast      ir.Op = "_st_intersects_rast"
	opSTIntersectsNbandGeom ir.Op = "_st_intersects_nband_geom"
	opSTIntersectsGeomNband ir.Op = "_st_intersects_geom_nband"
)

// operatorRow is an operator and the types that have it.
type operatorRow struct {
	backend.Operator
	fits func(t catalog.Type, f family) bool
}

// operatorRows is the table of operators, in the order of the schema. An operator that
// means different things for different types has a row for each; the operands of `= ANY`
// may be an array or a sub-select.
var operatorRows = []operatorRow{
	{rule(ir.OpEq, backend.OperandSame, "", `$l = $1`), always},
	{rule(ir.OpNeq, backend.OperandSame, "", `$l <> $1`), always},
	{rule(ir.OpGt, backend.OperandSame, "", `$l > $1`), ordered},
	{rule(ir.OpLt, backend.OperandSame, "", `$l < $1`), ordered},
	{rule(ir.OpGte, backend.OperandSame, "", `$l >= $1`), ordered},
	{rule(ir.OpLte, backend.OperandSame, "", `$l <= $1`), ordered},
	{rule(ir.OpIn, backend.OperandList, "", `$l = ANY($1)`), always},
	{rule(ir.OpNin, backend.OperandList, "", `NOT ($l = ANY($1))`), always},

	{rule(opLike, backend.OperandSame, onText, `$l LIKE $1`), is(familyText)},
	{rule(opNlike, backend.OperandSame, onText, `$l NOT LIKE $1`), is(familyText)},
	{rule(opIlike, backend.OperandSame, onText, `$l ILIKE $1`), is(familyText)},
	{rule(opNilike, backend.OperandSame, onText, `$l NOT ILIKE $1`), is(familyText)},
	{rule(opSimilar, backend.OperandSame, onText, `$l SIMILAR TO $1`), is(familyText)},
	{rule(opNsimilar, backend.OperandSame, onText, `$l NOT SIMILAR TO $1`), is(familyText)},
	{rule(opRegex, backend.OperandSame, onText, `$l ~ $1`), is(familyText)},
	{rule(opIregex, backend.OperandSame, onText, `$l ~* $1`), is(familyText)},
	{rule(opNregex, backend.OperandSame, onText, `$l !~ $1`), is(familyText)},
	{rule(opNiregex, backend.OperandSame, onText, `$l !~* $1`), is(familyText)},

	{rule(opContains, backend.OperandSame, onContainer, `$l @> $1`), container},
	{rule(opContainedIn, backend.OperandSame, onContainer, `$l <@ $1`), container},
	{nullable(rule(opHasKey, backend.OperandText, onJSONB, `$l ? $1`)), is(familyJSONB)},
	{rule(opHasKeysAny, backend.OperandTextList, onJSONB, `$l ?| $1`), is(familyJSONB)},
	{rule(opHasKeysAll, backend.OperandTextList, onJSONB, `$l ?& $1`), is(familyJSONB)},

	{rule(opAncestor, backend.OperandSame, onLTree, `$l @> $1`), is(familyLTree)},
	{rule(opAncestorAny, backend.OperandList, onLTree, `$l @> $1`), is(familyLTree)},
	{rule(opDescendant, backend.OperandSame, onLTree, `$l <@ $1`), is(familyLTree)},
	{rule(opDescendantAny, backend.OperandList, onLTree, `$l <@ $1`), is(familyLTree)},
	{typed(opMatches, backend.OperandType, typeLQuery, onLTree, `$l ~ $1`), is(familyLTree)},
	{rule(opMatchesAny, backend.OperandTextList, onLTree, `$l ? ($1)::lquery[]`), is(familyLTree)},
	{typed(opMatchesFulltext, backend.OperandType, typeLTxtQuery, onLTree, `$l @ $1`), is(familyLTree)},

	{rule(opSTContains, backend.OperandSame, onGeometry, `ST_Contains($l, $1)`), is(familyGeometry)},
	{rule(opSTCrosses, backend.OperandSame, onGeometry, `ST_Crosses($l, $1)`), is(familyGeometry)},
	{rule(opSTEquals, backend.OperandSame, onGeometry, `ST_Equals($l, $1)`), is(familyGeometry)},
	{rule(opSTOverlaps, backend.OperandSame, onGeometry, `ST_Overlaps($l, $1)`), is(familyGeometry)},
	{rule(opSTTouches, backend.OperandSame, onGeometry, `ST_Touches($l, $1)`), is(familyGeometry)},
	{rule(opSTWithin, backend.OperandSame, onGeometry, `ST_Within($l, $1)`), is(familyGeometry)},
	{rule(opST3DIntersects, backend.OperandSame, onGeometry, `ST_3DIntersects($l, $1)`), is(familyGeometry)},
	{rule(opSTIntersects, backend.OperandSame, onSpatial, `ST_Intersects($l, $1)`), is(familyGeometry, familyGeography)},
	{object(opSTDWithin, "st_d_within_input", onSpatial, `ST_DWithin($l, $*)`,
		from(typeGeometry), distance), is(familyGeometry)},
	{object(opSTDWithin, "st_d_within_geography_input", onSpatial, `ST_DWithin($l, $*)`,
		from(typeGeography), distance,
		backend.ObjectField{Name: "use_spheroid", Type: typeBoolean, Default: "true"}), is(familyGeography)},
	{object(opST3DDWithin, "st_d_within_input", onGeometry, `ST_3DDWithin($l, $*)`,
		from(typeGeometry), distance), is(familyGeometry)},

	{notInRules(rule(opSTIntersectsRast, backend.OperandSame, onRaster, `ST_Intersects($l, $1)`)), is(familyRaster)},
	{notInRules(object(opSTIntersectsNbandGeom, "st_intersects_nband_geom_input", onRaster, `ST_Intersects($l, $*)`,
		backend.ObjectField{Name: "nband", Type: typeInteger, Required: true},
		backend.ObjectField{Name: "geommin", Type: typeGeometry, Required: true})), is(familyRaster)},
	{notInRules(object(opSTIntersectsGeomNband, "st_intersects_geom_nband_input", onRaster, `ST_Intersects($l, $*)`,
		backend.ObjectField{Name: "geommin", Type: typeGeometry, Required: true},
		backend.ObjectField{Name: "nband", Type: typeInteger})), is(familyRaster)},
}

// distance is in the units of the column; its scalar is Float although the database takes
// it with double precision.
var distance = backend.ObjectField{Name: "distance", Type: typeDouble, Scalar: "Float", Required: true}

func from(t catalog.Type) backend.ObjectField {
	return backend.ObjectField{Name: "from", Type: t, Required: true}
}

func rule(op ir.Op, operand backend.Operand, columns, sql string) backend.Operator {
	return backend.Operator{Op: op, Operand: operand, Columns: columns, SQL: sql, Rule: true}
}

func typed(op ir.Op, operand backend.Operand, t catalog.Type, columns, sql string) backend.Operator {
	o := rule(op, operand, columns, sql)
	o.Type = t
	return o
}

func object(op ir.Op, name, columns, sql string, fields ...backend.ObjectField) backend.Operator {
	o := rule(op, backend.OperandObject, columns, sql)
	o.Object, o.ObjectFields = name, fields
	return o
}

func nullable(o backend.Operator) backend.Operator {
	o.Nullable = true
	return o
}

func notInRules(o backend.Operator) backend.Operator {
	o.Rule = false
	return o
}

func always(catalog.Type, family) bool { return true }

// ordered types have a before and after.
func ordered(t catalog.Type, f family) bool { return t.IsArray() || f != familyRaster }

func container(t catalog.Type, f family) bool { return t.IsArray() || f == familyJSONB }

// is fits single values, not arrays, of these families.
func is(families ...family) func(catalog.Type, family) bool {
	return func(t catalog.Type, f family) bool { return !t.IsArray() && slices.Contains(families, f) }
}

// Operators are the comparison operators of a type, in the order of the schema. The rows
// are shared and must not be changed.
func (*Dialect) Operators(t catalog.Type) []*backend.Operator {
	f := rowOf(t).family
	var list []*backend.Operator
	for i := range operatorRows {
		if row := &operatorRows[i]; row.fits(t, f) {
			list = append(list, &row.Operator)
		}
	}
	return list
}

// Operator finds an operator by its GraphQL name; nil when there is none. Rows of one name
// differ in their operand object only, so the first one renders all of them.
func (*Dialect) Operator(op ir.Op) *backend.Operator {
	for i := range operatorRows {
		if row := &operatorRows[i]; row.Op == op {
			return &row.Operator
		}
	}
	return nil
}
