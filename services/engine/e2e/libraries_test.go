package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// libraries installs the libraries that most people use, from npm, and gives the program that
// runs them.
func libraries(t *testing.T) (node, dir string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))))
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--silent")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the client libraries can't be installed: %v\n%s", err, out)
	}
	return node, dir
}

// TestClientLibraries subscribes with the libraries of clients.
func TestClientLibraries(t *testing.T) {
	t.Parallel()
	node, dir := libraries(t)
	c, gateways, _ := counters(t, 2)
	for _, library := range []string{"graphql-ws", "subscriptions-transport-ws"} {
		t.Run(library, func(t *testing.T) {
			execute(t, c.databaseURL, `UPDATE counter SET value = 0; TRUNCATE line RESTART IDENTITY`)
			cmd := exec.CommandContext(t.Context(), node, "clients.mjs", library, "ws"+strings.TrimPrefix(gateways[0].url, "http")+"/v1/graphql", secret)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			told := map[string]string{}
			lines := bufio.NewScanner(stdout)
			// await reads until something is told, in whatever order things come.
			await := func(what, want string) {
				t.Helper()
				for !sameJSON(told[what], want) {
					require.True(t, lines.Scan(), "wanted %s %s, got %v", what, want, told)
					var line struct {
						What  string
						Value json.RawMessage
					}
					require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
					told[line.What] = string(line.Value)
				}
			}
			await("live", counterIs(0))
			await("query", `{"counter":[{"id":2}]}`)
			await("refused failed", `"field 'nothing' not found in type: 'subscription_root'"`)
			execute(t, c.databaseURL, `UPDATE counter SET value = 3; INSERT INTO line (text) VALUES ('a'), ('b')`)
			await("live", counterIs(3))
			await("stream", `{"line_stream":[{"text":"a"},{"text":"b"}]}`)
			execute(t, c.databaseURL, `INSERT INTO line (text) VALUES ('c')`)
			await("stream", `{"line_stream":[{"text":"c"}]}`)
			require.NoError(t, stdin.Close())
			require.NoError(t, cmd.Wait())
		})
	}
}
