package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/nodetest"
	"queryengine/pkg/testlong"
	"queryengine/services/engine/internal/charts"
)

// The limits are for a browser that doesn't answer. The tests take a small part of them, unless the machine is busy.
const (
	consoleLimit = 45 * time.Minute
	pagesLimit   = 30 * time.Minute
)

// browsers are what a Chromium may be called. That without a user interface of its own takes a quarter less of the processors.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// findBrowser is the path of a Chromium. The test is skipped without one.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("Chromium is not installed")
	return ""
}

// consoleFixture is a server with a console, and one that lets anybody in as a role.
type consoleFixture struct {
	processes     []*process
	console, open *process
	cluster       *cluster
	// remote is the address of a GraphQL server, and others are addresses of sources, by their kinds.
	remote string
	others map[string]string
	// arguments and dir are for the programs in testdata/console.
	arguments []string
	dir       string
}

// consoleTables are what the database has to begin with.
const consoleTables = `CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL);
	COMMENT ON COLUMN author.name IS '<img src=x onerror=alert(1)>';
	CREATE TABLE article (id serial PRIMARY KEY, author_id int NOT NULL REFERENCES author, title text NOT NULL);
	CREATE TABLE "<b>odd</b>" (id serial PRIMARY KEY, text text);
	INSERT INTO "<b>odd</b>" (text) SELECT '<img src=x onerror=alert(1)>' || i FROM generate_series(1, 60) i;
	INSERT INTO author (name) VALUES ('Ann'), ('Ben');
	INSERT INTO article (author_id, title) VALUES (1, '<script>alert(1)</script>'), (2, 'second');`

// newConsole starts what the programs in testdata/console use.
func newConsole(t *testing.T) *consoleFixture {
	t.Helper()
	browser := findBrowser(t)
	dir := nodetest.Install(t, "testdata/console")
	f := newConsoleServer(t, 0)
	delete(f.cluster.settings, "ENGINE_GRAPHQL_ADMIN_SECRET")
	bare := f.cluster.start(gateway, "ENABLE_CONSOLE=true")
	f.processes, f.others["bare"] = append(f.processes, bare), bare.url
	f.dir, f.arguments = dir, []string{browser, f.console.url, secret, f.open.url, f.remote}
	return f
}

// newConsoleServer starts the servers, without a browser. The metadata begins with a version, unless that is 0.
func newConsoleServer(t *testing.T, version int64) *consoleFixture {
	t.Helper()
	c := newCluster(t)
	execute(t, c.databaseURL, consoleTables)
	c.settings["ENGINE_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS"] = "true"
	first := c.start(metadata)
	if version > 0 {
		first.stop()
		execute(t, c.metadataURL, fmt.Sprintf(`DELETE FROM engine_catalog.metadata_change; UPDATE engine_catalog.metadata_version SET resource_version = %d`, version))
		first = c.start(metadata)
	}
	processes := []*process{first, c.start(eventDelivery), c.start(scheduler)}
	processes = append(processes, c.start(executor, "LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=200", "STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=20"))
	console := c.start(gateway, "ENABLE_CONSOLE=true", "ENABLE_MCP=true", "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false")
	open := c.start(gateway, "ENABLE_CONSOLE=true", "UNAUTHORIZED_ROLE=reader")
	console.metadata("pg_track_tables", map[string]any{"tables": []any{
		map[string]any{"source": "default", "table": "author"}, map[string]any{"source": "default", "table": "article"},
	}})
	console.metadata("pg_create_select_permission", map[string]any{
		"source": "default", "table": "author", "role": "reader", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
	})

	remote, err := charts.New()
	require.NoError(t, err)
	remoteServer := httptest.NewServer(remote)
	t.Cleanup(remoteServer.Close)

	// Sources of other kinds, which the tests add themselves.
	dataset := dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web; CREATE TABLE web.visit (customer bigint, page text); INSERT INTO web.visit VALUES (1, '/'), (2, '<i>cart</i>')`)
	return &consoleFixture{
		processes: append(processes, console, open), console: console, open: open, cluster: c, remote: remoteServer.URL,
		others: map[string]string{
			"postgres": dbtest.URL(t), "sqlite": filepath.Join(t.TempDir(), "library.db"), "mssql": mssqltest.New(t, dbtest.URL(t)).ConnectionString(),
			"bigquery": bigquerytest.New(t, dataset).URL, "project": bigquerytest.Project,
		},
	}
}

// run runs a program of testdata/console, and then looks for the secret in all that the services have logged.
func (c *consoleFixture) run(t *testing.T, script string, limit time.Duration, settings ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	others, err := json.Marshal(c.others)
	require.NoError(t, err)
	node := exec.CommandContext(ctx, nodetest.Program(t), append([]string{script}, c.arguments...)...)
	node.Dir = c.dir
	node.Env = append(append(os.Environ(), "OTHER_SOURCES="+string(others)), settings...)
	if !testlong.Long() {
		node.Env = append(node.Env, "JOURNEYS=1")
	}
	node.Stdout, node.Stderr = t.Output(), t.Output()
	require.NoError(t, node.Run())
	for _, p := range c.processes {
		require.NotEmpty(t, p.log.String(), p.name)
		require.NotContains(t, p.log.String(), secret, p.name)
	}
}

// TestConsole uses the console in a browser, as testdata/console has it: by its journeys, and with ENGINE_TEST_LONG in the environment by all
// tests, most of which TestConsoleComponents runs, too. With the directory CONSOLE_SHOTS in the
// environment, it takes pictures of the pages instead, and with the minutes CONSOLE_SOAK it
// watches the memory of a page that rows are streamed into.
func TestConsole(t *testing.T) {
	t.Parallel()
	script, limit := "console.mjs", consoleLimit
	if os.Getenv("CONSOLE_SHOTS") != "" {
		script = "shots.mjs"
	}
	if text := os.Getenv("CONSOLE_SOAK"); text != "" {
		minutes, err := strconv.Atoi(text)
		require.NoError(t, err)
		script, limit = "soak.mjs", limit+time.Duration(minutes)*time.Minute
	}
	if testlong.Long() || script != "console.mjs" {
		newConsole(t).run(t, script, limit)
		return
	}
	// Each part has servers of its own, as tests change the same objects.
	for part := range consoleParts {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			newConsole(t).run(t, script, limit, fmt.Sprintf("PART=%d/%d", part, consoleParts))
		})
	}
}

// consoleParts is how many parts of the tests run at the same time.
const consoleParts = 2

// TestConsolePages opens pages of the console, with objects of all kinds whose names and values are HTML: with axe, by keys alone,
// and, with ENGINE_TEST_LONG in the environment, each page, also with a server that fails, is slow, or is gone.
func TestConsolePages(t *testing.T) {
	t.Parallel()
	newConsole(t).run(t, "pages.mjs", pagesLimit)
}
