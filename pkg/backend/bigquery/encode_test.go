package bigquery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

func TestRowsBecomeJSON(t *testing.T) {
	t.Parallel()
	cell := func(of string, dims int) answer.Cell { return cellOf(catalog.Type{Name: of, Dims: dims}) }
	part := func(lead string, column int, c answer.Cell) answer.Part {
		return answer.Part{Lead: lead, Column: column, Cell: c}
	}
	inner := &answer.Shape{Parts: []answer.Part{part(`{"id":`, 0, cell("int8", 0))}, Tail: "}"}
	shape := &answer.Shape{Parts: []answer.Part{
		part(`{"n":`, 0, cell("int8", 0)), part(`,"t":`, 1, cell("text", 0)), part(`,"b":`, 2, cell("bool", 0)),
		part(`,"f":`, 3, cell("float8", 1)), part(`,"j":`, 4, cell("jsonb", 0)),
		{Lead: `,"list":`, Kind: answer.List, Column: 5, Shape: inner},
		{Lead: `,"none":`, Kind: answer.List, Column: 6, Shape: inner},
		{Lead: `,"row":`, Kind: answer.Record, Column: 7, Shape: inner},
	}, Tail: "}"}
	row := `{"f": [{"v": "7"}, {"v": "a\u003cb\n"}, {"v": "true"}, {"v": [{"v": "1.23e+23"}, {"v": "-inf"}, {"v": "2"}, {"v": null}]},
		{"v": "{\"a\":[1]}"}, {"v": [{"v": {"f": [{"v": "1"}]}}, {"v": {"f": [{"v": null}]}}]}, {"v": null}, {"v": {"f": [{"v": "9"}]}}]}`
	cells, _, ok := (format{}).Record(nil, nil, []byte(row))
	require.True(t, ok)
	w := answer.Writer{Format: format{}}
	text := w.Row(nil, shape, answer.Cells{Values: cells})
	require.NoError(t, w.Err)
	require.Equal(t, `{"n":"7","t":"a<b\n","b":true,"f":["1.23E23", "-Infinity", "2.0", null],"j":{"a":[1]},`+
		`"list":[{"id":"1"}, {"id":null}],"none":[],"row":{"id":"9"}}`, string(text))

	for _, malformed := range []string{``, `{}`, `{"v": 1}`, `{"f": [}`} {
		_, _, ok := (format{}).Record(nil, nil, []byte(malformed))
		require.False(t, ok, malformed)
	}
}

func TestFloatsAreWrittenAsByBigQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": `"1.0"`, "0": `"0.0"`, "0.25": `"0.25"`, "1234567.5": `"1234567.5"`, "1.5e7": `"1.5E7"`, "0.0001": `"1.0E-4"`, "NaN": `"NaN"`, "+Inf": `"Infinity"`,
	} {
		got, ok := encodeFloat(nil, []byte(text))
		require.True(t, ok)
		require.Equal(t, want, string(got))
	}
	_, ok := encodeFloat(nil, []byte("x"))
	require.False(t, ok)
}

func TestTypesOfColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]catalog.Type{
		"INT64": {Name: "int8"}, "NUMERIC(10, 2)": {Name: "numeric"}, "STRING(7)": {Name: "text"}, "ARRAY<FLOAT64>": {Name: "float8", Dims: 1},
		"STRUCT<a INT64>": {Name: "struct"}, "ARRAY<STRUCT<a ARRAY<INT64>>>": {Name: "struct", Dims: 1}, "RANGE<DATE>": {Name: "range"}, "FLOAT": {Name: "float8"}, "DOUBLE": {Name: "float8"},
	} {
		require.Equal(t, want, columnType(text), text)
	}
}
