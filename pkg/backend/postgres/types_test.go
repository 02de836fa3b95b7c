package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func baseType(name string) catalog.Type { return catalog.Type{Name: name} }

func listType(name string) catalog.Type { return catalog.Type{Name: name, Dims: 1} }

func TestScalar(t *testing.T) {
	t.Parallel()
	mood := catalog.Type{Name: "mood", Schema: "public", Kind: catalog.TypeEnum, Labels: []string{"good"}}
	for _, c := range []struct {
		typ  catalog.Type
		want backend.Scalar
	}{
		{baseType("int4"), backend.Scalar{Name: "Int", SQL: "integer", Numeric: true, Comparable: true}},
		{baseType("int2"), backend.Scalar{Name: "smallint", SQL: "smallint", Numeric: true, Comparable: true}},
		{baseType("int8"), backend.Scalar{Name: "bigint", SQL: "bigint", Numeric: true, Comparable: true, Stringified: true}},
		{baseType("float4"), backend.Scalar{Name: "Float", SQL: "real", Numeric: true, Comparable: true}},
		{baseType("float8"), backend.Scalar{Name: "float8", SQL: "float8", Numeric: true, Comparable: true, Stringified: true}},
		{baseType("numeric"), backend.Scalar{Name: "numeric", SQL: "numeric", Numeric: true, Comparable: true, Stringified: true}},
		{baseType("money"), backend.Scalar{Name: "money", SQL: "money", Numeric: true, Comparable: true, Stringified: true}},
		{baseType("bool"), backend.Scalar{Name: "Boolean", SQL: "boolean"}},
		{baseType("text"), backend.Scalar{Name: "String", SQL: "text", Comparable: true, Text: true}},
		{baseType("varchar"), backend.Scalar{Name: "String", SQL: "varchar", Comparable: true, Text: true}},
		{baseType("bpchar"), backend.Scalar{Name: "bpchar", SQL: "bpchar", Comparable: true, Text: true}},
		{baseType("citext"), backend.Scalar{Name: "citext", SQL: "citext", Comparable: true, Text: true}},
		{baseType("date"), backend.Scalar{Name: "date", SQL: "date", Comparable: true}},
		{baseType("timestamptz"), backend.Scalar{Name: "timestamptz", SQL: "timestamptz", Comparable: true}},
		{baseType("uuid"), backend.Scalar{Name: "uuid", SQL: "uuid", Comparable: true}},
		{baseType("json"), backend.Scalar{Name: "json", SQL: "json", JSON: true, Incomparable: true}},
		{baseType("jsonb"), backend.Scalar{Name: "jsonb", SQL: "jsonb", JSON: true, Mergeable: true}},
		{baseType("geometry"), backend.Scalar{Name: "geometry", SQL: "geometry", SessionWrap: wrapGeoJSON}},
		{baseType("raster"), backend.Scalar{Name: "raster", SQL: "raster", Comparable: true}},
		{baseType("interval"), backend.Scalar{Name: "interval", SQL: "interval", Opaque: true}},
		{baseType("bytea"), backend.Scalar{Name: "bytea", SQL: "bytea", Opaque: true}},
		{listType("int4"), backend.Scalar{Name: "Int", SQL: "integer", Comparable: true}},
		{listType("jsonb"), backend.Scalar{Name: "jsonb", SQL: "jsonb", Comparable: true}},
		{mood, backend.Scalar{Name: "mood", SQL: "mood", Comparable: true}},
		{catalog.Type{Name: "text", Schema: "public", Kind: catalog.TypeEnum}, backend.Scalar{Name: "text", SQL: "text", Comparable: true}},
		{catalog.Type{Name: "track", Schema: "public", Kind: catalog.TypeComposite}, backend.Scalar{Name: "track_scalar", SQL: "track"}},
		{catalog.Type{Name: "price range", Kind: catalog.TypeRange}, backend.Scalar{Name: "price range", SQL: "price range"}},
	} {
		c.want.Valid = c.want.Name != "price range"
		require.Equal(t, c.want, New().Scalar(c.typ), "%+v", c.typ)
	}
}

func TestCanCast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from   catalog.Type
		target string
		want   string
	}{
		{baseType("jsonb"), "String", "text"},
		{baseType("jsonb"), "text", "text"},
		{baseType("geometry"), "geography", "geography"},
		{baseType("geography"), "geometry", "geometry"},
		{baseType("json"), "text", ""},
		{baseType("geography"), "integer", ""},
		{baseType("geometry"), "geometry", ""},
		{listType("jsonb"), "String", ""},
	} {
		got, ok := New().CanCast(c.from, c.target)
		require.Equal(t, c.want, got.Name)
		require.Equal(t, c.want != "", ok)
	}
	inSchema, _ := New().CanCast(catalog.Type{Name: "geometry", Schema: "gis"}, "geography")
	require.Equal(t, "gis", inSchema.Schema)
}

func opNames(operators []*backend.Operator) []ir.Op {
	list := make([]ir.Op, len(operators))
	for i, o := range operators {
		list[i] = o.Op
	}
	return list
}

func TestOperatorsByType(t *testing.T) {
	t.Parallel()
	comparison := []ir.Op{"_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin"}
	with := func(more ...ir.Op) []ir.Op { return append(append([]ir.Op{}, comparison...), more...) }
	text := with("_like", "_nlike", "_ilike", "_nilike", "_similar", "_nsimilar", "_regex", "_iregex", "_nregex", "_niregex")
	for _, c := range []struct {
		typ  catalog.Type
		want []ir.Op
	}{
		{baseType("int4"), comparison},
		{baseType("json"), comparison},
		{baseType("interval"), comparison},
		{catalog.Type{Name: "mood", Kind: catalog.TypeEnum}, comparison},
		{baseType("text"), text},
		{baseType("citext"), text},
		{baseType("bpchar"), text},
		{baseType("jsonb"), with("_contains", "_contained_in", "_has_key", "_has_keys_any", "_has_keys_all")},
		{listType("text"), with("_contains", "_contained_in")},
		{listType("jsonb"), with("_contains", "_contained_in")},
		{listType("raster"), with("_contains", "_contained_in")},
		{baseType("ltree"), with("_ancestor", "_ancestor_any", "_descendant", "_descendant_any",
			"_matches", "_matches_any", "_matches_fulltext")},
		{baseType("geometry"), with("_st_contains", "_st_crosses", "_st_equals", "_st_overlaps", "_st_touches", "_st_within",
			"_st_3d_intersects", "_st_intersects", "_st_d_within", "_st_3d_d_within")},
		{baseType("geography"), with("_st_intersects", "_st_d_within")},
		{baseType("raster"), []ir.Op{
			"_eq", "_neq", "_in", "_nin",
			"_st_intersects_rast", "_st_intersects_nband_geom", "_st_intersects_geom_nband",
		}},
	} {
		require.Equal(t, c.want, opNames(New().Operators(c.typ)), "%+v", c.typ)
	}
}

func TestOperatorByName(t *testing.T) {
	t.Parallel()
	d := New()
	require.Nil(t, d.Operator("_nothing"))
	require.Equal(t, onText, d.Operator(opLike).Columns)
	require.True(t, d.Operator(opHasKey).Nullable)
	require.False(t, d.Operator(opSTIntersectsRast).Rule)
	for _, row := range operatorRows {
		require.Equal(t, row.SQL, d.Operator(row.Op).SQL, "rows of one name render alike")
	}
}
