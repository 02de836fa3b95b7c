package assembly

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

const (
	pendingSQL = `SELECT count(*) FROM engine_catalog.event_log WHERE trigger_name = $1 AND NOT delivered AND NOT error AND locked IS NULL`
	triedSQL   = `SELECT coalesce(sum(tries), 0) FROM engine_catalog.event_log WHERE trigger_name = $1`
)

// pause pauses or resumes triggers of the default source, and waits until the workers know.
func (i *tables) pause(operation string, triggers ...string) {
	i.t.Helper()
	i.request(operation, map[string]any{"event_triggers": []any{map[string]any{"event_triggers": triggers}}})
	for _, w := range i.workers {
		if w.Status() == nil {
			i.known(w)
		}
	}
}

// passed waits until events of the table "other", which are made now, are delivered: those that are due and
// were there before would have been taken, too.
func (i *tables) passed() {
	i.t.Helper()
	before := i.number(endedSQL, "watch_other")
	for n := range 2 { // one taking puts retries before new events, the other one after them
		_, err := i.db.Exec(i.t.Context(), `INSERT INTO other DEFAULT VALUES`)
		require.NoError(i.t, err)
		i.awaitNumber(before+n+1, endedSQL, "watch_other")
	}
}

// installPaused has a table "stock", with a trigger that h hears of, and "other", whose events are always delivered.
func installPaused(t *testing.T, h *hook, more map[string]any) *tables {
	t.Helper()
	i := installTables(t, `CREATE TABLE stock (id int PRIMARY KEY, n int); CREATE TABLE other (id int GENERATED ALWAYS AS IDENTITY)`)
	i.watch("other", map[string]any{"webhook": newHook(t).URL})
	args := map[string]any{"webhook": h.URL, "delete": nil}
	for k, v := range more {
		args[k] = v
	}
	i.watch("stock", args)
	return i
}

// TestPausedTrigger holds that nothing of a paused trigger is delivered, retries, redeliveries and events made by
// hand included, over a restart of the worker, and that all of it is delivered afterwards.
func TestPausedTrigger(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	var calls atomic.Int64
	var well atomic.Bool
	h.answer = func(w http.ResponseWriter, _ map[string]any) {
		calls.Add(1)
		if !well.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	i := installPaused(t, h, map[string]any{"enable_manual": true, "retry_conf": map[string]any{"num_retries": 1000, "interval_sec": 1}})
	worker := i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(1, 5), 0`)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return calls.Load() >= 7 }, patience, time.Millisecond) // some are retries
	i.pause("pause_event_triggers", "watch_stock")
	i.awaitNumber(5, pendingSQL, "watch_stock")
	_, err = i.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(6, 10), 0`)
	require.NoError(t, err)
	var made struct {
		ID string `json:"event_id"`
	}
	require.NoError(t, json.Unmarshal(i.request("pg_invoke_event_trigger", map[string]any{"name": "watch_stock", "payload": map[string]any{}}), &made))
	i.passed()
	held, tries := calls.Load(), i.number(triedSQL, "watch_stock")
	i.awaitNumber(0, `SELECT count(*) FROM engine_catalog.event_log WHERE next_retry_at > now() AT TIME ZONE 'UTC'`)
	i.passed()
	worker.Stop()
	i.deliver()
	i.passed()
	require.Equal(t, held, calls.Load(), "no call was made")
	require.Equal(t, tries, i.number(triedSQL, "watch_stock"), "no try was used up")
	require.Equal(t, 11, i.number(pendingSQL, "watch_stock"))

	well.Store(true)
	i.pause("resume_event_triggers", "watch_stock")
	i.awaitNumber(11, endedSQL, "watch_stock")
	require.Positive(t, h.callsOf(made.ID))

	i.pause("pause_event_triggers", "watch_stock")
	before := h.callsOf(made.ID)
	i.request("pg_redeliver_event", map[string]any{"event_id": made.ID})
	i.passed()
	require.Equal(t, before, h.callsOf(made.ID))
	i.awaitNumber(1, pendingSQL, "watch_stock")
	i.pause("resume_event_triggers", "watch_stock")
	i.awaitNumber(0, pendingSQL, "watch_stock")
	i.awaitNumber(11, endedSQL, "watch_stock")
}

// TestPauseWhileCallsAreUnderWay holds that the calls that are under way end and count, and that the events that
// wait for a call in a worker are given back.
func TestPauseWhileCallsAreUnderWay(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	var calls atomic.Int64
	let := make(chan struct{})
	h.answer = func(http.ResponseWriter, map[string]any) {
		calls.Add(1)
		<-let
	}
	open := sync.OnceFunc(func() { close(let) })
	t.Cleanup(open)
	i := installPaused(t, h, nil)
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(1, 200), 0`)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return calls.Load() == 8 }, patience, time.Millisecond) // two fifths of 20
	i.pause("pause_event_triggers", "watch_stock")
	i.passed()
	open()
	i.awaitNumber(8, endedSQL, "watch_stock")
	i.awaitNumber(192, pendingSQL, "watch_stock")
	i.passed()
	require.EqualValues(t, 8, calls.Load())
	require.Equal(t, 8, i.number(triedSQL, "watch_stock"))
	i.pause("resume_event_triggers", "watch_stock")
	i.awaitNumber(200, endedSQL, "watch_stock")
}

// TestPausedTriggerOfTwoWorkers pauses a trigger whose events are in order again and again, while rows change and two
// processes deliver.
func TestPausedTriggerOfTwoWorkers(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	var mu sync.Mutex
	last, wrong, calls := map[int]int{}, 0, 0
	h.answer = func(_ http.ResponseWriter, body map[string]any) {
		data, _ := json.Marshal(body["event"])
		var e struct {
			Data struct{ New struct{ ID, N int } }
		}
		mu.Lock()
		defer mu.Unlock()
		calls++
		if row := &e.Data.New; json.Unmarshal(data, &e) != nil || row.N != last[row.ID] && row.N != last[row.ID]+1 {
			wrong++
		} else {
			last[row.ID] = row.N
		}
	}
	i := installPaused(t, h, map[string]any{"order_by_key": true})
	i.deliver()
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(1, 10), 0`)
	require.NoError(t, err)
	const rounds = 5
	for range rounds {
		_, err := i.db.Exec(t.Context(), `UPDATE stock SET n = n + 1`)
		require.NoError(t, err)
		i.pause("pause_event_triggers", "watch_stock")
		_, err = i.db.Exec(t.Context(), `UPDATE stock SET n = n + 1`)
		require.NoError(t, err)
		i.awaitNumber(0, `SELECT count(*) FROM engine_catalog.event_log WHERE trigger_name = 'watch_stock' AND NOT delivered AND locked IS NOT NULL`)
		i.passed()
		mu.Lock()
		before := calls
		mu.Unlock()
		i.passed()
		mu.Lock()
		require.Equal(t, before, calls)
		mu.Unlock()
		require.GreaterOrEqual(t, i.number(pendingSQL, "watch_stock"), 10)
		i.pause("resume_event_triggers", "watch_stock")
	}
	i.awaitNumber(10*(2*rounds+1), endedSQL, "watch_stock")
	mu.Lock()
	defer mu.Unlock()
	require.Zero(t, wrong)
	for row := 1; row <= 10; row++ {
		require.Equal(t, 2*rounds, last[row], "row %d", row)
	}
}

// TestPausedTriggerByTheLog holds that the events of a paused trigger are made from the log, too.
func TestPausedTriggerByTheLog(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	i := installTablesApart(t, dbtest.URL(t), dbtest.LogicalURL(t), `CREATE TABLE stock (id int PRIMARY KEY, n int); CREATE TABLE other (id int GENERATED ALWAYS AS IDENTITY)`)
	i.watch("other", map[string]any{"webhook": newHook(t).URL})
	i.watch("stock", map[string]any{"webhook": h.URL, "via": "log", "update": nil, "delete": nil, "paused": true})
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT generate_series(1, 20), 0`)
	require.NoError(t, err)
	i.awaitNumber(20, pendingSQL, "watch_stock")
	i.passed()
	require.Equal(t, 20, i.number(pendingSQL, "watch_stock"))
	h.mu.Lock()
	require.Empty(t, h.calls)
	h.mu.Unlock()
	i.request("resume_event_triggers", map[string]any{"sources": "*"})
	i.awaitNumber(20, endedSQL, "watch_stock")
}

// TestPauseTouchesNoTable holds that a pause waits for no writer: the triggers in the database stay as they are.
func TestPauseTouchesNoTable(t *testing.T) {
	t.Parallel()
	i := installPaused(t, newHook(t), nil)
	other, err := pgxpool.New(t.Context(), i.url)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	tx, err := other.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE stock IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	i.pause("pause_event_triggers", "watch_stock")
	i.pause("resume_event_triggers", "watch_stock")
	require.NoError(t, tx.Rollback(t.Context()))
}
