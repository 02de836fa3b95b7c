package dbtest_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/localpg"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestURLGivesEachTestItsOwnDatabase(t *testing.T) {
	t.Parallel()
	first, second := dbtest.URL(t), dbtest.URL(t)
	require.NotEqual(t, first, second)

	for _, u := range []string{first, second} {
		conn, err := pgx.Connect(t.Context(), u)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `CREATE TABLE mine (id int)`)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	}
}

func TestURLIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var address string
	var open *pgx.Conn
	t.Run("a test", func(t *testing.T) { //nolint:paralleltest // ends before the check below
		address = dbtest.URL(t)
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		open = conn
	})
	require.Error(t, open.Ping(context.Background()), "a connection left open")
	_, err := pgx.Connect(t.Context(), address)
	require.ErrorContains(t, err, "does not exist")
}

// TestDockerIsAskedOnce holds that a process gives up on containers after the first failure: a daemon whose containers don't start may take long to say so for each server.
func TestDockerIsAskedOnce(t *testing.T) {
	t.Parallel()
	if os.Getenv("TWO_SERVERS") != "" {
		dbtest.URL(t)
		dbtest.LogicalURL(t)
		return
	}
	if err := localpg.Ensure(t.Context(), func(what string) { t.Log(what) }); err != nil {
		t.Skip("PostgreSQL isn't installed, and can't be: ", err)
	}
	socket := filepath.Join(t.TempDir(), "docker.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	var asked atomic.Int64
	daemon := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/networks") { // what a container begins with
			asked.Add(1)
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte("{}"))
	})}
	go func() { _ = daemon.Serve(listener) }()
	t.Cleanup(func() { _ = daemon.Close() })
	for want, already := range []string{"yes", ""} {
		asked.Store(0)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDockerIsAskedOnce$")
		cmd.Env = append(os.Environ(), "TWO_SERVERS=yes", "DOCKER_HOST=unix://"+socket, dbtest.Variable+"=", "ENGINE_TEST_ONLY_LOCAL="+already)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.EqualValues(t, want, asked.Load(), "%s", out)
	}
}
