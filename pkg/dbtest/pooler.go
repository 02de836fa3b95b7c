package dbtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// PoolerVariable names the program of PgBouncer that tests use, where it isn't the one that is
// installed.
const PoolerVariable = "ENGINE_TEST_PGBOUNCER"

// PreparesSince is the first version of PgBouncer that keeps prepared statements for its clients.
var PreparesSince = PoolerVersion{1, 21}

// PoolerVersion is a version of PgBouncer.
type PoolerVersion struct{ Major, Minor int }

// Before compares versions.
func (v PoolerVersion) Before(other PoolerVersion) bool {
	return v.Major < other.Major || v.Major == other.Major && v.Minor < other.Minor
}

var poolerVersion = regexp.MustCompile(`PgBouncer (\d+)\.(\d+)`)

// FindPooler is the PgBouncer of this machine. A test without one is skipped.
func FindPooler(t testing.TB) (program string, version PoolerVersion) {
	t.Helper()
	program = os.Getenv(PoolerVariable)
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if program == "" {
			program, _ = exec.LookPath(name)
		}
	}
	if program == "" {
		t.Skipf("no PgBouncer on this machine (apt-get install pgbouncer, or %s)", PoolerVariable)
	}
	out, err := exec.CommandContext(t.Context(), program, "--version").Output()
	if err != nil {
		t.Fatalf("%s --version: %v", program, err)
	}
	m := poolerVersion.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s is no PgBouncer: %s", program, out)
	}
	version.Major, _ = strconv.Atoi(string(m[1])) // digits
	version.Minor, _ = strconv.Atoi(string(m[2]))
	return program, version
}

// Pooler starts a PgBouncer in front of a database, until the test ends, and returns the address
// of the database through it. settings are those of its section [pgbouncer].
func Pooler(t testing.TB, address string, settings map[string]string) string {
	t.Helper()
	program, _ := FindPooler(t)
	server, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the text may hold a password
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // PgBouncer is to have it
	var config strings.Builder
	fmt.Fprintf(&config, "[databases]\n* = host=%s port=%d user=%s password='%s'\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\nmax_client_conn = 200\n"+
		"log_connections = 0\nlog_disconnections = 0\n", server.Host, server.Port, server.User, strings.ReplaceAll(server.Password, "'", "''"), port)
	for k, v := range settings {
		fmt.Fprintf(&config, "%s = %s\n", k, v)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config.String()), 0o644); err != nil { //nolint:gosec // of a test's server, read by another user
		t.Fatal(err)
	}
	args := []string{file}
	if os.Geteuid() == 0 { // it doesn't run as root
		args = []string{"-u", "nobody", file}
	}
	var log bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr, cmd.Stdout = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // how it ends doesn't matter
		kill.Stop()
		if t.Failed() {
			t.Logf("PgBouncer:\n%s", log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	u := url.URL{
		Scheme: "postgres", User: url.User(server.User), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path: "/" + server.Database, RawQuery: "sslmode=disable",
	}
	awaitPooler(t, u.String())
	return u.String()
}

func awaitPooler(t testing.TB, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address)
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("PgBouncer doesn't answer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
