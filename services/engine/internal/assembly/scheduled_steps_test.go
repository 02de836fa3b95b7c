package assembly

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/lifecycle"
	"queryengine/services/scheduler"
)

// minute truncates as schedules do.
func minute(t time.Time) time.Time { return t.UTC().Truncate(time.Minute) }

// cron creates or changes a trigger that fires every minute.
func (i *installation) cron(h *hook, more map[string]any) {
	i.t.Helper()
	args := map[string]any{"name": "minutely", "webhook": h.URL, "schedule": "* * * * *", "include_in_metadata": true}
	for k, v := range more {
		args[k] = v
	}
	i.request("create_cron_trigger", args)
}

// delivered waits until all ticks after one time and up to another are delivered, and holds that each
// is once in the table.
func (i *installation) delivered(after, upTo time.Time) {
	i.t.Helper()
	i.awaitNumber(0, `SELECT count(*) FROM generate_series($1::timestamptz + interval '1 minute', $2::timestamptz, '1 minute') t
		WHERE NOT EXISTS (SELECT FROM engine_catalog.engine_cron_events e
			WHERE e.trigger_name = 'minutely' AND e.scheduled_time = t AND e.status = 'delivered')`, minute(after), minute(upTo))
	i.awaitNumber(0, `SELECT count(*) - count(DISTINCT (trigger_name, scheduled_time)) FROM engine_catalog.engine_cron_events`)
}

// TestTicksAfterALongPause holds that ticks are made up for, beyond those that were planned ahead,
// until they are too late, and that later ones aren't even planned.
func TestTicksAfterALongPause(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	i.cron(h, map[string]any{"retry_conf": map[string]any{"tolerance_seconds": 4 * 3600}})
	began := time.Now()
	now := &clock{now: began}
	i.delivery(now)
	now.step(3*time.Hour + 30*time.Minute)
	s := i.scheduler(now)
	i.delivered(began, now.Now())
	s.Stop()

	stopped := now.Now()
	now.step(48 * time.Hour)
	i.scheduler(now)
	i.delivered(now.Now().Add(-4*time.Hour+time.Minute), now.Now())
	i.awaitNumber(0, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status <> 'dead' AND scheduled_time > $1 AND scheduled_time < $2`,
		stopped, now.Now().Add(-4*time.Hour-time.Minute))
	var dead int
	require.NoError(t, i.db.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status = 'dead'`).Scan(&dead))
	require.Less(t, dead, 250, "those that were planned before the pause")
}

// TestTicksOverReplacements changes a trigger in all ways that there are while two schedulers run:
// no tick is left out, and none comes twice.
func TestTicksOverReplacements(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	began := time.Now()
	now := &clock{now: began}
	i.scheduler(now)
	i.scheduler(now)
	i.delivery(now)
	i.cron(h, nil)
	document := map[string]any{"version": 3, "sources": []any{}, "cron_triggers": []any{map[string]any{
		"name": "minutely", "webhook": h.URL, "schedule": "* * * * *", "include_in_metadata": true, "comment": "of a document",
	}}}
	for _, change := range []func(){
		func() { i.cron(h, map[string]any{"replace": true, "payload": "replaced"}) },
		func() { i.request("replace_metadata", document) },
		func() { i.cron(h, map[string]any{"replace": true, "include_in_metadata": false}) },
		func() { i.request("replace_metadata", map[string]any{"version": 3, "sources": []any{}}) }, // the trigger isn't of the document
		func() { i.cron(h, map[string]any{"replace": true}) },
	} {
		now.step(7 * time.Minute)
		i.delivered(began, now.Now())
		change()
	}
	now.step(150 * time.Minute)
	i.delivered(began, now.Now())

	i.request("replace_metadata", map[string]any{"version": 3, "sources": []any{}})
	i.awaitNumber(0, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status = 'scheduled' AND scheduled_time > $1`, now.Now())
}

// TestOneOffEventsOverStepsAndRestarts holds that each event is delivered when its time has come,
// whatever happens to clocks, schedulers, workers and the stream.
func TestOneOffEventsOverStepsAndRestarts(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	now := &clock{now: time.Now()}
	const events = 60
	_, err := i.db.Exec(t.Context(), `INSERT INTO engine_catalog.engine_scheduled_events (webhook_conf, scheduled_time, retry_conf, header_conf)
		SELECT to_json($1::text), $2::timestamptz + n * interval '1 minute', '{}', '[]' FROM generate_series(1, $3) n`, h.URL, now.Now(), events)
	require.NoError(t, err)
	schedulers := []lifecycle.Service{i.scheduler(now), i.scheduler(now)}
	worker := i.delivery(now)
	due := 0
	settle := func(minutes time.Duration) {
		t.Helper()
		now.step(minutes * time.Minute)
		due += int(minutes)
		i.awaitNumber(max(due, 0), `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'delivered'`)
	}
	settle(10)
	schedulers[0].Stop()
	settle(10)
	now.step(-8 * time.Minute) // delivered events aren't delivered again
	now.step(8 * time.Minute)
	settle(5)
	schedulers[1].Stop()
	worker.Stop()
	i.loseStream()
	schedulers[0] = i.scheduler(now)
	i.delivery(now)
	settle(20)
	schedulers[0].Stop()
	i.scheduler(now)
	settle(15)
	h.mu.Lock()
	defer h.mu.Unlock()
	require.Len(t, h.calls, events)
	for id, n := range h.calls {
		require.Equal(t, 1, n, id)
	}
}

// TestLogsAreCleaned holds that finished events are removed from the logs when they are old enough,
// with their invocations, and nothing else.
func TestLogsAreCleaned(t *testing.T) {
	t.Parallel()
	i := install(t)
	began := time.Now()
	const day = 24 * time.Hour
	_, err := i.db.Exec(t.Context(), `
		INSERT INTO engine_catalog.engine_cron_events (id, trigger_name, scheduled_time, status)
			SELECT 'c' || n, 'gone', $1::timestamptz - interval '1 minute' * n, (ARRAY['delivered', 'error', 'dead'])[1 + n % 3] FROM generate_series(1, 2500) n;`, began)
	require.NoError(t, err)
	_, err = i.db.Exec(t.Context(), `
		INSERT INTO engine_catalog.engine_cron_event_invocation_logs (event_id) SELECT 'c' || n FROM generate_series(1, 2500) n;
		INSERT INTO engine_catalog.engine_cron_events (id, trigger_name, scheduled_time, status) VALUES ('waits', 'gone', now() - interval '1 year', 'scheduled');
		INSERT INTO engine_catalog.engine_scheduled_events (id, webhook_conf, scheduled_time, retry_conf, header_conf, status)
			SELECT s, '"http://127.0.0.1:9"', now(), '{}', '[]', s FROM unnest(ARRAY['delivered', 'error', 'dead', 'locked']) s;
		INSERT INTO engine_catalog.engine_action_log (action_name, input_payload, request_headers, session_variables, status, metadata_version)
			SELECT s, '{}', '{}', '{}', s, 1 FROM unnest(ARRAY['completed', 'error', 'created']) s`)
	require.NoError(t, err)
	now := &clock{now: began.Add(29 * day)}
	s, err := scheduler.New(
		scheduler.Config{
			MetadataURL: i.url, Replicas: 1, Interval: 10 * time.Millisecond, Lease: 500 * time.Millisecond,
			Keep: scheduler.Keep{Scheduled: 30 * day, Actions: 60 * day},
		},
		scheduler.Deps{Bus: i.connect(), Logger: slog.New(slog.DiscardHandler), Now: now.Now})
	require.NoError(t, err)
	i.run(s)
	const logs = `SELECT (SELECT count(*) FROM engine_catalog.engine_cron_events) * 1000000
		+ (SELECT count(*) FROM engine_catalog.engine_cron_event_invocation_logs) * 100
		+ (SELECT count(*) FROM engine_catalog.engine_scheduled_events) * 10 + (SELECT count(*) FROM engine_catalog.engine_action_log)`
	i.awaitNumber(1441*1000000+1440*100+4*10+3, logs) // what is younger than 30 days then
	now.step(2 * day)
	i.awaitNumber(1*1000000+0*100+1*10+3, logs)
	now.step(30 * day)
	i.awaitNumber(1*1000000+0*100+1*10+1, logs)
}

// TestTriggerThatNeverFires holds that it is accepted, has no ticks, and keeps no other trigger from
// having some.
func TestTriggerThatNeverFires(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	began := time.Now()
	now := &clock{now: began}
	i.request("create_cron_trigger", map[string]any{"name": "never", "webhook": h.URL, "schedule": "0 0 30 2 *", "include_in_metadata": true})
	leap := map[string]any{"name": "leap", "webhook": h.URL, "schedule": "0 0 29 2 *", "include_in_metadata": true}
	i.request("create_cron_trigger", leap)
	i.cron(h, nil)
	i.scheduler(now)
	i.delivery(now)
	now.step(5 * time.Minute)
	i.delivered(began, now.Now())
	require.JSONEq(t, `{"events": [], "count": 0}`,
		string(i.request("get_scheduled_events", map[string]any{"type": "cron", "trigger_name": "never", "get_rows_count": true})))
	var years []string
	rows, err := i.db.Query(t.Context(), `SELECT extract(year FROM scheduled_time)::text FROM engine_catalog.engine_cron_events
		WHERE trigger_name = 'leap' ORDER BY scheduled_time LIMIT 3`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var year string
		require.NoError(t, rows.Scan(&year))
		years = append(years, year)
	}
	require.NoError(t, rows.Err())
	first := (began.Year() + 3) / 4 * 4 // none of this century's years in question is an exception
	if began.Year()%4 == 0 && began.After(time.Date(began.Year(), 2, 29, 0, 0, 0, 0, time.UTC)) {
		first += 4
	}
	require.Equal(t, []string{strconv.Itoa(first), strconv.Itoa(first + 4), strconv.Itoa(first + 8)}, years)
}
