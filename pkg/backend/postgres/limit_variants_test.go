package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// TestLimitsThatOccur holds that limits that are requested again and again are part of the text,
// and that there are only so many texts.
func TestLimitsThatOccur(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 3)`, nil)
	rows := table("n")
	rows.OrderBy, rows.Limit, rows.MaxRows = orderBy(by("id")), ir.Variable{Index: 0, Type: catalog.Type{Name: "int8"}}, 50
	rows.Where = equals("id", int4Type, ir.Variable{Index: 1, Type: int4Type})
	st := statementOf(t, &ir.Select{Rows: rows, Fields: []ir.Field{idField}})
	run := func(limit []byte) *statement {
		stmt, values, err := prepare(st, &backend.Args{Variables: [][]byte{limit, []byte("2")}})
		require.NoError(t, err)
		require.Len(t, values, len(stmt.utc.params))
		return stmt
	}
	require.Contains(t, run([]byte("20")).SQL(), " LIMIT 20")
	require.Same(t, run([]byte("20")), run([]byte("20"))) //nolint:testifylint // the second run finds what the first one made
	require.Contains(t, run(nil).SQL(), " LIMIT least(NULL, 50)")
	for _, odd := range []string{"-1", "007", "1e3", "12345678901", "", "1; DROP TABLE n"} {
		require.Same(t, st, run([]byte(odd)), odd)
	}
	for i := range 100 {
		run([]byte{'1', byte('0' + i%10), byte('0' + i/10)})
	}
	require.Len(t, *st.(*statement).variants.list.Load(), maxVariants)
	for range 3 * replaceAfter {
		run([]byte("33"))
	}
	require.Contains(t, run([]byte("33")).SQL(), " LIMIT 33", "what has become common replaces another one")
	require.Len(t, *st.(*statement).variants.list.Load(), maxVariants)

	for _, c := range []struct{ limit, want string }{{"20", `[{"id":2}]`}, {"0", `[]`}, {"007", `[{"id":2}]`}} {
		require.Equal(t, c.want, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{[]byte(c.limit), []byte("2")}}))
	}
	require.Equal(t, `[{"id":2}]`, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{nil, []byte("2")}}))
	require.ErrorContains(t, failed(t, f.source, st, backend.Args{Variables: [][]byte{[]byte("-1"), []byte("2")}}), "LIMIT must not be negative")
}
