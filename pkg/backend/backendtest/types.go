package backendtest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// typeCase is a type with values of it, as JSON, and values that aren't of it.
type typeCase struct {
	of      Type
	numeric bool
	ordered bool // has min and max
	text    bool
	values  []string
	// shown are the answers for values, where they differ.
	shown map[string]string
	// wrong values are refused by the dialect or by the database.
	wrong []string
}

var typeCases = []typeCase{
	{of: Integer, numeric: true, ordered: true, values: []string{"0", "-2147483648", "2147483647"}, wrong: []string{"2147483648", `"x"`, "1.5", "{}"}},
	{of: Big, numeric: true, ordered: true, values: []string{"9007199254740993", "-9223372036854775808"}, wrong: []string{"9223372036854775808", `"x"`, "[]"}},
	{of: Decimal, numeric: true, ordered: true, values: []string{"12.34", "-0.05", "9999.99"}, wrong: []string{`"x"`, "true"}},
	{of: Float, numeric: true, ordered: true, values: []string{"1.5", "-0.1", "1e+100"}, wrong: []string{`"x"`, "{}"}},
	{of: Boolean, values: []string{"true", "false"}, wrong: []string{"3", `"maybe"`, "{}"}},
	{of: Text, ordered: true, text: true, values: []string{
		`""`, `"plain"`, `"O'Brien \"x\" \\ \n\t %_"`, `"\u0001"`, `"ünïcode \ud83d\ude00"`, `"NULL"`, `"{a,b}"`,
	}, wrong: []string{"{}"}},
	{of: Date, ordered: true, values: []string{`"2015-02-28"`, `"0001-01-01"`}, wrong: []string{`"2015-02-30"`, "1", "true"}},
	{of: Timestamp, ordered: true, values: []string{`"2015-02-28T12:00:00+00:00"`, `"2015-02-28T12:00:00.123456+00:00"`, `"2015-02-28T14:00:00+02:00"`}, shown: map[string]string{
		`"2015-02-28T14:00:00+02:00"`: `"2015-02-28T12:00:00+00:00"`,
	}, wrong: []string{`"yesterday at noon"`, "true"}},
	{of: UUID, values: []string{`"3f333df6-90a4-4fda-8dd3-9485d27cee36"`}, wrong: []string{`"3f333df6"`, "1"}},
	{of: Document, values: []string{
		`{"a": [1, null, "x"], "b": {}}`, `[]`, `"text"`, `1.5`, `true`,
	}},
}

// types writes values of all types and reads them back, and holds that what isn't a value is
// refused before anything is written.
func (x *exercise) types(t *testing.T, at string) {
	x.sub(t, at, "well-known", x.wellKnown)
	columns := []Column{{Name: "id", Type: Integer, NotNull: true}}
	for _, c := range typeCases {
		columns = append(columns, Column{Name: string(c.of), Type: c.of})
	}
	b := x.open(t, Table{Name: "value", Columns: columns, Key: []string{"id"}})
	for _, c := range typeCases {
		x.sub(t, at, string(c.of), func(t *testing.T, at string) { x.oneType(t, at, b, c) })
	}
}

func (x *exercise) oneType(t *testing.T, at string, b *bench, c typeCase) {
	column := b.column("value", string(c.of))
	x.sub(t, at, "scalar", func(t *testing.T, _ string) {
		s := x.Dialect.Scalar(column.Type)
		require.True(t, s.Valid)
		require.NotEmpty(t, s.Name)
		require.Equal(t, c.numeric, s.Numeric)
		require.Equal(t, c.text, s.Text)
		require.Equal(t, c.of == Document, s.JSON)
		if c.ordered {
			require.True(t, s.Comparable)
		}
	})
	x.sub(t, at, "operators", func(t *testing.T, _ string) {
		names := map[ir.Op]bool{}
		for _, o := range x.Dialect.Operators(column.Type) {
			require.NotNil(t, x.Dialect.Operator(o.Op), "it is found by its name")
			names[o.Op] = true
		}
		require.True(t, names[ir.OpEq])
		require.True(t, names[ir.OpIn])
		require.Equal(t, c.text, names["_like"])
	})
	x.sub(t, at, "values", func(t *testing.T, _ string) {
		for _, value := range append([]string{"null"}, c.values...) {
			want := value
			if shown := c.shown[value]; shown != "" {
				want = shown
			}
			got, err := b.inserted(t, column, value)
			require.NoError(t, err, value)
			requireJSON(t, `[{"v":`+want+`}]`, got)
		}
	})
	x.sub(t, at, "wrong values", func(t *testing.T, _ string) {
		for _, value := range c.wrong {
			_, err := b.inserted(t, column, value)
			var e *apierror.Error
			require.ErrorAs(t, err, &e, value)
			require.Contains(t, []apierror.Code{apierror.DataException, apierror.ParseFailed, apierror.ValidationFailed}, e.Code, "%s: %s", value, e.Message)
		}
	})
	x.sub(t, at, "equal", func(t *testing.T, _ string) {
		if c.of == Document {
			t.Skip("documents are compared by their own operators")
		}
		for _, value := range c.values {
			text := parse(t, x.Dialect, column.Type, value)
			_, err := b.inserted(t, column, value)
			require.NoError(t, err)
			for _, operand := range []ir.Value{given(column, text), bound(0, column.Type), ir.SessionVar{Name: "x-engine-value", Type: column.Type}} {
				got := b.answer(t, Query{
					Root: &ir.Select{Rows: ir.Rows{From: ir.Table{Name: b.Name("value")}, Where: compare(column, ir.OpEq, operand)}, Fields: b.fields("value", "id")},
					Args: backend.Args{Variables: [][]byte{[]byte(text)}, Session: as("buyer", map[string]string{"x-engine-value": text})},
				})
				requireJSON(t, `[{"id":1}]`, got)
			}
		}
	})
}

// wellKnown holds that the types that every plan may need are what they are needed for.
func (x *exercise) wellKnown(t *testing.T, _ string) {
	for known, is := range map[backend.BuiltinType]func(backend.Scalar) bool{
		backend.TypeText:    func(s backend.Scalar) bool { return s.Text },
		backend.TypeInt:     func(s backend.Scalar) bool { return s.Numeric },
		backend.TypeBigInt:  func(s backend.Scalar) bool { return s.Numeric },
		backend.TypeDecimal: func(s backend.Scalar) bool { return s.Numeric },
		backend.TypeJSON:    func(s backend.Scalar) bool { return s.JSON },
	} {
		of := x.Dialect.Builtin(known)
		require.True(t, is(x.Dialect.Scalar(of)), of.Name)
		require.True(t, backend.Is(x.Dialect, of, known))
	}
}

// parse is the text form of a JSON value.
func parse(t testing.TB, d backend.Dialect, of catalog.Type, value string) string {
	t.Helper()
	in, err := d.ParseInput(of, json.RawMessage(value))
	require.NoError(t, err, value)
	return in.Text
}

// inserted makes a value the only one of its table and reads it.
func (b *bench) inserted(t testing.TB, c ir.Column, value string) (string, error) {
	t.Helper()
	var literal ir.Value = none(c)
	if value != "null" {
		in, err := b.Fixture.Dialect.ParseInput(c.Type, json.RawMessage(value))
		if err != nil {
			return "", err
		}
		literal = ir.Literal{Text: in.Text, Wrap: in.Wrap, Type: c.Type}
	}
	id := b.column("value", "id")
	if _, err := b.mutate(t, &ir.Delete{Table: b.Name("value")}); err != nil {
		return "", err
	}
	if _, err := b.mutate(t, &ir.Insert{
		Table: b.Name("value"), Columns: []ir.Column{id, c}, Rows: [][]ir.Value{{given(id, "1"), literal}},
	}); err != nil {
		return "", err
	}
	return b.query(t.Context(), Query{Root: &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: b.Name("value")}}, Fields: []ir.Field{{Alias: "v", Value: ir.Scalar{Expr: c, Type: c.Type}}},
	}})
}
