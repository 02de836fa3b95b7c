package backendtest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

func ignore([][]byte) error { return nil }

func (x *exercise) transactions(t *testing.T, at string) {
	test := func(name string, f func(t *testing.T, b *bench, insert func(label string) backend.Statement)) {
		x.sub(t, at, name, func(t *testing.T, _ string) {
			b := x.open(t, Stock()...)
			f(t, b, func(label string) backend.Statement {
				statement, err := x.Dialect.RenderMutation(b.insertOf([2]string{label, "1"}), backend.RenderOptions{})
				require.NoError(t, err)
				return statement
			})
		})
	}
	test("commit", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		var rows []string
		require.NoError(t, b.Source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
			for _, label := range []string{"a", "b"} {
				if err := tx.Exec(t.Context(), insert(label), backend.Args{}, func(row [][]byte) error {
					rows = append(rows, string(row[0])+string(row[1]))
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		}))
		require.Equal(t, []string{"a1", "b1"}, rows)
		requireJSON(t, `[{"label":"a","qty":1},{"label":"b","qty":1}]`, b.all(t))
	})
	test("rollback", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		stop := errors.New("stop")
		require.ErrorIs(t, b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return errors.Join(tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore), stop)
		}), stop)
		requireJSON(t, `[]`, b.all(t))
	})
	test("rollback of a failure that is hidden", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		err := b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			require.NoError(t, tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore))
			require.Error(t, tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore))
			return nil
		})
		requireCode(t, err, apierror.ConstraintViolation)
		requireJSON(t, `[]`, b.all(t))
	})
	test("reads what it wrote", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		out := backend.NewAnswer(nil, nil, 0)
		require.NoError(t, b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			if err := tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore); err != nil {
				return err
			}
			out.Buf = out.Buf[:0]
			return tx.Query(t.Context(), insert("b"), backend.Args{}, out)
		}))
		requireJSON(t, `[{"label":"b","qty":1}]`, string(out.Buf))
	})
	test("deferred", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		rows := 0
		require.NoError(t, b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			for _, label := range []string{"a", "b"} {
				if err := tx.Defer(t.Context(), backend.Deferred{Statement: insert(label), Row: func([][]byte) error { rows++; return nil }}); err != nil {
					return err
				}
			}
			return tx.Flush(t.Context())
		}))
		require.Equal(t, 2, rows)
		why := errors.New("at the second row")
		err := b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return errors.Join(
				tx.Defer(t.Context(), backend.Deferred{Statement: insert("c"), Row: ignore}),
				tx.Defer(t.Context(), backend.Deferred{Statement: insert("c"), Row: ignore, Failed: func(err error) error { return errors.Join(why, err) }}),
				tx.Flush(t.Context()))
		})
		require.ErrorIs(t, err, why)
		requireJSON(t, `[{"label":"a","qty":1},{"label":"b","qty":1}]`, b.all(t))
	})
	test("last statement", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		require.NoError(t, b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore)
		}))
		requireJSON(t, `[{"label":"a","qty":1}]`, b.all(t))
		err := b.Source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Exec(t.Context(), insert("a"), backend.Args{}, ignore)
		})
		requireCode(t, err, apierror.ConstraintViolation)
	})
	test("cancelled", func(t *testing.T, b *bench, insert func(string) backend.Statement) {
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, b.Source.Mutate(ctx, nil, func(tx backend.Tx) error {
			require.NoError(t, tx.Exec(ctx, insert("a"), backend.Args{}, ignore))
			cancel()
			return tx.Exec(ctx, insert("b"), backend.Args{}, ignore)
		}), context.Canceled)
		requireJSON(t, `[]`, b.all(t))
	})
}
