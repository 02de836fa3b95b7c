package backendtest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

func (x *exercise) runSQL(t *testing.T, at string) {
	test := func(name string, f func(t *testing.T, b *bench)) {
		x.sub(t, at, name, func(t *testing.T, _ string) { f(t, x.open(t, Stock()...)) })
	}
	table := x.SQL.spell(x.SQL.Name("stock"))
	label, qty := x.SQL.Quote("label"), x.SQL.Quote("qty")
	insert := "INSERT INTO " + table + " (" + label + ", " + qty + ") VALUES ('a', 1), ('b', NULL)"
	read := "SELECT " + label + ", " + qty + " FROM " + table + " ORDER BY " + label
	test("rows", func(t *testing.T, b *bench) {
		result, err := b.Source.RunSQL(t.Context(), backend.RawSQL{SQL: insert})
		require.NoError(t, err)
		require.Nil(t, result.Rows)
		result, err = b.Source.RunSQL(t.Context(), backend.RawSQL{SQL: read, ReadOnly: true})
		require.NoError(t, err)
		require.Equal(t, [][]string{{"label", "qty"}, {"a", "1"}, {"b", "NULL"}}, result.Rows)
	})
	test("read only", func(t *testing.T, b *bench) {
		_, err := b.Source.RunSQL(t.Context(), backend.RawSQL{SQL: insert, ReadOnly: true})
		require.Error(t, err)
		requireJSON(t, `[]`, b.all(t))
	})
	test("all results", func(t *testing.T, b *bench) {
		request := backend.RawSQL{SQL: insert + "; " + read + "; " + read, AllResults: true, MaxRows: 1}
		result, err := b.Source.RunSQL(t.Context(), request)
		require.NoError(t, err)
		require.Nil(t, result.Rows)
		require.Nil(t, result.Values)
		// Not every database reports statements without rows.
		if len(result.Statements) == 3 {
			require.Nil(t, result.Statements[0].Columns)
			require.EqualValues(t, 2, *result.Statements[0].Count)
			result.Statements = result.Statements[1:]
		}
		require.Len(t, result.Statements, 2)
		for _, s := range result.Statements {
			require.Equal(t, []string{"label", "qty"}, s.Columns)
			require.EqualValues(t, 2, *s.Count, "including rows that aren't kept")
			require.Equal(t, [][]json.RawMessage{{json.RawMessage(`"a"`), json.RawMessage("1")}}, s.Rows)
		}
		result, err = b.Source.RunSQL(t.Context(), backend.RawSQL{SQL: read, AllResults: true, ReadOnly: true})
		require.NoError(t, err)
		require.Len(t, result.Statements, 1)
		require.Equal(t, []json.RawMessage{json.RawMessage(`"b"`), json.RawMessage("null")}, result.Statements[0].Rows[1])
	})
	test("one transaction", func(t *testing.T, b *bench) {
		_, err := b.Source.RunSQL(t.Context(), backend.RawSQL{SQL: insert + "; SELECT * FROM " + x.SQL.Quote("missing")})
		require.Error(t, err)
		requireJSON(t, `[]`, b.all(t))
	})
	test("hooks", func(t *testing.T, b *bench) {
		refused := errors.New("refused")
		crate := x.SQL.Name("crate")
		request := backend.RawSQL{SQL: "CREATE TABLE " + x.SQL.spell(crate) + " (" + x.SQL.Quote("id") + " " + x.SQL.Types[Integer] + ")"}
		var before, after *catalog.Source
		request.Before = func(ctx context.Context, introspect backend.IntrospectFunc) (err error) {
			before, err = introspect(ctx, nil)
			return err
		}
		request.Check = func(ctx context.Context, introspect backend.IntrospectFunc) (err error) {
			after, err = introspect(ctx, nil)
			return errors.Join(err, refused)
		}
		_, err := b.Source.RunSQL(t.Context(), request)
		require.ErrorIs(t, err, refused)
		require.NotContains(t, before.Tables, crate)
		require.Contains(t, after.Tables, crate, "the check sees what isn't committed")
		found, err := b.Source.Introspect(t.Context(), nil)
		require.NoError(t, err)
		require.NotContains(t, found.Tables, crate)
	})
}
