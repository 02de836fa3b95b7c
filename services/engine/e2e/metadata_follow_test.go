package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtest"
)

// followed is `engine metadata follow` that runs.
type followed struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	errs  logtest.Buffer
}

func (w *workshop) follow(args ...string) *followed {
	w.t.Helper()
	f := &followed{t: w.t, cmd: exec.Command(filepath.Join(programs, engine), append([]string{"metadata", "follow"}, args...)...)}
	f.cmd.Dir = w.dir
	f.cmd.Env = []string{"ENGINE_GRAPHQL_ENDPOINT=" + w.url, "ENGINE_GRAPHQL_ADMIN_SECRET=" + secret}
	out, err := f.cmd.StdoutPipe()
	require.NoError(w.t, err)
	f.lines, f.cmd.Stderr = bufio.NewScanner(out), &f.errs
	require.NoError(w.t, f.cmd.Start())
	w.t.Cleanup(func() { _ = f.cmd.Process.Kill() })
	return f
}

// next is the next line.
func (f *followed) next() string {
	f.t.Helper()
	require.True(f.t, f.lines.Scan(), f.errs.String())
	return f.lines.Text()
}

// stop ends it as Ctrl-C does.
func (f *followed) stop() {
	f.t.Helper()
	require.NoError(f.t, f.cmd.Process.Signal(syscall.SIGINT))
	require.NoError(f.t, f.cmd.Wait(), f.errs.String())
}

// TestMetadataIsFollowedOnTheCommandLine: each version is printed once and in order, also those that were made while the gateway was gone.
func TestMetadataIsFollowedOnTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, "CREATE TABLE stock (id int PRIMARY KEY); CREATE TABLE kind (id int PRIMARY KEY)")
	c.start(metadata)
	first, second := c.start(gateway), c.start(gateway)
	w := &workshop{t, t.TempDir(), first.url}
	track := map[string]any{"source": "default", "table": "stock"}
	begin := first.version()

	f := w.follow()
	eventually(t, startLimit, func() bool { return strings.Contains(f.errs.String(), "following from version") }, f.errs.String)
	first.metadata("pg_track_table", track)
	fields := strings.Split(f.next(), "\t")
	require.Len(t, fields, 5)
	require.Equal(t, []string{"admin", "pg_track_table", "~ table public.stock in source default"}, fields[2:])

	// The gateway is gone; what others change meanwhile comes when it is back.
	first.kill()
	second.metadata("pg_untrack_table", track)
	second.metadata("pg_track_table", map[string]any{"source": "default", "table": "kind"})
	eventually(t, startLimit, func() bool { return strings.Contains(f.errs.String(), "again in") }, f.errs.String)
	again := c.launch(gateway, "SERVER_PORT="+strings.TrimPrefix(first.url, "http://127.0.0.1:"))
	again.url = first.url
	again.awaitHealthy()
	require.Contains(t, f.next(), "\tpg_untrack_table\t- table public.stock in source default")
	require.Contains(t, f.next(), "\tpg_track_table\t~ table public.kind in source default")
	f.stop()

	// From a version on, as JSON.
	j := w.follow("--json", "--from", "1")
	for v := int64(2); v <= again.version(); v++ {
		var got struct {
			Version int64 `json:"resource_version"`
		}
		require.NoError(t, json.NewDecoder(bytes.NewReader([]byte(j.next()))).Decode(&got))
		require.Equal(t, v, got.Version)
	}
	j.stop()
	require.Positive(t, begin)

	// What the server refuses ends it.
	refused := w.does(1, "metadata follow --admin-secret wrong")
	require.Contains(t, refused, "access-denied")
}
