package backendtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// requireCode holds that an error has a code that clients see, and returns it.
func requireCode(t *testing.T, err error, code apierror.Code) *apierror.Error {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, e.Message)
	return e
}

// errors holds that a query that fails writes nothing, reports why, and leaves its connection usable.
func (x *exercise) errors(t *testing.T, at string) {
	b := x.open(t, Shop()...)
	own := Query{Root: &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: b.Name("artist")}, OrderBy: orderBy(b.by("id")),
		Where: compare(b.column("artist", "owner_id"), ir.OpEq, ir.SessionVar{Name: "x-engine-user-id", Type: b.typeOf("artist", "owner_id")}),
	}, Fields: b.fields("artist", "id")}}
	with := func(variables map[string]string) Query {
		q := own
		q.Args.Session = as("buyer", variables)
		return q
	}
	works := func(t *testing.T) {
		t.Helper()
		requireJSON(t, `[{"id":1},{"id":2}]`, b.answer(t, with(map[string]string{"x-engine-user-id": "7"})))
	}
	x.sub(t, at, "missing session variable", func(t *testing.T, _ string) {
		_, err := b.query(t.Context(), with(nil))
		require.Equal(t, `missing session variable: "x-engine-user-id"`, requireCode(t, err, apierror.NotFound).Message)
		works(t)
	})
	x.sub(t, at, "session variable of a wrong type", func(t *testing.T, _ string) {
		_, err := b.query(t.Context(), with(map[string]string{"x-engine-user-id": "7 OR 1=1"}))
		requireCode(t, err, apierror.DataException)
		works(t)
	})
	x.sub(t, at, "missing table", func(t *testing.T, _ string) {
		got, err := b.query(t.Context(), Query{Root: &ir.Select{Rows: ir.Rows{From: ir.Table{Name: b.Name("missing")}}, Fields: b.fields("track", "id")}})
		e := requireCode(t, err, apierror.Unexpected)
		require.Equal(t, "database query error", e.Message, "the database's message is for admins only")
		require.Empty(t, got)
		works(t)
	})
	x.sub(t, at, "missing value", func(t *testing.T, _ string) {
		_, err := b.query(t.Context(), Query{Root: &ir.Select{Rows: ir.Rows{
			From: ir.Table{Name: b.Name("track")}, Where: compare(b.column("track", "id"), ir.OpEq, bound(3, b.typeOf("track", "id"))),
		}, Fields: b.fields("track", "id")}})
		require.ErrorContains(t, err, "needs variable 3")
		works(t)
	})
	x.sub(t, at, "cancelled", func(t *testing.T, _ string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.query(ctx, with(map[string]string{"x-engine-user-id": "7"}))
		require.ErrorIs(t, err, context.Canceled)
		works(t)
	})
	x.sub(t, at, "names can't become statements", func(t *testing.T, _ string) {
		title := b.column("track", "title")
		got := b.answer(t, Query{Root: &ir.Select{
			Rows:   b.rows("track", func(r *ir.Rows) { r.Where = compare(title, ir.OpEq, given(title, `'; DROP TABLE note; --`)) }),
			Fields: []ir.Field{{Alias: `x'"; --`, Value: ir.Scalar{Expr: title, Type: title.Type}}},
		}})
		requireJSON(t, `[]`, got)
		got = b.answer(t, Query{Root: &ir.Select{
			Rows:   b.rows("track", func(r *ir.Rows) { r.Limit = b.number("1") }),
			Fields: []ir.Field{{Alias: `x'"; --`, Value: ir.Scalar{Expr: title, Type: title.Type}}},
		}})
		requireJSON(t, `[{"x'\"; --":"track 1"}]`, got)
		works(t)
	})
	x.sub(t, at, "explain", func(t *testing.T, _ string) {
		q := with(map[string]string{"x-engine-user-id": "7"})
		statement, err := x.Dialect.RenderQuery(q.Root, backend.RenderOptions{})
		require.NoError(t, err)
		text, plan, err := b.Source.Explain(t.Context(), statement, q.Args)
		require.NoError(t, err)
		require.Contains(t, text, "7", "values are shown in the text")
		require.NotEmpty(t, plan)
	})
	x.sub(t, at, "ping", func(t *testing.T, _ string) { require.NoError(t, b.Source.Ping(t.Context())) })
}
