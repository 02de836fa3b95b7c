package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

func TestTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	insert := func(title string) backend.Statement {
		st, err := New().RenderMutation(&ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{given(titleColumn, title)}},
			Output: ir.Output{Returning: []ir.Field{field("id", int4Type), field("title", textType)}},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		return st
	}
	count := func() string { return f.text(t, `SELECT count(*)::text FROM album`) }

	t.Run("hands out rows and commits", func(t *testing.T) {
		var rows []string
		err := f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
			for _, title := range []string{"a", "b"} {
				if err := tx.Exec(t.Context(), insert(title), backend.Args{}, func(row [][]byte) error {
					rows = append(rows, string(row[0])+string(row[1]))
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, []string{"1a", "2b"}, rows)
		require.Equal(t, "2", count())
	})
	t.Run("counts rows without RETURNING", func(t *testing.T) {
		st, err := New().RenderMutation(&ir.Update{Table: public("album"), Set: []ir.Assignment{
			{Column: priceColumn, Op: ir.AssignSet, Value: given(priceColumn, "1")},
		}}, backend.RenderOptions{})
		require.NoError(t, err)
		rows := 0
		require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return tx.Exec(t.Context(), st, backend.Args{}, func([][]byte) error { rows++; return nil })
		}))
		require.Equal(t, 2, rows)
	})
	t.Run("rolls back with f", func(t *testing.T) {
		stop := errors.New("stop")
		err := f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			require.NoError(t, tx.Exec(t.Context(), insert("c"), backend.Args{}, func([][]byte) error { return nil }))
			return stop
		})
		require.ErrorIs(t, err, stop)
		require.Equal(t, "2", count())
	})
	t.Run("rolls back a failure that f hides", func(t *testing.T) {
		err := f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			require.NoError(t, tx.Exec(t.Context(), insert("c"), backend.Args{}, func([][]byte) error { return nil }))
			require.Error(t, tx.Exec(t.Context(), insert("a"), backend.Args{}, func([][]byte) error { return nil }))
			return nil
		})
		requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "album_title_key"`)
		require.Equal(t, "2", count())
	})
	t.Run("reports what only shows at the end", func(t *testing.T) {
		st, err := New().RenderMutation(&ir.Update{Table: public("album"), Set: []ir.Assignment{
			{Column: ir.Column{Name: "parent", Type: int4Type}, Op: ir.AssignSet, Value: number4("99")},
		}}, backend.RenderOptions{})
		require.NoError(t, err)
		err = f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return tx.Exec(t.Context(), st, backend.Args{}, func([][]byte) error { return nil })
		})
		requireCode(t, err, apierror.ConstraintViolation,
			`Foreign key violation. insert or update on table "album" violates foreign key constraint "album_parent_fkey"`)
	})
	t.Run("commits along with the last statement", func(t *testing.T) {
		insertion, answer := insert("last"), backend.NewAnswer(nil, nil, 0)
		ignore := func([][]byte) error { return nil }
		require.NoError(t, f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
			backend.Last(tx)
			require.NoError(t, tx.Query(t.Context(), insertion, backend.Args{}, answer))
			require.Equal(t, "3", count(), "others see it while f runs")
			require.ErrorContains(t, tx.Exec(t.Context(), insertion, backend.Args{}, ignore), "last statement")
			return nil
		}))
		require.Contains(t, string(answer.Buf), `"title":"last"}]`)
		err := f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Exec(t.Context(), insertion, backend.Args{}, ignore)
		})
		requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "album_title_key"`)
		late, err := New().RenderMutation(&ir.Update{Table: public("album"), Set: []ir.Assignment{
			{Column: ir.Column{Name: "parent", Type: int4Type}, Op: ir.AssignSet, Value: number4("99")},
		}, Output: ir.Output{Returning: []ir.Field{field("id", int4Type)}}}, backend.RenderOptions{})
		require.NoError(t, err)
		answer.Buf = answer.Buf[:0]
		err = f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Query(t.Context(), late, backend.Args{}, answer)
		})
		requireCode(t, err, apierror.ConstraintViolation,
			`Foreign key violation. insert or update on table "album" violates foreign key constraint "album_parent_fkey"`)
		require.Empty(t, answer.Buf)
		f.exec(t, `DELETE FROM album WHERE title = 'last'`)
		require.Equal(t, "2", count())
	})
	t.Run("ends when the caller is gone", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := f.source.Mutate(ctx, nil, func(tx backend.Tx) error {
			require.NoError(t, tx.Exec(ctx, insert("d"), backend.Args{}, func([][]byte) error { return nil }))
			cancel()
			return tx.Exec(ctx, insert("e"), backend.Args{}, func([][]byte) error { return nil })
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, "2", count())
		require.Equal(t, "0", f.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()`))
	})
	t.Run("begins again when its first statement is out of date", func(t *testing.T) {
		all := insert("f")
		for range 4 { // every connection has the statement
			_ = f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
				require.NoError(t, tx.Exec(t.Context(), all, backend.Args{}, func([][]byte) error { return nil }))
				return errors.New("not now")
			})
		}
		f.exec(t, `ALTER TABLE album ALTER COLUMN id TYPE bigint`)
		require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return tx.Exec(t.Context(), all, backend.Args{}, func([][]byte) error { return nil })
		}))
		require.Equal(t, "3", count())
	})
}

// TestWrittenRows: data related to written rows is read by a second statement, from the rows
// themselves, so that it sees the first one's effects.
func TestWrittenRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	remove, err := New().RenderMutation(&ir.Delete{
		Table: public("album"), Where: compare(idColumn, ir.OpIn, ir.Literal{Text: "{1,4}", Type: int4sType}),
		Output: ir.Output{Returning: []ir.Field{{Value: ir.Scalar{Expr: ir.RowRef{}}}}, Handed: true},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	f.exec(t, `ALTER TABLE track DROP CONSTRAINT track_album_id_fkey; INSERT INTO track (id, album_id, title, price) VALUES (90, 1, 'x', 0)`)
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		written := ir.Written{Table: public("album")}
		if err := tx.Exec(t.Context(), remove, backend.Args{}, func(row [][]byte) error {
			written.Rows = append(written.Rows, ir.Literal{Text: string(row[0])})
			return nil
		}); err != nil {
			return err
		}
		st := statementOf(t, &ir.Select{Rows: ir.Rows{From: written}, Fields: []ir.Field{
			titleField, field("meta", jsonbType), one("artist", "artist", pair("artist_id", "id"), nil, nameField),
			{Alias: "strict", Value: ir.Scalar{Expr: ir.Call{Function: public("strict_title"), Args: []ir.CallArg{{Row: true}}}, Type: textType}},
			many("tracks", pair("id", "album_id"), tracks(func(r *ir.Rows) { r.Where = compare(idColumn, ir.OpGt, number4("35")) }), idField),
		}})
		return tx.Query(t.Context(), st, backend.Args{}, out)
	}))
	requireAnswer(t, `[{"title":"Blue","meta":{"year": 1971, "labels": ["Reprise", "WB"]},"artist":{"name":"Joni"},"strict":"BLUE","tracks":[{"id":36}, {"id":40}, {"id":90}]}, `+
		`{"title":"Lost","meta":null,"artist":null,"strict":"LOST","tracks":[{"id":39}]}]`, string(out.Buf))
}

// TestLoneStatements: a single statement is a transaction of its own, without BEGIN, and is one
// in every respect.
func TestLoneStatements(t *testing.T) {
	t.Parallel()
	const schema = `
		CREATE TABLE said (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, by text, isolation text);
		CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			NEW.by := current_setting('engine.user', true)::json ->> 'x-engine-role';
			NEW.isolation := current_setting('transaction_isolation');
			RETURN NEW;
		END $$;
		CREATE TRIGGER say BEFORE INSERT ON said FOR EACH ROW EXECUTE FUNCTION say();`
	one := func(e *schedule.Endpoint) { e.MaxConnections = 1 }
	insert, err := New().RenderMutation(&ir.Insert{
		Table: public("said"), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{ir.Variable{Type: int4Type}}},
		Output: ir.Output{Returning: []ir.Field{field("by", textType), field("isolation", textType)}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	write := func(f *fixture, id string) (string, error) {
		out := backend.NewAnswer(nil, nil, 0)
		err := f.source.Mutate(t.Context(), as("clerk", nil), func(tx backend.Tx) error {
			backend.Last(tx)
			return tx.Query(t.Context(), insert, backend.Args{Variables: texts(id)}, out)
		})
		return string(out.Buf), err
	}
	implicit := func(f *fixture) bool {
		c, err := f.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		defer c.Release()
		return c.Implicit
	}

	f := newFixture(t, schema, one)
	require.True(t, implicit(f))
	got, err := write(f, "1")
	require.NoError(t, err)
	require.Equal(t, `[{"by":"clerk","isolation":"read committed"}]`, got)
	_, err = write(f, "1")
	requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "said_pkey"`)
	require.Equal(t, "1", f.text(t, `SELECT count(*)::text FROM said`), "what fails at the end is undone")
	require.True(t, implicit(f), "the connection is as good as before")

	// A server whose defaults change under the connection.
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	_, err = c.PG.Exec(t.Context(), `SET default_transaction_read_only = on`).ReadAll()
	require.NoError(t, err)
	c.Release()
	_, err = write(f, "2")
	require.NoError(t, err)
	require.False(t, implicit(f))

	strict := newFixture(t, schema, func(e *schedule.Endpoint) { one(e); e.Isolation = wire.Serializable })
	got, err = write(strict, "1")
	require.NoError(t, err)
	require.Equal(t, `[{"by":"clerk","isolation":"serializable"}]`, got)
}

// TestTraceInTheDatabase: triggers may know the trace of the request that they run for.
func TestTraceInTheDatabase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `
		CREATE TABLE seen (id int, context json);
		CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN NEW.context := NULLIF(current_setting('engine.tracecontext', true), ''); RETURN NEW; END $$;
		CREATE TRIGGER look BEFORE INSERT ON seen FOR EACH ROW EXECUTE FUNCTION look();`, nil)
	insert, err := New().RenderMutation(&ir.Insert{
		Table: public("seen"), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{given(idColumn, "1")}},
		Output: ir.Output{Returning: []ir.Field{field("context", catalog.Type{Name: "json", ID: "114"})}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	span := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}
	sampled := span
	sampled.TraceFlags = trace.FlagsSampled
	const ids = `"trace_id":"01000000000000000000000000000000","span_id":"0200000000000000"`
	for _, c := range []struct {
		span trace.SpanContextConfig
		want string
	}{
		{trace.SpanContextConfig{}, `null`},
		{span, `{` + ids + `,"sampling_state":"0"}`},
		{sampled, `{` + ids + `,"sampling_state":"1"}`},
		{trace.SpanContextConfig{}, `null`},
	} {
		ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(c.span))
		for _, user := range []*session.Session{nil, as("clerk", nil)} {
			out := backend.NewAnswer(nil, nil, 0)
			require.NoError(t, f.source.Mutate(ctx, user, func(tx backend.Tx) error {
				return tx.Query(ctx, insert, backend.Args{}, out)
			}))
			require.Equal(t, `[{"context":`+c.want+`}]`, string(out.Buf))
		}
	}
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(sampled))
	_, err = f.source.RunSQL(ctx, backend.RawSQL{SQL: `INSERT INTO seen VALUES (7)`})
	require.NoError(t, err)
	require.Equal(t, `{`+ids+`,"sampling_state":"1"}`, f.text(t, `SELECT context::text FROM seen WHERE id = 7`))
}

// TestSerializationRetries: transactions that can't be serialised fail unless the source has
// them done again; then none is lost.
func TestSerializationRetries(t *testing.T) {
	t.Parallel()
	increment, err := New().RenderMutation(&ir.Update{
		Table: public("counter"), Set: []ir.Assignment{{Column: idColumn, Op: ir.AssignInc, Value: given(idColumn, "1")}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	const clients = 8
	run := func(retries int) (calls, failed int64, total string) {
		f := newFixture(t, `CREATE TABLE counter (id int); INSERT INTO counter VALUES (0)`, func(e *schedule.Endpoint) {
			e.Isolation, e.SerializationRetries, e.MaxConnections = wire.RepeatableRead, retries, clients
		})
		var called, faults atomic.Int64
		var ready, group sync.WaitGroup
		ready.Add(clients)
		for range clients {
			group.Go(func() {
				met := false
				err := f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
					called.Add(1)
					// All have a snapshot before any of them writes.
					out := backend.NewAnswer(nil, nil, 0)
					if err := tx.Query(t.Context(), read(t), backend.Args{}, out); err != nil {
						return err
					}
					if !met {
						met = true
						ready.Done()
						ready.Wait()
					}
					return tx.Exec(t.Context(), increment, backend.Args{}, func([][]byte) error { return nil })
				})
				if err != nil {
					faults.Add(1)
					require.Equal(t, backend.Serialization, backend.ConflictOf(err))
				}
			})
		}
		group.Wait()
		return called.Load(), faults.Load(), f.text(t, `SELECT id::text FROM counter`)
	}
	calls, failed, total := run(0)
	require.Equal(t, []any{int64(clients), int64(clients - 1), "1"}, []any{calls, failed, total}, "off by default")
	calls, failed, total = run(100)
	require.Zero(t, failed)
	require.Greater(t, calls, int64(clients))
	require.Equal(t, strconv.Itoa(clients), total)
}

// read is a statement that sees the counter.
func read(t *testing.T) backend.Statement {
	t.Helper()
	return statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("counter")}}, Fields: []ir.Field{idField}})
}

// TestConflictAtTheEnd: what only COMMIT finds out has words of its own.
func TestConflictAtTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE counter (id int); CREATE TABLE album (id serial)`, func(e *schedule.Endpoint) { e.Isolation = wire.Serializable })
	insert := func(table string) backend.Statement {
		st, err := New().RenderMutation(&ir.Insert{
			Table: public(table), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{given(idColumn, "1")}},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		return st
	}
	see := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("album")}}, Fields: []ir.Field{idField}})
	ignore := func([][]byte) error { return nil }
	query := func(tx backend.Tx, st backend.Statement) error {
		return tx.Query(t.Context(), st, backend.Args{}, backend.NewAnswer(nil, nil, 0))
	}
	err := f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		if err := query(tx, read(t)); err != nil {
			return err
		}
		// Another one reads what this one writes, and the other way round.
		return f.source.Mutate(t.Context(), nil, func(other backend.Tx) error {
			if err := query(other, see); err != nil {
				return err
			}
			if err := tx.Exec(t.Context(), insert("album"), backend.Args{}, ignore); err != nil {
				return err
			}
			return other.Exec(t.Context(), insert("counter"), backend.Args{}, ignore)
		})
	})
	require.Equal(t, backend.Serialization, backend.ConflictOf(err))
	requireCode(t, err, apierror.ConcurrentUpdate, "serialization failure due to concurrent update")
}
