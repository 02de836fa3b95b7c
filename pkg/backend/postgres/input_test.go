package postgres

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

func TestParseInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, value, want string
	}{
		{"int2", `-32768`, "-32768"},
		{"int4", `2147483647`, "2147483647"},
		{"int4", ` 3.0 `, "3"},
		{"int4", `12e2`, "1200"},
		{"int4", `-0`, "-0"},
		{"int4", `0e99999999999999999999`, "0"},
		{"int4", `"12"`, "12"},
		{"int4", `"not a number"`, "not a number"},
		{"int8", `9223372036854775807`, "9223372036854775807"},
		{"int8", `9223372036854775807.0`, "9223372036854775807"},
		{"float4", `1.5`, "1.5"},
		{"float4", `3.4e38`, "3.4e38"},
		{"float8", `0.1e1`, "0.1e1"},
		{"float8", `0e-999`, "0e-999"},
		{"float8", `"NaN"`, "NaN"},
		{"numeric", `123456789012345678901234567890.12345678901234567890`, "123456789012345678901234567890.12345678901234567890"},
		{"numeric", `1e400`, "1e400"},
		{"money", `12`, "12.00"},
		{"money", `12.345`, "12.35"},
		{"money", `12.3449`, "12.34"},
		{"money", `-0.005`, "-0.01"},
		{"money", `-0.004`, "0.00"},
		{"money", `1.5e3`, "1500.00"},
		{"money", `1e-999999999999999999999`, "0.00"},
		{"money", `1e99`, "1e99"},
		{"money", `92233720368547758.07`, "92233720368547758.07"},
		{"money", `"$1,234.50"`, "$1,234.50"},
		{"bool", `true`, "true"},
		{"bool", `"off"`, "off"},
		{"text", `"a\"b\\cé😀"`, `a"b\cé😀`},
		{"text", `"a\u00e9\ud83d\ude00\n"`, "aé😀\n"},
		{"text", `"\ud800"`, "\uFFFD"},
		{"bpchar", `"abc"`, "abc"},
		{"timestamptz", `"yesterday"`, "yesterday"},
		{"interval", `"1 day"`, "1 day"},
		{"uuid", `"x"`, "x"},
		{"json", `{ "b" : 1.50, "a": [ 1, null ] }`, `{"b":1.50,"a":[1,null]}`},
		{"jsonb", `"x"`, `"x"`},
		{"jsonb", `12345678901234567890`, `12345678901234567890`},
		{"ltree", `"a.b"`, "a.b"},
		{"ltree", `""`, ""},
		{"lquery", `"*.b"`, "*.b"},
		{"geometry", `"POINT(1 1)"`, "POINT(1 1)"},
	} {
		got, err := New().ParseInput(baseType(c.typ), json.RawMessage(c.value))
		require.NoError(t, err, "%+v", c)
		require.Equal(t, backend.Input{Text: c.want}, got, "%+v", c)
	}
}

func TestParseInputErrors(t *testing.T) {
	t.Parallel()
	const (
		integerRange = "The value %s lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?"
		floatRange   = "The value %s lies outside the bounds. Is it overflowing the float bounds?"
	)
	value := func(format, shown string) string { return strings.Replace(format, "%s", shown, 1) }
	for _, c := range []struct {
		typ, value, message string
	}{
		{"int4", `3000000000`, value(integerRange, "3.0e9")},
		{"int4", `-3000000000`, value(integerRange, "-3.0e9")},
		{"int4", `1.5`, value(integerRange, "1.5")},
		{"int4", `1e999999999999999999999`, value(integerRange, "1.0e1073741824")},
		{"int2", `32768`, value(integerRange, "32768.0")},
		{"int2", `9999999.5`, value(integerRange, "9999999.5")},
		{"int2", `12345678`, value(integerRange, "1.2345678e7")},
		{"int2", `0.1`, value(integerRange, "0.1")},
		{"int2", `0.01`, value(integerRange, "1.0e-2")},
		{"int8", `9223372036854775808`, value(integerRange, "9.223372036854775808e18")},
		{"float8", `1e400`, value(floatRange, "1.0e400")},
		{"float8", `1e-400`, value(floatRange, "1.0e-400")},
		{"float4", `-1e39`, value(floatRange, "-1.0e39")},
		{"int4", `true`, "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean"},
		{"int2", `[]`, "parsing Integer expected for input type: PGSmallInt failed, expected Number, but encountered Array"},
		{"int8", `{}`, "parsing Integer expected for input type: PGBigInt failed, expected Number, but encountered Object"},
		{"float4", `true`, "parsing Float expected for input type: PGFloat failed, expected Number, but encountered Boolean"},
		{"float8", `[]`, "parsing Float expected for input type: PGDouble failed, expected Number, but encountered Array"},
		{"numeric", `true`, "parsing Scientific failed, expected Number, but encountered Boolean"},
		{"bool", `1`, "parsing Bool failed, expected Boolean, but encountered Number"},
		{"text", `1`, "parsing Text failed, expected String, but encountered Number"},
		{"timestamptz", `1`, "parsing Text failed, expected String, but encountered Number"},
		{"uuid", `null`, "parsing Text failed, expected String, but encountered Null"},
		{"interval", `1`, "A string is expected for type: interval"},
		{"inet", `{}`, "A string is expected for type: inet"},
		{"ltree", `"a..b"`, notALabelPath},
		{"ltree", `"a."`, notALabelPath},
		{"ltree", `1`, notALabelPath},
		{"raster", `"0g"`, notARaster},
		{"raster", `"0"`, notARaster},
		{"raster", `1`, "parsing Text failed, expected String, but encountered Number"},
		{"geometry", `1`, "parsing Geometry failed, expected Object, but encountered Number"},
	} {
		_, err := New().ParseInput(baseType(c.typ), json.RawMessage(c.value))
		requireError(t, err, apierror.ParseFailed, c.message)
		require.Equal(t, "$", apierror.From(err).Path)
	}
	mood := catalog.Type{Name: "mood", Kind: catalog.TypeEnum}
	_, err := New().ParseInput(mood, json.RawMessage(`1`))
	requireError(t, err, apierror.ParseFailed, "A string is expected for type: mood")
}

func TestParseGeoJSON(t *testing.T) {
	t.Parallel()
	for value, message := range map[string]string{
		`{"type": "Point", "coordinates": [1, 2.50]}`:                                                 "",
		`{"type":"Point","coordinates":[1,2,3],"crs":{"type":"name","properties":{"name":"EPSG:1"}}}`: "",
		`{"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}`:                                     "",
		`{"type": "LineString", "coordinates": [[1, 2], [3, 4]]}`:                                     "",
		`{"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]]]}`:                              "",
		`{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0.0, 0e5]]]}`:                  "",
		`{"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1], [0, 0]]]]}`:               "",
		`{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}]}`:    "",
		`{"type": "Point", "coordinates": [1]}`:                                                       "A Position needs at least 2 elements",
		`{"type": "MultiPoint", "coordinates": [[1, 2], []]}`:                                         "A Position needs at least 2 elements",
		`{"type": "LineString", "coordinates": [[1, 2]]}`:                                             "A LineString needs at least 2 Positions",
		`{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]}`:                              "A LinearRing needs at least 4 Positions",
		`{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]}`:                      "the first and last locations have to be equal for a LinearRing",
		`{"type": "Random", "coordinates": []}`:                                                       "unexpected geometry type: Random",
		`{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1]}]}`:       "A Position needs at least 2 elements",
		`{"type": "GeometryCollection"}`:                                                              `key "geometries" not found`,
		`{"type": "Point"}`:                                                                           `key "coordinates" not found`,
		`{"coordinates": [1, 2]}`:                                                                     `key "type" not found`,
	} {
		got, err := New().ParseInput(baseType("geometry"), json.RawMessage(value))
		if message != "" {
			requireError(t, err, apierror.ParseFailed, message)
			continue
		}
		require.NoError(t, err, value)
		require.Equal(t, wrapGeoJSON, got.Wrap)
		require.Equal(t, strings.ReplaceAll(value, " ", ""), got.Text)
	}
	_, err := New().ParseInput(baseType("geography"), json.RawMessage(`{"type": "Point", "coordinates": {"a": 1}}`))
	require.ErrorContains(t, err, "invalid GeoJSON")
}

func TestParseRaster(t *testing.T) {
	t.Parallel()
	got, err := New().ParseInput(baseType("raster"), json.RawMessage(`"01aF"`))
	require.NoError(t, err)
	require.Equal(t, backend.Input{Text: "01aF", Wrap: wrapRaster}, got)
}

func TestParseInputArray(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, value, want string
	}{
		{"int4", `[]`, `{}`},
		{"int4", `[1, null, "2"]`, `{"1",NULL,"2"}`},
		{"int4", `[[1], [2]]`, `{{"1"},{"2"}}`},
		{"int4", `"{1,2}"`, `{1,2}`},
		{"text", `["a", "NULL", "", "b\"\\,{}"]`, `{"a","NULL","","b\"\\,{}"}`},
		{"jsonb", `[[1, 2], {"a": "b"}, "c", null]`, `{"[1,2]","{\"a\":\"b\"}","\"c\"",NULL}`},
		{"box", `["(1,1),(0,0)", "(2,2),(1,1)"]`, `{"(1,1),(0,0)";"(2,2),(1,1)"}`},
		{
			"geometry", `[{"type": "Point", "coordinates": [1, 2]}, "POINT(1 1)"]`,
			`{"{\"type\":\"Point\",\"coordinates\":[1,2]}":"POINT(1 1)"}`,
		},
	} {
		got, err := New().ParseInput(listType(c.typ), json.RawMessage(c.value))
		require.NoError(t, err)
		require.Equal(t, backend.Input{Text: c.want}, got)
	}
}

func TestParseInputArrayErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, value, path, message string
	}{
		{"int4", `1`, "$", "parsing [] failed, expected Array, but encountered Number"},
		{"ltree", `["a", "b..c"]`, "$[1]", notALabelPath},
		{"text", `[["a"], ["b", 1]]`, "$[1][1]", "parsing Text failed, expected String, but encountered Number"},
	} {
		_, err := New().ParseInput(listType(c.typ), json.RawMessage(c.value))
		requireError(t, err, apierror.ParseFailed, c.message)
		require.Equal(t, c.path, apierror.From(err).Path)
	}
}

// TestInputInTheDatabase holds the texts to what the server makes of them.
func TestInputInTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE DOMAIN positive AS int CHECK (value > 0)", nil)
	for _, c := range []struct {
		typ       catalog.Type
		sql       string
		value     string
		want      string
		wantError string
	}{
		{baseType("numeric"), "numeric", `1e5`, "100000", ""},
		{baseType("numeric"), "numeric", `12345678901234567890.10`, "12345678901234567890.10", ""},
		{baseType("float8"), "float8", `0.1e-5`, "1e-06", ""},
		{baseType("money"), "money", `-1234.565`, "-$1,234.57", ""},
		{baseType("int4"), "int4", `12e2`, "1200", ""},
		{baseType("int4"), "positive", `-1`, "", "23514"},
		{listType("int4"), "int4[]", `[[1,2],[3,null]]`, "{{1,2},{3,NULL}}", ""},
		{listType("text"), "text[]", `["null", "a,b", "\\ \""]`, `{"null","a,b","\\ \""}`, ""},
		{listType("jsonb"), "jsonb[]", `[{"a": "\""}, [1]]`, `{"{\"a\": \"\\\"\"}",[1]}`, ""},
		{listType("box"), "box[]", `["(1,1),(0,0)"]`, `{(1,1),(0,0)}`, ""},
		{baseType("text"), "text", `"a\u0000b"`, "", "22021"},
		{baseType("jsonb"), "jsonb", `"a\u0000b"`, "", "22P05"},
	} {
		in, err := New().ParseInput(c.typ, json.RawMessage(c.value))
		require.NoError(t, err)
		var got string
		err = f.db.QueryRow(t.Context(), "SELECT $1::"+c.sql+"::text", pgx.QueryExecModeExec, in.Text).Scan(&got)
		if c.wantError != "" {
			require.ErrorContains(t, err, c.wantError)
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.want, got)
	}
}

// FuzzArrayLiteral holds the literals of texts to another reader of them.
func FuzzArrayLiteral(f *testing.F) {
	for _, seed := range []string{"a", "", "NULL", `"`, `\`, "{},", " x ", "\x00", "\xff", "é😀\n"} {
		f.Add(seed, "b")
	}
	codec := pgtype.NewMap()
	f.Fuzz(func(t *testing.T, first, second string) {
		list, err := json.Marshal([]any{first, nil, second})
		require.NoError(t, err)
		in, err := New().ParseInput(listType("text"), list)
		require.NoError(t, err)
		var got []*string
		require.NoError(t, codec.Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, []byte(in.Text), &got))
		require.Len(t, got, 3)
		require.Equal(t, []rune(first), []rune(*got[0]))
		require.Nil(t, got[1])
		require.Equal(t, []rune(second), []rune(*got[2]))
	})
}

// FuzzNumbers holds whole numbers and cents to arbitrary precision.
func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{"0", "-1", "1.5", "1e3", "12.345", "0.005", "-1.00e-2", "9223372036854775808", "1e19"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		if !json.Valid([]byte(number)) || jsonwalk.KindOf([]byte(number)) != jsonwalk.Number || len(number) > 40 || strings.TrimSpace(number) != number {
			t.Skip("not a number")
		}
		if _, exponent, ok := strings.Cut(strings.ToLower(number), "e"); ok {
			if e, err := strconv.Atoi(exponent); err != nil || e > 30 || e < -30 {
				t.Skip("too large for the oracle")
			}
		}
		exact, ok := new(big.Rat).SetString(number)
		require.True(t, ok)

		whole, err := input.Integer(64)(number)
		require.Equal(t, exact.IsInt() && exact.Num().IsInt64(), err == nil)
		if err == nil {
			got, ok := new(big.Rat).SetString(whole)
			require.True(t, ok)
			require.Zero(t, exact.Cmp(got))
		}

		text, err := input.Cents(number)
		require.NoError(t, err)
		got, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		distance := new(big.Rat).Abs(new(big.Rat).Sub(exact, got))
		require.LessOrEqual(t, distance.Cmp(big.NewRat(1, 200)), 0, "%s is %s", number, text)
	})
}
