package assembly

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tick plans a tick of a trigger.
func (i *installation) tick(trigger string, at time.Time) {
	i.t.Helper()
	_, err := i.db.Exec(i.t.Context(), `INSERT INTO engine_catalog.engine_cron_events (trigger_name, scheduled_time) VALUES ($1, $2)`, trigger, at)
	require.NoError(i.t, err)
}

// passedTicks waits until ticks of the trigger "other", which come last of all that are due, are delivered.
func (i *installation) passedTicks(now *clock) {
	i.t.Helper()
	for range 2 { // the round that was under way may have read what was due before
		now.step(time.Microsecond)
		at := now.Now().UTC()
		i.tick("other", at)
		i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'other' AND scheduled_time = $1 AND status = 'delivered'`, at)
	}
}

// cronPair creates two triggers that fire every minute; h hears of one of them, the other one is called "other".
func (i *installation) cronPair(h *hook, more map[string]any) {
	i.t.Helper()
	i.cron(h, more)
	i.request("create_cron_trigger", map[string]any{"name": "other", "webhook": newHook(i.t).URL, "schedule": "0 0 1 1 *", "include_in_metadata": true})
}

// TestPausedCronTrigger holds that a paused trigger has no ticks, that none of them are made up for when it is resumed,
// and that what was due before the pause is delivered then.
func TestPausedCronTrigger(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	began := time.Now()
	hourly := began.Add(30 * time.Minute).UTC().Minute() // no tick is due while the test runs
	i.cronPair(h, map[string]any{"schedule": fmt.Sprintf("%d * * * *", hourly)})
	const planned = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely' AND status = 'scheduled' AND scheduled_time > now()`
	require.Equal(t, 100, i.number(planned))
	i.request("pause_cron_triggers", map[string]any{"cron_triggers": []string{"minutely"}})
	require.Zero(t, i.number(planned))
	// It was delivered three hours ago last, and one tick was due when it was paused.
	_, err := i.db.Exec(t.Context(), `INSERT INTO engine_catalog.engine_cron_events (trigger_name, scheduled_time, status, tries)
		VALUES ('minutely', $1, 'delivered', 1)`, minute(began).Add(-3*time.Hour))
	require.NoError(t, err)
	i.tick("minutely", minute(began))
	now := &clock{now: began}
	s := i.scheduler(now)
	i.delivery(now)
	i.passedTicks(now)
	s.Stop()
	i.scheduler(now)
	i.passedTicks(now)
	const waiting = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely' AND status = 'scheduled' AND tries = 0`
	require.Equal(t, 1, i.number(waiting))

	i.request("resume_cron_triggers", map[string]any{"cron_triggers": "*"})
	const delivered = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely' AND status = 'delivered'`
	i.awaitNumber(2, delivered)
	now.step(3 * time.Hour)
	i.awaitNumber(5, delivered)
	require.Zero(t, i.number(`SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely'
		AND scheduled_time > $1 AND scheduled_time < $2`, minute(began).Add(-3*time.Hour), minute(began)), "no tick is made up for")
}

// TestCronTriggerIsPausedInTheQueue holds that ticks that were handed to the workers, and retries, wait as long as
// their trigger is paused.
func TestCronTriggerIsPausedInTheQueue(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	var calls atomic.Int64
	var well atomic.Bool
	h.answer = func(w http.ResponseWriter, _ map[string]any) {
		calls.Add(1)
		if !well.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	i.cronPair(h, map[string]any{"schedule": "0 0 1 1 *", "retry_conf": map[string]any{"num_retries": 1000, "retry_interval_seconds": 1}})
	now := &clock{now: time.Now(), runs: true} // what is withheld twice at one time is a duplicate in the stream
	s := i.scheduler(now)
	i.tick("minutely", minute(now.Now()))
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status = 'locked'`)
	i.request("pause_cron_triggers", map[string]any{"cron_triggers": "*"})
	i.known(s)
	worker := i.delivery(now)
	const waiting = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely' AND status = 'scheduled' AND tries = $1`
	i.awaitNumber(1, waiting, 0)
	require.Zero(t, calls.Load())

	i.request("resume_cron_triggers", map[string]any{"cron_triggers": "*"})
	require.Eventually(t, func() bool { now.step(time.Second); return calls.Load() >= 3 }, patience, 5*time.Millisecond) // with retries
	i.request("pause_cron_triggers", map[string]any{"cron_triggers": []string{"minutely"}})
	i.known(worker)
	i.awaitNumber(0, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status = 'locked'`)
	i.passedTicks(now)
	before := calls.Load()
	now.step(10 * time.Second)
	i.passedTicks(now)
	require.Equal(t, before, calls.Load())
	i.awaitNumber(1, waiting, before)

	well.Store(true)
	i.request("resume_cron_triggers", map[string]any{"cron_triggers": []string{"minutely"}})
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = 'minutely' AND status = 'delivered'`)
	require.Equal(t, before+1, calls.Load())
}
