package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
)

// TestFreshCloneAnswersAsItsPagesSay: the commands that README.md and docs/getting-started.md print,
// typed in that order in a clone of the project, give the answers that they print.
func TestFreshCloneAnswersAsItsPagesSay(t *testing.T) {
	t.Parallel()
	p := newPage(t)
	home := p.dir
	p.dir = filepath.Join(home, "query-engine")
	root, err := filepath.Abs(documentationRoot)
	require.NoError(t, err)
	if out, err := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "--git-dir").CombinedOutput(); err != nil {
		t.Skipf("the project can't be cloned from here: %s", out)
	}
	out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "--depth", "1", "file://"+root, p.dir).CombinedOutput()
	require.NoError(t, err, string(out))
	p.clone = &clone{home: home}
	for _, name := range []string{"README.md", "docs/getting-started.md"} {
		text, err := os.ReadFile(filepath.Join(p.dir, name))
		require.NoError(t, err)
		p.run(string(text))
	}
	require.DirExists(t, filepath.Join(p.dir, ".data"), "the data stays, as the page says")
	require.FileExists(t, filepath.Join(p.dir, "bin", "engine"))
}

// clone runs a page in a clone of the project, by its own commands.
type clone struct {
	home string // of tools that a page calls
}

// bash is a shell as a user has it, in the clone.
func (c *clone) bash(p *page, script string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	cmd.Dir = p.dir
	for _, variable := range os.Environ() {
		// The tests may have been started by make, with settings of their own.
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") && !strings.HasPrefix(variable, "ENGINE_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "CURL_HOME="+c.home, "ENGINE_GRAPHQL_SERVER_PORT="+p.port("8080"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return cmd
}

// TestFirstStartIsQuiet: a start on an empty database is nothing to warn of.
func TestFirstStartIsQuiet(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) *process{
		"dev": func(t *testing.T) *process {
			t.Helper()
			return startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+dbtest.URL(t), "ENGINE_GRAPHQL_LOG_LEVEL=info")
		},
		"serve": func(t *testing.T) *process {
			t.Helper()
			p := launchServe(t, dbtest.URL(t), "ENGINE_GRAPHQL_ADMIN_SECRET="+secret)
			p.awaitReady()
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			p.query(map[string]string{"X-Engine-Admin-Secret": secret}, `{ __typename }`)
			p.stop()
			levels := map[string]int{}
			for line := range strings.Lines(p.log.String()) {
				var read struct{ Level string }
				if json.Unmarshal([]byte(line), &read) == nil {
					require.Contains(t, []string{"debug", "info"}, read.Level, line)
					levels[read.Level]++
				}
			}
			require.Positive(t, levels["info"], "there are lines to look at:\n%s", p.log.String())
		})
	}
}

// launchServe starts engine serve in a directory of its own, with NATS inside.
func launchServe(t *testing.T, databaseURL string, env ...string) *process {
	t.Helper()
	port := freeport.Text(t)
	cmd := exec.Command(filepath.Join(programs, engine), "serve")
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "ENGINE_GRAPHQL_DATABASE_URL=" + databaseURL,
		"ENGINE_GRAPHQL_SERVER_HOST=127.0.0.1", "ENGINE_GRAPHQL_SERVER_PORT=" + port, "ENGINE_GRAPHQL_LOG_LEVEL=info",
	}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p := &process{t: t, name: "engine serve", url: "http://127.0.0.1:" + port, cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	p.run()
	return p
}

// awaitReady waits until the gateway answers queries.
func (p *process) awaitReady() {
	p.t.Helper()
	eventually(p.t, startLimit, func() bool {
		a, err := p.get("/readyz")
		return err == nil && a.status == http.StatusOK
	}, func() string { return "not ready:\n" + p.log.Tail() })
}
