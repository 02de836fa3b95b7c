package eventlog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
	"queryengine/pkg/testlong"
)

// eventFixture is a source with a table that has a trigger for every operation.
type eventFixture struct {
	*fixture
	tables map[catalog.Name]*catalog.Table
}

func newEventFixture(t *testing.T, schema string) *eventFixture {
	t.Helper()
	f := &eventFixture{fixture: newFixture(t, schema)}
	found, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	f.tables = found.Tables
	return f
}

func (f *eventFixture) install(t *testing.T, stringify bool, list ...backend.EventTrigger) {
	t.Helper()
	require.NoError(t, f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: list, StringifyNumeric: stringify}))
}

// all is a trigger on every operation of a table in schema public.
func (f *eventFixture) all(name, table string) backend.EventTrigger {
	o := &backend.EventOperation{}
	return backend.EventTrigger{Name: name, Table: f.tables[catalog.Name{Schema: "public", Name: table}], Insert: o, Update: o, Delete: o}
}

// data are the payloads of all events, in order, without the op of each.
func (f *eventFixture) data(t *testing.T) string {
	t.Helper()
	return f.text(t, `SELECT coalesce(string_agg((payload->>'op') || ' ' || (payload->'data')::text, E'\n' ORDER BY sequence), '')
		FROM engine_catalog.event_log`)
}

func TestEventTriggers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema    string
		change    func(*backend.EventTrigger)
		stringify bool
		sql, want string
	}{
		"every operation": {
			schema: `CREATE TABLE stock (id int, label text)`,
			sql:    `INSERT INTO stock VALUES (1, 'a'); UPDATE stock SET label = 'b'; UPDATE stock SET label = 'b'; DELETE FROM stock`,
			want: `INSERT {"new": {"id": 1, "label": "a"}, "old": null}
UPDATE {"new": {"id": 1, "label": "b"}, "old": {"id": 1, "label": "a"}}
DELETE {"new": null, "old": {"id": 1, "label": "b"}}`,
		},
		"from and to NULL": {
			schema: `CREATE TABLE stock (id int, label text); INSERT INTO stock VALUES (1, NULL)`,
			sql:    `UPDATE stock SET label = NULL; UPDATE stock SET label = 'a'; UPDATE stock SET label = NULL`,
			want: `UPDATE {"new": {"id": 1, "label": "a"}, "old": {"id": 1, "label": null}}
UPDATE {"new": {"id": 1, "label": null}, "old": {"id": 1, "label": "a"}}`,
		},
		"listened and shown columns": {
			schema: `CREATE TABLE stock (id int, label text, qty int); INSERT INTO stock VALUES (1, 'a', 2)`,
			change: func(e *backend.EventTrigger) {
				e.Update = &backend.EventOperation{Columns: []string{"qty"}, Payload: []string{"label"}}
				e.Delete = nil
			},
			sql:  `UPDATE stock SET label = 'b'; UPDATE stock SET qty = 3; DELETE FROM stock`,
			want: `UPDATE {"new": {"label": "b"}, "old": {"label": "b"}}`,
		},
		"types without equality": {
			schema: `CREATE TYPE pair AS (a int, b json); CREATE TABLE stock (id int, j json, p point, b box, x xml, pair pair, js json[]);
				INSERT INTO stock VALUES (1, '{"a": 1}', '(1,2)', '(1,1),(0,0)', '<a/>', '(1,"{}")', ARRAY['1'::json])`,
			change: func(e *backend.EventTrigger) { e.Update = &backend.EventOperation{Payload: []string{"id"}} },
			sql: `UPDATE stock SET j = j, p = p, b = b, x = x, pair = pair, js = js; UPDATE stock SET j = '{"a": 2}';
				UPDATE stock SET b = '(2,2),(1,1)'`,
			want: `UPDATE {"new": {"id": 1}, "old": {"id": 1}}
UPDATE {"new": {"id": 1}, "old": {"id": 1}}`,
		},
		"numbers as text": {
			schema: `CREATE TABLE stock (id bigint, n numeric, ids bigint[])`, stringify: true,
			sql:  `INSERT INTO stock VALUES (50755254975729665, 1.10, ARRAY[1])`,
			want: `INSERT {"new": {"n": "1.10", "id": "50755254975729665", "ids": ["1"]}, "old": null}`,
		},
		"names that need quotes": {
			schema: `CREATE TABLE "it's \ ""x"" $$" ("a'b" int, "c""d\" bigint)`, stringify: true,
			sql:  `INSERT INTO "it's \ ""x"" $$" VALUES (1, 2)`,
			want: `INSERT {"new": {"a'b": 1, "c\"d\\": "2"}, "old": null}`,
		},
		"partitions": {
			schema: `CREATE TABLE stock (id int, label text) PARTITION BY LIST (id);
				CREATE TABLE stock_1 PARTITION OF stock FOR VALUES IN (1); CREATE TABLE stock_2 PARTITION OF stock FOR VALUES IN (2)`,
			sql: `INSERT INTO stock VALUES (1, 'a'); INSERT INTO stock_2 VALUES (2, 'b')`,
			want: `INSERT {"new": {"id": 1, "label": "a"}, "old": null}
INSERT {"new": {"id": 2, "label": "b"}, "old": null}`,
		},
		"values that jsonb can't hold": {
			schema: `CREATE DOMAIN raw AS json; CREATE TYPE pair AS (a int, j json); CREATE TABLE stock (id int, j json, dj raw, list json[], pair pair, pairs pair[], n int)`,
			sql: `INSERT INTO stock VALUES (1, '{"k":"a\u0000b"}', '"\ud800"', ARRAY['1e400000', '1'::json], ROW(1, '{"a":"\udc00"}'), ARRAY[ROW(2, '"\u0000"')::pair], 1),
					(2, '{"k":"\u0000"}', NULL, '{}', NULL, NULL, 1), (3, '{"fine": [1]}', '2', ARRAY['{}'::json], ROW(1, '[]'), '{}', 1);
				UPDATE stock SET n = 2 WHERE id <> 1; DELETE FROM stock WHERE id <> 1`,
			want: `INSERT {"new": {"j": "{\"k\":\"a\\u0000b\"}", "n": 1, "dj": "\"\\ud800\"", "id": 1, "list": "{1e400000,1}", "pair": "(1,\"{\"\"a\"\":\"\"\\\\udc00\"\"}\")", "pairs": "{\"(2,\\\"\\\"\\\"\\\\\\\\u0000\\\"\\\"\\\")\"}"}, "old": null}
INSERT {"new": {"j": "{\"k\":\"\\u0000\"}", "n": 1, "dj": null, "id": 2, "list": [], "pair": null, "pairs": null}, "old": null}
INSERT {"new": {"j": {"fine": [1]}, "n": 1, "dj": 2, "id": 3, "list": [{}], "pair": {"a": 1, "j": []}, "pairs": []}, "old": null}
UPDATE {"new": {"j": "{\"k\":\"\\u0000\"}", "n": 2, "dj": null, "id": 2, "list": [], "pair": null, "pairs": null}, "old": {"j": "{\"k\":\"\\u0000\"}", "n": 1, "dj": null, "id": 2, "list": [], "pair": null, "pairs": null}}
UPDATE {"new": {"j": {"fine": [1]}, "n": 2, "dj": 2, "id": 3, "list": [{}], "pair": {"a": 1, "j": []}, "pairs": []}, "old": {"j": {"fine": [1]}, "n": 1, "dj": 2, "id": 3, "list": [{}], "pair": {"a": 1, "j": []}, "pairs": []}}
DELETE {"new": null, "old": {"j": "{\"k\":\"\\u0000\"}", "n": 2, "dj": null, "id": 2, "list": [], "pair": null, "pairs": null}}
DELETE {"new": null, "old": {"j": {"fine": [1]}, "n": 2, "dj": 2, "id": 3, "list": [{}], "pair": {"a": 1, "j": []}, "pairs": []}}`,
		},
		"shown columns that jsonb can't hold": {
			schema: `CREATE TABLE stock (id int, j json, n bigint)`, stringify: true,
			change: func(e *backend.EventTrigger) {
				e.Update = &backend.EventOperation{Columns: []string{"n"}, Payload: []string{"j", "n"}}
			},
			sql: `INSERT INTO stock VALUES (1, '"\u0000"', 1), (2, '"x"', 1); UPDATE stock SET n = 2`,
			want: `INSERT {"new": {"j": "\"\\u0000\"", "n": "1", "id": 1}, "old": null}
INSERT {"new": {"j": "x", "n": "1", "id": 2}, "old": null}
UPDATE {"new": {"j": "\"\\u0000\"", "n": "2"}, "old": {"j": "\"\\u0000\"", "n": "1"}}
UPDATE {"new": {"j": "x", "n": "2"}, "old": {"j": "x", "n": "1"}}`,
		},
		"added columns": {
			schema: `CREATE TABLE stock (id int)`,
			sql:    `ALTER TABLE stock ADD label text DEFAULT 'x'; INSERT INTO stock VALUES (1)`,
			want:   `INSERT {"new": {"id": 1, "label": "x"}, "old": null}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newEventFixture(t, c.schema)
			table := "stock"
			if strings.Contains(c.schema, "it's") {
				table = `it's \ "x" $$`
			}
			trigger := f.all("watch", table)
			if c.change != nil {
				c.change(&trigger)
			}
			f.install(t, c.stringify, trigger)
			f.exec(t, c.sql)
			require.Equal(t, c.want, f.data(t))
			require.Equal(t, table, f.text(t, `SELECT min(table_name) FROM engine_catalog.event_log`), "the table of the trigger, not a partition")
		})
	}
}

// TestRowsThatDoNotFit holds that what an event can't hold for its size is left out of it, and named; the long form has a row of that size.
func TestRowsThatDoNotFit(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int, label text, note text, n int)`)
	f.install(t, false, f.all("watch", "stock"))
	fitting := func(data string) string {
		return f.text(t, `SELECT engine_catalog.event_that_fits(`+data+`)::text`)
	}
	require.Equal(t, `{"old":null,"new":{"id":1}}`, fitting(`'{"old":null,"new":{"id":1}}'`), "a payload that fits is stored unchanged")
	const large = `'[1e400000,"' || repeat('x', 150000) || '"]'` // which jsonb refuses, as it does sizes
	require.JSONEq(t, `{"old":null,"new":{"id":1,"label":null,"note":"a"},"omitted":["label"]}`,
		fitting(`'{"old":null,"new":{"id":1,"label":' || `+large+` || ',"note":"a"}}'`))
	require.JSONEq(t, `{"old":{"id":1,"label":null,"note":"a"},"new":{"id":1,"label":"b","note":null},"omitted":["label","note"]}`,
		fitting(`'{"old":{"id":1,"label":' || `+large+` || ',"note":"a"},"new":{"id":1,"label":"b","note":' || `+large+` || '}}'`))
	if !testlong.Long() {
		return
	}
	f.exec(t, `INSERT INTO stock VALUES (1, repeat('x', 280000000), 'a', 1); UPDATE stock SET n = 2; DELETE FROM stock`)
	require.Equal(t, `INSERT {"new": {"n": 1, "id": 1, "note": "a", "label": null}, "old": null, "omitted": ["label"]}
UPDATE {"new": {"n": 2, "id": 1, "note": "a", "label": null}, "old": {"n": 1, "id": 1, "note": "a", "label": null}, "omitted": ["label"]}
DELETE {"new": null, "old": {"n": 2, "id": 1, "note": "a", "label": null}, "omitted": ["label"]}`, f.data(t))
}

func TestEventTriggerOnPostGIS(t *testing.T) {
	t.Parallel()
	if newFixture(t, "").text(t, `SELECT count(*)::text FROM pg_available_extensions WHERE name = 'postgis'`) == "0" {
		t.Skip("the server has no PostGIS")
	}
	f := newEventFixture(t, `CREATE SCHEMA gis; CREATE EXTENSION postgis SCHEMA gis;
		CREATE TABLE spot (id int, g gis.geography(Point)); INSERT INTO spot VALUES (1, 'POINT(1 2)'::gis.geography)`)
	f.install(t, false, f.all("watch", "spot"))
	f.exec(t, `UPDATE spot SET g = g; UPDATE spot SET g = 'POINT(3 4)'::gis.geography`)
	require.Equal(t, `UPDATE {"new": {"g": {"type": "Point", "coordinates": [3, 4]}, "id": 1}, `+
		`"old": {"g": {"type": "Point", "coordinates": [1, 2]}, "id": 1}}`, f.data(t))
}

func TestEventTriggersAreChanged(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int); CREATE TABLE other (id int)`)
	require.NoError(t, f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"watch"}}), "there is no log yet")
	f.install(t, false, f.all("watch", "stock"), f.all("second", "other"))
	f.install(t, false, f.all("watch", "stock")) // again
	installed, err := f.source.InstalledEventTriggers(t.Context(), []string{"watch", "none", "second"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"watch": 3, "second": 3}, installed)

	only := f.all("watch", "stock")
	only.Update, only.Delete, only.OnReplication = nil, nil, true
	f.install(t, false, only)
	require.Equal(t, "notify_engine_watch_INSERT A", f.text(t,
		`SELECT string_agg(tgname || ' ' || tgenabled::text, ' ') FROM pg_trigger WHERE tgrelid = 'stock'::regclass`))
	f.exec(t, `INSERT INTO stock VALUES (1); UPDATE stock SET id = 2; DELETE FROM stock`)
	require.Equal(t, `INSERT {"new": {"id": 1}, "old": null}`, f.data(t))

	require.NoError(t, f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"watch"}}))
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	require.Equal(t, "1 true", f.text(t, `SELECT count(*) || ' ' || bool_and(archived) FROM engine_catalog.event_log`))
	installed, err = f.source.InstalledEventTriggers(t.Context(), []string{"watch", "second"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"second": 3}, installed)

	// What the database refuses comes back, and nothing is done.
	f.exec(t, `CREATE VIEW seen AS SELECT * FROM stock`)
	view := f.all("viewed", "stock")
	view.Table = &catalog.Table{Name: catalog.Name{Schema: "public", Name: "seen"}}
	err = f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"second"}, Install: []backend.EventTrigger{view}})
	var refused *apierror.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, apierror.PostgresError, refused.Code)
	installed, err = f.source.InstalledEventTriggers(t.Context(), []string{"second"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"second": 3}, installed)
}

func TestManualEventsAndTheLog(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	user := &session.Session{Role: "clerk", Variables: map[string]string{"x-engine-role": "clerk"}}
	var ids []string
	for range 3 {
		id, err := f.source.InvokeEventTrigger(t.Context(), backend.ManualEvent{
			Trigger: "watch", Table: catalog.Name{Schema: "public", Name: "stock"}, Payload: json.RawMessage(`{"k":1}`), Session: user,
		})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	status := 200
	record := json.RawMessage(`{"a":1}`)
	require.NoError(t, f.source.RecordEvents(t.Context(), []backend.EventOutcome{
		{ID: ids[0], State: backend.EventDelivered, Invocation: "1", Status: &status, Request: record, Response: record},
		{ID: ids[1], State: backend.EventWaiting, RetryAt: time.Now().Add(time.Hour), Invocation: "2", Request: record, Response: record},
		{ID: ids[2], State: backend.EventFailed},
		{ID: "gone", State: backend.EventDelivered, Invocation: "3", Request: record, Response: record},
	}))
	for status, want := range map[string]int{"": 3, "pending": 1, "processed": 2, "delivered": 1, "failed": 1} {
		var events []map[string]any
		raw, err := f.source.Events(t.Context(), backend.EventQuery{Trigger: "watch", Limit: 100, Status: status})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &events))
		require.Len(t, events, want, status)
	}
	raw, err := f.source.EventByID(t.Context(), ids[0], 100, 0)
	require.NoError(t, err)
	var found struct {
		Event       map[string]any
		Invocations []map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &found))
	require.Equal(t, map[string]any{
		"op": "MANUAL", "data": map[string]any{"old": nil, "new": map[string]any{"k": 1.0}},
		"session_variables": map[string]any{"x-engine-role": "clerk"}, "trace_context": nil,
	}, found.Event["payload"])
	require.Equal(t, []any{true, false, 1.0, nil, nil, false}, []any{
		found.Event["delivered"], found.Event["error"], found.Event["tries"], found.Event["locked"], found.Event["next_retry_at"], found.Event["archived"],
	})
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`, found.Event["created_at"])
	require.Len(t, found.Invocations, 1)
	require.InDelta(t, 200, found.Invocations[0]["http_status"], 0)

	raw, err = f.source.EventInvocations(t.Context(), backend.EventQuery{Trigger: "watch", Limit: 1, Offset: 1})
	require.NoError(t, err)
	var invocations []map[string]any
	require.NoError(t, json.Unmarshal(raw, &invocations))
	require.Len(t, invocations, 1)

	_, err = f.source.EventByID(t.Context(), "nothing", 1, 0)
	require.ErrorContains(t, err, "event id nothing does not exist")
	require.ErrorContains(t, f.source.RedeliverEvent(t.Context(), "nothing"), "event not found")
	require.NoError(t, f.source.RedeliverEvent(t.Context(), ids[2]))
	taken, err := f.source.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: 5}}, 10)
	require.NoError(t, err)
	require.Len(t, taken, 1)
	require.Equal(t, ids[2], taken[0].ID)
	require.ErrorContains(t, f.source.RedeliverEvent(t.Context(), ids[2]), "event is already being processed")
}

func TestTakeEvents(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int PRIMARY KEY); CREATE TABLE other (id int)`)
	f.install(t, false, f.all("watch", "stock"), f.all("second", "other"))
	f.exec(t, `INSERT INTO stock SELECT generate_series(1, 50); INSERT INTO other VALUES (1)`)
	wanted := []backend.EventDemand{{Trigger: "watch", Size: 3}, {Trigger: "second", Size: 3}, {Trigger: "none", Size: 3}}
	taken, err := f.source.TakeEvents(t.Context(), wanted, 100)
	require.NoError(t, err)
	require.Len(t, taken, 4, "a trigger has no more in hand than it may")
	again, err := f.source.TakeEvents(t.Context(), wanted, 100)
	require.NoError(t, err)
	require.Empty(t, again)

	watched := taken[0]
	if watched.Trigger != "watch" {
		watched = taken[1]
	}
	require.WithinDuration(t, time.Now(), watched.Created, time.Minute)
	var body map[string]any
	require.NoError(t, json.Unmarshal(watched.Body, &body))
	require.Equal(t, map[string]any{"schema": "public", "name": "stock"}, body["table"])
	require.Equal(t, map[string]any{"name": "watch"}, body["trigger"])
	require.Equal(t, watched.ID, body["id"])

	// One is delivered, one waits, one is given back: three can be taken again.
	var ids []string
	for _, e := range taken {
		if e.Trigger == "watch" {
			ids = append(ids, e.ID)
		}
	}
	require.NoError(t, f.source.RecordEvents(t.Context(), []backend.EventOutcome{
		{ID: ids[0], State: backend.EventDelivered}, {ID: ids[1], State: backend.EventWaiting, RetryAt: time.Now().Add(time.Hour)},
	}))
	require.NoError(t, f.source.ReleaseEvents(t.Context(), ids[2:]))
	pending, err := f.source.PendingEvents(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, pending, 2)
	again, err = f.source.TakeEvents(t.Context(), wanted, 2)
	require.NoError(t, err)
	require.Len(t, again, 2, "no more than asked for")

	// Who holds an event for too long without a word loses it.
	f.exec(t, `UPDATE engine_catalog.event_log SET locked = now() - interval '50 s' WHERE locked IS NOT NULL`)
	require.NoError(t, f.source.RenewEvents(t.Context(), []string{again[0].ID}))
	lost, err := f.source.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: 100}}, 100)
	require.NoError(t, err)
	require.Len(t, lost, 47)
	require.Len(t, filter(lost, func(e backend.Event) bool { return e.Again }), 2, "the one that was given back too")

	// What has an end keeps it.
	require.NoError(t, f.source.RecordEvents(t.Context(), []backend.EventOutcome{{ID: ids[0], State: backend.EventFailed}}))
	require.Equal(t, "true false", f.text(t, `SELECT delivered || ' ' || error FROM engine_catalog.event_log WHERE id = '`+ids[0]+`'`))
}

func filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func TestOrderedEvents(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int, part int, label text, PRIMARY KEY (id, part))`)
	trigger := f.all("watch", "stock")
	trigger.Ordered = true
	f.install(t, false, trigger)
	f.exec(t, `INSERT INTO stock VALUES (1, 1, 'a'), (1, 2, 'a'); UPDATE stock SET label = 'b'; DELETE FROM stock WHERE part = 1`)
	wanted := []backend.EventDemand{{Trigger: "watch", Size: 10, Ordered: true}}
	take := func() []backend.Event {
		t.Helper()
		taken, err := f.source.TakeEvents(t.Context(), wanted, 10)
		require.NoError(t, err)
		return taken
	}
	first := take()
	require.Len(t, first, 2, "one of each row")
	require.Empty(t, take())
	record := func(state backend.EventState, events ...backend.Event) {
		t.Helper()
		var outcomes []backend.EventOutcome
		for _, e := range events {
			outcomes = append(outcomes, backend.EventOutcome{ID: e.ID, State: state, RetryAt: time.Now().Add(time.Hour)})
		}
		require.NoError(t, f.source.RecordEvents(t.Context(), outcomes))
	}
	record(backend.EventWaiting, first[0])
	record(backend.EventDelivered, first[1])
	second := take()
	require.Len(t, second, 1, "the row whose event waits for its retry waits with it")
	require.Contains(t, string(second[0].Body), "UPDATE")
	record(backend.EventFailed, first[0], second[0])
	require.NotEmpty(t, take())
}

func TestCleanEventLog(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, `INSERT INTO stock SELECT generate_series(1, 12);
		UPDATE engine_catalog.event_log SET delivered = true, created_at = now() - interval '2 h' WHERE (payload#>>'{data,new,id}')::int <= 10;
		INSERT INTO engine_catalog.event_invocation_logs (event_id) SELECT id FROM engine_catalog.event_log`)
	c := backend.EventCleanup{Trigger: "watch", OlderThan: time.Hour, BatchSize: 3, Timeout: time.Minute}
	found, more, err := f.source.CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 10}, found)
	require.False(t, more)
	batches := 0
	cleaned, err := f.source.CleanEventLog(t.Context(), c, func() bool { batches++; return batches <= 2 })
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 6}, cleaned)
	require.Equal(t, "6 12", f.text(t, `SELECT count(trigger_name) || ' ' || count(*) FROM engine_catalog.event_invocation_logs`))
	c.Invocations = true
	found, more, err = f.source.CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 4, Invocations: 4}, found)
	require.False(t, more)
	cleaned, err = f.source.CleanEventLog(t.Context(), c, nil)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 4, Invocations: 4}, cleaned)
	require.Equal(t, "2", f.text(t, `SELECT count(*)::text FROM engine_catalog.event_log`))
}

// TestOldEventsAreCountedUpToABound: counting is bounded by events and by time.
func TestOldEventsAreCountedUpToABound(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	c := backend.EventCleanup{Trigger: "watch", Timeout: time.Minute, Invocations: true}
	found, more, err := f.source.CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{}, found, "a source without a log")
	require.False(t, more)

	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, fmt.Sprintf(`INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, delivered, created_at)
		SELECT 'public', 'stock', 'watch', '{}', true, now() - interval '1 h' FROM generate_series(1, %d);
		INSERT INTO engine_catalog.event_invocation_logs (event_id) SELECT id FROM engine_catalog.event_log`, backend.MaxBacklog))
	found, more, err = f.source.CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: backend.MaxBacklog, Invocations: backend.MaxBacklog}, found)
	require.False(t, more)
	f.exec(t, `INSERT INTO engine_catalog.event_log (schema_name, table_name, trigger_name, payload, error, created_at)
		VALUES ('public', 'stock', 'watch', '{}', true, now() - interval '1 h')`)
	found, more, err = f.source.CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, int64(backend.MaxBacklog), found.Events)
	require.True(t, more)

	f.exec(t, `BEGIN; LOCK TABLE engine_catalog.event_invocation_logs`)
	c.Timeout = time.Second
	_, _, err = f.source.CountOldEvents(t.Context(), c)
	var fault *apierror.Error
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fmt.Sprintf("%s", fault.Internal), "statement timeout")
	f.exec(t, `COMMIT`)
}

// TestCleanUpEndsInTime holds that a batch that takes too long ends the clean-up, and earlier batches
// stay done.
func TestCleanUpEndsInTime(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, `INSERT INTO stock SELECT generate_series(1, 10);
		UPDATE engine_catalog.event_log SET delivered = true, created_at = now() - interval '2 h'`)
	c := backend.EventCleanup{Trigger: "watch", OlderThan: time.Hour, BatchSize: 3, Timeout: 3 * time.Second} // enough for a batch that nothing holds up
	batches := 0
	cleaned, err := f.source.CleanEventLog(t.Context(), c, func() bool {
		if batches++; batches == 2 {
			f.exec(t, `BEGIN; LOCK TABLE engine_catalog.event_invocation_logs`)
		}
		return true
	})
	var fault *apierror.Error
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fmt.Sprintf("%s", fault.Internal), "statement timeout")
	require.Equal(t, backend.EventsCleaned{Events: 3}, cleaned)
	f.exec(t, `COMMIT`)
	c.Timeout = time.Minute
	cleaned, err = f.source.CleanEventLog(t.Context(), c, nil)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 7}, cleaned)
}

func TestPlannedCleanups(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	now := time.Date(2015, 3, 1, 12, 0, 0, 0, time.UTC)
	times := []time.Time{now.Add(-2 * time.Hour), now.Add(-time.Hour), now.Add(time.Hour)}
	require.NoError(t, f.source.PlanCleanups(t.Context(), "watch", times))
	require.NoError(t, f.source.PlanCleanups(t.Context(), "watch", times[1:]))
	planned, err := f.source.PlannedCleanups(t.Context(), []string{"watch", "none"})
	require.NoError(t, err)
	require.Equal(t, map[string]backend.PlannedCleanups{"watch": {Count: 3, Last: times[2]}}, planned)

	due, err := f.source.DueCleanups(t.Context(), now)
	require.NoError(t, err)
	require.Len(t, due, 1)
	again, err := f.source.DueCleanups(t.Context(), now)
	require.NoError(t, err)
	require.Empty(t, again, "another worker has it")
	require.NoError(t, f.source.EndCleanup(t.Context(), due[0].ID, "completed", backend.EventsCleaned{Events: 2, Invocations: 1}))
	require.Equal(t, "dead - completed 2 scheduled -", f.text(t, `SELECT string_agg(status || ' ' || coalesce(deleted_event_logs::text, '-'), ' '
		ORDER BY scheduled_at) FROM engine_catalog.engine_event_log_cleanups`))
	require.NoError(t, f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Replan: []string{"watch"}}))
	planned, err = f.source.PlannedCleanups(t.Context(), []string{"watch"})
	require.NoError(t, err)
	require.Empty(t, planned)
}

func TestEventCatalogIsMadeOnce(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	const many = 6
	errs := make(chan error, many)
	for range many {
		go func() {
			errs <- f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{f.all("watch", "stock")}})
		}()
	}
	var all error
	for range many {
		all = errors.Join(all, <-errs)
	}
	require.NoError(t, all)
	newest := strconv.Itoa(len(eventlog.Catalogs()))
	require.Equal(t, newest, f.text(t, `SELECT version FROM engine_catalog.engine_source_catalog_version`))

	f.exec(t, `UPDATE engine_catalog.engine_source_catalog_version SET version = '99'`)
	err := f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{f.all("watch", "stock")}})
	require.ErrorContains(t, err, `the event log of the source has version "99", this server knows up to version `+newest)
}
