package postgres

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// operatorCase compares a column of the only row.
type operatorCase struct {
	column string
	op     ir.Op
	// args are JSON values, of the operator's types.
	args []string
	want bool
}

const operandSQL = `
	CREATE EXTENSION citext;
	CREATE EXTENSION ltree;
	CREATE TYPE mood AS ENUM ('good', 'bad');
	CREATE TABLE sample (
		id int, n numeric, label text, ci citext, padded char(4), at timestamptz, doc jsonb, tags text[], path ltree,
		feeling mood, amount money, duration interval);
	INSERT INTO sample VALUES (1, 12345678901234567890.5, 'Blue Note', 'Blue', 'ab', '2024-03-09T10:15:30Z',
		'{"a": 1, "b": [1, 2]}', '{x,"y z"}', 'top.music.jazz', 'good', 12.5, '1 day')`

var operatorCases = []operatorCase{
	{"id", ir.OpEq, []string{`1`}, true},
	{"id", ir.OpNeq, []string{`"1"`}, false},
	{"id", ir.OpGt, []string{`0`}, true},
	{"id", ir.OpLt, []string{`0`}, false},
	{"id", ir.OpGte, []string{`1`}, true},
	{"id", ir.OpLte, []string{`1.0`}, true},
	{"id", ir.OpIn, []string{`[1, 2]`}, true},
	{"id", ir.OpIn, []string{`[]`}, false},
	{"id", ir.OpNin, []string{`[2]`}, true},
	{"id", ir.OpNin, []string{`[]`}, true},
	{"n", ir.OpEq, []string{`12345678901234567890.50`}, true},
	{"n", ir.OpGt, []string{`12345678901234567890.49`}, true},
	{"amount", ir.OpEq, []string{`12.495`}, true},
	{"duration", ir.OpLt, []string{`"25 hours"`}, true},
	{"at", ir.OpEq, []string{`"2024-03-09 12:15:30+02"`}, true},
	{"feeling", ir.OpEq, []string{`"good"`}, true},
	{"feeling", ir.OpIn, []string{`["bad"]`}, false},
	{"label", ir.OpIn, []string{`["Blue Note", "it's \"x\" \\"]`}, true},
	{"label", opLike, []string{`"Blue%"`}, true},
	{"label", opNlike, []string{`"Blue%"`}, false},
	{"label", opIlike, []string{`"blue%"`}, true},
	{"label", opNilike, []string{`"red%"`}, true},
	{"label", opSimilar, []string{`"(Blue|Red)%"`}, true},
	{"label", opNsimilar, []string{`"(Blue|Red)%"`}, false},
	{"label", opRegex, []string{`"^B.*e$"`}, true},
	{"label", opIregex, []string{`"^b"`}, true},
	{"label", opNregex, []string{`"^b"`}, true},
	{"label", opNiregex, []string{`"^b"`}, false},
	{"ci", ir.OpEq, []string{`"BLUE"`}, true},
	{"ci", opLike, []string{`"bl%"`}, true},
	{"padded", ir.OpEq, []string{`"ab"`}, true},
	{"padded", opLike, []string{`"a%"`}, true},
	{"doc", opContains, []string{`{"a": 1}`}, true},
	{"doc", opContainedIn, []string{`{"a": 1}`}, false},
	{"doc", opHasKey, []string{`"b"`}, true},
	{"doc", opHasKeysAny, []string{`["z", "a"]`}, true},
	{"doc", opHasKeysAll, []string{`["z", "a"]`}, false},
	{"tags", ir.OpEq, []string{`["x", "y z"]`}, true},
	{"tags", ir.OpEq, []string{`"{x,\"y z\"}"`}, true},
	{"tags", opContains, []string{`["y z"]`}, true},
	{"tags", opContainedIn, []string{`["x"]`}, false},
	{"path", opAncestor, []string{`"top.music.jazz.cool"`}, true},
	{"path", opAncestorAny, []string{`["top.art", "top.music.jazz.cool"]`}, true},
	{"path", opDescendant, []string{`"top.music"`}, true},
	{"path", opDescendantAny, []string{`["top.art"]`}, false},
	{"path", opMatches, []string{`"*.music.*{1}"`}, true},
	{"path", opMatchesAny, []string{`["nothing", "top.*"]`}, true},
	{"path", opMatchesFulltext, []string{`"jazz & !art"`}, true},
}

const spatialSQL = `
	CREATE EXTENSION postgis;
	CREATE EXTENSION postgis_raster;
	CREATE TABLE sample (id int, area geometry(Polygon, 4326), place geography(Point), picture raster);
	INSERT INTO sample VALUES (1, ST_GeomFromText('POLYGON((0 0,4 0,4 4,0 4,0 0))', 4326), 'POINT(13.4 52.5)',
		ST_AddBand(ST_MakeEmptyRaster(4, 4, 0, 4, 1, -1, 0, 0, 4326), '8BUI'::text, 1, 0))`

var spatialCases = []operatorCase{
	{"area", opSTContains, []string{`{"type": "Point", "coordinates": [1, 1.5]}`}, true},
	{"area", opSTCrosses, []string{`{"type": "LineString", "coordinates": [[1, 1], [9, 9]]}`}, true},
	{"area", opSTEquals, []string{`"SRID=4326;POLYGON((0 0,0 4,4 4,4 0,0 0))"`}, true},
	{"area", opSTOverlaps, []string{`{"type": "Polygon", "coordinates": [[[2,2],[9,2],[9,9],[2,2]]]}`}, true},
	{"area", opSTTouches, []string{`{"type": "Point", "coordinates": [0, 0]}`}, true},
	{"area", opSTWithin, []string{`{"type": "Point", "coordinates": [1, 1]}`}, false},
	{"area", opSTIntersects, []string{`{"type": "Point", "coordinates": [9, 9]}`}, false},
	{"area", opST3DIntersects, []string{`{"type": "Point", "coordinates": [1, 1]}`}, true},
	{"area", opSTDWithin, []string{`{"type": "Point", "coordinates": [-0.7, 0]}`, `0.7`}, true},
	{"area", opST3DDWithin, []string{`{"type": "Point", "coordinates": [5, 0]}`, `"0.5"`}, false},
	{"place", opSTIntersects, []string{`{"type": "Point", "coordinates": [13.4, 52.5]}`}, true},
	{"place", opSTDWithin, []string{`{"type": "Point", "coordinates": [13.4, 52.6]}`, `12000`, `true`}, true},
	{"place", opSTDWithin, []string{`{"type": "Point", "coordinates": [13.4, 52.6]}`, `11000`, `false`}, false},
	{"area", ir.OpIn, []string{`["SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", {"type": "Point", "coordinates": [9, 9]}]`}, true},
	{"place", ir.OpIn, []string{`["POINT(1 1)", {"type": "Point", "coordinates": [13.4, 52.5]}]`}, true},
	{"place", ir.OpNin, []string{`["POINT(13.4 52.5)"]`}, false},
	{"picture", opSTIntersectsNbandGeom, []string{`1`, `{"type": "Point", "coordinates": [1, 1]}`}, true},
	{"picture", opSTIntersectsGeomNband, []string{`{"type": "Point", "coordinates": [9, 9]}`, `1`}, false},
	{"picture", opSTIntersectsGeomNband, []string{`{"type": "Point", "coordinates": [1, 1]}`}, true},
	{"picture", opSTIntersectsRast, []string{`"0100000100000000000000F03F000000000000F0BF000000000000000000000000000010400000000000000000` +
		`0000000000000000E610000004000400440001010101010101010101010101010101"`}, true},
}

func TestOperatorsInTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, operandSQL, nil)
	runOperatorCases(t, f, operatorCases)
}

func TestSpatialOperatorsInTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	if f.text(t, "SELECT count(*)::text FROM pg_available_extensions WHERE name = 'postgis_raster'") == "0" {
		t.Skip("this server has no PostGIS")
	}
	f.exec(t, spatialSQL)
	runOperatorCases(t, f, spatialCases)
}

func runOperatorCases(t *testing.T, f *fixture, cases []operatorCase) {
	t.Helper()
	found, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	table := found.Tables[catalog.Name{Schema: "public", Name: "sample"}]
	for _, c := range cases {
		column := table.Column(c.column)
		id := catalog.Type{Name: "int4", ID: "23"}
		statement, err := New().RenderQuery(&ir.Select{
			Rows: ir.Rows{
				From: ir.Table{Name: table.Name},
				Where: ir.Compare{
					Left: ir.Column{Name: c.column, Type: column.Type}, Op: c.op,
					Args: operands(t, column.Type, c),
				},
			},
			Fields: []ir.Field{{Alias: "id", Value: ir.Scalar{Expr: ir.Column{Name: "id", Type: id}, Type: id}}},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		out := backend.NewAnswer(nil, nil, 0)
		require.NoError(t, f.source.Query(t.Context(), statement, backend.Args{}, out), "%+v\n%s", c, statement.SQL())
		want := `[]`
		if c.want {
			want = `[{"id":1}]`
		}
		require.Equal(t, want, string(out.Buf), "%+v", c)
	}
}

// operands reads the arguments by the operator's types.
func operands(t *testing.T, column catalog.Type, c operatorCase) []ir.Value {
	t.Helper()
	var operator *backend.Operator
	for _, o := range New().Operators(column) {
		if o.Op == c.op {
			operator = o
		}
	}
	require.NotNil(t, operator, "%+v", c)
	list := func(t catalog.Type) catalog.Type {
		t.Dims = 1
		return t
	}
	values := make([]ir.Value, len(c.args))
	for i, arg := range c.args {
		typ := column
		switch operator.Operand {
		case backend.OperandList:
			typ = list(column)
		case backend.OperandText:
			typ = baseType("text")
		case backend.OperandTextList:
			typ = listType("text")
		case backend.OperandType:
			typ = operator.Type
		case backend.OperandObject:
			typ = operator.ObjectFields[i].Type
		}
		in, err := New().ParseInput(typ, json.RawMessage(arg))
		require.NoError(t, err)
		values[i] = ir.Literal{Text: in.Text, Type: typ, Wrap: in.Wrap}
	}
	return values
}
