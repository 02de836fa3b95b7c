package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// Recordings name servers instead of their addresses.
func (c *consoleFixture) names() map[string]string {
	return map[string]string{
		"http://engine.test": c.console.url, "http://open.test": c.open.url, "http://remote.test": c.remote,
		"postgres://somebody:a-password@postgres.test/other": c.others["postgres"], "/sqlite.test/library.db": c.others["sqlite"],
		"sqlserver://mssql.test": c.others["mssql"], "http://bigquery.test": c.others["bigquery"], "a-project": c.others["project"],
	}
}

// recordedFrom is the version of the metadata that each recording begins with, which in the engine is one of
// those from firstVersion on: both are found among other numbers.
const (
	recordedFrom = 7_500_000
	firstVersion = 7_000_000
)

// newRecordedConsole starts the servers that exchanges are recorded from and checked with.
func newRecordedConsole(t *testing.T) (*consoleFixture, func() int64) {
	t.Helper()
	f := newConsoleServer(t, firstVersion)
	// The database has a log of events from the beginning, as it has one from the first test on that makes a trigger.
	trigger := map[string]any{"source": "default", "name": "first", "table": "author", "webhook": "http://127.0.0.1:1", "insert": map[string]any{"columns": "*"}}
	f.console.metadata("pg_create_event_trigger", trigger)
	f.console.metadata("pg_delete_event_trigger", map[string]any{"source": "default", "name": "first"})
	var exported struct {
		Metadata json.RawMessage `json:"metadata"`
	}
	answered := f.console.post("/v1/metadata", asAdmin, map[string]any{"type": "export_metadata", "version": 2, "args": map[string]any{}})
	require.NoError(t, json.Unmarshal(answered.body, &exported))
	database, other, metadata := keptConnection(t, f.cluster.databaseURL), keptConnection(t, f.others["postgres"]), keptConnection(t, f.cluster.metadataURL)
	// reset makes all as it was, and returns the version of the metadata.
	reset := func() int64 {
		f.console.metadata("clear_metadata", map[string]any{})
		database(dropSchemas + consoleTables)
		other(dropSchemas)
		for _, suffix := range []string{"", ".grids"} {
			_ = os.Remove(f.others["sqlite"] + suffix) // it may not be there
		}
		f.console.metadata("replace_metadata", exported.Metadata)
		// Each by itself: the services use these tables meanwhile, in an order of their own.
		for _, statement := range []string{
			`DELETE FROM engine_catalog.engine_scheduled_events`, `DELETE FROM engine_catalog.engine_cron_events`, `DELETE FROM engine_catalog.engine_action_log`,
			`DELETE FROM engine_catalog.metadata_change WHERE published AND version < (SELECT resource_version FROM engine_catalog.metadata_version)`,
		} {
			metadata(statement)
		}
		database(`DELETE FROM engine_catalog.event_invocation_logs; DELETE FROM engine_catalog.event_log`)
		return f.console.version()
	}
	return f, reset
}

// keptConnection returns what runs statements on one connection.
func keptConnection(t *testing.T, url string) func(sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return func(sql string) {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
}

// dropSchemas empties a database.
const dropSchemas = `DO $$ DECLARE s text; BEGIN
	FOR s IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname NOT IN ('information_schema', 'engine_catalog') LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', s);
	END LOOP;
	CREATE SCHEMA public;
END $$;
`

// TestConsoleRecord records what the engine answers in the tests of the console over simulated pages, with CONSOLE_RECORD
// in the environment.
func TestConsoleRecord(t *testing.T) {
	if os.Getenv("CONSOLE_RECORD") == "" {
		t.Skip("recordings are made by make console-record")
	}
	f, reset := newRecordedConsole(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, reset())
	}))
	t.Cleanup(server.Close)
	names, err := json.Marshal(f.names())
	require.NoError(t, err)
	if path := os.Getenv("CONSOLE_SERVE"); path != "" { // for a while, in which vitest is run by hand
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "export CONSOLE_RECORD=1 CONSOLE_NAMES='%s' CONSOLE_SECRET='%s' CONSOLE_RESET='%s'\n", names, secret, server.URL), 0o600))
		for _, err := os.Stat(path); err == nil; _, err = os.Stat(path) {
			time.Sleep(time.Second)
		}
		return
	}
	require.NoError(t, vitest(t, "CONSOLE_NAMES="+string(names), "CONSOLE_SECRET="+secret, "CONSOLE_RESET="+server.URL).Run())
}

// vitest returns the command that runs the console's tests in simulated pages. It skips the test if npm can't install their packages.
func vitest(t *testing.T, settings ...string) *exec.Cmd {
	t.Helper()
	scenarios, err := filepath.Abs("testdata/console")
	require.NoError(t, err)
	// Pages come and go: a larger young generation and code that is compiled at once take a tenth less of the processors.
	node := exec.CommandContext(t.Context(), nodetest.Program(t), "--max-semi-space-size=128", "--always-sparkplug", "node_modules/vitest/vitest.mjs", "run")
	node.Dir = nodetest.Install(t, "../../gateway/console")
	node.Env = append(append(os.Environ(), "CONSOLE_SCENARIOS="+scenarios), settings...)
	node.Stdout, node.Stderr = t.Output(), t.Output()
	return node
}

// TestConsoleComponents uses the console in simulated pages, with the answers that TestConsoleRecorded compares with those of the engine.
func TestConsoleComponents(t *testing.T) {
	t.Parallel()
	require.NoError(t, vitest(t).Run())
}

// consoleRecording has the requests of one console test and the engine's answers.
type consoleRecording struct {
	At        int64 `json:"at"` // when it was recorded, in milliseconds
	Exchanges []struct {
		Method  string             `json:"method"`
		URL     string             `json:"url"`
		Headers map[string]*string `json:"headers"`
		Body    json.RawMessage    `json:"body"`
		Write   bool               `json:"write"`
		Status  int                `json:"status"`
		Answer  json.RawMessage    `json:"answer"`
	} `json:"exchanges"`
	Webhooks []struct {
		Method, Path, Answer string
		Status               int
	} `json:"webhooks"`
}

const recordedDirectory = "testdata/console/recorded"

// answerLimit bounds how long an answer may take to become what was recorded: events are delivered meanwhile.
const answerLimit = 20 * time.Second

// TestConsoleRecorded asks the engine what was recorded for the tests of the console over simulated pages, and expects the same
// answers, so that the simulated pages show what this engine answers.
func TestConsoleRecorded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(recordedDirectory, "*.json"))
	require.NoError(t, err)
	parts := map[string]json.RawMessage{}
	readJSON(t, filepath.Join(recordedDirectory, "parts.json"), &parts)
	f, reset := newRecordedConsole(t)
	only := regexp.MustCompile(os.Getenv("ONLY"))
	for _, file := range files {
		if name := filepath.Base(file); name != "parts.json" && only.MatchString(name) {
			var r consoleRecording
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &r), file)
			spatial := strings.Contains(string(text), "EXTENSION IF NOT EXISTS postgis")
			t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
				if spatial && number(t, f.cluster.databaseURL, `SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis'`) == 0 {
					t.Skip("PostGIS is not installed")
				}
				f.repeat(t, r, parts, reset())
			})
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into), path)
}

var versionPattern = regexp.MustCompile(`\b7\d{6}\b`)

// moved moves the versions of the metadata in a text.
func moved(text string, by int64) string {
	return versionPattern.ReplaceAllStringFunc(text, func(n string) string {
		v, _ := strconv.ParseInt(n, 10, 64) // it has seven digits
		return strconv.FormatInt(v+by, 10)
	})
}

var timePattern = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// presented moves the times in a request that are near that of its recording to the present: the engine drops events that are long due.
func (r *consoleRecording) presented(text string) string {
	at := time.UnixMilli(r.At)
	return timePattern.ReplaceAllStringFunc(text, func(found string) string {
		given, err := time.Parse(time.RFC3339Nano, found)
		if err != nil || given.Sub(at).Abs() > 24*time.Hour {
			return found
		}
		return given.Add(time.Since(at)).UTC().Format("2006-01-02T15:04:05.000Z")
	})
}

// repeat sends what was recorded, in this order, to an engine whose metadata is at a version.
func (c *consoleFixture) repeat(t *testing.T, r consoleRecording, parts map[string]json.RawMessage, version int64) {
	names := c.names()
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		for _, h := range r.Webhooks {
			if h.Method == q.Method && h.Path == q.URL.Path {
				w.WriteHeader(h.Status)
				_, _ = io.WriteString(w, h.Answer)
				return
			}
		}
	}))
	defer hooks.Close()
	for i := range 4 {
		names[fmt.Sprintf("http://webhook-%d.test", i+1)] = hooks.URL
	}
	var there, back []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		there, back = append(there, name, names[name]), append(back, names[name], name)
	}
	outward, inward := strings.NewReplacer(there...), strings.NewReplacer(back...)
	ids := map[string]string{} // that the engine has now, by those that it had
	for i, e := range r.Exchanges {
		url, body := e.URL, string(e.Body)
		if strings.HasPrefix(url, "/") {
			url = "http://engine.test" + url
		}
		var text string
		if json.Unmarshal(e.Body, &text) == nil {
			body = text
		}
		expected := whole(t, e.Answer, parts)
		if json.Unmarshal(e.Answer, &text) == nil {
			expected = parsed(text)
		}
		had := idsOf(t, expected)
		want := steady(expected)
		// Counters and times, of which only the fields are the same.
		isStatus := counting.MatchString(body) || strings.Contains(want, `"locked": "any"`) // an event that is just being delivered
		if isStatus {
			want = fieldsOf(t, want)
		}
		var status int
		var got string
		what := fmt.Sprintf("%d. %s %s %s", i+1, e.Method, e.URL, body)
		for end := time.Now().Add(answerLimit); ; time.Sleep(20 * time.Millisecond) {
			q, err := http.NewRequestWithContext(t.Context(), e.Method, outward.Replace(url), strings.NewReader(moved(outward.Replace(r.presented(renamed(body, ids))), version-recordedFrom)))
			require.NoError(t, err)
			q.Header.Set("X-Engine-Admin-Secret", secret)
			q.Header.Set("Content-Type", "application/json") // which /mcp wants, and what it may answer with
			q.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range e.Headers {
				q.Header.Del(name)
				if value != nil {
					q.Header.Set(name, *value)
				}
			}
			a, err := http.DefaultClient.Do(q)
			require.NoError(t, err)
			answered, err := io.ReadAll(a.Body)
			require.NoError(t, err)
			require.NoError(t, a.Body.Close())
			status, got = a.StatusCode, moved(inward.Replace(string(answered)), recordedFrom-version)
			actual := parsed(got)
			has := idsOf(t, actual)
			got = steady(actual)
			if len(has) == len(had) {
				for i := range had {
					ids[had[i]] = has[i]
				}
			}
			if isStatus {
				got = fieldsOf(t, got)
			}
			if (status == e.Status && got == want) || e.Write || time.Now().After(end) {
				break
			}
		}
		require.Equal(t, e.Status, status, "%s\n%s\nIf the console can do with it: make console-record", what, got)
		require.Equal(t, want, got, "%s\nIf the console can do with it: make console-record", what)
	}
}

// counting are the requests whose answers have counters and times.
var counting = regexp.MustCompile(`^\{"type":"(get_status|\w*count_\w*invocations)"`)

var idPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// idsOf are the identifiers in an answer, in the order of its fields.
func idsOf(t *testing.T, answer any) []string {
	t.Helper()
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	return idPattern.FindAllString(string(text), -1)
}

// renamed is a text with other identifiers.
func renamed(text string, ids map[string]string) string {
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		if other, ok := ids[id]; ok {
			return other
		}
		return id
	})
}

// parsed is the value of a text, if it is JSON, and else the text.
func parsed(text string) any {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return text
	}
	return value
}

// whole is an answer with its parts.
func whole(t *testing.T, text json.RawMessage, parts map[string]json.RawMessage) any {
	t.Helper()
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = fill(v[i])
			}
		case map[string]any:
			if key, ok := v["$"].(string); ok && len(v) == 1 {
				require.Contains(t, parts, key)
				return whole(t, parts[key], parts)
			}
			for k := range v {
				v[k] = fill(v[k])
			}
		}
		return v
	}
	return fill(value)
}

// fieldsOf are the fields of an object, and of the objects that it lists; or those of the objects of a list.
func fieldsOf(t *testing.T, text string) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{"": value}
	}
	fields := map[string]bool{}
	for k, v := range object {
		fields[k] = !sometimes[k]
		list, _ := v.([]any)
		for _, item := range list {
			if item, ok := item.(map[string]any); ok {
				for field := range item {
					fields[k+"."+field] = !sometimes[field]
				}
			}
		}
	}
	maps.DeleteFunc(fields, func(_ string, always bool) bool { return !always })
	return strings.Join(slices.Sorted(maps.Keys(fields)), "\n")
}

// sometimes are the fields of a status that are left out where there is nothing to say.
var sometimes = map[string]bool{
	"backlog_error": true, "cleanups": true, "error": true, "inconsistent": true, "operations": true, "paused": true, "source": true, "trigger": true, "triggers": true, "unreachable": true,
}

// volatile are the fields of answers that are other ones each time, and passing are texts that are.
var (
	listed   = map[string]bool{"types": true, "fields": true, "inputFields": true, "enumValues": true, "possibleTypes": true, "args": true}
	volatile = map[string]bool{"request_id": true, "at": true, "created_at": true, "next_retry_at": true, "uptime_seconds": true, "instance": true, "duration": true, "seconds": true}
	passing  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)?|127\.0\.0\.1:\d+|"[A-Z][A-Za-z ]* (Time|Blocks)": [\d.]+`)
)

// isDate reports whether a value is the header that says when an answer was made.
func isDate(v any) bool {
	header, _ := v.(map[string]any)
	return header["name"] == "Date"
}

// steady is a value as JSON, without what is another one each time.
func steady(v any) string {
	var calm func(v any) any
	calm = func(v any) any {
		switch v := v.(type) {
		case []any:
			if slices.ContainsFunc(v, isDate) {
				return "any" // headers of an answer, by whichever server
			}
			for i := range v {
				v[i] = calm(v[i])
			}
		case map[string]any:
			for k := range v {
				// A GraphQL server lists what its schema has in any order.
				if list, ok := v[k].([]any); ok && listed[k] {
					slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
				}
				if volatile[k] {
					v[k] = "any"
					continue
				}
				v[k] = calm(v[k])
			}
		case string:
			return passing.ReplaceAllString(v, "any")
		}
		return v
	}
	text, _ := json.MarshalIndent(calm(v), "", " ") // it was JSON
	return string(text)
}
