package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/lifecycle"
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

// started is a server that the first test to ask for it starts.
type started struct {
	server *Server
	err    error
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
		if s.server == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if err := s.server.Stop(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "dbtest: stopping PostgreSQL:", err)
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
	admin, err := serverURL(t.Context())
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	return database(t, admin)
}

// LogicalURL is URL on a server of the test binary's own whose log can be read by logical replication.
// Its roles are not those of Role.
func LogicalURL(t testing.TB) string {
	t.Helper()
	admin, err := logicalURL(t.Context())
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	return database(t, admin)
}

// database makes an empty database for the test.
func database(t testing.TB, admin string) string {
	t.Helper()
	name := databaseName(t.Name())
	execute(t, t.Context(), admin, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		drop(t, ctx, admin, name)
	})
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the text may hold a password
	}
	u.Path = "/" + name
	return u.String()
}

// Role makes a role without rights, which is dropped when the test ends. Databases in which it gets
// some have to be made after it: they are dropped before.
func Role(t testing.TB) string {
	t.Helper()
	admin, err := serverURL(t.Context())
	if err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	name := databaseName(t.Name())
	execute(t, t.Context(), admin, "CREATE ROLE "+pgx.Identifier{name}.Sanitize())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		execute(t, ctx, admin, "DROP ROLE "+pgx.Identifier{name}.Sanitize())
	})
	return name
}

// serverURL is the server that the environment names, or one of the test binary.
func serverURL(ctx context.Context) (string, error) {
	servers.mu.Lock()
	defer servers.mu.Unlock()
	if u := os.Getenv(Variable); u != "" && servers.shared == (started{}) {
		return u, nil
	}
	return servers.shared.url(ctx, nil)
}

func logicalURL(ctx context.Context) (string, error) {
	servers.mu.Lock()
	defer servers.mu.Unlock()
	return servers.logical.url(ctx, logicalSettings)
}

// url starts the server when it isn't there yet. A start that failed isn't repeated: every test of the
// binary fails with the same words.
func (s *started) url(ctx context.Context, settings map[string]string) (string, error) {
	if s.err == nil && s.server == nil {
		if !servers.running {
			return "", fmt.Errorf("the package needs func TestMain(m *testing.M) { dbtest.Main(m) }, or %s", Variable)
		}
		// Several tests share the server; the one that happens to start it may end first.
		s.server, s.err = start(context.WithoutCancel(ctx), settings)
	}
	if s.err != nil {
		return "", s.err
	}
	return s.server.URL, nil
}

func execute(t testing.TB, ctx context.Context, address, sql string) { //nolint:revive // t comes first in helpers
	t.Helper()
	if err := run(ctx, address, sql); err != nil {
		t.Fatal(err)
	}
}

func run(ctx context.Context, address, sql string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// inUse is the code of PostgreSQL for what a session still uses.
const inUse = "55006"

// drop removes a database. A reader of its log that has just ended still has a slot for a moment.
func drop(t testing.TB, ctx context.Context, admin, name string) { //nolint:revive // t comes first in helpers
	t.Helper()
	for {
		err := run(ctx, admin, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		if err == nil {
			return
		}
		refused := (*pgconn.PgError)(nil)
		if !errors.As(err, &refused) || refused.Code != inUse || !lifecycle.Sleep(ctx, 50*time.Millisecond) {
			t.Fatal(err)
		}
	}
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// databaseName is the test's name, cut to what PostgreSQL keeps, and a random part.
func databaseName(test string) string {
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix) // never fails
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(test), "_"), "_")
	return "t_" + name[:min(len(name), 48)] + "_" + hex.EncodeToString(suffix)
}
