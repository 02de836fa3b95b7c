package mssql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// TestCells writes the texts of values of each family, as the driver's values are made texts and as FOR JSON
// writes them.
func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, value, want string }{
		{"int4", "-12", "-12"},
		{"int8", "9223372036854775807", "9223372036854775807"},
		{"decimal", "123.4500", "123.4500"},
		{"money", "-123.4500", "-123.4500"},
		{"float8", "1.600012207031250e+001", "16.0001220703125"},
		{"float8", "2.23e-308", "2.23e-308"},
		{"float8", "-305.77", "-305.77"},
		{"float4", "-3.6820000e+001", "-36.82"},
		{"bool", "true", "true"},
		{"bool", "0", "false"},
		{"text", "a\"b\\\n", `"a\"b\\\n"`},
		{"date", "2014-09-14", `"2014-09-14"`},
		{"time", "11:09:23.0000000", `"11:09:23"`},
		{"datetime", "1996-04-15T04:00:00", `"1996-04-15T04:00:00"`},
		{"timestamp", "9999-04-15T23:59:59.9999999", `"9999-04-15T23:59:59.9999999"`},
		{"timestamptz", "2007-05-08T12:35:29.1200000+12:15", `"2007-05-08T12:35:29.12+12:15"`},
		{"timestamptz", "2007-05-08T12:35:29.0000000-00:30", `"2007-05-08T12:35:29-00:30"`},
		{"timestamptz", "2007-05-08T12:35:29+00:00", `"2007-05-08T12:35:29Z"`},
		{"timestamptz", "2007-05-08T12:35:29Z", `"2007-05-08T12:35:29Z"`},
		{"timestamptz", `not "a": time+1`, `"not \"a\": time+1"`},
		{"uuid", "0E984725-C51C-4BF4-9960-E1C80E27ABA0", `"0E984725-C51C-4BF4-9960-E1C80E27ABA0"`},
		{"geometry", "POINT (3 4)", `"POINT (3 4)"`},
		{"some_alias", "x", `"x"`},
	} {
		got, ok := cellOf(catalog.Type{Name: c.of}).Encode(nil, []byte(c.value))
		require.True(t, ok)
		require.Equal(t, c.want, string(got), c.of)
	}
	for _, value := range []string{"", "x", "1-2", "-", "."} {
		_, ok := cellOf(catalog.Type{Name: "int4"}).Encode(nil, []byte(value))
		require.False(t, ok, "%q is no number", value)
	}
}

// TestRelatedRows reads what FOR JSON makes of rows, with the escapes that it uses, in each place of a shape.
func TestRelatedRows(t *testing.T) {
	t.Parallel()
	text, number := cellOf(typeText), cellOf(typeInteger)
	row := func(parts ...answer.Part) *answer.Shape { return &answer.Shape{Parts: parts, Tail: "}"} }
	inner := row(answer.Part{Lead: `{"n":`, Cell: number})
	outer := row(
		answer.Part{Lead: `{"a":`, Cell: text},
		answer.Part{Lead: `,"b":`, Column: 1, Cell: number},
		answer.Part{Lead: `,"list":`, Kind: answer.List, Column: 2, Shape: inner},
		answer.Part{Lead: `,"one":`, Kind: answer.Record, Column: 3, Shape: inner},
	)
	w := &answer.Writer{Format: format{}}
	write := func(kind answer.Kind, cell string) string {
		values := [][]byte{nil}
		if cell != "" {
			values[0] = []byte(cell)
		}
		return string(w.Row(nil, &answer.Shape{Parts: []answer.Part{{Kind: kind, Shape: outer}}}, answer.Cells{Values: values}))
	}
	one := `{"c0":"a\/\"é\u0001{[","c1":null,"c2":[{"c0":1},{"c0":2}],"c3":[{"c0":3}]}`
	two := `{"c0":"","c1":5,"c2":null,"c3":"[{\"c0\":4}]"}`
	wantOne := `{"a":"a/\"é\u0001{[","b":null,"list":[{"n":1}, {"n":2}],"one":{"n":3}}`
	wantTwo := `{"a":"","b":5,"list":[],"one":{"n":4}}`
	require.Equal(t, "["+wantOne+", "+wantTwo+"]", write(answer.List, "["+one+","+two+"]"))
	require.Equal(t, "[]", write(answer.List, ""))
	require.Equal(t, "[]", write(answer.List, "[]"))
	require.Equal(t, wantTwo, write(answer.Record, "["+two+"]"))
	require.Equal(t, wantTwo, write(answer.Record, two))
	require.Equal(t, "null", write(answer.Record, ""))
	require.NoError(t, w.Err)
	for _, broken := range []string{`[{"c0":`, `{`, `x`, `[{"c0":"a"]`} {
		w := &answer.Writer{Format: format{}}
		w.Row(nil, &answer.Shape{Parts: []answer.Part{{Kind: answer.List, Shape: outer}}}, answer.Cells{Values: [][]byte{[]byte(broken)}})
		require.Error(t, w.Err, broken)
	}
}
