package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// TestDeferredStatements: deferred statements run in order, and their failures are distinguished from
// that of the statement that they were sent with.
func TestDeferredStatements(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	insert := func(title string, check ir.BoolExp) backend.Statement {
		st, err := New().RenderMutation(&ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{given(titleColumn, title)}}, Check: check,
			Output: ir.Output{Returning: []ir.Field{field("title", textType)}},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		return st
	}
	var order []string
	row := func(row [][]byte) error {
		order = append(order, string(row[0]))
		return nil
	}
	later := func(title string) backend.Deferred {
		return backend.Deferred{
			Statement: insert(title, nil), Row: row,
			Failed: func(err error) error { return fmt.Errorf("in %s: %w", title, err) },
		}
	}
	titles := func() string {
		return f.text(t, `SELECT coalesce(string_agg(title, ' ' ORDER BY id), '') FROM album`)
	}
	mutate := func(steps func(ctx context.Context, tx backend.Tx) error) error {
		order = nil
		f.exec(t, `TRUNCATE album RESTART IDENTITY CASCADE`)
		return f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error { return steps(t.Context(), tx) })
	}

	t.Run("in their order", func(t *testing.T) {
		require.NoError(t, mutate(func(ctx context.Context, tx backend.Tx) error {
			require.NoError(t, tx.Defer(ctx, later("a")))
			require.NoError(t, tx.Defer(ctx, later("b")))
			require.Empty(t, order)
			require.NoError(t, tx.Exec(ctx, insert("c", nil), backend.Args{}, row))
			require.Equal(t, []string{"a", "b", "c"}, order)
			require.NoError(t, tx.Defer(ctx, later("d")))
			require.NoError(t, tx.Flush(ctx))
			require.Equal(t, []string{"a", "b", "c", "d"}, order)
			return tx.Defer(ctx, later("e"))
		}))
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, order, "the last one goes before the commit")
		require.Equal(t, "a b c d e", titles())
	})
	t.Run("as many as one wants", func(t *testing.T) {
		const n = 3*maxDeferred + 1
		require.NoError(t, mutate(func(ctx context.Context, tx backend.Tx) error {
			for i := range n {
				require.NoError(t, tx.Defer(ctx, later(fmt.Sprintf("n%d", i))))
			}
			return nil
		}))
		require.Len(t, order, n)
		require.Equal(t, strconv.Itoa(n), f.text(t, `SELECT count(*)::text FROM album`))
	})
	t.Run("the failure of one", func(t *testing.T) {
		for at, next := range []func(context.Context, backend.Tx) error{
			func(ctx context.Context, tx backend.Tx) error { return tx.Flush(ctx) },
			func(ctx context.Context, tx backend.Tx) error {
				return tx.Exec(ctx, insert("z", nil), backend.Args{}, row)
			},
			func(ctx context.Context, tx backend.Tx) error {
				backend.Last(tx)
				return tx.Query(ctx, insert("z", nil), backend.Args{}, backend.NewAnswer(nil, nil, 0))
			},
			func(context.Context, backend.Tx) error { return nil },
		} {
			err := mutate(func(ctx context.Context, tx backend.Tx) error {
				require.NoError(t, tx.Defer(ctx, later("a")))
				require.NoError(t, tx.Defer(ctx, later("a")))
				require.NoError(t, tx.Defer(ctx, later("b")))
				return next(ctx, tx)
			})
			require.ErrorContains(t, err, "in a: ", at)
			requireCode(t, errors.Unwrap(err), apierror.ConstraintViolation,
				`Uniqueness violation. duplicate key value violates unique constraint "album_title_key"`)
			require.Equal(t, []string{"a"}, order, at)
			require.Empty(t, titles(), at)
		}
	})
	t.Run("the failure of the statement behind", func(t *testing.T) {
		err := mutate(func(ctx context.Context, tx backend.Tx) error {
			require.NoError(t, tx.Defer(ctx, later("a")))
			return tx.Exec(ctx, insert("a", nil), backend.Args{}, row)
		})
		requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "album_title_key"`)
		require.Empty(t, titles())
	})
	t.Run("a check that doesn't hold", func(t *testing.T) {
		for _, certain := range []bool{false, true} {
			err := mutate(func(ctx context.Context, tx backend.Tx) error {
				d := later("a")
				d.Statement, d.Certain = insert("a", ir.Or{}), certain
				require.NoError(t, tx.Defer(ctx, d))
				backend.Last(tx)
				return tx.Query(ctx, insert("b", nil), backend.Args{}, backend.NewAnswer(nil, nil, 0))
			})
			require.ErrorContains(t, err, "in a: ")
			requireCode(t, errors.Unwrap(err), apierror.PermissionError, "check constraint of an insert/update permission has failed")
			require.Empty(t, titles(), "nothing is committed before checks are known to hold")
		}
	})
	t.Run("a row that is refused", func(t *testing.T) {
		refused := errors.New("refused")
		err := mutate(func(ctx context.Context, tx backend.Tx) error {
			certain, doubtful := later("a"), later("b")
			certain.Certain = true
			doubtful.Row = func([][]byte) error { return refused }
			require.NoError(t, tx.Defer(ctx, certain))
			require.NoError(t, tx.Defer(ctx, doubtful))
			backend.Last(tx)
			return tx.Query(ctx, insert("c", nil), backend.Args{}, backend.NewAnswer(nil, nil, 0))
		})
		require.Error(t, err)
		require.Empty(t, titles(), "nothing is committed before all rows were taken")
	})
	t.Run("along with the commit", func(t *testing.T) {
		for _, last := range []string{"c", "a"} { // the second fails
			committed := false
			err := mutate(func(ctx context.Context, tx backend.Tx) error {
				require.NoError(t, tx.Exec(ctx, insert("first", nil), backend.Args{}, row))
				for _, title := range []string{"a", "b"} {
					d := later(title)
					d.Certain = true
					require.NoError(t, tx.Defer(ctx, d))
				}
				backend.Last(tx)
				err := tx.Query(ctx, insert(last, nil), backend.Args{}, backend.NewAnswer(nil, nil, 0))
				committed = titles() != ""
				return err
			})
			require.Equal(t, last == "c", committed, "in the round trip of the last statement")
			require.Equal(t, []string{"first", "a", "b"}, order)
			if committed {
				require.NoError(t, err)
				require.Equal(t, "first a b c", titles())
				continue
			}
			requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "album_title_key"`)
			require.Empty(t, titles())
		}
	})
	t.Run("one that is out of date", func(t *testing.T) {
		for range 4 { // every connection has the statement
			require.NoError(t, mutate(func(ctx context.Context, tx backend.Tx) error {
				require.NoError(t, tx.Defer(ctx, later("a")))
				return tx.Defer(ctx, later("b"))
			}))
		}
		f.exec(t, `ALTER TABLE album ALTER COLUMN title TYPE varchar(50)`)
		require.NoError(t, mutate(func(ctx context.Context, tx backend.Tx) error {
			order = nil
			require.NoError(t, tx.Defer(ctx, later("a")))
			return tx.Defer(ctx, later("b"))
		}))
		require.Equal(t, "a b", titles())
		require.Equal(t, []string{"a", "b"}, order)
	})
}
