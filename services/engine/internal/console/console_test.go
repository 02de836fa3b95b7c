package console

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

const (
	emptyDocument = `{"version":3,"sources":[]}`
	otherDocument = `{"version":3,"sources":[{"name":"default","kind":"postgres","configuration":{},"tables":[]}]}`
	secret        = "the secret of the project"
)

// upstream is a server that answers as a test says: what it keeps is a document of metadata and the state of tools.
type upstream struct {
	t *testing.T
	*httptest.Server

	mu       sync.Mutex
	document string
	state    json.RawMessage
	// run answers run_sql, refuse an operation of the metadata API by its type.
	run    http.HandlerFunc
	refuse map[string]string
	asked  []string
}

// answered is what the server has when an operation of its own asks.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Type   string
		Args   json.RawMessage
		DryRun bool `json:"dry_run"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &request) != nil || r.Header.Get("X-Engine-Admin-Secret") != secret {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	u.mu.Lock()
	u.asked = append(u.asked, request.Type)
	refusal, refused := u.refuse[request.Type]
	run := u.run
	u.mu.Unlock()
	switch {
	case refused:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, refusal)
	case request.Type == "run_sql":
		run(w, r)
	default:
		_, _ = w.Write(u.keep(request.Type, request.Args))
	}
}

// keep runs an operation on what the server keeps.
func (u *upstream) keep(name string, args json.RawMessage) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch name {
	case "export_metadata":
		return []byte(u.document)
	case "replace_metadata":
		var a struct{ Metadata json.RawMessage }
		if json.Unmarshal(args, &a) != nil || !sameJSON(u.t, string(a.Metadata), u.document) {
			return []byte(`{"changes":[{}]}`)
		}
		return []byte(`{"changes":[]}`)
	case "get_catalog_state":
		return []byte(`{"cli_state":` + string(u.state) + `}`)
	case "set_catalog_state":
		var a struct{ State json.RawMessage }
		_ = json.Unmarshal(args, &a)
		u.state = a.State
	case "clear_metadata":
		u.document = emptyDocument
	}
	return []byte(`{}`)
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	require.NoError(t, json.Unmarshal([]byte(a), &x))
	require.NoError(t, json.Unmarshal([]byte(b), &y))
	return jsonText(x) == jsonText(y)
}

func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// migrations are those that the state names, with whether they have begun and not ended.
func (u *upstream) migrations() map[string]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	var state struct{ Migrations map[string]map[string]bool }
	require.NoError(u.t, json.Unmarshal(u.state, &state))
	return state.Migrations["default"]
}

// fixture is a console in front of an upstream, and a browser that was let in.
type fixture struct {
	*upstream
	t       *testing.T
	console *Console
	front   *httptest.Server
	browser *http.Client
	dir     string
	said    []string
}

func setup(t *testing.T) *fixture {
	t.Helper()
	u := &upstream{t: t, document: emptyDocument, state: json.RawMessage(`{}`), refuse: map[string]string{}, run: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"result_type":"CommandOk","result":null}`)
	}}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	f := &fixture{upstream: u, t: t, dir: t.TempDir()}
	config, err := project.LoadConfig(f.dir, func(name string) (string, bool) {
		value, ok := map[string]string{"ENGINE_GRAPHQL_ENDPOINT": u.URL, "ENGINE_GRAPHQL_ADMIN_SECRET": secret}[name]
		return value, ok
	})
	require.NoError(t, err)
	server, err := remote.New(config)
	require.NoError(t, err)
	f.console = New(Config{
		Project: config, Server: server, Path: "/console", Page: http.NotFoundHandler(), Timeout: time.Minute,
		Say: func(format string, _ ...any) { f.said = append(f.said, format) },
	}, "127.0.0.1")
	f.front = httptest.NewServer(f.console)
	t.Cleanup(f.front.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	f.browser = &http.Client{Jar: jar}
	require.Equal(t, http.StatusOK, f.get(f.console.Link(true)).StatusCode)
	return f
}

func (f *fixture) get(path string) *http.Response {
	f.t.Helper()
	answer, err := f.browser.Get(f.front.URL + path)
	require.NoError(f.t, err)
	require.NoError(f.t, answer.Body.Close())
	return answer
}

// got is an answer of the console, with what it says of the project.
type got struct {
	status int
	body   string
	report report
}

func (f *fixture) post(ctx context.Context, path, body string, header ...string) (got, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.front.URL+path, strings.NewReader(body))
	require.NoError(f.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Header.Set(keyHeader, f.console.guard.key)
	answer, err := f.browser.Do(r)
	if err != nil {
		return got{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(f.t, err)
	g := got{status: answer.StatusCode, body: string(text)}
	if said := answer.Header.Get(reportHeader); said != "" {
		said, err = url.PathUnescape(said)
		require.NoError(f.t, err)
		require.NoError(f.t, json.Unmarshal([]byte(said), &g.report))
	}
	return g, nil
}

// sql runs a statement as the page does.
func (f *fixture) sql(text string, header ...string) got {
	f.t.Helper()
	g, err := f.post(f.t.Context(), "/v2/query", jsonText(map[string]any{"type": "run_sql", "args": map[string]any{"sql": text}}), header...)
	require.NoError(f.t, err)
	return g
}

// written are the migrations that the project has.
func (f *fixture) written() []string {
	f.t.Helper()
	found, err := filepath.Glob(filepath.Join(f.dir, "migrations/default/*"))
	require.NoError(f.t, err)
	return found
}

func TestSQLBecomesAMigrationOnceItHasRun(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		assert.Equal(t, []bool{true}, slices.Collect(maps.Values(f.migrations())), "whatever happens, there is a trace of it")
		assert.Len(t, f.written(), 1)
		_, _ = io.WriteString(w, `{}`)
	}
	g := f.sql("CREATE TABLE stock (id int)", nameHeader, "the%20stock")
	require.Equal(t, http.StatusOK, g.status, g.body)
	require.Len(t, g.report.Migrations, 1)
	require.True(t, strings.HasSuffix(g.report.Migrations[0], "_the_stock"), g.report.Migrations[0])
	require.Empty(t, g.report.Error)
	require.Equal(t, []bool{false}, slices.Collect(maps.Values(f.migrations())))
	up, err := os.ReadFile(filepath.Join(f.written()[0], "up.sql"))
	require.NoError(t, err)
	require.Equal(t, "CREATE TABLE stock (id int)\n", string(up))
	down, err := os.ReadFile(filepath.Join(f.written()[0], "down.sql"))
	require.NoError(t, err)
	require.Contains(t, string(down), "-- Write here what takes this back")
	require.False(t, g.report.Down)
}

func TestAMigrationHasWhatTakesItBack(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.run = func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get(downHeader), "it isn't for the server")
		_, _ = io.WriteString(w, `{}`)
	}
	g := f.sql("CREATE TABLE stock (id int)", downHeader, "DROP%20TABLE%20stock;%0A--%20%C3%A9%0A")
	require.Equal(t, http.StatusOK, g.status, g.body)
	require.True(t, g.report.Down)
	down, err := os.ReadFile(filepath.Join(f.written()[0], "down.sql"))
	require.NoError(t, err)
	require.Equal(t, "DROP TABLE stock;\n-- é\n", string(down))
}

// TestSQLWithUnknownOutcome holds that a migration stays, and is marked as begun, when it is unknown whether its SQL has run.
func TestSQLWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, body) }
	}
	cut := func(head string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(connection, head)
				_ = connection.Close()
			}
		}
	}
	for name, c := range map[string]struct {
		run    http.HandlerFunc
		status int
	}{
		"the server dies":                 {cut(""), http.StatusBadGateway},
		"the answer is cut off":           {cut("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 100\r\n\r\n{"), http.StatusBadGateway},
		"a proxy answers":                 {answers(http.StatusBadGateway, "<html>502</html>"), http.StatusBadGateway},
		"a proxy answers with JSON":       {answers(http.StatusServiceUnavailable, `{"message":"busy"}`), http.StatusServiceUnavailable},
		"the connection to it has broken": {answers(http.StatusInternalServerError, `{"code":"unexpected","error":"connection lost","path":"$"}`), http.StatusInternalServerError},
		"it took too long":                {answers(http.StatusOK+200, `{"code":"timeout","error":"too long","path":"$"}`), http.StatusOK + 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.run, f.document = c.run, otherDocument
			g := f.sql("CREATE TABLE stock (id int)")
			require.Equal(t, c.status, g.status, g.body)
			require.Contains(t, g.report.Error, "it is unknown whether the SQL has run")
			written := f.written()
			require.Len(t, written, 1)
			version, _, _ := strings.Cut(filepath.Base(written[0]), "_")
			require.Contains(t, g.report.Error, "engine migrate apply --version "+version+" --skip-execution --source default")
			require.Contains(t, g.report.Error, "remove migrations/default/"+filepath.Base(written[0]))
			require.Equal(t, map[string]bool{version: true}, f.migrations())
			require.FileExists(t, filepath.Join(f.dir, "metadata/databases/databases.yaml"), "the metadata is written, as it may have changed")
			require.NotEmpty(t, f.said)

			// The server doesn't give its metadata either.
			f.mu.Lock()
			f.refuse["export_metadata"] = `{"error":"no storage"}`
			f.mu.Unlock()
			again := f.sql("CREATE TABLE other (id int)", modeHeader, never)
			require.Equal(t, c.status, again.status)
			require.Contains(t, again.report.Error, "it is unknown whether the change was made, and the metadata can't be written into the project: no storage")
			require.Len(t, f.written(), 1)
		})
	}
}

func TestSQLThatIsRefusedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"code":"postgres-error","error":"syntax error","path":"$.args"}`)
	}
	g := f.sql("CREATE nonsense")
	require.Equal(t, http.StatusBadRequest, g.status)
	require.Contains(t, g.body, "syntax error")
	require.Equal(t, report{}, g.report)
	require.NoDirExists(t, filepath.Join(f.dir, "migrations/default"))
	require.Empty(t, f.migrations())

	// What is not in effect yet has happened all the same.
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"code":"not-in-effect","error":"a service is behind","path":"$"}`)
	}
	g = f.sql("CREATE TABLE stock (id int)")
	require.Equal(t, http.StatusInternalServerError, g.status)
	require.Len(t, g.report.Migrations, 1)
	require.Empty(t, g.report.Error)

	// The migration can't be taken back on the server.
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		f.refuse["set_catalog_state"] = `{"code":"unexpected","error":"no storage","path":"$"}`
		f.mu.Unlock()
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"code":"postgres-error","error":"syntax error","path":"$.args"}`)
	}
	g = f.sql("CREATE nonsense")
	require.Contains(t, g.report.Error, "not all of its migration could be taken back")
	require.Contains(t, g.report.Error, "is still marked on the server")
	require.Contains(t, g.report.Error, "no storage")
	require.Len(t, f.written(), 1)
}

func TestSQLIsNotRunWhenItsMigrationCannotBeKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*fixture)
		want  string
	}{
		"a file instead of the directory": {
			func(f *fixture) { require.NoError(t, os.WriteFile(filepath.Join(f.dir, "migrations"), nil, 0o600)) }, "can't be written into the project",
		},
		"the state can't be read":    {func(f *fixture) { f.refuse["get_catalog_state"] = `{"error":"no storage"}` }, "can't be recorded on the server"},
		"the state can't be written": {func(f *fixture) { f.refuse["set_catalog_state"] = `{"error":"no storage"}` }, "can't be recorded on the server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c.spoil(f)
			g := f.sql("CREATE TABLE stock (id int)")
			require.Equal(t, http.StatusInternalServerError, g.status)
			require.Contains(t, g.body, c.want)
			require.Contains(t, g.body, "the SQL was not run")
			require.NotContains(t, f.asked, "run_sql")
			require.NoDirExists(t, filepath.Join(f.dir, "migrations/default"))
		})
	}
	t.Run("it can't be recorded as applied", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.run = func(w http.ResponseWriter, _ *http.Request) {
			f.mu.Lock()
			f.refuse["set_catalog_state"] = `{"error":"no storage"}`
			f.mu.Unlock()
			_, _ = io.WriteString(w, `{}`)
		}
		g := f.sql("CREATE TABLE stock (id int)")
		require.Equal(t, http.StatusOK, g.status)
		require.Contains(t, g.report.Error, "the SQL has run, but the migration can't be recorded as applied")
		require.Len(t, g.report.Migrations, 1)
	})
}

func TestFilesThatSomebodyWroteAreKept(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const change = `{"type":"clear_metadata","args":{}}`
	g, err := f.post(t.Context(), "/v1/metadata", change)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, g.status, g.body)
	require.Positive(t, g.report.Files)
	f.mu.Lock()
	f.document, f.asked = otherDocument, nil
	f.mu.Unlock()
	file := filepath.Join(f.dir, "metadata/version.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "# by hand\n"...), 0o600))
	g, err = f.post(t.Context(), "/v1/metadata", change)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, g.status, g.body)
	require.True(t, g.report.Differs)
	require.NotContains(t, f.asked, "clear_metadata")

	// A server that doesn't take the files has other metadata, too; one that doesn't answer isn't compared with.
	f.mu.Lock()
	f.refuse["replace_metadata"] = `{"code":"parse-failed","error":"no","path":"$"}`
	f.mu.Unlock()
	differs, err := f.console.Check(t.Context())
	require.NoError(t, err)
	require.True(t, differs)
	f.CloseClientConnections()
	f.Close()
	_, err = f.console.Check(t.Context())
	require.ErrorContains(t, err, "can't be reached")
}

// TestChangesAreMadeOneAtATime sends many at once: none begins before the one before has been written.
func TestChangesAreMadeOneAtATime(t *testing.T) {
	t.Parallel()
	f := setup(t)
	running := make(chan struct{}, 1)
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		select {
		case running <- struct{}{}:
			time.Sleep(time.Millisecond) // others would begin
			<-running
			_, _ = io.WriteString(w, `{}`)
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":"conflict","error":"two at once"}`)
		}
	}
	const changes = 20
	var sending sync.WaitGroup
	answers := make(chan got, changes)
	for range changes {
		sending.Go(func() { answers <- f.sql("CREATE TABLE stock (id int)") })
	}
	sending.Wait()
	close(answers)
	for g := range answers {
		require.Equal(t, http.StatusOK, g.status, g.body)
	}
	require.Len(t, f.written(), changes, "each has a version of its own")
	require.Len(t, f.migrations(), changes)
}

func TestAChangeGoesOnWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	f := setup(t)
	arrived, finish := make(chan struct{}), make(chan struct{})
	f.run = func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-finish
		_, _ = io.WriteString(w, `{}`)
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := f.post(ctx, "/v2/query", `{"type":"run_sql","args":{"sql":"CREATE TABLE stock (id int)"}}`)
		left <- err
	}()
	<-arrived
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	close(finish)
	f.console.Close() // waits for it
	require.Equal(t, []bool{false}, slices.Collect(maps.Values(f.migrations())))
	require.FileExists(t, filepath.Join(f.dir, "metadata/version.yaml"))
}

func TestRequestsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for name, c := range map[string]struct {
		status int
		want   string
		header []string
	}{
		"packed":            {http.StatusUnsupportedMediaType, "no packed requests", []string{"Content-Encoding", "gzip"}},
		"a mode":            {http.StatusBadRequest, "expected schema, always or never", []string{modeHeader, "sometimes"}},
		"a broken name":     {http.StatusBadRequest, "expected a text in percent-encoding", []string{nameHeader, "%zz"}},
		"a broken way back": {http.StatusBadRequest, "header X-Engine-Migration-Down: expected a text in percent-encoding", []string{downHeader, "%zz"}},
		"no transaction":    {http.StatusBadRequest, "runs in no transaction", nil},
	} {
		args := map[string]any{"sql": "CREATE INDEX CONCURRENTLY i ON stock (id)", "no_transaction": name == "no transaction"}
		g, err := f.post(t.Context(), "/v2/query", jsonText(map[string]any{"type": "run_sql", "args": args}), c.header...)
		require.NoError(t, err)
		require.Equal(t, c.status, g.status, "%s: %s", name, g.body)
		require.Contains(t, g.body, c.want, name)
	}
	// The first would have run when the second is refused, and which did would be unknown.
	g, err := f.post(t.Context(), "/v2/query", `{"type":"bulk","args":[{"type":"run_sql","args":{"sql":"CREATE TABLE a ()"}},{"type":"run_sql","args":{"sql":"CREATE nonsense"}}]}`)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, g.status)
	require.Contains(t, g.body, "SQL of which a part may fail can't become a migration")
	require.NotContains(t, f.asked, "run_sql")
}

func TestLinksLetInOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	link := f.console.Link(true)
	for _, want := range []int{http.StatusOK, http.StatusForbidden} {
		require.Equal(t, want, f.get(link).StatusCode)
	}
	for range 2 {
		require.Equal(t, http.StatusOK, f.get(f.console.Link(false)).StatusCode)
	}
}

func TestHostsThatTheConsoleIsServedAt(t *testing.T) {
	t.Parallel()
	for host, names := range map[string]map[string]bool{
		"127.0.0.1":   {"127.0.0.1": true, "localhost": true, "::1": true, "10.0.0.1": false, "evil.example": false, "localhost.evil.example": false},
		"0.0.0.0":     {"10.0.0.1": true, "localhost": true, "evil.example": false},
		"":            {"10.0.0.1": true, "evil.example": false},
		"dev.example": {"DEV.example": true, "10.0.0.1": false, "evil.example": false},
	} {
		for name, want := range names {
			require.Equal(t, want, newGuard(host).isOwn(name), "%s at %s", name, host)
		}
	}
}
