package table

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/metadata"
)

// cleanUps is a database with an event log that several processes clean up.
type cleanUps struct {
	url string
	db  *pgx.Conn
	// now is what the processes take for the time, in seconds.
	now atomic.Int64
}

// newCleanUps begins at the hour, with the trigger watch on a table.
func newCleanUps(t *testing.T) *cleanUps {
	t.Helper()
	c := &cleanUps{url: dbtest.URL(t)}
	c.now.Store(time.Date(2015, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	var err error
	c.db, err = pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.db.Close(context.WithoutCancel(t.Context())) })
	c.exec(t, `CREATE TABLE stock (id int)`)
	opened := c.open(t)
	found, err := opened.Introspect(t.Context(), nil)
	require.NoError(t, err)
	triggers, ok := opened.(backend.EventTriggers)
	require.True(t, ok)
	require.NoError(t, triggers.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{{
		Name: "watch", Table: found.Tables[catalog.Name{Schema: "public", Name: "stock"}], Insert: &backend.EventOperation{},
	}}}))
	return c
}

func (c *cleanUps) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := c.db.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func (c *cleanUps) open(t *testing.T) backend.Source {
	t.Helper()
	url, err := json.Marshal(c.url)
	require.NoError(t, err)
	opened, err := kind.All(os.LookupEnv, "test").Open(&metadata.Source{
		Name: "default", Kind: metadata.DefaultKind,
		Configuration: json.RawMessage(`{"connection_info":{"database_url":` + string(url) + `}}`),
	})
	require.NoError(t, err)
	t.Cleanup(opened.Close)
	return opened
}

// process is one of those that clean up.
func (c *cleanUps) process(t *testing.T) *source {
	t.Helper()
	opened := c.open(t)
	log, ok := opened.(backend.EventLog)
	require.True(t, ok)
	config := &Config{Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Unix(c.now.Load(), 0).UTC() }}
	s := newSource(config, &metadata.Source{Name: "default"}, log)
	c.say(s, &metadata.EventCleanup{Schedule: "0 * * * *", OlderThan: 1, BatchSize: 3, Timeout: 60})
	return s
}

// say gives a process the metadata's configuration of clean-ups.
func (c *cleanUps) say(s *source, cleanup *metadata.EventCleanup) {
	s.learn(map[string]*trigger{"watch": {EventTrigger: &metadata.EventTrigger{Name: "watch", Cleanup: cleanup}, pace: newPace(1)}}, 1)
}

func (c *cleanUps) sleep(d time.Duration) { c.now.Add(int64(d / time.Second)) }

// write writes that many old events that are delivered, and one that isn't.
func (c *cleanUps) write(t *testing.T, n int) {
	t.Helper()
	_, err := c.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(0, $1::int)`, n)
	require.NoError(t, err)
	c.exec(t, `UPDATE engine_catalog.event_log SET delivered = payload#>>'{data,new,id}' <> '0', created_at = now() - interval '2 h'`)
}

// ended are the clean-ups that are not to come, in order.
func (c *cleanUps) ended(t *testing.T) string {
	t.Helper()
	var s string
	require.NoError(t, c.db.QueryRow(t.Context(), `SELECT coalesce(string_agg(to_char(scheduled_at, 'HH24') || ' ' || status || ' '
		|| coalesce(deleted_event_logs::text, '-'), ', ' ORDER BY scheduled_at), '')
		FROM engine_catalog.engine_event_log_cleanups WHERE status <> 'scheduled'`).Scan(&s))
	return s
}

func (c *cleanUps) count(t *testing.T, table string) (n int) {
	t.Helper()
	require.NoError(t, c.db.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.`+pgx.Identifier{table}.Sanitize()).Scan(&n))
	return n
}

func TestCleanUpsFollowTheirSchedule(t *testing.T) {
	t.Parallel()
	c := newCleanUps(t)
	s := c.process(t)
	var err error
	s.Metrics, err = NewMetrics(prometheus.NewRegistry(), true)
	require.NoError(t, err)
	c.write(t, 10)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, mostPlanned, c.count(t, "engine_event_log_cleanups"))
	require.Empty(t, c.ended(t), "none is due")

	// Of those that were missed the last one is made, batch by batch.
	c.sleep(3*time.Hour + time.Minute)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, "13 dead -, 14 dead -, 15 completed 10", c.ended(t))
	require.Equal(t, 1, c.count(t, "event_log"), "what isn't delivered stays")
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, mostPlanned, c.count(t, "engine_event_log_cleanups"), "enough are planned")

	// Paused and resumed.
	c.write(t, 5)
	c.say(s, &metadata.EventCleanup{Schedule: "0 * * * *", OlderThan: 1, BatchSize: 3, Timeout: 60, Paused: true})
	c.sleep(time.Hour)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, 7, c.count(t, "event_log"))
	c.say(s, &metadata.EventCleanup{Schedule: "0 * * * *", OlderThan: 1, BatchSize: 3, Timeout: 60})
	c.sleep(time.Hour)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, "13 dead -, 14 dead -, 15 completed 10, 16 paused 0, 17 completed 5", c.ended(t))

	// As few are left as make it plan again.
	c.sleep((mostPlanned - 5 - fewestPlanned + 1) * time.Hour)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Equal(t, 2*mostPlanned, c.count(t, "engine_event_log_cleanups"))

	// One that ends early is reported, too.
	c.exec(t, `ALTER TABLE engine_catalog.event_log RENAME TO elsewhere`)
	c.sleep(time.Hour)
	require.NoError(t, s.cleanOnce(t.Context()))
	c.exec(t, `ALTER TABLE engine_catalog.elsewhere RENAME TO event_log`)
	made := func(outcome string) float64 {
		return testutil.ToFloat64(s.Metrics.cleanUps.WithLabelValues(outcome, "watch", "default"))
	}
	require.InDelta(t, 1, made("failed"), 0)

	// A trigger that has lost its configuration loses its planned clean-ups.
	c.exec(t, `UPDATE engine_catalog.engine_event_log_cleanups SET trigger_name = 'gone' WHERE status = 'scheduled'`)
	c.sleep(2 * time.Hour)
	require.NoError(t, s.cleanOnce(t.Context()))
	require.Contains(t, c.ended(t), "dead 0")

	require.InDelta(t, strings.Count(c.ended(t), "completed"), made("completed")+made("failed"), 0, "neither what was paused nor what was missed is made")
	require.InDelta(t, 15, testutil.ToFloat64(s.Metrics.removed.WithLabelValues("events", "watch", "default")), 0)
}

// TestALostCleanUpIsMadeByAnother holds that a clean-up stays with the process that has taken it as
// long as that is heard of, and then goes to another.
func TestALostCleanUpIsMadeByAnother(t *testing.T) {
	t.Parallel()
	c := newCleanUps(t)
	first, second := c.process(t), c.process(t)
	require.NoError(t, first.cleanOnce(t.Context()))
	c.write(t, 10)
	c.sleep(time.Hour + time.Minute)
	due, err := first.log.DueCleanups(t.Context(), first.Now())
	require.NoError(t, err)
	require.Len(t, due, 1)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, first.cleanTrigger(stopped, due[0]), context.Canceled)
	const late = `UPDATE engine_catalog.engine_event_log_cleanups SET taken_at = now() - interval '11 min' WHERE taken_at IS NOT NULL`
	c.exec(t, late)
	require.NoError(t, first.log.RenewCleanup(t.Context(), due[0].ID))
	require.NoError(t, second.cleanOnce(t.Context()))
	require.Empty(t, c.ended(t), "another worker has it")
	c.exec(t, late)
	require.NoError(t, second.cleanOnce(t.Context()))
	require.Equal(t, "13 completed 10", c.ended(t))
}

// TestOneProcessMakesACleanUp holds that processes that see a clean-up at the same time don't all
// make it.
func TestOneProcessMakesACleanUp(t *testing.T) {
	t.Parallel()
	c := newCleanUps(t)
	processes := make([]*source, 4)
	for i := range processes {
		processes[i] = c.process(t)
	}
	require.NoError(t, processes[0].cleanOnce(t.Context()))
	c.write(t, 30)
	c.sleep(time.Hour + time.Minute)
	errs := make(chan error, len(processes))
	for _, p := range processes {
		go func() { errs <- p.cleanOnce(t.Context()) }()
	}
	for range processes {
		require.NoError(t, <-errs)
	}
	require.Equal(t, "13 completed 30", c.ended(t))
}
