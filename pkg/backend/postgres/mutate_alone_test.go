package postgres

import (
	"context"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/ir"
)

// notes is a table whose trigger knows who writes, refuses some rows, and discards what the session has
// prepared for another.
const notesSchema = `
	CREATE TABLE note (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, by text);
	CREATE TABLE held (id int PRIMARY KEY);
	INSERT INTO held VALUES (1);
	CREATE FUNCTION sign() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF NEW.id < 0 THEN
			RAISE EXCEPTION 'not negative' USING ERRCODE = '23514';
		END IF;
		IF NEW.id >= 1000 THEN
			PERFORM FROM held WHERE id = 1 FOR UPDATE;
		END IF;
		NEW.by := current_setting('engine.user', true)::json ->> 'x-engine-role';
		RETURN NEW;
	END $$;
	CREATE TRIGGER sign BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION sign();`

// noteWriter writes one note in a transaction of its own.
type noteWriter struct {
	*fixture
	insert backend.Statement
}

func newNoteWriter(t *testing.T, change func(*schedule.Endpoint)) *noteWriter {
	t.Helper()
	insert, err := New().RenderMutation(&ir.Insert{
		Table: public("note"), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{ir.Variable{Type: int4Type}}},
		Output: ir.Output{Returning: []ir.Field{field("id", int4Type), field("by", textType)}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	return &noteWriter{fixture: newFixture(t, notesSchema, func(e *schedule.Endpoint) {
		e.MaxConnections = 1
		if change != nil {
			change(e)
		}
	}), insert: insert}
}

func (w *noteWriter) write(ctx context.Context, role, id string) (string, error) {
	out := backend.NewAnswer(nil, nil, 0)
	err := w.source.Mutate(ctx, as(role, nil), func(tx backend.Tx) error {
		backend.Last(tx)
		return tx.Query(ctx, w.insert, backend.Args{Variables: texts(id)}, out)
	})
	return string(out.Buf), err
}

// writes holds that notes can be written.
func (w *noteWriter) writes(t *testing.T, role, id string) {
	t.Helper()
	got, err := w.write(t.Context(), role, id)
	require.NoError(t, err)
	require.Equal(t, `[{"id":`+id+`,"by":"`+role+`"}]`, got)
}

// blocked waits until a session waits for a lock.
func (w *noteWriter) blocked(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.exec(t, `SELECT pg_stat_clear_snapshot()`) // a transaction sees the activity as it was
		return w.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == "1"
	}, 30*time.Second, 5*time.Millisecond)
}

// TestPreparedStatementsAlone holds that a prepared statement that follows the announcement of its session at once is a
// transaction in every respect, and that its connection is as good as before whatever becomes of it: as one statement, and by
// the driver's pipeline, as with servers that aren't PostgreSQL.
func TestPreparedStatementsAlone(t *testing.T) {
	t.Parallel()
	t.Run("one statement", func(t *testing.T) {
		t.Parallel()
		requirePreparedAlone(t, true)
	})
	t.Run("pipeline", func(t *testing.T) {
		t.Parallel()
		requirePreparedAlone(t, false)
	})
}

func requirePreparedAlone(t *testing.T, suspends bool) {
	t.Helper()
	w := newNoteWriter(t, nil)
	prefer := func() {
		c, err := w.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		defer c.Release()
		c.Suspends = suspends
	}
	c, err := w.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	require.True(t, c.Suspends, "it is PostgreSQL")
	c.Release()
	prefer()
	id := 0
	next := func() string { id++; return strconv.Itoa(id) }
	for range 3 { // the first time prepares
		w.writes(t, "clerk", next())
		w.writes(t, "admin", next())
	}
	setting := func() string {
		c, err := w.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		defer c.Release()
		r := c.PG.ExecParams(t.Context(), `SELECT current_setting('engine.user', true)`, nil, nil, nil, nil).Read()
		require.NoError(t, r.Err)
		return string(r.Rows[0][0])
	}
	require.Empty(t, setting(), "nothing is left in the session")

	_, err = w.write(t.Context(), "clerk", "-1")
	requireCode(t, err, apierror.PermissionError, "Check constraint violation. not negative")
	_, err = w.write(t.Context(), "clerk", "1")
	requireCode(t, err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "note_pkey"`)
	_, err = w.write(t.Context(), "clerk", "what")
	requireCode(t, err, apierror.DataException, `invalid input syntax for type integer: "what"`)
	w.writes(t, "clerk", next())

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = w.write(gone, "clerk", "99")
	require.ErrorIs(t, err, context.Canceled)
	w.writes(t, "clerk", next())
	require.Equal(t, "8", w.text(t, `SELECT count(*)::text FROM note`))

	w.exec(t, `BEGIN; SELECT FROM held FOR UPDATE`)
	waits, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() {
		_, err := w.write(waits, "clerk", "1000")
		over <- err
	}()
	w.blocked(t)
	cancel()
	require.ErrorIs(t, <-over, context.Canceled)
	w.exec(t, `COMMIT`)
	prefer() // it may be another connection
	w.writes(t, "clerk", "1000")

	// What the session had prepared is no longer there, or no longer fits.
	c, err = w.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	_, err = c.PG.Exec(t.Context(), `DEALLOCATE ALL`).ReadAll()
	require.NoError(t, err)
	c.Release()
	w.writes(t, "clerk", "101")
	w.writes(t, "clerk", "102")
	w.exec(t, `ALTER TABLE note ALTER COLUMN by TYPE varchar`)
	w.writes(t, "clerk", "103")
	w.writes(t, "clerk", "104")
	require.Equal(t, "13", w.text(t, `SELECT count(*)::text FROM note`))
}

// TestConnectionLostWhileWriting holds what becomes of a mutation whose connection is lost: its caller gets an error, and it isn't
// done again, whether it was committed or not.
func TestConnectionLostWhileWriting(t *testing.T) {
	t.Parallel()
	var link severed
	w := newNoteWriter(t, func(e *schedule.Endpoint) {
		direct, address := e.URL, ""
		e.URL = func() (string, error) {
			if address == "" {
				u, err := direct()
				if err != nil {
					return "", err
				}
				address = link.through(t, u)
			}
			return address, nil
		}
	})
	w.writes(t, "clerk", "1")
	w.writes(t, "clerk", "2")

	w.exec(t, `BEGIN; SELECT FROM held FOR UPDATE`)
	over := make(chan error)
	go func() {
		_, err := w.write(t.Context(), "clerk", "1000")
		over <- err
	}()
	w.blocked(t)
	require.Equal(t, "true", w.text(t, `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`))
	requireCode(t, <-over, apierror.PostgresError, "connection error")
	w.exec(t, `COMMIT`)
	require.Equal(t, "2", w.text(t, `SELECT count(*)::text FROM note`), "it was not committed")
	w.writes(t, "clerk", "3")

	link.atAnswer.Store(true)
	_, err := w.write(t.Context(), "clerk", "4")
	requireCode(t, err, apierror.PostgresError, "connection error")
	require.Equal(t, "4", w.text(t, `SELECT count(*)::text FROM note`), "it was committed, once")
	w.writes(t, "clerk", "5")
}

// severed is a link to a server that is lost at the next answer, after the server has given it, once that is requested.
type severed struct{ atAnswer atomic.Bool }

// through is the address of a database by way of the link.
func (s *severed) through(t *testing.T, address string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(address)
	require.NoError(t, err)
	network, target := pgconn.NetworkAddress(config.Host, config.Port)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go s.pass(client, network, target)
		}
	}()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	return u.String()
}

func (s *severed) pass(client net.Conn, network, target string) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), network, target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, client) }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || s.atAnswer.CompareAndSwap(true, false) {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestWritersPassLocks holds that mutations that wait for each other don't wait for one that waits for a lock.
func TestWritersPassLocks(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, func(e *schedule.Endpoint) { e.MaxConnections = 2 })
	w.source.primary.Writers.Most, w.source.primary.Writers.Always = 1, true
	w.exec(t, `BEGIN; SELECT FROM held FOR UPDATE`)
	over := make(chan error)
	go func() {
		_, err := w.write(t.Context(), "clerk", "1000")
		over <- err
	}()
	w.blocked(t)
	for _, id := range []string{"1", "2", "3"} {
		w.writes(t, "clerk", id)
	}
	w.exec(t, `COMMIT`)
	require.NoError(t, <-over)
}

// TestManyWriters holds that every mutation is done once, or was given up by its caller, however many wait for each other.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, func(e *schedule.Endpoint) { e.MaxConnections = 3 })
	w.source.primary.Writers.Most, w.source.primary.Writers.Always = 2, true
	const workers, each = 16, 30
	var group errgroup.Group
	var done atomic.Int64
	for worker := range workers {
		group.Go(func() error {
			for i := range each {
				ctx, cancel := context.WithCancel(t.Context())
				if i%7 == worker%7 {
					go cancel()
				}
				_, err := w.write(ctx, "clerk", strconv.Itoa(worker*each+i))
				canceled := ctx.Err() != nil
				cancel()
				switch {
				case err == nil:
					done.Add(1)
				case !canceled:
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.Zero(t, w.source.primary.Writers.Waiting())
	written, err := strconv.Atoi(w.text(t, `SELECT count(*)::text FROM note`))
	require.NoError(t, err)
	require.GreaterOrEqual(t, written, int(done.Load()))
	require.LessOrEqual(t, written, workers*each)
	w.writes(t, "clerk", "900")
}
