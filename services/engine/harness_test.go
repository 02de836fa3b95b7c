package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/services/engine"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	secret   = "test-secret"
	patience = time.Minute
)

// mounted is an engine in a server of the test's.
type mounted struct {
	t       testing.TB
	handler http.Handler
	engine  *engine.Engine
	source  string
	url     string
	log     *lines
	// args are the options of all services, of which those apart find each other by nats.
	args []string
	nats string
}

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// mount starts an engine with a table of people, in one process or with a process for each service.
func mount(t testing.TB, apart bool, options ...engine.Option) *mounted {
	t.Helper()
	return mountWith(t, apart, nil, options...)
}

// mountWith is mount with more settings.
func mountWith(t testing.TB, apart bool, settings []string, options ...engine.Option) *mounted {
	t.Helper()
	source := dbtest.URL(t)
	m := &mounted{t: t, source: source, log: &lines{}}
	m.sql(`CREATE TABLE people (id integer PRIMARY KEY, name text NOT NULL, owner text NOT NULL);
		INSERT INTO people SELECT i, 'person ' || i, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, 10) AS i`)
	m.args = []string{
		"--metadata-database-url", dbtest.URL(t), "--database-url", source, "--admin-secret", secret,
		"--enabled-log-types", "startup",
	}
	m.args = append(m.args, settings...)
	var e *engine.Engine
	if apart {
		nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
		require.NoError(t, err)
		t.Cleanup(nats.Stop)
		m.nats = nats.ClientURL()
		for _, name := range []string{"metadata", "query-executor", "event-delivery", "scheduler", "gateway"} {
			e = m.start(options, "--services", name)
		}
	} else {
		e = m.start(options, "--data-dir", t.TempDir())
	}
	m.handler, m.engine = e.Handler(), e
	server := httptest.NewServer(m.handler)
	t.Cleanup(server.Close)
	m.url = server.URL
	require.Eventually(t, func() bool {
		_, answer := m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
		return strings.Contains(answer, "query_root")
	}, patience, 20*time.Millisecond)
	m.metadata(`{"type":"pg_track_table","args":{"table":"people"}}`)
	m.metadata(`{"type":"pg_create_select_permission","args":{"table":"people","role":"user","permission":{"columns":["id","name"],"filter":{"owner":"X-Engine-User-Id"}}}}`)
	return m
}

// sql runs statements in the source.
func (m *mounted) sql(statements string) {
	m.t.Helper()
	db, err := pgx.Connect(m.t.Context(), m.source)
	require.NoError(m.t, err)
	_, err = db.Exec(m.t.Context(), statements)
	require.NoError(m.t, err)
	require.NoError(m.t, db.Close(m.t.Context()))
}

// count is the number that a query of the source answers with.
func (m *mounted) count(query string) (n int) {
	m.t.Helper()
	db, err := pgx.Connect(m.t.Context(), m.source)
	require.NoError(m.t, err)
	require.NoError(m.t, db.QueryRow(m.t.Context(), query).Scan(&n))
	require.NoError(m.t, db.Close(m.t.Context()))
	return n
}

// start starts an engine that belongs to the others.
func (m *mounted) start(options []engine.Option, args ...string) *engine.Engine {
	m.t.Helper()
	args = append(slices.Clone(m.args), args...)
	if m.nats != "" {
		args = append(args, "--nats-url", m.nats)
	}
	e, err := engine.New(engine.Config{
		Args: args, Env: func(string) (string, bool) { return "", false },
		Logger: slog.New(slog.NewTextHandler(m.log, nil)),
	}, options...)
	require.NoError(m.t, err)
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	require.NoError(m.t, e.Start(ctx))
	m.t.Cleanup(e.Stop)
	return e
}

var admin = map[string]string{"X-Engine-Admin-Secret": secret}

func user(id string) map[string]string {
	return map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "user", "X-Engine-User-Id": id}
}

func (m *mounted) post(path, body string, header map[string]string) (int, string) {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.url+path, strings.NewReader(body))
	require.NoError(m.t, err)
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(m.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	return response.StatusCode, string(text)
}

func (m *mounted) metadata(body string) {
	m.t.Helper()
	status, answer := m.post("/v1/metadata", body, admin)
	require.Equal(m.t, http.StatusOK, status, answer)
}

func (m *mounted) query(query string, header map[string]string) string {
	m.t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(m.t, err)
	_, answer := m.post("/v1/graphql", string(body), header)
	return answer
}

// places are one process, and a process for each service.
func places(t *testing.T, test func(t *testing.T, apart bool)) {
	t.Helper()
	for name, apart := range map[string]bool{"one process": false, "apart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, apart)
		})
	}
}
