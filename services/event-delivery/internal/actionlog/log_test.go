package actionlog

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/action"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// newLog is a log in a database of its own, with the table as the metadata service makes it.
func newLog(t *testing.T) *Log {
	t.Helper()
	sql, err := os.ReadFile(filepath.Join("..", "..", "..", "metadata", "internal", "store", "migrations", "4_action_log.sql"))
	require.NoError(t, err)
	l, err := Open(dbtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(l.Close)
	_, err = l.pool.Exec(t.Context(), `CREATE SCHEMA engine_catalog;`+string(sql))
	require.NoError(t, err)
	return l
}

func (l *Log) add(t *testing.T, c Call) string {
	t.Helper()
	if c.Input == nil {
		c.Input = json.RawMessage(`{}`)
	}
	id, err := l.Add(t.Context(), &c)
	require.NoError(t, err)
	return id
}

func (l *Log) status(t *testing.T, id string) string {
	t.Helper()
	var status string
	require.NoError(t, l.pool.QueryRow(t.Context(), `SELECT status FROM engine_catalog.engine_action_log WHERE id = $1`, id).Scan(&status))
	return status
}

func ids(calls []*Call) []string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.ID
	}
	return list
}

func TestLogGivesEachCallToOne(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	session, headers := map[string]string{"x-engine-role": "user"}, map[string]string{"cookie": "a=b"}
	first := l.add(t, Call{Action: "rate", Input: json.RawMessage(`{"a": 1}`), Session: session, Headers: headers, Version: 7})
	second, foreign := l.add(t, Call{Action: "rate"}), l.add(t, Call{Action: "gone"})

	taken, err := l.take(t.Context(), 1, []string{"rate"}, []string{})
	require.NoError(t, err)
	require.Equal(t, []*Call{{ID: first, Action: "rate", Input: json.RawMessage(`{"a": 1}`), Session: session, Headers: headers, Version: 7}}, taken)
	taken, err = l.take(t.Context(), 10, []string{"rate"}, []string{})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{second, foreign}, ids(taken))
	taken, err = l.take(t.Context(), 10, []string{"rate"}, []string{})
	require.NoError(t, err)
	require.Empty(t, taken)

	// Calls leased by a worker that died come back, as long as their action is there.
	require.NoError(t, l.keep(t.Context(), -time.Second, first, foreign))
	taken, err = l.take(t.Context(), 10, []string{"rate"}, []string{})
	require.NoError(t, err)
	require.Equal(t, []string{first}, ids(taken))
	require.Equal(t, "processing", l.status(t, foreign))
	require.NoError(t, l.giveBack(t.Context(), []string{first}))
	require.Equal(t, "created", l.status(t, first))
}

func TestLogKeepsTheFirstEnd(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	owner := map[string]string{"x-engine-role": "user", "x-engine-user-id": "1"}
	id := l.add(t, Call{Action: "rate", Session: owner})
	entry, err := l.Read(t.Context(), "rate", id, nil)
	require.NoError(t, err)
	require.Nil(t, entry.Response)
	require.Nil(t, entry.Errors)
	var created time.Time
	require.NoError(t, json.Unmarshal(entry.CreatedAt, &created))
	finished, err := l.Finished(t.Context(), []string{id})
	require.NoError(t, err)
	require.Empty(t, finished)

	require.NoError(t, l.complete(t.Context(), id, []byte(`[1]`)))
	require.NoError(t, l.fail(t.Context(), id, json.RawMessage(`{"error":"late"}`)))
	require.NoError(t, l.giveBack(t.Context(), []string{id}))
	both := map[string]string{"x-engine-role": "user", "x-acme-role": "user", "x-engine-user-id": "1", "x-acme-user-id": "1"}
	for _, of := range []string{id, l.add(t, Call{Action: "rate", Session: both})} {
		for _, asked := range []map[string]string{owner, both} {
			entry, err = l.Read(t.Context(), "rate", of, asked)
			require.NoError(t, err)
			require.NotNil(t, entry, "the names of another engine make no other owner")
		}
	}
	entry, err = l.Read(t.Context(), "rate", id, owner)
	require.NoError(t, err)
	require.Equal(t, `[1]`, string(entry.Response))
	require.Nil(t, entry.Errors)
	require.Equal(t, "completed", l.status(t, id))
	const unknown = "5bb92e20-2ee1-4d19-8c0a-6b1c6fdd4b3c"
	finished, err = l.Finished(t.Context(), []string{id, unknown})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{id, unknown}, finished)

	for name, ask := range map[string]func() (*Entry, error){
		"another session": func() (*Entry, error) {
			return l.Read(t.Context(), "rate", id, map[string]string{"x-engine-role": "user", "x-engine-user-id": "2"})
		},
		"fewer variables": func() (*Entry, error) {
			return l.Read(t.Context(), "rate", id, map[string]string{"x-engine-role": "user"})
		},
		"no variables":   func() (*Entry, error) { return l.Read(t.Context(), "rate", id, map[string]string{}) },
		"another action": func() (*Entry, error) { return l.Read(t.Context(), "other", id, nil) },
		"another id":     func() (*Entry, error) { return l.Read(t.Context(), "rate", unknown, nil) },
	} {
		entry, err := ask()
		require.NoError(t, err, name)
		require.Nil(t, entry, name)
	}
	_, err = l.Add(t.Context(), &Call{Action: "rate", Input: json.RawMessage(`{"a":"\u0000"}`)})
	var unstorable *unstorableError
	require.ErrorAs(t, err, &unstorable)
}

// newWorker is a worker on a log; the channel receives the ends of its calls.
func newWorker(t *testing.T, l *Log, c Config) (*Worker, chan string) {
	t.Helper()
	client, err := egress.New(egress.DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	ended := make(chan string, 100)
	c.Log, c.Logger, c.Client = l, slog.New(slog.DiscardHandler), action.NewClient(client, os.LookupEnv, telemetry.Discard(), nil)
	c.Interval, c.Batch, c.Concurrency = 10*time.Millisecond, 2, 3
	if c.Await == nil {
		c.Await = func(context.Context, int64) error { return nil }
	}
	c.Ended = func(ids ...string) {
		for _, id := range ids {
			ended <- id
		}
	}
	w := New(c)
	w.Start()
	return w, ended
}

// asynchronous is a version of the metadata with actions, all at one address.
func asynchronous(handler string, outputs map[string]string) *snapshot.Snapshot {
	d := &metadata.Document{CustomTypes: json.RawMessage(`{"objects":[{"name":"Out","fields":[{"name":"id","type":"Int!"}]}]}`)}
	for name, output := range outputs {
		raw, _ := json.Marshal(map[string]any{"name": name, "definition": map[string]any{
			"kind": "asynchronous", "handler": handler + "/" + name, "output_type": output, "forward_client_headers": true,
		}})
		d.Actions = append(d.Actions, raw)
	}
	return &snapshot.Snapshot{Document: d}
}

func TestWorkerEndsCalls(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 100)
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- r.Header.Get("Cookie") + " " + string(body)
		switch r.URL.Path {
		case "/misfit":
			_, _ = io.WriteString(w, `{"id":null}`)
		case "/zero":
			_, _ = io.WriteString(w, `"\u0000"`)
		case "/refuse":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message":"no","extensions":{"code":"mine"}}`)
		default:
			_, _ = io.WriteString(w, `{"id":1,"more":[true]}`)
		}
	}))
	t.Cleanup(handler.Close)
	l := newLog(t)
	w, ended := newWorker(t, l, Config{})
	t.Cleanup(func() { w.Stop(0) })
	outputs := map[string]string{"good": "Out", "misfit": "Out!", "zero": "String", "refuse": "jsonb"}
	w.Follow(asynchronous(handler.URL, outputs))
	for name, want := range map[string]struct{ response, errors string }{
		"good":   {response: `{"id": 1, "more": [true]}`},
		"misfit": {errors: `expecting not null value for field "id"`},
		"zero":   {errors: `the answer of the handler can't be stored: unsupported Unicode escape sequence`},
		"refuse": {errors: `no`},
	} {
		id := l.add(t, Call{Action: name, Input: json.RawMessage(`{"n":1}`), Session: map[string]string{"x-engine-role": "user"}, Headers: map[string]string{"cookie": "a=b"}})
		w.Wake()
		require.Equal(t, id, <-ended)
		entry, err := l.Read(t.Context(), name, id, nil)
		require.NoError(t, err)
		require.Equal(t, want.response, string(entry.Response), name)
		require.Equal(t, `a=b {"action":{"name":"`+name+`"},"input":{"n":1},"session_variables":{"x-engine-role":"user"},"request_query":null}`, <-bodies)
		if want.errors == "" {
			require.Nil(t, entry.Errors)
			continue
		}
		var reason struct{ Path, Error, Code string }
		require.NoError(t, json.Unmarshal(entry.Errors, &reason))
		require.Equal(t, struct{ Path, Error, Code string }{"$", want.errors, "unexpected"}, reason)
		require.Equal(t, "error", l.status(t, id))
	}

	// An action that isn't there leaves its calls as they are, and makes them when it comes back.
	id := l.add(t, Call{Action: "late"})
	w.Wake()
	require.Eventually(t, func() bool { return l.status(t, id) == "processing" && len(w.inProgress()) == 0 }, 30*time.Second, 5*time.Millisecond)
	outputs["late"] = "Out"
	w.Follow(asynchronous(handler.URL, outputs))
	require.Equal(t, id, <-ended)
}

func TestStoppedWorkerGivesCallsBack(t *testing.T) {
	t.Parallel()
	called, release := make(chan struct{}, 10), make(chan struct{})
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- struct{}{}
		select {
		case <-release:
			_, _ = io.WriteString(w, `{"id":1}`)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(handler.Close)
	l := newLog(t)
	version := asynchronous(handler.URL, map[string]string{"slow": "Out"})
	w, _ := newWorker(t, l, Config{})
	w.Follow(version)
	var list []string
	for range 5 {
		list = append(list, l.add(t, Call{Action: "slow"}))
	}
	for range 2 { // as many as may be called at once, but for a place that is for other actions
		<-called
	}
	w.Stop(time.Millisecond)
	for _, id := range list {
		require.Equal(t, "created", l.status(t, id))
	}
	require.Empty(t, called)

	// A worker with enough time waits for its pending calls, and takes nothing more.
	w, ended := newWorker(t, l, Config{})
	w.Follow(version)
	for range 2 {
		<-called
	}
	stopped := make(chan struct{})
	go func() {
		w.Stop(time.Minute)
		close(stopped)
	}()
	close(release)
	<-stopped
	require.GreaterOrEqual(t, len(ended), 2)
	for range len(ended) {
		require.Equal(t, "completed", l.status(t, <-ended))
	}
}

// TestFaultsOfActionsAreTheirOwn: actions share the workers. Whatever the handler of one does, the calls of another are made.
func TestFaultsOfActionsAreTheirOwn(t *testing.T) {
	t.Parallel()
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/good":
			_, _ = io.WriteString(w, `{"id":1}`)
		case "/fails":
			w.WriteHeader(http.StatusInternalServerError)
		case "/hangs":
			<-r.Context().Done()
		case "/slow":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
		case "/leaves", "/garbage":
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = io.WriteString(c, map[string]string{"/garbage": "\x00\xffHTTP/9"}[r.URL.Path])
				_ = c.Close()
			}
		}
	}))
	t.Cleanup(handler.Close)
	for _, fault := range []string{"fails", "hangs", "slow", "leaves", "garbage", "panics"} {
		l := newLog(t)
		w, ended := newWorker(t, l, Config{})
		w.Follow(asynchronous(handler.URL, map[string]string{"good": "Out", fault: "Out"}))
		if fault == "panics" {
			broken := *w.actions.Load()
			broken.handlers = maps.Clone(broken.handlers)
			broken.handlers[fault] = &action.Handler{}
			w.actions.Store(&broken)
		}
		faulty := map[string]bool{}
		for range 10 {
			faulty[l.add(t, Call{Action: fault})] = true
		}
		require.Eventually(t, func() bool { return len(w.inProgress()) > 0 || len(ended) > 0 }, 30*time.Second, time.Millisecond)
		for range 10 {
			id := l.add(t, Call{Action: "good"})
			w.Wake()
			for faulty[id] = true; faulty[id]; {
				delete(faulty, <-ended)
			}
			require.Equal(t, "completed", l.status(t, id), fault)
		}
		w.Stop(0)
	}
}
