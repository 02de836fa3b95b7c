package metadata

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

const minutely = `{"type":"create_cron_trigger","args":{"name":"minutely","webhook":"http://hook","schedule":"* * * * *","include_in_metadata":true}}`

// number is the one number that a query of the metadata database gives.
func (w *world) number(t *testing.T, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.metadataURL)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over then
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestCronTriggersPlanTheirEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	const future = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE trigger_name = $1 AND scheduled_time > now() - interval '1 second'`
	// No tick passes while the test runs.
	minutes := (time.Now().Minute() + 30) % 60
	hourly := fmt.Sprintf(`{"type":"create_cron_trigger","args":{"name":"hourly","webhook":"http://hook","schedule":"%d * * * *","include_in_metadata":true}}`, minutes)
	i.ok(t, hourly)
	require.Equal(t, 100, w.number(t, future, "hourly"))
	i.fails(t, v1metadata, hourly, "already-exists", "$.args", "cron trigger with name: hourly already exists")

	// An unchanged trigger keeps its events; events with an attempt stay in any case.
	w.sql(t, w.metadataURL, `UPDATE engine_catalog.engine_cron_events SET tries = 1, status = 'delivered' WHERE scheduled_time =
		(SELECT max(scheduled_time) FROM engine_catalog.engine_cron_events)`)
	kept := w.number(t, `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE tries = 0`)
	i.ok(t, `{"type":"create_cron_trigger","args":{"name":"other","webhook":"http://hook","schedule":"0 0 1 1 *","include_in_metadata":false}}`)
	require.Equal(t, 99, kept)
	require.Equal(t, 100, w.number(t, future, "hourly"))
	// The new schedule has no tick where the one is that was tried.
	minute := (minutes + 15) % 60
	i.ok(t, fmt.Sprintf(`{"type":"create_cron_trigger","args":{"name":"hourly","webhook":"http://hook","schedule":"%d * * * *","include_in_metadata":true,"replace":true}}`, minute))
	require.Equal(t, 101, w.number(t, future, "hourly"))
	require.Zero(t, w.number(t, `SELECT count(*) FROM engine_catalog.engine_cron_events
		WHERE trigger_name = 'hourly' AND tries = 0 AND extract(minute FROM scheduled_time) <> $1`, minute))

	// An import treats triggers alike, and keeps those that an export doesn't show.
	i.ok(t, `{"type":"replace_metadata","args":{"version":3,"sources":[],"cron_triggers":[
		{"name":"daily","webhook":"http://hook","schedule":"0 0 * * *","include_in_metadata":true}]}}`)
	require.Equal(t, 1, w.number(t, future, "hourly"))
	require.Equal(t, 100, w.number(t, future, "daily"))
	require.Equal(t, 100, w.number(t, future, "other"))
	i.ok(t, `{"type":"delete_cron_trigger","args":{"name":"daily"}}`)
	require.Zero(t, w.number(t, future, "daily"))
	i.fails(t, v1metadata, `{"type":"delete_cron_trigger","args":{"name":"daily"}}`, "not-exists", "$.args", "cron trigger with name: daily does not exist")
	i.ok(t, `{"type":"clear_metadata","args":{}}`)
	require.Zero(t, w.number(t, future, "other"))
}

func TestCronTriggerWithoutItsVariable(t *testing.T) {
	t.Parallel()
	i := newWorld(t).start(t)
	e := i.fails(t, v1metadata, `{"type":"create_cron_trigger","args":{"name":"n","webhook":"{{NO_SUCH_HOOK}}/x","schedule":"* * * * *","include_in_metadata":true}}`,
		"invalid-configuration", "$.args", "Inconsistent object: in cron trigger n: Value for environment variables not found: NO_SUCH_HOOK")
	require.Contains(t, e.internal, `"name":"cron_trigger n"`)
	require.Contains(t, e.internal, `"type":"cron_trigger"`)
}

func TestCronEventsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	i.ok(t, minutely)
	w.sql(t, w.metadataURL, `
		UPDATE engine_catalog.engine_cron_events SET status = 'error', tries = 2 WHERE scheduled_time =
			(SELECT min(scheduled_time) FROM engine_catalog.engine_cron_events);
		INSERT INTO engine_catalog.engine_cron_event_invocation_logs (event_id, status, request, response, created_at)
			SELECT id, s, '{"version":"1"}', '{"type":"client_error"}', now() + make_interval(secs => coalesce(s, 0))
			FROM engine_catalog.engine_cron_events, unnest(ARRAY[500, NULL, 503]) s WHERE tries = 2`)
	type answer struct {
		Count  *int             `json:"count"`
		Events []map[string]any `json:"events"`
		Calls  []map[string]any `json:"invocations"`
	}
	get := func(body string) answer {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(i.ok(t, body)), &a))
		return a
	}
	a := get(`{"type":"get_scheduled_events","args":{"type":"cron","trigger_name":"minutely","status":["scheduled"],"limit":2,"offset":1,"get_rows_count":true}}`)
	require.Equal(t, 99, *a.Count)
	require.Len(t, a.Events, 2)
	require.Less(t, a.Events[0]["scheduled_time"], a.Events[1]["scheduled_time"])
	a = get(`{"type":"get_scheduled_events","args":{"type":"cron","trigger_name":"minutely","limit":1,
		"order_by":[{"column":"tries","type":"desc","nulls":"last"},{"column":"scheduled_time"}]}}`)
	require.Nil(t, a.Count)
	event := a.Events[0]
	require.Equal(t, "error", event["status"])
	require.Nil(t, event["next_retry_at"])
	require.Len(t, event, 7)
	scheduled, err := time.Parse(time.RFC3339, event["scheduled_time"].(string))
	require.NoError(t, err)
	require.Zero(t, scheduled.Second())

	id, _ := json.Marshal(event["id"])
	a = get(`{"type":"get_scheduled_event_invocations","args":{"type":"cron","event_id":` + string(id) + `,"get_rows_count":true,"limit":2}}`)
	require.Equal(t, 3, *a.Count)
	require.Len(t, a.Calls, 2)
	require.InDelta(t, 503, a.Calls[0]["status"], 0)
	require.Len(t, a.Calls[0], 6)
	a = get(`{"type":"get_scheduled_event_invocations","args":{"type":"cron","trigger_name":"minutely","status":["delivered"]}}`)
	require.Equal(t, []map[string]any{}, a.Calls)

	w.sql(t, w.metadataURL, `INSERT INTO engine_catalog.engine_cron_event_invocation_logs (event_id, status, created_at)
		SELECT min(id), s, '2020-01-01T00:00:00Z'::timestamptz + make_interval(secs => coalesce(s, 0) - 200)
		FROM engine_catalog.engine_cron_events, unnest(ARRAY[200, 259, 500]) s GROUP BY s;
		INSERT INTO engine_catalog.engine_scheduled_events (id, webhook_conf, scheduled_time) VALUES ('once', '{}', now());
		INSERT INTO engine_catalog.engine_scheduled_event_invocation_logs (event_id, status, created_at) VALUES ('once', NULL, '2020-01-01T00:00:00Z')`)
	const period = `"from":"2020-01-01T00:00:00Z","to":"2020-01-01T00:06:00Z","interval":240}}`
	require.JSONEq(t, `{"from":"2020-01-01T00:00:00Z","to":"2020-01-01T00:06:00Z","interval":240,"counts":[
		{"at":"2020-01-01T00:00:00Z","succeeded":2,"failed":0},{"at":"2020-01-01T00:04:00Z","succeeded":0,"failed":1}]}`,
		i.ok(t, `{"type":"count_scheduled_event_invocations","args":{"type":"cron","trigger_name":"minutely",`+period))
	require.JSONEq(t, `{"from":"2020-01-01T00:00:00Z","to":"2020-01-01T00:06:00Z","interval":240,"counts":[
		{"at":"2020-01-01T00:00:00Z","succeeded":0,"failed":1},{"at":"2020-01-01T00:04:00Z","succeeded":0,"failed":0}]}`,
		i.ok(t, `{"type":"count_scheduled_event_invocations","args":{"type":"one_off",`+period))
	i.fails(t, v1metadata, `{"type":"count_scheduled_event_invocations","args":{"type":"cron","trigger_name":"none",`+period, "not-exists", "$.args", "cron trigger with name: none does not exist")
	i.fails(t, v1metadata, `{"type":"count_scheduled_event_invocations","args":{"type":"cron",`+period, "parse-failed", "$.args", `key "trigger_name" not found`)

	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"cron","trigger_name":"none"}}`, "not-exists", "$.args", "cron trigger with name: none does not exist")
	i.fails(t, v1metadata, `{"type":"get_scheduled_event_invocations","args":{"type":"cron"}}`, "parse-failed", "$.args", `key "trigger_name" not found`)
	i.fails(t, v1metadata, `{"type":"get_scheduled_event_invocations","args":{"type":"cron","trigger_name":"none"}}`, "not-exists", "$.args", "cron trigger with name: none does not exist")
	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"cron"}}`, "parse-failed", "$.args", `key "trigger_name" not found`)
	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"one_off","status":["lost"]}}`, "parse-failed", "$.args.status[0]", "unexpected status: lost")
	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"daily"}}`, "parse-failed", "$.args.type", "expected cron or one_off, but found daily")
	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"one_off","order_by":[{"column":"1; DROP"}]}}`, "parse-failed", "$.args.order_by[0].column", "unexpected column: 1; DROP")
	i.fails(t, v1metadata, `{"type":"get_scheduled_events","args":{"type":"one_off","limit":-1}}`, "parse-failed", "$.args.limit", "unexpected negative value")
}

func TestOneOffEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	var created struct {
		Message string `json:"message"`
		ID      string `json:"event_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"create_scheduled_event","args":{
		"webhook":"{{HOOK}}/x","schedule_at":"2015-03-01T02:00:00.5+01:00","payload":{"k":1},"headers":[{"name":"H","value_from_env":"V"}],
		"retry_conf":{"num_retries":4},"comment":"once"}}`)), &created))
	require.Equal(t, "success", created.Message)
	var a struct{ Events []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"get_scheduled_events","args":{"type":"one_off"}}`)), &a))
	require.Len(t, a.Events, 1)
	delete(a.Events[0], "created_at")
	got, err := json.Marshal(a.Events[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"`+created.ID+`","webhook_conf":"{{HOOK}}/x","scheduled_time":"2015-03-01T01:00:00.5Z",
		"retry_conf":{"num_retries":4,"retry_interval_seconds":10,"timeout_seconds":60,"tolerance_seconds":21600},"payload":{"k":1},
		"header_conf":[{"name":"H","value_from_env":"V"}],"status":"scheduled","tries":0,"next_retry_at":null,"comment":"once",
		"request_transform":null,"response_transform":null}`, string(got))

	for _, id := range []string{created.ID, "unknown"} {
		require.JSONEq(t, `{"message":"success"}`, i.ok(t, `{"type":"delete_scheduled_event","args":{"type":"one_off","event_id":"`+id+`"}}`))
	}
	require.JSONEq(t, `{"events":[],"count":0}`, i.ok(t, `{"type":"get_scheduled_events","args":{"type":"one_off","get_rows_count":true}}`))
	i.fails(t, v1metadata, `{"type":"create_scheduled_event","args":{"webhook":"http://h","schedule_at":"tomorrow"}}`, "parse-failed",
		"$.args.schedule_at", `parsing UTCTime failed, "tomorrow" is no time with a zone, such as 2015-03-01T02:00:00Z`)
	i.fails(t, v1metadata, `{"type":"create_scheduled_event","args":{"webhook":"http://h","schedule_at":"2015-03-01T02:00:00Z","request_transform":{"body":"}}"}}}`,
		"validation-failed", "$.args", "request transform validation failed")
	i.fails(t, v1query, `{"type":"get_scheduled_events","args":{"type":"one_off"}}`, "parse-failed", "$", `unknown type "get_scheduled_events" for version 1`)
}
