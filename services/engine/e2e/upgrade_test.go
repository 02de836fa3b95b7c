package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// killed is when the version was killed that left testdata/upgrade behind, by the times in it.
var killed = time.Date(2001, 11, 21, 18, 23, 0, 0, time.UTC)

// times finds the times in the dump, in the forms of pg_dump and of JSON.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d`)

// restored is an installation on the databases that an older version left behind when it was killed
// (testdata/upgrade, made by pg_dump), that long ago: catalog version 3, event log version 1, a table
// with two triggers, a cron trigger, a one-off event, and an asynchronous action, which that version
// had no log for. Three rows were written: the events of one trigger were refused four times, those of
// the other were in delivery, and those of the last row were not taken yet.
func restored(t *testing.T, hook string, ago time.Duration) *cluster {
	t.Helper()
	c := newCluster(t)
	shift := time.Since(killed) - ago
	dump := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "upgrade", name))
		require.NoError(t, err)
		shifted := times.ReplaceAllStringFunc(string(text), func(s string) string {
			form := time.DateOnly + s[10:11] + time.TimeOnly
			at, err := time.Parse(form, s)
			require.NoError(t, err)
			return at.Add(shift).Format(form)
		})
		return strings.ReplaceAll(shifted, "{{SOURCE}}", c.databaseURL)
	}
	execute(t, c.databaseURL, dump("source.sql"))
	execute(t, c.metadataURL, dump("metadata.sql"))
	c.settings["HOOK"] = hook
	return c
}

// TestUpgrade: the databases of an older version are brought up to date at the start; all of its
// metadata is in use, and what it had not delivered is. It makes no difference how long nothing ran.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, ago := range map[string]time.Duration{"at once": time.Minute, "after a day": day, "after a year": 400 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testUpgrade(t, ago)
		})
	}
}

func testUpgrade(t *testing.T, ago time.Duration) {
	t.Helper()
	hook := newWebhook(t)
	c := restored(t, hook.url, ago)
	g := c.startAll()

	require.JSONEq(t, `{"data": {"stock": [{"id": 2}, {"id": 3}]}}`,
		g.query(as("clerk"), `{ stock(order_by: {id: asc}) { id } }`).text())
	require.JSONEq(t, `{"is_consistent": true, "inconsistent_objects": []}`,
		g.metadata("get_inconsistent_metadata", map[string]any{}).text())

	execute(t, c.databaseURL, `UPDATE stock SET qty = 7 WHERE id = 1`)
	const events = 3 + 3 + 1 // stock_changed, stock_held, and the update
	c.awaitNumber(c.databaseURL, events, `SELECT count(*) FROM engine_catalog.event_log WHERE delivered AND NOT error`)

	// What was scheduled is due once its time has come.
	execute(t, c.metadataURL, `UPDATE engine_catalog.engine_scheduled_events SET scheduled_time = now() - interval '1 minute'`)
	c.awaitNumber(c.metadataURL, 1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'delivered'`)
	hook.awaitTaken(events+1, startLimit)

	// The next ticks are planned, and none is left out among those that are late but not too late.
	const tolerance = 6 * time.Hour
	late := min(ago, tolerance) - 2*time.Minute
	c.awaitNumber(c.metadataURL, 0, `SELECT count(*)
		FROM generate_series(date_trunc('minute', now()) - '`+late.String()+`'::interval, now() + interval '1 hour', '1 minute') tick
		WHERE NOT EXISTS (SELECT FROM engine_catalog.engine_cron_events e WHERE e.scheduled_time = tick AND e.trigger_name = 'every_minute')`)

	a := g.query(asAdmin, `mutation { restock }`)
	require.Equal(t, http.StatusOK, a.status)
	require.NotContains(t, a.text(), "errors")
	c.awaitNumber(c.metadataURL, 1, `SELECT count(*) FROM engine_catalog.engine_action_log WHERE status IN ('completed', 'error')`)
}

// TestNoWayBackToAnOlderVersion: a database that a newer version has changed is refused in one line.
func TestNoWayBackToAnOlderVersion(t *testing.T) {
	t.Parallel()
	c := restored(t, "http://127.0.0.1:9", time.Minute)
	execute(t, c.metadataURL, `UPDATE engine_catalog.engine_version SET version = '999'`)
	p := c.launch(metadata)
	select {
	case <-p.done:
	case <-time.After(startLimit):
		t.Fatal("it runs on tables that it doesn't know")
	}
	require.NotZero(t, p.cmd.ProcessState.ExitCode())
	require.Contains(t, p.log.Tail(), "the metadata database has catalog version 999, this server knows up to version")
}
