package mssql

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

func TestColumnTypes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"int": {"int4", "Int"}, "bit": {"bool", "Boolean"}, "float": {"float8", "Float"}, "nvarchar": {"text", "String"}, "Char": {"bpchar", "String"},
		"text": {"text_old", "String"}, "datetime": {"datetime", "datetime"}, "datetime2": {"timestamp", "datetime2"}, "uniqueidentifier": {"uuid", "uniqueidentifier"},
		"timestamp": {"rowversion", "timestamp"}, "xml": {"xml", "xml"}, "bigint": {"int8", "bigint"}, "json": {"json", "json"}, "my type": {"my type", "my type"},
	} {
		of := columnType(name)
		require.Equal(t, want, [2]string{of.Name, New().Scalar(of).Name}, name)
	}
	require.False(t, New().Scalar(columnType("my type")).Valid)
	require.True(t, New().Scalar(columnType("json")).Opaque, "a type that isn't known")
	for _, name := range []string{"int", "Integer", "decimal(10, 2)", "nvarchar(max)", " datetimeoffset "} {
		_, known := New().NamedType(name)
		require.True(t, known, name)
	}
}

func TestParseInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, value, want string }{
		{"int4", "12", "12"},
		{"int4", `"12"`, "12"},
		{"decimal", "1.5e3", "1500"},
		{"decimal", "-2.5E-2", "-0.025"},
		{"decimal", "1e999", "1e999"},
		{"decimal", "12345678901234567890.123456789", "12345678901234567890.123456789"},
		{"float8", "2.23e-308", "2.23e-308"},
		{"bool", "true", "true"},
		{"bool", "1", "1"},
		{"bool", "0", "0"},
		{"text", `"it's"`, "it's"},
		{"bytea", `"AAHiQA=="`, "0x0001e240"},
		{"bytea", `"0x0001E240"`, "0x0001e240"},
		{"geometry", `"POINT(2 3)"`, "POINT(2 3)"},
		{"geometry", `{"type": "Point", "coordinates": [1.5, 2e1]}`, "POINT (1.5 2e1)"},
		{"geometry", `{"type":"LineString","coordinates":[[1.5,1],[0,2.5]]}`, "LINESTRING (1.5 1, 0 2.5)"},
		{"geography", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]],[[2,2],[3,3],[2,3],[2,2]]]}`, "POLYGON ((0 0, 1 0, 1 1, 0 0), (2 2, 3 3, 2 3, 2 2))"},
		{"geometry", `{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}`, "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))"},
		{"geometry", `{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}`, "GEOMETRYCOLLECTION (POINT (1 2))"},
	} {
		in, err := New().ParseInput(catalog.Type{Name: c.of}, json.RawMessage(c.value))
		require.NoError(t, err, c.value)
		require.Equal(t, c.want, in.Text)
	}
	for _, c := range []struct{ of, value string }{
		{"int4", "1.5"},
		{"int2", "70000"},
		{"int4", "true"},
		{"bool", "2"},
		{"text", "1"},
		{"date", "1"},
		{"bytea", `"!"`},
		{"bytea", "1"},
		{"geometry", `{"type":"Curve","coordinates":[]}`},
		{"geometry", `{"type":"Point","coordinates":[1]}`},
		{"geometry", `{"type":"Point","coordinates":["1); --",2]}`},
		{"geometry", `{"type":"LineString","coordinates":[]}`},
		{"geometry", "1"},
		{"float8", "1e999"},
	} {
		_, err := New().ParseInput(catalog.Type{Name: c.of}, json.RawMessage(c.value))
		require.Error(t, err, c.value)
	}
	in, err := New().ParseList(catalog.Type{Name: "int4"}, json.RawMessage(`[1, null, "3"]`))
	require.NoError(t, err)
	require.Equal(t, `["1",null,"3"]`, in.Text)
}

// TestParameters resolves the parameters of one run: values, lists in any form, and sets of rows.
func TestParameters(t *testing.T) {
	t.Parallel()
	args := backend.Args{
		Variables: [][]byte{[]byte(`[{"id":1,"region":"a\"b"},{"region":null,"id":2}]`)},
		Lists:     [][][]byte{{[]byte("1"), nil}, {[]byte(`{"c0":7,"c1":"x\/y","c2":"AAE="}`), []byte(`[{"c0":8,"c1":null,"c2":null}]`)}},
		Session:   &session.Session{Variables: map[string]string{"x-engine-ids": "{1,2}"}},
	}
	texts := func(root ir.Root) []string {
		s, err := New().RenderQuery(root, backend.RenderOptions{})
		require.NoError(t, err)
		values, err := s.(*statement).values(&args)
		require.NoError(t, err)
		var list []string
		for _, v := range values {
			list = append(list, string(v))
		}
		return list
	}
	read := func(from ir.From, where ir.BoolExp) ir.Root {
		return &ir.Select{Rows: ir.Rows{From: from, Where: where}, Fields: fields(id)}
	}
	require.Equal(t, []string{`[[0,"1","a\"b"],[1,"2",null]]`}, texts(read(ir.Keys{Columns: []ir.Column{id, region}, Ordinal: "n"}, nil)))
	require.Equal(t, []string{`["1","2"]`}, texts(read(orders, ir.Compare{Left: id, Op: ir.OpIn, Args: []ir.Value{ir.SessionVar{Name: "x-engine-ids", Type: id.Type, List: true}}})))
	require.Equal(t, []string{`[[0,"7","x/y","0x0001"],[1,"8",null,null]]`}, texts(read(
		ir.Written{Table: orders.Name, Columns: []ir.Column{id, name, col("data", "bytea")}, Rows: []ir.Value{ir.Each{Index: 1}}}, nil)))

	m, err := New().RenderMutation(&ir.Insert{Table: orders.Name, Columns: []ir.Column{id}, Rows: [][]ir.Value{{ir.Each{Index: 0, Type: id.Type}}}}, backend.RenderOptions{})
	require.NoError(t, err)
	values, err := m.(*statement).values(&args)
	require.NoError(t, err)
	require.Equal(t, `[[0,"1"],[1,null]]`, string(values[0]))
}

// TestLiveStatements binds cohorts, and reads the place of a stream.
func TestLiveStatements(t *testing.T) {
	t.Parallel()
	rendered, err := New().RenderLive(ir.Live{
		Roots: []ir.Root{&ir.Select{Rows: ir.Rows{
			From: orders, OrderBy: by(asc(id)), Limit: literal(id, "10"), WithTies: true,
			Where: ir.And{Exps: []ir.BoolExp{compare(id, "_gt", variable(id, 0)), compare(customerID, "_eq", owned(customerID)), compare(region, "_eq", literal(region, "north"))}},
		}, Fields: fields(price)}},
		Cursor: &ir.Cursor{Column: "id"},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	s := rendered.(*liveStatement)
	require.Equal(t, []backend.LiveColumn{{Variable: 0}, {Variable: -1, Session: "x-engine-user-id"}}, s.Columns())
	bound, err := s.Bind(backend.Args{Variables: [][]byte{[]byte("3")}, Session: &session.Session{Variables: map[string]string{"x-engine-user-id": "7"}}})
	require.NoError(t, err)
	values, err := s.values([][][]byte{bound, {[]byte("5"), nil}})
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte(`[[0,"3","7"],[1,"5",null]]`), []byte("north")}, values)
	require.Equal(t, "9", string(s.cursorOf([]byte(`[{"c0":1.5,"c1":8},{"c0":2.5,"c1":9}]`))))
	require.Nil(t, s.cursorOf(nil))

	other, err := New().RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{Rows: ir.Rows{From: orders}, Fields: fields(price)}}}, backend.RenderOptions{})
	require.NoError(t, err)
	require.NotEqual(t, s.Key(), other.Key())
}

// TestRefusedPlans are what SQL Server has no form for.
func TestRefusedPlans(t *testing.T) {
	t.Parallel()
	for name, root := range map[string]ir.Root{
		"distinct on": &ir.Select{Rows: ir.Rows{From: orders, DistinctOn: []ir.Expr{id}}, Fields: fields(id)},
		"connection":  &ir.Connection{Rows: ir.Rows{From: orders}, Size: 1},
		"ties":        &ir.Select{Rows: ir.Rows{From: orders, Limit: literal(id, "1"), Offset: literal(id, "1"), WithTies: true}, Fields: fields(id)},
	} {
		_, err := New().RenderQuery(root, backend.RenderOptions{})
		require.Error(t, err, name)
	}
	_, err := statementOf(nil)
	require.Error(t, err)
}
