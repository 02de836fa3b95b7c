package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

// workshop is a project directory and the server that its commands talk to.
type workshop struct {
	t   *testing.T
	dir string
	url string
}

func newWorkshop(t *testing.T) (*workshop, *process) {
	t.Helper()
	c := newCluster(t)
	c.start(metadata)
	c.start(executor)
	gateway := c.start(gateway)
	return &workshop{t, t.TempDir(), gateway.url}, gateway
}

// run runs a command of the engine and returns its exit code and output.
func (w *workshop) run(args ...string) (code int, out, errs string) {
	w.t.Helper()
	return w.runIn([]string{"ENGINE_GRAPHQL_ENDPOINT=" + w.url, "ENGINE_GRAPHQL_ADMIN_SECRET=" + secret}, args...)
}

// runIn is run with those variables alone.
func (w *workshop) runIn(environ []string, args ...string) (code int, out, errs string) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(programs, engine), args...)
	cmd.Dir = w.dir
	cmd.Env = environ
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), stdout.String(), stderr.String()
	}
	require.NoError(w.t, err)
	return 0, stdout.String(), stderr.String()
}

// does runs a command line that ends with the code.
func (w *workshop) does(code int, line string) string {
	w.t.Helper()
	got, out, errs := w.run(strings.Fields(line)...)
	require.Equal(w.t, code, got, "%s\n%s%s", line, out, errs)
	return out + errs
}

func (w *workshop) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

func (w *workshop) replace(name, old, by string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	require.NoError(w.t, err)
	require.Contains(w.t, string(text), old)
	w.write(name, strings.Replace(string(text), old, by, 1))
}

func TestProjectsAreAppliedExportedAndCompared(t *testing.T) {
	t.Parallel()
	w, gateway := newWorkshop(t)
	w.write("migrations/default/1_stock/up.sql", "CREATE TABLE stock (id int PRIMARY KEY, label text); -- a comment")
	w.write("migrations/default/1_stock/down.sql", "DROP TABLE stock;")
	w.write("migrations/default/2_kind/up.sql", "CREATE TABLE kind (id int PRIMARY KEY)")
	w.write("migrations/default/2_kind/down.sql", "DROP TABLE kind")
	w.write("seeds/default/1_stock.sql", "INSERT INTO stock VALUES (1, 'Axe'), (2, 'Arm');")

	require.Contains(t, w.does(3, "migrate status"), "default\t1\tstock\tnot applied")
	require.Contains(t, w.does(0, "migrate apply --dry-run"), "[2/2] applying 2_kind of source default")
	w.does(0, "migrate apply --up 1")
	require.Contains(t, w.does(3, "migrate status"), "default\t1\tstock\tapplied")
	w.does(0, "migrate apply")
	require.Contains(t, w.does(0, "migrate apply"), "nothing to apply")
	w.does(0, "migrate apply --down 1")
	w.does(0, "migrate apply --version 2 --type up")
	require.Contains(t, w.does(0, "migrate status"), "all 2 migrations are applied")
	w.does(0, "seed apply")

	w.does(0, "metadata export")
	require.Contains(t, w.does(0, "metadata diff"), "no differences")
	require.Contains(t, w.does(0, "metadata apply --dry-run"), "no differences")
	w.replace("metadata/databases/databases.yaml", `"!include default/tables/tables.yaml"`, "\n    - table: stock\n      select_permissions:\n        - role: clerk\n          permission: {columns: '*', filter: {}}\n    - table: none")
	require.Equal(t, "+ table public.none in source default\n+ table public.stock in source default\n",
		strings.Split(w.does(3, "metadata diff"), "warning")[0])
	require.Contains(t, w.does(0, "metadata apply --dry-run"), "+ table public.stock")
	require.Contains(t, w.does(1, "metadata apply --disallow-inconsistent-metadata"), `table none in source default: Inconsistent object: no such table/view exists in source: "none"`)
	require.Contains(t, w.does(0, "metadata apply"), "warning: the metadata is inconsistent")
	require.Contains(t, w.does(3, "metadata inconsistency status"), "1 objects can't be used")
	require.Contains(t, w.does(0, "metadata inconsistency list"), "table none in source default")
	w.does(0, "metadata inconsistency drop")
	w.does(0, "metadata inconsistency status")
	w.does(3, "metadata diff")
	w.does(0, "metadata export")
	w.does(0, "metadata diff")
	require.FileExists(t, filepath.Join(w.dir, "metadata/databases/default/tables/public_stock.yaml"))
	require.JSONEq(t, `{"data":{"stock":[{"label":"Axe"},{"label":"Arm"}]}}`,
		gateway.query(map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "clerk"}, `{stock {label}}`).text())
	w.does(0, "metadata reload")

	require.Contains(t, w.does(0, "migrate squash --name all"), "1_all")
	require.NoDirExists(t, filepath.Join(w.dir, "migrations/default/2_kind"))
	w.does(0, "migrate status")
	w.does(0, "migrate apply --down 1")
	w.does(0, "migrate apply")
	w.does(0, "metadata clear")
	require.Contains(t, w.does(3, "metadata diff"), "+ table public.stock in source default")
}

// TestDryRunsEndAsTheRealRun: with the exit code and the warnings that the command has without --dry-run.
func TestDryRunsEndAsTheRealRun(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	w.does(0, "metadata export")
	tables := func(list string) func() {
		return func() {
			w.write("metadata/databases/databases.yaml",
				"- name: default\n  kind: postgres\n  configuration: {connection_info: {database_url: {from_env: ENGINE_GRAPHQL_DATABASE_URL}}}\n  tables: "+list+"\n")
		}
	}
	migration := func(path, sql string) func() {
		return func() {
			require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "migrations")))
			w.write("migrations/"+path, sql)
		}
	}
	for _, c := range []struct {
		name, command string
		prepare       func()
		code          int
		warnings      []string
	}{
		{"nothing", "migrate apply", func() {}, 0, []string{"nothing to apply"}},
		{"good migration", "migrate apply", migration("default/1_stock/up.sql", "CREATE TABLE stock (id int)"), 0, []string{"applying 1_stock"}},
		{"no way back", "migrate apply --down 1", migration("default/1_stock/up.sql", ""), 1, []string{"there is no file for it"}},
		{"no such source", "migrate apply", migration("another/1_x/up.sql", "SELECT 1"), 1, []string{"skipping the migrations of source another", "doesn't have source another"}},
		{"no file", "migrate apply", migration("default/2_lost/down.sql", "SELECT 1"), 1, []string{"2_lost of source default: there is no file for it"}},
		{"consistent", "metadata apply --disallow-inconsistent-metadata", tables("[{table: stock}]"), 0, nil},
		{"unknown key", "metadata apply", tables("[{table: stock, bogus_key: 1}]"), 0, []string{`warning: unknown key "bogus_key" is ignored`}},
		{"inconsistent", "metadata apply", tables("[{table: none}]"), 0, []string{"warning: the metadata is inconsistent", "no such table/view"}},
		{"refused", "metadata apply --disallow-inconsistent-metadata", tables("[{table: stock}, {table: lost, bogus_key: 1}]"), 1, []string{"no such table/view"}},
		{"wrong", "metadata apply", tables("[{table: 5}]"), 1, []string{"parse-failed"}},
		{"no file of metadata", "metadata apply", tables("'!include lost.yaml'"), 1, []string{"lost.yaml"}},
	} {
		c.prepare()
		for _, line := range []string{c.command + " --dry-run", c.command} {
			said := w.does(c.code, line)
			for _, text := range c.warnings {
				require.Contains(t, said, text, c.name)
			}
		}
	}
}

func TestFailuresOfProjectCommands(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	require.Contains(t, w.does(2, "metadata"), "engine: metadata needs a command: apply,")
	require.Contains(t, w.does(2, "migrate nothing"), `engine: unknown command "nothing" of migrate`)
	require.Contains(t, w.does(2, "metadata apply --no-such-flag"), "no-such-flag")
	require.Contains(t, w.does(1, "metadata apply"), "this is not a metadata directory")
	require.Contains(t, w.does(1, "metadata export --endpoint http://127.0.0.1:1"), "the server can't be reached")
	require.Contains(t, w.does(1, "metadata export --admin-secret wrong"), "[access-denied]")
	require.Contains(t, w.does(1, "migrate create"), "needs the name")
	require.Contains(t, w.does(1, "seed apply"), "there is no such seed")

	path := filepath.Join(w.dir, strings.TrimSpace(w.does(0, "migrate create first --up-sql SELECT")))
	require.FileExists(t, filepath.Join(path, "up.sql"))
	require.NoError(t, os.RemoveAll(path))
	require.FileExists(t, filepath.Join(w.dir, strings.TrimSpace(w.does(0, "seed create rows"))))

	w.write("migrations/default/1_bad/up.sql", "CREATE TABLE half (id int); SELECT nonsense")
	require.Contains(t, w.does(1, "migrate apply"), `column "nonsense" does not exist`)
	require.Contains(t, w.does(3, "migrate status"), "not applied", "nothing of it is left")
	w.does(0, "migrate apply --version 1 --skip-execution")
	require.Contains(t, w.does(0, "migrate status"), "default\t1\tbad\tapplied")
	w.write("migrations/another/1_x/up.sql", "SELECT 1")
	w.write("migrations/default/2_good/up.sql", "SELECT 1")
	require.Contains(t, w.does(1, "migrate apply"), "the server doesn't have source another, so its migrations were not applied")
	require.Contains(t, w.does(3, "migrate status"), "default\t2\tgood\tapplied", "the others are")
	w.write("migrations/other/1_x/up.sql", "SELECT 1")
	require.Contains(t, w.does(1, "migrate apply"), "the server doesn't have source another, other, so its migrations were not applied")
}

// TestMigrationsRunOnce: several programs that apply a project at the same time run each migration once, and none forgets what the
// others have recorded.
func TestMigrationsRunOnce(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	conf, err := project.LoadConfig(w.dir, func(name string) (string, bool) {
		value, ok := map[string]string{"ENGINE_GRAPHQL_ENDPOINT": w.url, "ENGINE_GRAPHQL_ADMIN_SECRET": secret}[name]
		return value, ok
	})
	require.NoError(t, err)
	client, err := remote.New(conf)
	require.NoError(t, err)
	ctx := t.Context()
	state := func() *remote.State {
		s, err := client.State(ctx)
		require.NoError(t, err)
		return s
	}
	one, two, late := state(), state(), state()
	require.NoError(t, client.Mark(ctx, one, "default", 1, true))
	require.ErrorIs(t, client.Mark(ctx, two, "default", 1, true), remote.ErrTaken)
	require.NoError(t, client.Mark(ctx, two, "default", 2, true))
	require.NoError(t, client.Mark(ctx, one, "default", 1, false))
	require.ErrorIs(t, client.Mark(ctx, late, "default", 1, true), remote.ErrTaken, "it is applied by now")
	require.NoError(t, client.Mark(ctx, two, "default", 2, false))
	require.Equal(t, map[string]map[int64]bool{"default": {1: false, 2: false}}, state().Migrations)
	require.NoError(t, client.Unmark(ctx, one, "default", 1))
	require.NoError(t, client.Unmark(ctx, two, "default", 2))
	require.Empty(t, state().Migrations["default"])

	const count = 5
	for i := range count {
		w.write(fmt.Sprintf("migrations/default/%d_t/up.sql", i+1), fmt.Sprintf("CREATE TABLE t%[1]d (id int); INSERT INTO t%[1]d VALUES (1)", i))
	}
	var jobs sync.WaitGroup
	for range 4 {
		jobs.Go(func() {
			if code, _, errs := w.run("migrate", "apply"); code != 0 {
				assert.Regexp(t, "another program may be applying it|at the same time", errs)
			}
		})
	}
	jobs.Wait()
	w.does(0, "migrate apply")
	require.Contains(t, w.does(0, "migrate status"), fmt.Sprintf("all %d migrations are applied", count))
	w.does(0, "metadata reload")
}
