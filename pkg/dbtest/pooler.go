package dbtest

import (
	"context"
	"errors"
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
	return StartPooler(t, address, settings).URL
}

// RunningPooler is a PgBouncer that a test has started.
type RunningPooler struct {
	// URL is the address of the database through it.
	URL string

	t                  testing.TB
	program, dir, base string
	current            *exec.Cmd
	// log is a file because two processes write to it during a restart.
	log *os.File
}

// StartPooler is Pooler for tests that change it while it runs.
func StartPooler(t testing.TB, address string, settings map[string]string) *RunningPooler {
	t.Helper()
	p := &RunningPooler{t: t}
	p.program, _ = FindPooler(t)
	server, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the text may hold a password
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()                                             // PgBouncer is to have it
	if p.dir, err = os.MkdirTemp("", "pooler-"); err != nil { // that of the test has too long a name for a socket
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	if err := os.Chmod(p.dir, 0o777); err != nil { //nolint:gosec // another user makes its socket there
		t.Fatal(err)
	}
	p.base = fmt.Sprintf("[databases]\n* = host=%s port=%d user=%s password='%s'\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir = %s\nauth_type = any\nmax_client_conn = 200\n"+
		"log_connections = 0\nlog_disconnections = 0\n",
		server.Host, server.Port, server.User, strings.ReplaceAll(server.Password, "'", "''"), port, p.dir)
	if p.log, err = os.Create(filepath.Join(p.dir, "pooler.log")); err != nil {
		t.Fatal(err)
	}
	p.configure(settings)
	p.current = p.start()
	t.Cleanup(func() {
		if err := p.stop(p.current, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		defer p.log.Close()
		if t.Failed() {
			written, _ := os.ReadFile(p.log.Name()) // what there is
			t.Logf("PgBouncer:\n%s", written[max(0, len(written)-4000):])
		}
	})
	u := url.URL{
		Scheme: "postgres", User: url.User(server.User), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path: "/" + server.Database, RawQuery: "sslmode=disable",
	}
	p.URL = u.String()
	awaitPooler(t, p.URL)
	return p
}

func (p *RunningPooler) file() string { return filepath.Join(p.dir, "pgbouncer.ini") }

func (p *RunningPooler) configure(settings map[string]string) {
	p.t.Helper()
	config := p.base
	for k, v := range settings {
		config += k + " = " + v + "\n"
	}
	if err := os.WriteFile(p.file(), []byte(config), 0o644); err != nil { //nolint:gosec // of a test's server, read by another user
		p.t.Fatal(err)
	}
}

func (p *RunningPooler) start(options ...string) *exec.Cmd {
	p.t.Helper()
	if os.Geteuid() == 0 { // it doesn't run as root
		options = append(options, "-u", "nobody")
	}
	cmd := exec.Command(p.program, append(options, p.file())...) //nolint:gosec // the tests' own
	cmd.Stderr, cmd.Stdout = p.log, p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// stop waits until a process has ended, after a signal if there is one.
func (p *RunningPooler) stop(cmd *exec.Cmd, s os.Signal) error {
	if s != nil {
		_ = cmd.Process.Signal(s) // it may have ended
	}
	late := false
	kill := time.AfterFunc(30*time.Second, func() {
		late = true
		_ = cmd.Process.Kill()
	})
	_ = cmd.Wait() // how it ends doesn't matter
	if !kill.Stop() && late {
		return errors.New("PgBouncer doesn't end")
	}
	return nil
}

// Reload gives it other settings while it runs, without those of before.
func (p *RunningPooler) Reload(settings map[string]string) {
	p.t.Helper()
	p.configure(settings)
	if err := p.current.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
}

// TakeOver restarts it as one does an upgrade: a new process takes over its sockets and connections.
func (p *RunningPooler) TakeOver() {
	p.t.Helper()
	old := p.current
	p.current = p.start("-R")
	if err := p.stop(old, nil); err != nil {
		p.t.Fatal(err)
	}
	awaitPooler(p.t, p.URL)
}

// Crash kills it, and starts it again.
func (p *RunningPooler) Crash() {
	p.t.Helper()
	if err := p.stop(p.current, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	p.current = p.start()
	awaitPooler(p.t, p.URL)
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
