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
)

// startDevIn starts engine dev with options in a directory and waits for its welcome.
func startDevIn(t *testing.T, dir string, options []string, env ...string) *process {
	t.Helper()
	port := freeport.Text(t)
	cmd := exec.Command(filepath.Join(programs, engine), append([]string{"dev", "--server-port", port}, options...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return startDev(t, cmd, port, startLimit)
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

// TestDevOnADatabaseOfOnesOwn: it gets no sample beside tables in any schema, the start says what isn't tracked, and tracks it if it is asked to.
func TestDevOnADatabaseOfOnesOwn(t *testing.T) {
	t.Parallel()
	url, dir := dbtest.URL(t), t.TempDir()
	execute(t, url, `CREATE SCHEMA billing; CREATE TABLE billing.accounts (id int PRIMARY KEY, name text);
		CREATE TABLE billing.entries (id int PRIMARY KEY, account_id int REFERENCES billing.accounts, other_id int REFERENCES billing.accounts);
		INSERT INTO billing.accounts VALUES (1, 'one'); INSERT INTO billing.entries VALUES (1, 1, 1)`)
	p := startDevIn(t, dir, []string{"--database-url", url})
	require.NotContains(t, p.log.Tail(), "loading the sample")
	require.Contains(t, p.log.Tail(), `{"query": "{ __typename }"}`)
	require.Contains(t, p.log.Tail(), "2 tables of the database aren't tracked, so the API doesn't have them. Track them at "+p.url+"/console, Data, or start with --track-all.")
	p.signal(syscall.SIGINT)
	<-p.done

	p = startDevIn(t, dir, []string{"--database-url", url, "--track-all"})
	require.Contains(t, p.log.Tail(), `{"query": "{ billing_accounts(limit: 5) { id } }"}`)
	require.NotContains(t, p.log.Tail(), "tracked")
	require.JSONEq(t, `{"data": {"billing_entries": [{"account": {"name": "one"}, "other": {"name": "one", "entries": [{"id": 1}], "entries_by_other_id": [{"id": 1}]}}]}}`,
		p.query(nil, `{ billing_entries { account { name } other { name entries { id } entries_by_other_id { id } } } }`).text())
	p.signal(syscall.SIGINT)
	<-p.done

	p = startDevIn(t, t.TempDir(), []string{"--database-url", url, "--sample"})
	require.Contains(t, p.log.Tail(), "loading the sample")
}
