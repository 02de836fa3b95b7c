package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
	"queryengine/pkg/localpg"
)

// startDevIn starts engine dev with options in a directory and waits for its welcome.
func startDevIn(t *testing.T, dir string, options []string, env ...string) *process {
	t.Helper()
	prepareDev(t, dir)
	port := freeport.Text(t)
	cmd := exec.Command(filepath.Join(programs, engine), append([]string{"dev", "--server-port", port}, options...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return startDev(t, cmd, port, startLimit)
}

// prepareDev gives an engine dev that is started in a directory its cluster: to make one takes longer than all else of its first start,
// and is left to the tests of the command, and to TestFreshCloneAnswersAsItsPagesSay.
func prepareDev(t *testing.T, dir string) {
	t.Helper()
	if template := dbtest.Cluster(); template != "" {
		require.NoError(t, localpg.Prepare(t.Context(), localpg.Config{Dir: filepath.Join(dir, ".data", "postgresql"), Template: template}))
	}
}

// startDev starts a command that ends up as engine dev and waits for its welcome.
func startDev(t *testing.T, cmd *exec.Cmd, port string, limit time.Duration) *process {
	t.Helper()
	p := &process{t: t, name: "engine dev", url: "http://127.0.0.1:" + port, cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	p.run()
	eventually(t, limit, func() bool {
		select {
		case <-p.done:
			t.Fatalf("engine dev has ended:\n%s", p.log.Tail())
		default:
		}
		return strings.Contains(p.log.Tail(), "Ctrl-C stops it")
	}, func() string { return "no welcome:\n" + p.log.Tail() })
	return p
}

// TestDevKeepsItsData: the first start has the sample; Ctrl-C stops everything, and the second start
// has the same data.
func TestDevKeepsItsData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startDevIn(t, dir, nil)
	a := p.post("/v1/graphql", nil, map[string]any{"query": `{ tracks_aggregate { aggregate { count } } }`})
	require.JSONEq(t, `{"data": {"tracks_aggregate": {"aggregate": {"count": 3500}}}}`, a.text())
	a = p.post("/v2/query", nil, map[string]any{"type": "run_sql", "args": map[string]any{"sql": "CREATE TABLE mine (id int PRIMARY KEY)"}})
	require.Equal(t, 200, a.status, a.text())
	a = p.post("/v1/metadata", nil, map[string]any{"type": "pg_track_table", "args": map[string]any{"source": "default", "table": "mine"}})
	require.Equal(t, 200, a.status, a.text())

	p.signal(syscall.SIGINT)
	select {
	case <-p.done:
	case <-time.After(stopLimit):
		t.Fatal("Ctrl-C does not stop it")
	}
	require.Zero(t, p.cmd.ProcessState.ExitCode(), p.log.Tail())
	require.NoFileExists(t, filepath.Join(dir, ".data", "postgresql", "data", "postmaster.pid"), "PostgreSQL still runs")

	p = startDevIn(t, dir, nil)
	require.JSONEq(t, `{"data": {"mine": []}}`, p.query(nil, `{ mine { id } }`).text())
}

// TestDevOnADatabaseOfOnesOwn: engine dev loads the sample only with --sample, and prints which tables aren't tracked. The commands
// that it prints track them.
func TestDevOnADatabaseOfOnesOwn(t *testing.T) {
	t.Parallel()
	url, dir := dbtest.URL(t), t.TempDir()
	p := startDevIn(t, dir, []string{"--database-url", url})
	require.Contains(t, p.log.Tail(), "The database has no tables yet.")
	require.Contains(t, p.log.Tail(), `{"query": "{ __typename }"}`)
	execute(t, url, `CREATE SCHEMA billing; CREATE TABLE billing.accounts (id int PRIMARY KEY, name text);
		CREATE TABLE billing.entries (id int PRIMARY KEY, account_id int REFERENCES billing.accounts, other_id int REFERENCES billing.accounts);
		CREATE TABLE billing."odd name" (id int); CREATE TABLE note (id int PRIMARY KEY);
		INSERT INTO billing.accounts VALUES (1, 'one'); INSERT INTO billing.entries VALUES (1, 1, 1)`)
	again := func(options ...string) *process {
		t.Helper()
		p.signal(syscall.SIGINT)
		<-p.done
		p = startDevIn(t, dir, append([]string{"--database-url", url}, options...))
		return p
	}
	again()
	require.NotContains(t, p.log.Tail(), "loading the sample")
	require.Contains(t, p.log.Tail(), "The database has 4 tables, none of them tracked, so the API is empty. Track them at "+p.url+
		"/console, or with:\n\n  engine track --all --relationships --endpoint "+p.url+"\n")

	w := &workshop{t, t.TempDir(), p.url}
	for _, line := range []string{"track", "track --all note", "track note --schema billing", "track --bogus"} {
		require.Contains(t, w.does(2, line), "engine: ", line)
	}
	for line, want := range map[string]string{
		"track --all --source other": `no source "other"`, "track --all --schema billing,none": `no tables in a schema "none"`,
		"track note none": `not tracked: none: `, "track none": "1 of 1 tables can't be tracked",
	} {
		require.Contains(t, w.does(1, line), want, line)
	}
	require.Equal(t, "tracked 1 table\n", w.does(0, "track billing.accounts"))
	tracked := w.does(0, "track --all --schema billing --relationships --source default")
	require.Contains(t, tracked, "tracked 1 table, created 4 relationships\n")
	require.Contains(t, tracked, "not tracked: ")
	require.Contains(t, tracked, "odd name")
	require.Equal(t, "tracked 0 tables, created 0 relationships\n", w.does(0, "track billing.accounts note --relationships"))
	execute(t, url, `CREATE TABLE late (id int PRIMARY KEY, entry_id int REFERENCES billing.entries);
		CREATE TABLE boss (id int PRIMARY KEY, boss text, boss_id int REFERENCES boss, boss_by_boss_id int)`)
	again("--track-all")
	require.Contains(t, p.log.Tail(), `{"query": "{ billing_accounts(limit: 5) { id } }"}`)
	require.Contains(t, p.log.Tail(), "not tracked: ")
	require.JSONEq(t, `{"data": {"late": [], "note": [], "boss": []}}`,
		p.query(nil, `{ late { entry { id } } note { id } boss { boss_id_boss { id } boss_list_by_boss_id { id } } }`).text())
	again("--track-all")
	require.Contains(t, p.log.Tail(), "not tracked: ", "what is left out is named at each start")
	require.JSONEq(t, `{"data": {"billing_entries": [{"account": {"name": "one"}, "other": {"name": "one", "entries": [{"id": 1}], "entries_by_other_id": [{"id": 1}]}}]}}`,
		p.query(nil, `{ billing_entries { account { name } other { name entries { id } entries_by_other_id { id } } } }`).text())
	p.signal(syscall.SIGINT)
	<-p.done

	url = dbtest.URL(t)
	execute(t, url, `CREATE SCHEMA billing; CREATE TABLE billing.accounts (id int PRIMARY KEY)`)
	p = startDevIn(t, t.TempDir(), []string{"--database-url", url, "--sample"})
	require.Contains(t, p.log.Tail(), "loading the sample")
	require.Contains(t, p.log.Tail(), "{ albums(order_by:")
	require.Contains(t, p.log.Tail(), "1 of the 12 tables of the database isn't tracked, so the API doesn't have it. ")
}
