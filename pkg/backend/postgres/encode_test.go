package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// valuesOfTypes are the values that are hard to write, by type.
var valuesOfTypes = []struct {
	column string
	values []string
}{
	{"bool", []string{"true", "false"}},
	{"int2", []string{"0", "-32768", "32767"}},
	{"int4", []string{"0", "-2147483648", "2147483647"}},
	{"int8", []string{"0", "-9223372036854775808", "9223372036854775807", "12345678901"}},
	{"oid", []string{"0", "4294967295"}},
	{"float4", []string{
		"0", "-0", "0.1", "1e-4", "9.9e-5", "123456.7", "999999", "1000000", "1e6", "1.17549435e-38", "1e-45",
		"3.4028235e38", "16777216", "33554432", "NaN", "Infinity", "-Infinity", "-1.5",
	}},
	{"float8", []string{
		"0", "-0", "0.1", "0.30000000000000004", "1e-4", "0.00009999", "1e14", "999999999999999", "1e15", "1e16", "1e20",
		"1e23", "8.41e21", "9007199254740993", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308",
		"123456789012345680", "9.5367431640625e-07", "4503599627370497.5", "NaN", "Infinity", "-Infinity",
	}},
	{"numeric", []string{
		"0", "0.00", "1.50", "-1.50", "10000", "9999.9999", "0.0001", "0.00010000", "100000000", "1e30", "1e-30",
		"12345678901234567890.12345678901234567890", "NaN", "Infinity", "-Infinity", "-0.1", "99990000.0000",
	}},
	{"numeric(10,2)", []string{"0", "0.99", "-12345678.90", "10000"}},
	{"text", []string{
		"", "plain", `a "quoted" \ text`, "tab\tnl\ncr\rbs\bff\f", "\x01\x1f\x7f", "ěščř 漢字 🎵", "</script>&'", strings.Repeat("long ", 300),
	}},
	{"varchar(20)", []string{"", "some text", "\"\\"}},
	{"char(6)", []string{"", "ab", "abcdef"}},
	{`"char"`, []string{"x"}},
	{"name", []string{"a_name"}},
	{"citext", []string{"MiXed", "\n"}},
	{"uuid", []string{"00000000-0000-0000-0000-000000000000", "F47AC10B-58CC-4372-A567-0E02B2C3D479"}},
	{"date", []string{
		"2024-03-09", "2000-01-01", "1999-12-31", "2000-02-29", "1900-03-01", "0001-01-01", "0001-12-31 BC", "4713-11-24 BC",
		"0044-03-15 BC", "9999-12-31", "10000-01-01", "5874897-12-31", "infinity", "-infinity",
	}},
	{"timestamp", []string{
		"2024-03-09 10:15:30.25", "2024-03-09 00:00:00", "1969-12-31 23:59:59.999999", "0044-03-15 12:00:00.000001 BC",
		"294276-12-31 23:59:59.999999", "4713-11-24 00:00:00 BC", "infinity", "-infinity", "1999-12-31 23:59:59.1",
	}},
	{"timestamptz", []string{
		"2024-03-09 10:15:30.25+00", "2024-07-09 00:00:00+02", "0044-03-15 12:00:00.5+00 BC", "infinity", "-infinity", "1900-01-01 00:00:00+00",
	}},
	{"time", []string{"00:00:00", "24:00:00", "10:15:30.250", "23:59:59.999999", "00:00:00.000001"}},
	{"timetz", []string{"10:15:30+02", "10:15:30-03:30", "00:00:00.5+00", "23:59:59-15:59:59", "12:00:00+05:45:10"}},
	{"interval", []string{"1 day 02:00:00", "-1 mons +2 days -03:04:05.678", "0", "100 years", "-00:00:01.5"}},
	{"json", []string{`{"a":  1, "a": [1 ,2]}`, `null`, `"x"`, ` 12.50 `, "{\n\t\"b\" : null\n}"}},
	{"jsonb", []string{`{"a": 1, "b": [1, 2, {"c": null}]}`, `null`, `"x\u0001\""`, `12.50`, `[]`}},
	{"bytea", []string{`\x`, `\x0aff00`}},
	{"money", []string{"1234.50", "-0.01"}},
	{"bit(3)", []string{"101"}},
	{"varbit", []string{"", "10101"}},
	{"inet", []string{"10.0.0.1", "10.1.0.0/16", "::1", "2001:db8::/32"}},
	{"cidr", []string{"10.1.0.0/16"}},
	{"macaddr", []string{"08:00:2b:01:02:03"}},
	{"xml", []string{`<?xml version="1.0" encoding="UTF-8"?><a b="c"/>`, "<x>1</x>"}},
	{"point", []string{"(1.5,-2)"}},
	{"tsvector", []string{"'a':1 'fat':2"}},
	{"int4range", []string{"[1,5)", "empty", "(,)"}},
	{"tstzrange", []string{`["2024-03-09 10:15:30+00",)`}},
	{"int4multirange", []string{"{[1,2),[5,6)}"}},
	{"ltree", []string{"a.b.c", ""}},
	{"mood", []string{"happy", "so \"so\""}},
	{"shop.mood", []string{"elsewhere"}},
	{"posint", []string{"1", "77"}},
	{"tag", []string{"a\"b"}},
	{"whole", []string{"2024-01-01 00:00:00+00"}},
	{"pair", []string{`(1,"a b")`, `(,)`}},
	{"ints", []string{"{1,2}", "{}"}},
}

const schemaOfTypes = `
CREATE EXTENSION citext; CREATE EXTENSION ltree;
CREATE SCHEMA shop;
CREATE TYPE mood AS ENUM ('happy', 'so "so"');
CREATE TYPE shop.mood AS ENUM ('elsewhere');
CREATE DOMAIN posint AS int4 CHECK (value > 0);
CREATE DOMAIN tag AS varchar(10);
CREATE DOMAIN whole AS timestamptz;
CREATE DOMAIN ints AS int4[];
CREATE TYPE pair AS (a int4, b text);
CREATE TABLE parent (id int4 PRIMARY KEY);
INSERT INTO parent VALUES (1), (2);
`

// TestAnswersAreTheSame holds the encoders to the bytes of the database, for every type and
// hard value: as a column of the result, in a joined row, and in the records of a list.
func TestAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	f := newFixture(t, schemaOfTypes, nil)
	var tables []string
	for i, typed := range valuesOfTypes {
		name := fmt.Sprintf("v%d", i)
		array := typed.column + "[]"
		if typed.column == "ints" {
			array = "int4[][]" // an array of a domain over an array can't be written down
		}
		f.exec(t, fmt.Sprintf(`CREATE TABLE %s (id serial PRIMARY KEY, parent int4, v %s, a %s, d %s)`,
			name, typed.column, array, array))
		for _, v := range typed.values {
			quoted := "'" + strings.ReplaceAll(v, "'", "''") + "'"
			f.exec(t, fmt.Sprintf(`INSERT INTO %s (parent, v) VALUES (1, %s)`, name, quoted))
			if typed.column != "ints" {
				f.exec(t, fmt.Sprintf(`INSERT INTO %s (parent, a, d) SELECT 1, ARRAY[NULL, x, x], ARRAY[[x, NULL], [x, x]] FROM (SELECT %s::%s) AS v(x)`,
					name, quoted, typed.column))
			}
		}
		f.exec(t, fmt.Sprintf(`INSERT INTO %s (parent, a) VALUES (1, '{}')`, name))
		tables = append(tables, name)
	}
	f.exec(t, `INSERT INTO `+tables[2]+` (a) VALUES ('[3:4]={1,2}')`)

	source, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	for i, name := range tables {
		t.Run(valuesOfTypes[i].column, func(t *testing.T) {
			t.Parallel()
			fields := fieldsOf(source.Tables[public(name)])
			rows := table(name)
			rows.OrderBy = []ir.OrderItem{{Target: ir.OrderExpr{Expr: ir.Column{Name: "id"}}}}
			list := &ir.Select{Rows: rows, Fields: fields}
			children := &ir.Nested{Join: []ir.JoinPair{{Outer: "id", Inner: "parent"}}, Root: list}
			parents := &ir.Select{Rows: table("parent"), Fields: []ir.Field{
				field("id", int4Type), {Alias: "children", Value: children},
			}}
			one := &ir.Select{Rows: rows, Fields: []ir.Field{{Alias: "same", Value: &ir.Nested{
				Join: []ir.JoinPair{{Outer: "id", Inner: "id"}}, Unique: true,
				Root: &ir.Select{Rows: table(name), Fields: fields, One: true},
			}}}}
			for _, o := range []backend.RenderOptions{{}, {StringifyNumeric: true}} {
				sameAnswer(t, f.source, list, o, backend.Args{})
				sameAnswer(t, f.source, parents, o, backend.Args{})
				sameAnswer(t, f.source, one, o, backend.Args{})
			}
		})
	}
}

// TestSpatialTypes: spatial values are GeoJSON, and operands may be.
func TestSpatialTypes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ``, nil)
	if f.text(t, `SELECT count(*)::text FROM pg_available_extensions WHERE name = 'postgis'`) == "0" {
		t.Skip("the server has no PostGIS")
	}
	f.exec(t, `CREATE EXTENSION postgis; CREATE TABLE spot (id int4, g geometry(Point, 4326), s geometry, e geography, gs geometry[]);
		INSERT INTO spot VALUES (1, 'SRID=4326;POINT(1 2)', 'SRID=4326;LINESTRING(0 0, 1.5 1)', 'POINT(14.42 50.09)', ARRAY['POINT(1 1)'::geometry]), (2, NULL, NULL, NULL, NULL)`)
	source, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	spot := source.Tables[public("spot")]
	rows := table("spot")
	rows.OrderBy = orderBy(by("id"))
	g := spot.Column("g")
	near := ir.Literal{Text: `{"type":"Point","coordinates":[1,3]}`, Type: g.Type, Wrap: wrapGeoJSON}
	require.Contains(t, sameAnswer(t, f.source, &ir.Select{Rows: rows, Fields: fieldsOf(spot)}, backend.RenderOptions{}, backend.Args{}),
		`"s":{"type":"LineString","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[[0,0],[1.5,1]]},`)
	rows.Where = ir.Compare{Left: ir.Column{Name: "g", Type: g.Type}, Op: opSTDWithin, Args: []ir.Value{
		near, ir.Literal{Text: "1.5", Type: catalog.Type{Name: "float8"}},
	}}
	require.Equal(t, `[{"id":1}]`, sameAnswer(t, f.source, &ir.Select{Rows: rows, Fields: []ir.Field{idField}}, backend.RenderOptions{}, backend.Args{}))
}
