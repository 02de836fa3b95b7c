package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/status"
)

// TestPauseIsPartOfTheMetadata pauses triggers of a whole server: the pause is reported by get_status, holds over a restart,
// is exported and applied by the command line, and is gone back from with the history.
func TestPauseIsPartOfTheMetadata(t *testing.T) {
	t.Parallel()
	stock, other := newReceiver(t), newReceiver(t)
	dir, env := t.TempDir(), []string{"ENGINE_GRAPHQL_DATABASE_URL=" + dbtest.URL(t), "ENGINE_GRAPHQL_EVENTS_FETCH_INTERVAL=50"}
	p := startDevIn(t, dir, nil, env...)
	made := p.post("/v2/query", nil, map[string]any{"type": "run_sql", "args": map[string]any{"sql": `
		CREATE TABLE stock (id int PRIMARY KEY); CREATE TABLE other (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int)`}})
	require.Equal(t, 200, made.status, made.text())
	for table, hook := range map[string]*receiver{"stock": stock, "other": other} {
		p.metadata("pg_track_table", map[string]any{"table": table})
		p.metadata("pg_create_event_trigger", map[string]any{"name": table, "table": table, "webhook": hook.url, "insert": map[string]any{"columns": "*"}})
	}
	p.metadata("create_cron_trigger", map[string]any{"name": "yearly", "webhook": other.url, "schedule": "0 0 1 1 *", "include_in_metadata": true})
	var before struct {
		Version int64 `json:"resource_version"`
	}
	require.NoError(t, json.Unmarshal(p.metadata("list_metadata_versions", map[string]any{"limit": 1}).body, &before))
	p.metadata("pause_event_triggers", map[string]any{"event_triggers": []any{map[string]any{"event_triggers": []string{"stock"}}}})
	p.metadata("pause_cron_triggers", map[string]any{"cron_triggers": "*"})

	p.signal(syscall.SIGINT)
	<-p.done
	p = startDevIn(t, dir, nil, env...)
	p.query(nil, `mutation { insert_stock(objects: [{id: 1}, {id: 2}]) { affected_rows } }`)
	for range 2 {
		p.query(nil, `mutation { insert_other_one(object: {n: 1}) { id } }`)
		other.next(t)
	}
	require.Empty(t, stock.calls)
	var backlogs []status.Backlog
	eventually(t, startLimit, func() bool { // what the other trigger has delivered is recorded
		backlogs = p.services().Backlogs
		return len(backlogs) == 1
	}, func() string { return "events are still in flight" })
	require.Equal(t, status.Backlog{Kind: "event", Source: "default", Trigger: "stock", Pending: 2, Oldest: backlogs[0].Oldest, Paused: true}, backlogs[0])
	require.Contains(t, p.metadata("diff_metadata_versions", map[string]any{"from": before.Version}).text(), `"paused":true`)

	// Through files, to another state and back.
	w := &workshop{t: t, dir: t.TempDir(), url: p.url}
	w.write("config.yaml", "version: 3\nmetadata_directory: metadata\n")
	w.does(0, "metadata export")
	for _, file := range []string{"cron_triggers.yaml", "databases/default/tables/public_stock.yaml"} {
		text, err := os.ReadFile(filepath.Join(w.dir, "metadata", file))
		require.NoError(t, err)
		require.Contains(t, string(text), "paused: true")
	}
	p.metadata("resume_cron_triggers", map[string]any{"cron_triggers": "*"})
	w.does(0, "metadata apply")
	require.Contains(t, p.metadata("get_cron_triggers", map[string]any{}).text(), `"paused":true`)
	require.Empty(t, stock.calls)

	p.metadata("rollback_metadata", map[string]any{"version": before.Version})
	ids := map[string]bool{}
	for range 2 {
		ids[string(stock.next(t).Event.Data["new"])] = true
	}
	require.Equal(t, map[string]bool{`{"id":1}`: true, `{"id":2}`: true}, ids)
	require.NotContains(t, p.metadata("get_cron_triggers", map[string]any{}).text(), "paused")
}
