package metadata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// functions are the names of the functions that the source has for event triggers.
func (w *world) functions(t *testing.T) string {
	t.Helper()
	return w.text(t, `SELECT coalesce(string_agg(proname, ' ' ORDER BY proname), '') FROM pg_proc WHERE proname LIKE 'notify_engine_%'`)
}

// text is the one text that a query of the source gives.
func (w *world) text(t *testing.T, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.source)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over then
	var s string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&s))
	return s
}

const watchStock = `{"type":"pg_create_event_trigger","args":{"name":"watch","table":"stock","webhook":"http://hook",
	"insert":{"columns":"*"},"update":{"columns":["qty"],"payload":["id"]}}}`

func watched(t *testing.T) (*world, *instance) {
	t.Helper()
	w := newWorld(t, `CREATE TABLE stock (id int PRIMARY KEY, qty int, label text); CREATE TABLE other (id int)`)
	i := w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"other"}}`)
	i.ok(t, watchStock)
	return w, i
}

func TestEventTriggersFollowTheMetadata(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	const both = "notify_engine_watch_INSERT notify_engine_watch_UPDATE"
	require.Equal(t, both, w.functions(t))
	i.fails(t, v1metadata, watchStock, "already-exists", "$.args", `Event trigger with name "watch" already exists`)

	// A replaced trigger loses the operations that it hasn't got any more.
	i.ok(t, `{"type":"pg_create_event_trigger","args":{"name":"watch","table":"stock","webhook":"http://hook","replace":true,"delete":{"columns":"*"}}}`)
	require.Equal(t, "notify_engine_watch_DELETE", w.functions(t))
	i.fails(t, v1metadata, `{"type":"pg_create_event_trigger","args":{"name":"watch","table":"other","webhook":"http://hook","replace":true,"delete":{"columns":"*"}}}`,
		"not-supported", "$.args", "cannot replace table or schema for trigger")
	i.fails(t, v1metadata, `{"type":"pg_create_event_trigger","args":{"name":"env","table":"other","webhook_from_env":"NO_SUCH_VARIABLE","delete":{"columns":"*"}}}`,
		"not-found", "$.args", "environment variable 'NO_SUCH_VARIABLE' not set")

	// An import that moves the trigger moves its objects in the database.
	i.ok(t, `{"type":"replace_metadata","args":{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[{"table":"other",
		"event_triggers":[{"name":"watch","definition":{"enable_manual":true,"insert":{"columns":"*"}},"webhook":"http://hook","retry_conf":{"num_retries":0,"interval_sec":1}}]}],
		"configuration":{"connection_info":{"database_url":"`+w.source+`"}}}]}}`)
	require.Equal(t, "other", w.text(t, `SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE 'notify_engine_%'`))
	w.sql(t, w.source, `INSERT INTO other VALUES (1)`)

	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"other","cascade":true}}`)
	require.Empty(t, w.functions(t))
	require.Equal(t, "true", w.text(t, `SELECT bool_and(archived)::text FROM engine_catalog.event_log`))
}

func TestEventTriggersOfSomebodyElse(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	i.ok(t, `{"type":"bulk","args":[{"type":"pg_delete_event_trigger","args":{"name":"watch"}},`+watchStock+`]}`)
	require.NotEmpty(t, w.functions(t))
	w.sql(t, w.source, `CREATE FUNCTION engine_catalog."notify_engine_theirs_DELETE"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
	i.fails(t, v1metadata, `{"type":"pg_create_event_trigger","args":{"name":"theirs","table":"other","webhook":"http://hook","insert":{"columns":"*"}}}`,
		"already-exists", "$.args", `Event trigger with name "theirs" already exists`)
}

func TestEventTriggersFollowTheTable(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	run := func(sql string) string {
		return `{"type":"run_sql","args":{"sql":"` + sql + `"}}`
	}
	i.fails(t, v2query, run(`ALTER TABLE stock DROP COLUMN qty`),
		"dependency-error", "$", `cannot drop due to the following dependent objects: event-trigger stock.watch in source "default"`)
	i.run(t, `ALTER TABLE stock RENAME COLUMN qty TO amount; ALTER TABLE stock RENAME TO goods`)
	w.sql(t, w.source, `INSERT INTO goods VALUES (1, 1, 'a'); UPDATE goods SET label = 'b'; UPDATE goods SET amount = 2`)
	require.Equal(t, `goods {"op": "INSERT", "data": {"new": {"id": 1, "label": "a", "amount": 1}, "old": null}, `+
		`"trace_context": null, "session_variables": null} goods {"op": "UPDATE", "data": {"new": {"id": 1}, "old": {"id": 1}}, `+
		`"trace_context": null, "session_variables": null}`,
		w.text(t, `SELECT string_agg(table_name || ' ' || payload::text, ' ' ORDER BY sequence) FROM engine_catalog.event_log`))
	i.run(t, `DROP TABLE goods CASCADE`)
	require.Empty(t, w.functions(t))
}

// TestFunctionsFollowInTheTransaction holds that functions of triggers and the columns that they
// name change together: neither is seen without the other.
func TestFunctionsFollowInTheTransaction(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	i.run(t, `ALTER TABLE stock RENAME COLUMN qty TO amount`)
	const together = `SELECT (f.xmin = a.xmin)::text FROM pg_proc f, pg_attribute a
		WHERE f.proname = 'notify_engine_watch_UPDATE' AND a.attrelid = 'stock'::regclass AND a.attname = 'amount'`
	require.Equal(t, "true", w.text(t, together))
	i.run(t, `ALTER TABLE stock ADD note text`)
	require.Equal(t, "false", w.text(t, together), "installed again with the new column")

	// A text that fails leaves both as they were.
	function := w.text(t, `SELECT prosrc FROM pg_proc WHERE proname = 'notify_engine_watch_UPDATE'`)
	i.fails(t, v2query, `{"type":"run_sql","args":{"sql":"ALTER TABLE stock RENAME COLUMN amount TO n; SELECT 1/0"}}`,
		"postgres-error", "$", "query execution failed")
	require.Equal(t, function, w.text(t, `SELECT prosrc FROM pg_proc WHERE proname = 'notify_engine_watch_UPDATE'`))

	// One that ends its transaction itself gets a new one for that.
	i.run(t, `BEGIN; ALTER TABLE stock RENAME COLUMN amount TO n; COMMIT`)
	w.sql(t, w.source, `INSERT INTO stock VALUES (1, 1); UPDATE stock SET n = 2`)
	require.Equal(t, "2", w.text(t, `SELECT count(*)::text FROM engine_catalog.event_log`))
}

func TestEventTriggersOnViews(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	w.sql(t, w.source, `CREATE VIEW seen AS SELECT * FROM stock`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"seen"}}`)
	i.fails(t, v1metadata, `{"type":"pg_create_event_trigger","args":{"name":"look","table":"seen","webhook":"http://hook","insert":{"columns":"*"}}}`,
		"not-supported", "$.args", `event trigger "look": changes of rows make events on tables only, and "seen" is a view`)
	i.ok(t, `{"type":"pg_create_event_trigger","args":{"name":"look","table":"seen","webhook":"http://hook","enable_manual":true}}`)
}

func TestLostEventTriggersComeBack(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	lose := func() {
		t.Helper()
		w.sql(t, w.source, `DROP FUNCTION engine_catalog."notify_engine_watch_INSERT"() CASCADE;
			DROP FUNCTION engine_catalog."notify_engine_watch_UPDATE"() CASCADE`)
		require.Empty(t, w.functions(t))
	}
	whole := w.functions(t)
	lose()
	i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Equal(t, whole, w.functions(t))
	w.sql(t, w.source, `DROP FUNCTION engine_catalog."notify_engine_watch_INSERT"() CASCADE`) // one of several
	i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Equal(t, whole, w.functions(t))
	w.sql(t, w.source, `CREATE OR REPLACE FUNCTION engine_catalog."notify_engine_watch_INSERT"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
	i.ok(t, `{"type":"reload_metadata","args":{"recreate_event_triggers":["default"]}}`)
	w.sql(t, w.source, `INSERT INTO stock VALUES (1)`)
	require.Equal(t, "1", w.text(t, `SELECT count(*)::text FROM engine_catalog.event_log`))
	i.fails(t, v1metadata, `{"type":"reload_metadata","args":{"recreate_event_triggers":["none"]}}`,
		"not-exists", "$.args", `Source with name "none" not found in metadata`)
	i.ok(t, `{"type":"clear_metadata","args":{}}`)
	require.Empty(t, w.functions(t))
}

func TestRequestsOnEvents(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	i.fails(t, v1metadata, `{"type":"pg_invoke_event_trigger","args":{"name":"watch","payload":{}}}`,
		"not-supported", "$.args", "manual mode is not enabled for event trigger")
	i.ok(t, `{"type":"pg_create_event_trigger","args":{"name":"byhand","table":"other","webhook":"http://hook","enable_manual":true}}`)
	version := i.version()
	require.Regexp(t, `^\{"event_id":"[0-9a-f-]{36}"\}$`, i.ok(t, `{"type":"pg_invoke_event_trigger","args":{"name":"byhand","payload":{"a":1}}}`))
	require.Regexp(t, `^\{"event_id":`, i.okAt(t, v1query, `{"type":"invoke_event_trigger","args":{"name":"byhand","payload":1}}`))
	require.Equal(t, version, i.version(), "events are no part of the metadata")
	require.Equal(t, "MANUAL admin", w.text(t, `SELECT min(payload->>'op') || ' ' || min(payload->'session_variables'->>'x-engine-role')
		FROM engine_catalog.event_log`))
	w.sql(t, w.source, `INSERT INTO engine_catalog.event_invocation_logs (trigger_name, event_id, status, created_at)
		SELECT 'byhand', 'e', s, t::timestamp FROM (VALUES (200, '2020-01-01 00:00:00'), (299, '2020-01-01 00:00:59.9'), (NULL, '2020-01-01 00:01:00'),
			(500, '2020-01-01 00:01:30'), (204, '2020-01-01 00:02:30'), (200, '2020-01-01 00:03:00'), (200, '2019-12-31 23:59:59')) AS calls (s, t)`)
	const count = `{"type":"pg_count_event_invocations","args":{"name":"byhand","from":"2020-01-01T01:00:00+01:00","to":"2020-01-01T00:03:00Z","interval":60`
	require.JSONEq(t, `{"from":"2020-01-01T00:00:00Z","to":"2020-01-01T00:03:00Z","interval":60,"counts":[
		{"at":"2020-01-01T00:00:00Z","succeeded":2,"failed":0},{"at":"2020-01-01T00:01:00Z","succeeded":0,"failed":2},
		{"at":"2020-01-01T00:02:00Z","succeeded":1,"failed":0}]}`, i.ok(t, count+`}}`))
	i.fails(t, v1metadata, strings.Replace(count, `"interval":60`, `"interval":-1}}`, 1), "parse-failed", "$.args.interval",
		"Error when parsing command count_event_invocations.\nSee our documentation at docs/metadata-api.md.\nInternal error message: unexpected negative value")
	i.fails(t, v1metadata, strings.Replace(count, "byhand", "none", 1)+`}}`, "not-exists", "$.args", `event trigger "none" does not exist`)
	for _, command := range []string{"pg_get_event_logs", "pg_get_event_invocation_logs", "pg_delete_event_trigger"} {
		i.fails(t, v1metadata, `{"type":"`+command+`","args":{"name":"none"}}`, "not-exists", "$.args", `event trigger "none" does not exist`)
	}
	i.fails(t, v1metadata, `{"type":"pg_get_event_by_id","args":{"event_id":"none"}}`, "not-exists", "$.args", "event id none does not exist")
	i.fails(t, v1metadata, `{"type":"pg_redeliver_event","args":{"event_id":"none"}}`, "not-exists", "$.args", "event not found")

	w.sql(t, w.source, `UPDATE engine_catalog.event_log SET delivered = true, created_at = now() - interval '3 h';
		INSERT INTO engine_catalog.event_invocation_logs (event_id, status) SELECT id, 200 FROM engine_catalog.event_log`)
	const clean = `{"type":"cleanup_event_trigger_logs","args":{"event_trigger_name":"byhand","clear_older_than":2,"clean_invocation_logs":true}`
	var tried struct {
		DryRun  bool              `json:"dry_run"`
		Changes []json.RawMessage `json:"changes"`
		Answer  json.RawMessage   `json:"answer"`
	}
	require.NoError(t, json.Unmarshal([]byte(i.ok(t, clean+`,"dry_run":true}`)), &tried))
	require.True(t, tried.DryRun)
	require.Empty(t, tried.Changes)
	const removed = `{"message":"success","deleted_event_logs":2,"deleted_event_invocation_logs":2}`
	require.JSONEq(t, removed, string(tried.Answer))
	require.Equal(t, version, i.version(), "it was only tried")
	i.fails(t, v1metadata, strings.Replace(clean, "byhand", "none", 1)+`,"dry_run":true}`, "not-exists", "$.args", `event trigger "none" does not exist`)
	require.JSONEq(t, removed, i.ok(t, clean+`}`))
	require.JSONEq(t, `{"message":"success","deleted_event_logs":0,"deleted_event_invocation_logs":0}`, i.ok(t, clean+`}`))
	require.Equal(t, version+2, i.version())
}

// TestWhatIsNotDeliveredIsTold: a dry run counts the events of the triggers that it would remove.
func TestWhatIsNotDeliveredIsTold(t *testing.T) {
	t.Parallel()
	w, i := watched(t)
	undelivered := func(request string) string {
		t.Helper()
		var tried struct {
			Events json.RawMessage `json:"undelivered_events"`
		}
		require.NoError(t, json.Unmarshal([]byte(i.ok(t, request)), &tried))
		return string(tried.Events)
	}
	const remove = `{"type":"pg_delete_event_trigger","dry_run":true,"args":{"name":"watch"}}`
	require.Empty(t, undelivered(remove), "nothing waits")
	w.sql(t, w.source, `INSERT INTO stock SELECT generate_series(1, 5); UPDATE engine_catalog.event_log SET delivered = true WHERE payload#>>'{data,new,id}' = '3'`)
	const waiting = `{"kind":"event","source":"default","trigger":"watch","events":4}`
	require.JSONEq(t, `[`+waiting+`]`, undelivered(remove))
	require.JSONEq(t, `[`+waiting+`]`, undelivered(`{"type":"pg_untrack_table","dry_run":true,"args":{"table":"stock","cascade":true}}`))
	require.Empty(t, undelivered(`{"type":"rename_source","dry_run":true,"args":{"name":"default","new_name":"other"}}`), "the trigger is there with the source")
	require.Empty(t, undelivered(`{"type":"pg_untrack_table","dry_run":true,"args":{"table":"other"}}`))
	i.ok(t, minutely)
	const planned = `{"kind":"cron","trigger":"minutely","events":100}`
	require.JSONEq(t, `[`+planned+`]`, undelivered(`{"type":"delete_cron_trigger","dry_run":true,"args":{"name":"minutely"}}`))
	require.JSONEq(t, `[`+planned+`,`+waiting+`]`, undelivered(`{"type":"clear_metadata","dry_run":true,"args":{}}`))
}

// TestTriggersByTheLogOnTheServerOfTheMetadata: the slot of a trigger is made when the transactions have ended that write,
// which the one that makes the trigger must not belong to.
func TestTriggersByTheLogOnTheServerOfTheMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadataURL, w.source = dbtest.LogicalURL(t), dbtest.LogicalURL(t)
	w.sql(t, w.source, `CREATE TABLE stock (id int PRIMARY KEY); ALTER TABLE stock REPLICA IDENTITY FULL`)
	i := w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	i.ok(t, `{"type":"pg_create_event_trigger","args":{"name":"watch","table":"stock","webhook":"http://hook","via":"log","insert":{"columns":"*"}}}`)
	require.Equal(t, "1", w.text(t, `SELECT count(*)::text FROM pg_replication_slots WHERE database = current_database()`))
	i.ok(t, `{"type":"pg_delete_event_trigger","args":{"name":"watch"}}`)
	require.Equal(t, "0", w.text(t, `SELECT count(*)::text FROM pg_replication_slots WHERE database = current_database()`))
}
