package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the server that tests use: the address of a database, as a role that may
// create databases.
const Variable = "ENGINE_TEST_POSTGRES_URL"

// shared is the server of this test binary. It is a global because a test binary has one
// TestMain and no other place that outlives its tests.
var shared struct {
	mu      sync.Mutex
	running bool // inside Main
	server  *Server
	err     error
}

// Main runs the tests and stops the server, when one was started. It does not return.
func Main(m *testing.M) {
	os.Exit(Run(m))
}

// Run is Main for packages that have something to clean up themselves; it returns the exit
// code.
func Run(m *testing.M) int {
	shared.mu.Lock()
	shared.running = true
	shared.mu.Unlock()
	code := m.Run()

	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.running = false
	if shared.server == nil {
		return code
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := shared.server.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "dbtest: stopping PostgreSQL:", err)
		return max(code, 1)
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
	name := databaseName(t.Name())
	execute(t, t.Context(), admin, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		execute(t, ctx, admin, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
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

// serverURL starts the server when there is none yet. A start that failed isn't repeated:
// every test of the binary fails with the same words.
func serverURL(ctx context.Context) (string, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.err != nil {
		return "", shared.err
	}
	if shared.server == nil {
		if u := os.Getenv(Variable); u != "" {
			return u, nil
		}
		if !shared.running {
			return "", fmt.Errorf("the package needs func TestMain(m *testing.M) { dbtest.Main(m) }, or %s", Variable)
		}
		// Several tests share the server; the one that happens to start it may end first.
		shared.server, shared.err = Start(context.WithoutCancel(ctx))
		if shared.err != nil {
			return "", shared.err
		}
	}
	return shared.server.URL, nil
}

func execute(t testing.TB, ctx context.Context, address, sql string) { //nolint:revive // t comes first in helpers
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatalf("connecting to PostgreSQL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
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
