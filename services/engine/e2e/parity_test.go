package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMigrationsWithoutTransaction: by their first line, or by an option. One that fails stays marked, since a part of it may have run.
func TestMigrationsWithoutTransaction(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	w.write("migrations/default/1_stock/up.sql", "CREATE TABLE stock (id int, label text)")
	w.write("migrations/default/2_index/up.sql", "-- hasura:no-transaction\nCREATE INDEX CONCURRENTLY by_id ON stock (id);\nCREATE INDEX CONCURRENTLY by_label ON stock (label);")
	w.write("migrations/default/2_index/down.sql", "--engine:no-transaction\nDROP INDEX CONCURRENTLY by_id; DROP INDEX CONCURRENTLY by_label;")
	w.does(0, "migrate apply --per-migration-transaction")
	w.does(0, "migrate apply --down 1")
	w.does(0, "migrate apply")
	require.Contains(t, w.does(0, "migrate status"), "all 2 migrations are applied")
	require.Contains(t, w.does(1, "migrate squash"), "migration 2_index runs without a transaction")

	w.write("migrations/default/3_more/up.sql", "CREATE INDEX CONCURRENTLY by_both ON stock (id, label)")
	require.Contains(t, w.does(1, "migrate apply"), "CREATE INDEX CONCURRENTLY cannot run inside a transaction block")
	require.Contains(t, w.does(3, "migrate status"), "3\tmore\tnot applied", "nothing of it is left")
	w.does(0, "migrate apply --no-transaction")

	w.write("migrations/default/4_half/up.sql", "-- engine:no-transaction\nCREATE TABLE half (id int); SELECT nonsense")
	said := w.does(1, "migrate apply")
	require.Contains(t, said, `column "nonsense" does not exist`)
	require.Contains(t, said, "a part of it may have run")
	require.Contains(t, w.does(3, "migrate status"), "4\thalf\thas not ended")
	w.does(0, "migrate apply --version 4 --type down --skip-execution")
	w.write("migrations/default/4_half/up.sql", "-- engine:no-transaction\nDROP TABLE half")
	w.does(0, "migrate apply")
	require.Contains(t, w.does(0, "migrate status"), "all 4 migrations are applied")
}

// TestProjectsWithoutAdminSecret: an engine that accepts tokens alone is managed with a token in a header.
func TestProjectsWithoutAdminSecret(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.start(metadata)
	c.start(executor)
	g := c.start(gateway, "DISABLE_ADMIN_SECRET=true", `JWT_SECRET={"type":"HS256","key":"`+guardKey+`"}`)
	w := &workshop{t, t.TempDir(), g.url}
	require.Contains(t, w.does(1, "metadata export"), "[access-denied]", "the secret counts no more")

	token := "Authorization: Bearer " + signedToken(guardKey, fmt.Sprintf(
		`{"exp":%d,"https://engine.io/jwt/claims":{"x-engine-default-role":"user","x-engine-allowed-roles":["user","admin"]}}`, time.Now().Add(time.Hour).Unix()))
	does := func(code int, line string, headers ...string) string {
		args := strings.Fields(line)
		for _, h := range headers {
			args = append(args, "--header", h)
		}
		got, out, errs := w.runIn([]string{"ENGINE_GRAPHQL_ENDPOINT=" + w.url}, args...)
		require.Equal(t, code, got, "%s\n%s%s", line, out, errs)
		return out + errs
	}
	w.write("migrations/default/1_stock/up.sql", "CREATE TABLE stock (id int)")
	w.write("seeds/default/1_rows.sql", "INSERT INTO stock VALUES (1)")
	for _, line := range []string{"metadata export", "metadata diff", "migrate apply", "migrate status", "seed apply", "metadata inconsistency status", "track --all"} {
		does(0, line, token)
	}
	require.Contains(t, does(1, "metadata export", token, "X-Engine-Role: user"), "[access-denied]", "a header takes the place of the usual role")
	require.Contains(t, does(1, "metadata export"), "[invalid-headers]")
	for _, wrong := range []string{"Authorization", "A b: c", "A: b\nc"} {
		said := does(2, "metadata export", wrong)
		require.Contains(t, said, `option --header: expected "NAME: VALUE"`)
	}
}

// TestLogsAreRedacted: lines of triggers and actions keep what happened, and show no values.
func TestLogsAreRedacted(t *testing.T) {
	t.Parallel()
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Answer", "hush-answer-header")
		if r.URL.Path == "/count" {
			_, _ = io.WriteString(w, `"hush-answer"`)
			return
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "hush-answer")
	}))
	t.Cleanup(handler.Close)
	c := newCluster(t)
	c.settings["ENGINE_GRAPHQL_ENABLED_LOG_TYPES"] = "startup,action-handler-log"
	execute(t, c.databaseURL, `CREATE TABLE person (id int PRIMARY KEY, name text)`)
	c.start(metadata)
	e := c.start(executor, "REDACT_ACTION_HANDLER_LOGS=true")
	d := c.start(eventDelivery, "REDACT_ACTION_HANDLER_LOGS=true", "REDACT_EVENT_TRIGGER_LOGS=true", "REDACT_SCHEDULED_TRIGGER_LOGS=true")
	c.start(scheduler)
	g := c.start(gateway)
	action := func(name, kind string) any {
		return map[string]any{"type": "create_action", "args": map[string]any{"name": name, "definition": map[string]any{
			"handler": handler.URL + "/count", "output_type": "String", "kind": kind,
			"headers":   []any{map[string]any{"name": "X-Plain", "value": "hush-header"}},
			"arguments": []any{map[string]any{"name": "pin", "type": "String"}},
		}}}
	}
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "person"}},
		map[string]any{"type": "pg_create_event_trigger", "args": map[string]any{
			"name": "inserted", "table": "person", "webhook": handler.URL, "insert": map[string]any{"columns": "*"},
			"headers": []any{map[string]any{"name": "X-Plain", "value": "hush-header"}},
		}},
		action("now", "synchronous"), action("later", "asynchronous"),
		map[string]any{"type": "create_scheduled_event", "args": map[string]any{
			"webhook": handler.URL, "schedule_at": "2000-01-01T00:00:00Z", "payload": "hush-payload",
			"headers":    []any{map[string]any{"name": "X-Plain", "value": "hush-header"}},
			"retry_conf": map[string]any{"tolerance_seconds": 4_000_000_000},
		}},
	})
	g.post("/v1/graphql", asAdmin, map[string]any{
		"query": `mutation { insert_person_one(object: {id: 1, name: "hush-row"}) { id } now(pin: "hush-pin") later(pin: "hush-pin") }`,
	})
	for kind, where := range map[string][]*process{"event-trigger": {d}, "scheduled-trigger": {d}, "action-handler-log": {d, e}} {
		for _, p := range where {
			line := p.awaitLine(kind, anyLine)
			text := fmt.Sprint(line.Detail)
			require.NotContains(t, text, "hush", kind)
			require.Contains(t, text, "<REDACTED>", kind)
		}
	}
}
