package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/testlong"
)

// Tables of the chaos and their triggers, which have the names of the tables.
const (
	plainTrigger   = "plain"
	orderedTrigger = "ordered"
	subjectTrigger = "subject"
	// orderedRows is how many rows the ordered table has, all of which are updated again and again.
	orderedRows = 20
	// burst is how many calls of a worker may have been answered without being recorded.
	burst = 50
	// chaosWriter is the application name of the test's own connections, which are left alone.
	chaosWriter = "chaos"
)

// chaos is an installation under which everything dies.
type chaos struct {
	*cluster
	natsServer *natsProcess
	gateway    *process
	workers    []*process
	schedulers []*process
	db         *pgxpool.Pool
	hook       *webhook
	// via is how triggers find changes.
	via  string
	rows int
	// written counts the row changes; secure reports whether the stream of the subject is safe from now
	// on.
	written atomic.Int64
	secure  atomic.Bool
	trouble map[string]int
}

// chaosRows is how many rows are changed: few in an ordinary run, as many as the variable sets in a
// long one.
func chaosRows() int {
	if n, err := strconv.Atoi(os.Getenv("ENGINE_CHAOS_ROWS")); err == nil {
		return n
	}
	return 1500
}

// long reports whether the run is long enough for shares to mean something.
func (c *chaos) long() bool { return c.rows >= 10_000 }

func installChaos(t *testing.T, via string) *chaos {
	t.Helper()
	n := startNATSProcess(t)
	c := &chaos{cluster: clusterOn(t, n.address()), natsServer: n, hook: newWebhook(t), rows: chaosRows(), trouble: map[string]int{}, via: via}
	c.databaseURL = dbtest.LogicalURL(t)
	c.settings["ENGINE_GRAPHQL_DATABASE_URL"] = c.databaseURL
	execute(t, c.databaseURL, `CREATE TABLE plain (id serial PRIMARY KEY, n int); CREATE TABLE subject (id serial PRIMARY KEY, n int);
		CREATE TABLE ordered (id int PRIMARY KEY, n int);
		ALTER TABLE plain REPLICA IDENTITY FULL; ALTER TABLE subject REPLICA IDENTITY FULL; ALTER TABLE ordered REPLICA IDENTITY FULL`)
	c.start(metadata)
	for range 2 {
		c.workers = append(c.workers, c.start(eventDelivery))
		c.schedulers = append(c.schedulers, c.start(scheduler))
	}
	c.gateway = c.start(gateway)
	c.db = c.pool(c.databaseURL)
	return c
}

func (c *chaos) pool(address string) *pgxpool.Pool {
	c.t.Helper()
	config, err := pgxpool.ParseConfig(address)
	require.NoError(c.t, err)
	config.ConnConfig.RuntimeParams["application_name"] = chaosWriter
	pool, err := pgxpool.NewWithConfig(c.t.Context(), config)
	require.NoError(c.t, err)
	c.t.Cleanup(pool.Close)
	return pool
}

// watch gives a table a trigger on every change, which is tried until it succeeds.
func (c *chaos) watch(table string, more map[string]any) {
	c.t.Helper()
	c.gateway.metadata("pg_track_table", map[string]any{"table": table})
	args := map[string]any{
		"name": table, "table": table, "webhook": c.hook.url, "via": c.via,
		"insert": map[string]any{"columns": "*"}, "update": map[string]any{"columns": "*"},
		"retry_conf": map[string]any{"num_retries": 1000, "interval_sec": 1, "timeout_sec": 2},
	}
	for k, v := range more {
		args[k] = v
	}
	c.gateway.metadata("pg_create_event_trigger", args)
}

// write changes rows, a few at once, of all tables in turns.
func (c *chaos) write(ctx context.Context) error {
	if _, err := c.db.Exec(ctx, `INSERT INTO ordered SELECT g, 0 FROM generate_series(1, $1) g`, orderedRows); err != nil {
		return err
	}
	c.written.Add(orderedRows)
	const some = 10
	for n := 0; int(c.written.Load()) < c.rows; n++ {
		sql := `INSERT INTO plain (n) SELECT generate_series(1, $1)`
		switch {
		case n%4 == 1:
			sql = `UPDATE ordered SET n = n + 1 WHERE id % 2 = ` + strconv.Itoa(n/4%2) + ` AND $1 > 0`
		case n%4 == 2 && c.secure.Load():
			sql = `INSERT INTO subject (n) SELECT generate_series(1, $1)`
		}
		if _, err := c.db.Exec(ctx, sql, some); err != nil {
			return err
		}
		c.written.Add(some)
		time.Sleep(30 * time.Millisecond) // the load of the test
	}
	return nil
}

// disturb makes one fault.
func (c *chaos) disturb(seed *rand.Rand) {
	c.t.Helper()
	kind := []string{"worker", "worker", "nats", "scheduler", "backends", "backends"}[seed.IntN(6)]
	c.trouble[kind]++
	down := time.Duration(seed.IntN(500)) * time.Millisecond
	switch kind {
	case "worker":
		restart(c.workers, seed.IntN(2), down, func() *process { return c.launch(eventDelivery) })
	case "scheduler":
		restart(c.schedulers, seed.IntN(2), down, func() *process { return c.launch(scheduler) })
	case "nats":
		c.natsServer.crash(true)
	case "backends":
		_, err := c.db.Exec(c.t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name LIKE 'query engine%' AND datname = ANY ($1) AND random() < 0.7`, []string{c.database(c.databaseURL), c.database(c.metadataURL)})
		require.NoError(c.t, err)
	}
}

// restart kills a process, and starts another in its place after a while.
func restart(list []*process, n int, after time.Duration, launch func() *process) {
	list[n].kill()
	time.Sleep(after) // the fault itself
	list[n] = launch()
}

func (c *chaos) database(address string) string {
	c.t.Helper()
	config, err := pgx.ParseConfig(address)
	require.NoError(c.t, err)
	return config.Database
}

// subscribe follows the stream of the subject, and gives the ids that have come so far.
func (c *chaos) subscribe() func() map[string]int {
	c.t.Helper()
	conn, err := nats.Connect(c.natsServer.address(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	require.NoError(c.t, err)
	c.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(c.t, err)
	var mu sync.Mutex
	seen := map[string]int{}
	var consumer jetstream.Consumer
	eventually(c.t, startLimit, func() bool {
		consumer, err = js.OrderedConsumer(c.t.Context(), "EVENTS", jetstream.OrderedConsumerConfig{})
		return err == nil
	}, func() string { return "no stream of events: " + err.Error() })
	running, err := consumer.Consume(func(m jetstream.Msg) {
		var body struct{ ID string }
		if json.Unmarshal(m.Data(), &body) == nil {
			mu.Lock()
			seen[body.ID]++
			mu.Unlock()
		}
	})
	require.NoError(c.t, err)
	c.t.Cleanup(running.Stop)
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		copied := map[string]int{}
		for id, n := range seen {
			copied[id] = n
		}
		return copied
	}
}

// TestEventsSurviveWhatIsKilled changes rows, and has one-off events and ticks become due, while
// processes of event-delivery, schedulers and the NATS server are killed, connections of the
// databases are cut, and the webhook fails, hangs and is slow. Each event arrives, hardly one of
// them twice, those of a row in their order, and all are delivered in the log with their calls.
//
// In a long run NATS loses its directory too. What it kept for subscribers is gone then, which is
// why rows of the table with a subject come after that.
func TestEventsSurviveWhatIsKilled(t *testing.T) {
	t.Parallel()
	surviveWhatIsKilled(t, "trigger")
}

// TestEventsFromTheLogSurviveWhatIsKilled is the same with events that are made from the log of the
// database, whose reader is killed with its process or loses its connections.
func TestEventsFromTheLogSurviveWhatIsKilled(t *testing.T) {
	t.Parallel()
	surviveWhatIsKilled(t, "log")
}

func surviveWhatIsKilled(t *testing.T, via string) {
	t.Helper()
	c := installChaos(t, via)
	c.watch(plainTrigger, nil)
	c.watch(orderedTrigger, map[string]any{"order_by_key": true})
	c.watch(subjectTrigger, map[string]any{"webhook": "nats://events.chaos"})
	retry := map[string]any{"num_retries": 1000, "retry_interval_seconds": 1, "timeout_seconds": 2}
	c.gateway.metadata("create_cron_trigger", map[string]any{
		"name": "minutely", "webhook": c.hook.url, "schedule": "* * * * *", "include_in_metadata": true, "retry_conf": retry,
	})
	oneOffs := c.rows / 50
	for n := range oneOffs {
		c.gateway.metadata("create_scheduled_event", map[string]any{
			"webhook": c.hook.url, "retry_conf": retry, "schedule_at": time.Now().Add(time.Duration(n*200) * time.Millisecond).UTC().Format(time.RFC3339Nano),
		})
	}
	c.secure.Store(!c.long())
	c.hook.unreliable.Store(true)
	began := time.Now()
	wrote := make(chan error, 1)
	go func() { wrote <- c.write(t.Context()) }()
	seed := rand.New(rand.NewPCG(testlong.Seed(c.t, 1), 0)) //nolint:gosec // no secret
	for writing, lost := true, 0; writing; {
		if share := c.written.Load() * 10 / int64(c.rows); c.long() && (lost == 0 && share >= 1 || lost == 1 && share >= 3) {
			lost++
			c.trouble["nats without its directory"]++
			c.natsServer.crash(false)
			c.secure.Store(lost == 2)
		} else {
			c.disturb(seed)
		}
		select {
		case err := <-wrote:
			require.NoError(t, err)
			writing = false
		case <-time.After(time.Duration(300+seed.IntN(1500)) * time.Millisecond):
		}
	}
	c.hook.unreliable.Store(false)
	t.Logf("%d rows written in %s, faults: %v, of the webhook: %v", c.written.Load(), time.Since(began).Round(time.Second), c.trouble, c.hook.faulted())
	calm := time.Now()
	c.awaitAllDelivered(oneOffs)
	t.Logf("everything was delivered %s after the last fault", time.Since(calm).Round(time.Second))
	c.checkArrivals(oneOffs)
	c.checkLog()
	c.checkOrder()
}

// awaitAllDelivered waits until nothing is left to do.
func (c *chaos) awaitAllDelivered(oneOffs int) {
	c.t.Helper()
	meta := c.pool(c.metadataURL)
	var events, scheduled int
	eventually(c.t, 4*time.Minute, func() bool {
		err := c.db.QueryRow(c.t.Context(), `SELECT count(*) FROM engine_catalog.event_log WHERE delivered AND NOT error`).Scan(&events)
		if err == nil {
			err = meta.QueryRow(c.t.Context(), `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'delivered'`).Scan(&scheduled)
		}
		return err == nil && events == int(c.written.Load()) && scheduled == oneOffs
	}, func() string {
		return fmt.Sprintf("%d of %d events, %d of %d one-off events are delivered", events, c.written.Load(), scheduled, oneOffs)
	})
	var wrong int
	require.NoError(c.t, meta.QueryRow(c.t.Context(), `SELECT count(*) - count(DISTINCT scheduled_time)
		+ count(*) FILTER (WHERE status <> 'delivered' AND scheduled_time < now() - interval '30 seconds') FROM engine_catalog.engine_cron_events`).Scan(&wrong))
	require.Zero(c.t, wrong, "ticks that are planned twice, or not delivered")
}

// checkArrivals holds that each event has come, and few have come again.
func (c *chaos) checkArrivals(oneOffs int) {
	c.t.Helper()
	seen := c.subscribe()
	ids := c.ids(subjectTrigger)
	eventually(c.t, startLimit, func() bool { return len(seen()) >= len(ids) },
		func() string { return fmt.Sprintf("%d of %d events are in the stream", len(seen()), len(ids)) })
	again := 0
	stored := seen()
	for _, id := range ids {
		require.Positive(c.t, stored[id], "event %s isn't in the stream", id)
		again += stored[id] - 1
	}
	for _, trigger := range []string{plainTrigger, orderedTrigger} {
		for _, id := range c.ids(trigger) {
			require.True(c.t, c.hook.has(id), "event %s of %s has not come", id, trigger)
		}
	}
	events, twice := c.hook.count()
	total := int(c.written.Load()) + oneOffs
	c.t.Logf("%d events came, %d times one came again; of %d in the stream, %d", events, twice, len(ids), again)
	require.GreaterOrEqual(c.t, events+len(ids), total)
	limit := total / 100
	if !c.long() { // few events, of which each killed worker has held some
		limit = burst * (1 + c.trouble["worker"])
	}
	require.Less(c.t, twice+again, limit, "duplicates")
}

func (c *chaos) ids(trigger string) []string {
	c.t.Helper()
	rows, err := c.db.Query(c.t.Context(), `SELECT id FROM engine_catalog.event_log WHERE trigger_name = $1`, trigger)
	require.NoError(c.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	return ids
}

// checkLog holds that each event has its calls: as many as its tries, the last of which took it.
func (c *chaos) checkLog() {
	c.t.Helper()
	var wrong int
	require.NoError(c.t, c.db.QueryRow(c.t.Context(), `SELECT count(*) FROM engine_catalog.event_log e WHERE e.locked IS NOT NULL
		OR e.tries <> (SELECT count(*) FROM engine_catalog.event_invocation_logs i WHERE i.event_id = e.id)
		OR NOT EXISTS (SELECT FROM engine_catalog.event_invocation_logs i WHERE i.event_id = e.id AND i.status = 200)`).Scan(&wrong))
	require.Zero(c.t, wrong, "events whose calls aren't all in the log")
}

// checkOrder holds that each row's values came in order, one at a time.
func (c *chaos) checkOrder() {
	c.t.Helper()
	c.hook.mu.Lock()
	defer c.hook.mu.Unlock()
	require.Len(c.t, c.hook.order, orderedRows)
	for row, values := range c.hook.order {
		for n, value := range values {
			require.Equal(c.t, n, value, "row %d: %v", row, values)
		}
	}
	require.Zero(c.t, c.hook.overlap, "events of one row at once")
}
