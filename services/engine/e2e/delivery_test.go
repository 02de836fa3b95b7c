package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// gated is a webhook whose calls wait until it is opened.
type gated struct {
	*webhook
	open    chan struct{}
	waiting atomic.Int64
}

func newGated(t *testing.T) *gated {
	t.Helper()
	g := &gated{open: make(chan struct{})}
	g.webhook = newWebhook(t)
	g.hold = func(r *http.Request) {
		g.waiting.Add(1)
		defer g.waiting.Add(-1)
		select {
		case <-g.open:
		case <-r.Context().Done():
		}
	}
	return g
}

func (g *gated) awaitWaiting(n int64, limit time.Duration) {
	g.t.Helper()
	eventually(g.t, limit, func() bool { return g.waiting.Load() >= n },
		func() string { return fmt.Sprintf("%d of %d calls are waiting", g.waiting.Load(), n) })
}

func (w *webhook) awaitTaken(n int, limit time.Duration) {
	w.t.Helper()
	eventually(w.t, limit, func() bool {
		events, _ := w.count()
		return events >= n
	}, func() string {
		events, _ := w.count()
		return fmt.Sprintf("%d of %d events have come", events, n)
	})
}

// watched is an installation with tables that have triggers of their names, and webhooks.
func watched(t *testing.T, hooks map[string]string) (*cluster, *process) {
	t.Helper()
	c := newCluster(t)
	c.start(metadata)
	c.start(scheduler)
	g := c.start(gateway)
	for table, hook := range hooks {
		execute(t, c.databaseURL, `CREATE TABLE `+pgx.Identifier{table}.Sanitize()+` (id serial PRIMARY KEY, n int)`)
		g.metadata("pg_track_table", map[string]any{"table": table})
		g.metadata("pg_create_event_trigger", map[string]any{
			"name": table, "table": table, "webhook": hook, "insert": map[string]any{"columns": "*"},
		})
	}
	return c, g
}

func (c *cluster) insert(table string, n int) {
	c.t.Helper()
	execute(c.t, c.databaseURL, `INSERT INTO `+pgx.Identifier{table}.Sanitize()+` (n) SELECT generate_series(1, `+strconv.Itoa(n)+`)`)
}

// number is what a query of a database gives.
func number(t *testing.T, address, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func (c *cluster) awaitNumber(address string, want int, sql string) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), address) // one for all: to open it takes longer than the statement
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, conn.Close(c.t.Context())) }()
	got := -1
	eventually(c.t, startLimit, func() bool {
		require.NoError(c.t, conn.QueryRow(c.t.Context(), sql).Scan(&got))
		return got == want
	}, func() string { return fmt.Sprintf("%s: %d, want %d", sql, got, want) })
}

const deliveredEvents = `SELECT count(*) FROM engine_catalog.event_log WHERE delivered AND tries = 1`

// TestWhatADeadWorkerHeldComesAgain measures how long events of both kinds take from the death of
// the worker that held them to their delivery by another.
func TestWhatADeadWorkerHeldComesAgain(t *testing.T) {
	t.Parallel()
	hook := newGated(t)
	c, g := watched(t, map[string]string{"stock": hook.url})
	first := c.start(eventDelivery)
	const rows, oneOffs = 20, 5
	c.insert("stock", rows)
	for range oneOffs {
		g.metadata("create_scheduled_event", map[string]any{"webhook": hook.url, "schedule_at": time.Now().UTC().Format(time.RFC3339)})
	}
	hook.awaitWaiting(rows+oneOffs, startLimit)
	c.start(eventDelivery)
	first.kill()
	died := time.Now()
	close(hook.open)
	hook.awaitTaken(rows+oneOffs, time.Minute)
	t.Logf("%d events were delivered again %s after the death of their worker", rows+oneOffs, time.Since(died).Round(100*time.Millisecond))
	c.awaitNumber(c.databaseURL, rows, deliveredEvents)
	c.awaitNumber(c.metadataURL, oneOffs, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'delivered'`)
}

// TestStoppedWorkerFinishesAndReleases holds that a worker that is stopped ends the calls
// that it has made, and that what waits in it goes to another at once, not when a lease has run out.
func TestStoppedWorkerFinishesAndReleases(t *testing.T) {
	t.Parallel()
	hook := newGated(t)
	c, _ := watched(t, map[string]string{"stock": hook.url})
	// Of ten calls one trigger may make four, and has more events waiting.
	const calls, rows = 4, 20
	const size = "EVENTS_HTTP_POOL_SIZE=10"
	first := c.start(eventDelivery, size)
	c.insert("stock", rows)
	hook.awaitWaiting(calls, startLimit)
	second := c.start(eventDelivery, size)
	first.signal(syscall.SIGTERM)
	hook.awaitWaiting(2*calls, 15*time.Second) // well before the 20 seconds of a lease
	close(hook.open)
	hook.awaitTaken(rows, startLimit)
	<-first.done
	require.Zero(t, first.cmd.ProcessState.ExitCode())
	c.awaitNumber(c.databaseURL, rows, deliveredEvents)
	second.stop()
	_, again := hook.count()
	require.Zero(t, again, "events that came twice")
}

// TestHangingWebhookDoesNotHoldAStop holds that a worker stops when its limit is over, and that its
// events go to another then.
func TestHangingWebhookDoesNotHoldAStop(t *testing.T) {
	t.Parallel()
	hook := newGated(t)
	c, _ := watched(t, map[string]string{"stock": hook.url})
	const rows, limit = 10, 2
	first := c.start(eventDelivery, "GRACEFUL_SHUTDOWN_TIMEOUT="+strconv.Itoa(limit))
	c.insert("stock", rows)
	hook.awaitWaiting(rows, startLimit)
	began := time.Now()
	first.stop()
	require.Less(t, time.Since(began), 30*time.Second, "the calls have 60")
	require.Zero(t, first.cmd.ProcessState.ExitCode())
	c.start(eventDelivery)
	hook.awaitWaiting(rows, startLimit) // they haven't come to an end
	close(hook.open)
	hook.awaitTaken(rows, startLimit)
	c.awaitNumber(c.databaseURL, rows, deliveredEvents)
}

// TestHangingWebhooksLeaveRoomForOthers holds that triggers whose webhooks hang, with many events
// each, don't keep the events of another trigger from being delivered.
func TestHangingWebhooksLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	hanging, quick := newGated(t), newWebhook(t)
	hooks := map[string]string{"quick": quick.url}
	const sick, backlog, oneOffs, rows = 8, 2000, 150, 500
	for n := range sick {
		hooks["sick"+strconv.Itoa(n)] = hanging.url
	}
	c, g := watched(t, hooks)
	execute(t, c.metadataURL, `INSERT INTO engine_catalog.engine_scheduled_events (webhook_conf, scheduled_time, retry_conf, header_conf)
		SELECT to_json('`+hanging.url+`'::text), now(), '{}', '[]' FROM generate_series(1, `+strconv.Itoa(oneOffs)+`)`)
	for n := range sick {
		c.insert("sick"+strconv.Itoa(n), backlog)
	}
	c.start(eventDelivery, "GRACEFUL_SHUTDOWN_TIMEOUT=1")
	hanging.awaitWaiting(80, startLimit) // of 100 calls
	began := time.Now()
	c.insert("quick", rows)
	g.metadata("create_scheduled_event", map[string]any{"webhook": quick.url, "schedule_at": time.Now().UTC().Format(time.RFC3339)})
	quick.awaitTaken(rows+1, 45*time.Second)
	t.Logf("%d events came in %s next to %d calls that hang", rows+1, time.Since(began).Round(time.Millisecond), hanging.waiting.Load())
	events, _ := hanging.count()
	require.Zero(t, events, "they hang still")
}
