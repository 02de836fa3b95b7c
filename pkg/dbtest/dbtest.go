package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variable names the server that tests use: the address of a database, as a role that may
// create databases.
const Variable = "ENGINE_TEST_POSTGRES_URL"

// servers are those of this test binary. They are globals because a test binary has one TestMain
// and no other place that outlives its tests.
var servers struct {
	mu      sync.Mutex
	running bool // inside Main
	// shared is for all tests, logical for those that read the log of their server.
	shared, logical started
}

// started is a server that the first test to ask for it starts, with the databases of tests.
type started struct {
	server    *Server
	databases *databases
	err       error
}

// logicalSettings are those of a server whose log can be read.
var logicalSettings = map[string]string{"wal_level": "logical", "max_wal_senders": "40", "max_replication_slots": "40"}

// Main runs the tests and stops the server, when one was started. It does not return.
func Main(m *testing.M) {
	os.Exit(Run(m))
}

// Run is Main for packages that have something to clean up themselves; it returns the exit
// code.
func Run(m *testing.M) int {
	servers.mu.Lock()
	servers.running = true
	servers.mu.Unlock()
	code := m.Run()

	servers.mu.Lock()
	defer servers.mu.Unlock()
	servers.running = false
	for _, s := range []started{servers.shared, servers.logical} {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if err := s.end(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "dbtest: leaving PostgreSQL:", err)
			code = max(code, 1)
		}
		cancel()
	}
	return code
}

// URL makes an empty database, which is dropped when the test ends, and returns its
// address. The role is a superuser where the server is one that this package starts.
func URL(t testing.TB) string {
	t.Helper()
	return shared(t).url(t, empty)
}

// Filled is URL with what statements make in it, once for all tests of the binary that want the same: later ones get a
// copy. Settings and rights of the database itself aren't copied.
func Filled(t testing.TB, sql string) string {
	t.Helper()
	d := shared(t)
	template, err := d.template(context.WithoutCancel(t.Context()), sql)
	if err != nil {
		t.Fatal(err)
	}
	return d.url(t, template)
}

// LogicalURL is URL on a server of the test binary's own whose log can be read by logical replication.
// Its roles are not those of Role.
func LogicalURL(t testing.TB) string {
	t.Helper()
	servers.mu.Lock()
	d, err := servers.logical.get(t.Context(), logicalSettings)
	servers.mu.Unlock()
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	return d.url(t, empty)
}

// shared is the server that the environment names, or one of the test binary.
func shared(t testing.TB) *databases {
	t.Helper()
	servers.mu.Lock()
	defer servers.mu.Unlock()
	s := &servers.shared
	if u := os.Getenv(Variable); u != "" && *s == (started{}) {
		s.databases = &databases{address: u}
	}
	d, err := s.get(t.Context(), nil)
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	return d
}

// Role makes a role without rights, which is dropped when the test ends. Databases in which it gets
// some have to be made after it: they are dropped before.
func Role(t testing.TB) string {
	t.Helper()
	d, name := shared(t), databaseName(t.Name())
	if err := d.exec(t.Context(), "CREATE ROLE "+quoted(name)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := d.exec(ctx, "DROP ROLE "+quoted(name)); err != nil {
			t.Fatal(err)
		}
	})
	return name
}

// get starts the server when it isn't there yet. A start that failed isn't repeated: every test of the
// binary fails with the same words.
func (s *started) get(ctx context.Context, settings map[string]string) (*databases, error) {
	if s.err == nil && s.databases == nil {
		if !servers.running {
			return nil, fmt.Errorf("the package needs func TestMain(m *testing.M) { dbtest.Main(m) }, or %s", Variable)
		}
		// Several tests share the server; the one that happens to start it may end first.
		if s.server, s.err = start(context.WithoutCancel(ctx), settings); s.err == nil {
			s.databases = &databases{address: s.server.URL}
		}
	}
	return s.databases, s.err
}

func (s *started) end(ctx context.Context) error {
	switch {
	case s.server != nil:
		return s.server.Stop(ctx)
	case s.databases != nil:
		return s.databases.end(ctx)
	}
	return nil
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// databaseName is the test's name, cut to what PostgreSQL keeps, and a random part.
func databaseName(test string) string {
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix) // never fails
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(test), "_"), "_")
	return "t_" + name[:min(len(name), 48)] + "_" + hex.EncodeToString(suffix)
}
