package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/ir"
	"queryengine/pkg/testlong"
)

// sharedWriter writes notes, all of which share one round trip at a time.
type sharedWriter struct {
	*noteWriter
	sharer  *schedule.Batcher
	metrics *sharing
}

func newSharedWriter(t *testing.T, change func(*schedule.Endpoint)) *sharedWriter {
	t.Helper()
	w := &sharedWriter{noteWriter: newNoteWriter(t, func(e *schedule.Endpoint) {
		e.MaxConnections = 4
		if change != nil {
			change(e)
		}
	})}
	w.exec(t, `CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (1);
		CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.id BETWEEN 500 AND 599 THEN PERFORM FROM other FOR UPDATE; END IF;
			IF NEW.id = 600 THEN PERFORM set_config('default_transaction_read_only', 'on', false); END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER wait BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION wait()`)
	w.metrics = &sharing{fixture: w.fixture, metrics: prometheus.NewRegistry()}
	w.source.Measure(backend.NewPoolMetrics(w.metrics.metrics, nil), "shop")
	w.sharer = w.source.primary.Writes
	w.sharer.RoundTrips, w.sharer.Always = 1, true
	w.sharer.Ahead, w.sharer.Within = forever, forever
	w.writes(t, "clerk", "900") // which finds out what the server is
	require.True(t, w.sharer.Possible())
	return w
}

// written is a mutation that runs.
type written struct {
	answer string
	err    error
}

func (w *sharedWriter) start(ctx context.Context, role, id string) <-chan written {
	over := make(chan written, 1)
	go func() {
		answer, err := w.write(ctx, role, id)
		over <- written{answer, err}
	}()
	return over
}

// queued starts a mutation that waits for a round trip.
func (w *sharedWriter) queued(ctx context.Context, t *testing.T, role, id string) <-chan written {
	t.Helper()
	before := w.sharer.Waiting()
	over := w.start(ctx, role, id)
	require.Eventually(t, func() bool { return w.sharer.Waiting() == before+1 }, 30*time.Second, time.Millisecond)
	return over
}

// gate keeps others waiting until it is opened: a mutation that waits for a lock.
func (w *sharedWriter) gate(t *testing.T) (open func()) {
	t.Helper()
	w.exec(t, `BEGIN; SELECT FROM held FOR UPDATE`)
	first := w.start(t.Context(), "clerk", "1000")
	w.blocked(t)
	return func() {
		w.exec(t, `COMMIT`)
		require.NoError(t, (<-first).err)
		w.exec(t, `DELETE FROM note WHERE id = 1000`)
	}
}

func (v written) require(t *testing.T, role, id string) {
	t.Helper()
	require.NoError(t, v.err)
	require.Equal(t, `[{"id":`+id+`,"by":"`+role+`"}]`, v.answer)
}

// TestSharedWrites holds that mutations that share a round trip are transactions of their own, each with its session and its
// errors, whether they are prepared in it or before.
func TestSharedWrites(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, nil)
	for round := range 3 {
		from := 100 * round
		open := w.gate(t)
		id := func(i int) string { return strconv.Itoa(from + i) }
		first := w.queued(t.Context(), t, "clerk", id(1))
		refused := w.queued(t.Context(), t, "clerk", "-1")
		second := w.queued(t.Context(), t, "admin", id(2))
		atCommit := w.queued(t.Context(), t, "clerk", "900")
		third := w.queued(t.Context(), t, "guest", id(3))
		wrong := w.queued(t.Context(), t, "clerk", "what")
		text := w.queued(t.Context(), t, "\u2713", id(4))
		last := w.queued(t.Context(), t, "clerk", id(6))
		open()
		(<-first).require(t, "clerk", id(1))
		(<-second).require(t, "admin", id(2))
		(<-third).require(t, "guest", id(3))
		(<-text).require(t, "\u2713", id(4))
		(<-last).require(t, "clerk", id(6))
		requireCode(t, (<-refused).err, apierror.PermissionError, "Check constraint violation. not negative")
		requireCode(t, (<-atCommit).err, apierror.ConstraintViolation, `Uniqueness violation. duplicate key value violates unique constraint "note_pkey"`)
		requireCode(t, (<-wrong).err, apierror.DataException, `invalid input syntax for type integer: "what"`)
		require.Equal(t, strconv.Itoa(1+5*(round+1)), w.text(t, `SELECT count(*)::text FROM note`))
	}
	require.Equal(t, w.text(t, `SELECT count(*)::text FROM note`), w.text(t, `SELECT count(DISTINCT xmin::text)::text FROM note`), "each has a transaction of its own")
	answered, alone := w.metrics.shared(t)
	require.Equal(t, 15, answered)
	require.Zero(t, alone)
	w.writes(t, "clerk", "901")
}

// TestSharedWritesWithoutRows holds that mutations that give back nothing share, too.
func TestSharedWritesWithoutRows(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, nil)
	st, err := New().RenderMutation(&ir.Insert{
		Table: public("note"), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{ir.Variable{Type: int4Type}}},
		Output: ir.Output{Answer: []ir.OutputField{{Alias: "n", Value: ir.AffectedRows{}}}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	w.insert = st
	for round := range 3 {
		open := w.gate(t)
		var all []<-chan written
		for i := range 3 {
			all = append(all, w.queued(t.Context(), t, "clerk", strconv.Itoa(10*round+i)))
		}
		bad := w.queued(t.Context(), t, "clerk", "-1")
		last := w.queued(t.Context(), t, "clerk", strconv.Itoa(10*round+3))
		open()
		for _, one := range append(all, last) {
			got := <-one
			require.NoError(t, got.err)
			require.Equal(t, `{"n" : 1}`, got.answer)
		}
		require.Error(t, (<-bad).err)
	}
	require.Equal(t, "13", w.text(t, `SELECT count(*)::text FROM note WHERE by = 'clerk'`))
}

// TestSharedWriteWaitsForLock holds that a mutation that waits for a lock goes on doing so alone, and is done once, while the
// others in its round trip are done.
func TestSharedWriteWaitsForLock(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, nil)
	unlock := w.metrics.lock(t, "other")
	w.sharer.Within = time.Millisecond
	open := w.gate(t)
	before := w.queued(t.Context(), t, "clerk", "1")
	waits := w.queued(t.Context(), t, "admin", "500")
	behind := w.queued(t.Context(), t, "clerk", "2")
	also := w.queued(t.Context(), t, "guest", "501")
	gone, cancel := context.WithCancel(t.Context())
	left := w.queued(gone, t, "guest", "502")
	last := w.queued(t.Context(), t, "clerk", "3")
	open()
	(<-before).require(t, "clerk", "1")
	(<-behind).require(t, "clerk", "2")
	(<-last).require(t, "clerk", "3")
	cancel()
	require.ErrorIs(t, (<-left).err, context.Canceled)
	select {
	case got := <-waits:
		t.Fatalf("answered before the lock is free: %v", got)
	default:
	}
	unlock()
	(<-waits).require(t, "admin", "500")
	(<-also).require(t, "guest", "501")
	require.Equal(t, "6", w.text(t, `SELECT count(*)::text FROM note WHERE id NOT IN (502, 1000)`))
	w.writes(t, "clerk", "4")
}

// TestSharedWriteLosesConnection holds that what has no answer when the connection is lost isn't done again.
func TestSharedWriteLosesConnection(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, nil)
	unlock := w.metrics.lock(t, "other")
	open := w.gate(t)
	before := w.queued(t.Context(), t, "clerk", "1")
	waits := w.queued(t.Context(), t, "clerk", "500")
	behind := w.queued(t.Context(), t, "clerk", "2")
	open()
	(<-before).require(t, "clerk", "1")
	w.blocked(t)
	require.Equal(t, "true", w.text(t, `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`))
	requireCode(t, (<-waits).err, apierror.PostgresError, "connection error")
	requireCode(t, (<-behind).err, apierror.PostgresError, "connection error")
	unlock()
	w.writes(t, "clerk", "3")
	require.Equal(t, "1 3 900", w.text(t, `SELECT string_agg(id::text, ' ' ORDER BY id) FROM note`))
}

// TestSharedWriteInReadOnlySession holds that mutations go on in a session that has become one that only reads by default.
func TestSharedWriteInReadOnlySession(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	open := w.gate(t)
	first := w.queued(t.Context(), t, "clerk", "600")
	second, third := w.queued(t.Context(), t, "admin", "1"), w.queued(t.Context(), t, "guest", "2")
	open()
	(<-first).require(t, "clerk", "600")
	(<-second).require(t, "admin", "1")
	(<-third).require(t, "guest", "2")
	w.writes(t, "clerk", "3")
}

// TestSharedWritesNot holds what doesn't share: mutations with checks, with other isolation, and where commits wait.
func TestSharedWritesNot(t *testing.T) {
	t.Parallel()
	checked, err := New().RenderMutation(&ir.Insert{
		Table: public("note"), Columns: []ir.Column{idColumn}, Rows: [][]ir.Value{{ir.Variable{Type: int4Type}}},
		Check:  equals("by", textType, ir.SessionVar{Name: "x-engine-id", Type: textType}),
		Output: ir.Output{Returning: []ir.Field{field("id", int4Type)}},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	require.Nil(t, checked.(*statement).utc.cost)

	serial := newNoteWriter(t, func(e *schedule.Endpoint) { e.Isolation = wire.Serializable })
	serial.writes(t, "clerk", "1")
	require.False(t, serial.source.primary.Writes.Possible())
}

// TestManySharedWriters holds that every mutation is done once, or was given up by its caller, while many share round trips,
// some wait for locks, and some fail.
func TestManySharedWriters(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, func(e *schedule.Endpoint) { e.MaxConnections = 6 })
	w.exec(t, `DELETE FROM note`)
	w.sharer.RoundTrips, w.sharer.Ahead, w.sharer.Within = 2, time.Millisecond, time.Millisecond
	const workers = 16
	each := testlong.Of(12, 40)
	var group errgroup.Group
	var done atomic.Int64
	for worker := range workers {
		group.Go(func() error {
			for i := range each {
				id := strconv.Itoa(worker*each + i)
				if i%10 == 0 {
					id = strconv.Itoa(1000 + worker*each + i) // waits for a row that others lock
				}
				ctx, cancel := context.WithCancel(t.Context())
				if i%7 == worker%7 {
					go cancel()
				}
				_, err := w.write(ctx, "clerk", id)
				canceled := ctx.Err() != nil
				cancel()
				switch {
				case err == nil:
					done.Add(1)
				case !canceled:
					return fmt.Errorf("%w: %s", err, apierror.From(err).InternalJSON())
				}
				if _, err := w.write(t.Context(), "clerk", "-1"); apierror.From(err).Code != apierror.PermissionError {
					return fmt.Errorf("a note that isn't allowed: %w", err)
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.Zero(t, w.sharer.Waiting())
	written, err := strconv.Atoi(w.text(t, `SELECT count(*)::text FROM note`))
	require.NoError(t, err)
	require.GreaterOrEqual(t, written, int(done.Load()))
	require.LessOrEqual(t, written, workers*each)
	answered, _ := w.metrics.shared(t)
	require.Positive(t, answered)
}

// TestSharedWritesWithoutConnection holds what mutations report that get no connection in time.
func TestSharedWritesWithoutConnection(t *testing.T) {
	t.Parallel()
	w := newSharedWriter(t, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	w.sharer.Ahead = time.Millisecond // others go on while the one in front holds the only connection
	open := w.gate(t)
	w.source.primary.Endpoint.PoolTimeout = 10 * time.Millisecond
	one, two := w.start(t.Context(), "clerk", "1"), w.start(t.Context(), "clerk", "2")
	for _, over := range []<-chan written{one, two} {
		requireCode(t, (<-over).err, apierror.Busy, "timed out waiting for a free connection to the database")
	}
	w.source.primary.Endpoint.PoolTimeout = 0
	open()
	require.Equal(t, "1", w.text(t, `SELECT count(*)::text FROM note`))
	w.writes(t, "clerk", "3")
}
