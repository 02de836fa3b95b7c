package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// libraries installs the libraries that most people use, from npm, and gives the program that
// runs them.
func libraries(t *testing.T) (node, dir string) {
	t.Helper()
	return nodetest.Program(t), nodetest.Install(t, "testdata/clients")
}

// TestClientLibraries queries, writes and subscribes with the libraries of clients, as they are
// when nothing is set. An error of the database ends its own operation and no other.
func TestClientLibraries(t *testing.T) {
	t.Parallel()
	node, dir := libraries(t)
	c, gateways, _ := counters(t, 2)
	for _, library := range []string{"graphql-ws", "subscriptions-transport-ws", "graphql-sse", "urql", "urql without WebSockets", "Apollo"} {
		t.Run(library, func(t *testing.T) {
			execute(t, c.databaseURL, `UPDATE counter SET value = 0; TRUNCATE line RESTART IDENTITY`)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, "clients.mjs", library, gateways[0].url, secret)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			told := map[string]string{}
			lines := bufio.NewScanner(stdout)
			// await reads until something is reported, in whatever order things come.
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
					if line.What == "type" {
						require.JSONEq(t, `"application/json; charset=utf-8"`, told["type"], "a stream can't be compressed or cached")
					}
				}
			}
			await("live", counterIs(0))
			await("query", `{"counter":[{"id":2}]}`)
			await("refused failed", `"field 'nothing' not found in type: 'subscription_root'"`)
			await("broken failed", `"Uniqueness violation. duplicate key value violates unique constraint \"counter_pkey\""`)
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
