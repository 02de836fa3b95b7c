package eventlog_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/wire"
)

func (f *eventFixture) bell(t *testing.T) *eventlog.Bell {
	t.Helper()
	b, err := f.source.OpenEventBell(t.Context())
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b.(*eventlog.Bell) //nolint:forcetypeassert // fails the test
}

// armBell has the bell armed, at the second attempt at the latest when there is no writer.
func armBell(t *testing.T, b backend.EventBell) {
	t.Helper()
	_, err := b.Arm(t.Context())
	require.NoError(t, err)
	armed, err := b.Arm(t.Context())
	require.NoError(t, err)
	require.True(t, armed)
}

// rings reports whether the bell has rung: what the server has sent is read before the answer to a
// statement.
func rings(t *testing.T, b *eventlog.Bell) bool {
	t.Helper()
	rung, err := b.Rung(t.Context())
	require.NoError(t, err)
	return rung
}

func TestEventBell(t *testing.T) {
	t.Parallel()
	require.Contains(t, eventlog.RingBell, strconv.Itoa(eventlog.BellLock))
	require.Contains(t, eventlog.Catalogs()[1], strconv.Itoa(eventlog.BellLock))
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	b := f.bell(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	require.False(t, rings(t, b), "no process sleeps")

	armBell(t, b)
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	rung, err := b.Wait(t.Context())
	require.NoError(t, err)
	require.True(t, rung)
	require.NoError(t, b.Disarm(t.Context()))
	f.exec(t, `INSERT INTO stock VALUES (3)`)
	require.False(t, rings(t, b), "it is awake")

	// An event that is made by hand rings, too.
	armBell(t, b)
	f.exec(t, `SELECT engine_catalog.insert_event_log('public', 'stock', 'watch', 'MANUAL', '{}')`)
	rung, err = b.Wait(t.Context())
	require.NoError(t, err)
	require.True(t, rung)
	require.NoError(t, b.Disarm(t.Context()))

	// Waiting ends with its context, and the bell can still be used.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rung, err = b.Wait(ctx)
	require.NoError(t, err)
	require.False(t, rung)
	armBell(t, b)
	f.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	_, err = b.Wait(t.Context())
	require.Error(t, err)
}

// TestBellIsNotArmedBesideWriters holds that a process that falls asleep misses no event that is being
// written: its writer won't notify.
func TestBellIsNotArmedBesideWriters(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	b := f.bell(t)
	_, err := b.Arm(t.Context())
	require.NoError(t, err)
	keeper, _ := b.State()
	require.True(t, keeper)
	tx, err := f.db.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `INSERT INTO stock VALUES (1)`)
	require.NoError(t, err)
	for range 2 {
		armed, err := b.Arm(t.Context())
		require.NoError(t, err)
		require.False(t, armed)
	}
	require.NoError(t, tx.Commit(t.Context()))
	armBell(t, b)
	taken, err := f.source.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: 5}}, 10)
	require.NoError(t, err)
	require.Len(t, taken, 1)
}

// TestBellHasOneKeeper holds that a process leaves it to another one to be awake, hears the bell
// nevertheless, and takes over when that one is gone.
func TestBellHasOneKeeper(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	first, second := f.bell(t), f.bell(t)
	armBell(t, first)
	armed, err := second.Arm(t.Context())
	require.NoError(t, err)
	require.True(t, armed)
	keeper, _ := second.State()
	require.False(t, keeper)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	rung, err := second.Wait(t.Context())
	require.NoError(t, err)
	require.True(t, rung)
	require.NoError(t, second.Disarm(t.Context()))

	first.Close()
	require.Eventually(t, func() bool {
		armed, err := second.Arm(t.Context())
		_, own := second.State()
		return err == nil && armed && own
	}, time.Minute, time.Millisecond)
}

// TestEventLogIsUpgraded holds that the triggers of an older server, which know nothing of the bell, go
// on to work, and that the log reports that they must be installed again.
func TestEventLogIsUpgraded(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	outdated := func() bool {
		t.Helper()
		is, err := f.source.EventLogOutdated(t.Context())
		require.NoError(t, err)
		return is
	}
	require.False(t, outdated(), "there is no log")
	_, err := f.db.Exec(t.Context(), eventlog.Catalogs()[0]+`; INSERT INTO engine_catalog.engine_source_catalog_version VALUES ('1', now());
		CREATE FUNCTION engine_catalog."notify_engine_watch_INSERT"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			PERFORM engine_catalog.insert_event_log('public', 'stock', 'watch', TG_OP, json_build_object('old', NULL, 'new', row_to_json(NEW)));
			RETURN NULL; END $$;
		CREATE TRIGGER "notify_engine_watch_INSERT" AFTER INSERT ON stock FOR EACH ROW
			EXECUTE PROCEDURE engine_catalog."notify_engine_watch_INSERT"();
		INSERT INTO stock VALUES (1)`, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	require.True(t, outdated())
	f.install(t, false)
	require.True(t, outdated(), "nothing was installed")

	// A trigger that is as it should be is not touched, so that nothing waits for writers to its table.
	writer, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = writer.Close(context.WithoutCancel(t.Context())) })
	_, err = writer.Exec(t.Context(), `BEGIN; INSERT INTO stock VALUES (2)`)
	require.NoError(t, err)
	inserts := f.all("watch", "stock")
	inserts.Update, inserts.Delete = nil, nil
	f.install(t, false, inserts)
	require.False(t, outdated())
	_, err = writer.Exec(t.Context(), `INSERT INTO stock VALUES (3); COMMIT`)
	require.NoError(t, err)
	require.Equal(t, `INSERT {"new": {"id": 1}, "old": null}
INSERT {"new": {"id": 2}, "old": null}
INSERT {"new": {"id": 3}, "old": null}`, f.data(t))
	require.Equal(t, "3", f.text(t, `SELECT count(DISTINCT id::uuid)::text FROM engine_catalog.event_log`))
}

func TestEventIDs(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, `INSERT INTO stock SELECT generate_series(1, 5000)`)
	require.Equal(t, "5000 true true", f.text(t, `SELECT count(DISTINCT id) || ' '
		|| bool_and(id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') || ' '
		|| bool_and(abs(('x' || substr(replace(id, '-', ''), 1, 12))::bit(48)::bigint - extract(epoch FROM now()) * 1000) < 60000)
		FROM engine_catalog.event_log`))
}

// TestWaitingEndsAtOnce holds that a stop doesn't wait for a quiet connection.
func TestWaitingEndsAtOnce(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	b := f.bell(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.Wait(ctx)
		ended <- err
	}()
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(wire.CancelGrace):
		require.Fail(t, "waiting goes on")
	}
}
