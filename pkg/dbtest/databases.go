package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/lifecycle"
)

// databases makes the databases of tests on one server.
type databases struct {
	address string

	mu   sync.Mutex
	conn *pgx.Conn
}

// inUse is the code of PostgreSQL for what a session still uses.
const inUse = "55006"

// exec runs a statement on the connection that the tests of the binary share: to start a session for each costs as much as
// the statement.
func (d *databases) exec(ctx context.Context, sql string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil || d.conn.IsClosed() {
		var err error
		if d.conn, err = pgx.Connect(ctx, d.address); err != nil {
			return fmt.Errorf("connecting to PostgreSQL: %w", err)
		}
	}
	// A test that ends meanwhile doesn't close the connection.
	if _, err := d.conn.Exec(context.WithoutCancel(ctx), sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// url makes an empty database for the test and returns its address.
func (d *databases) url(t testing.TB) string {
	t.Helper()
	name := databaseName(t.Name())
	// Copied files cost less than the default, a copy through the server's log.
	if err := d.exec(t.Context(), "CREATE DATABASE "+quoted(name)+" TEMPLATE template0 STRATEGY file_copy"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		d.drop(t, ctx, name)
	})
	u, err := url.Parse(d.address)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable) // the text may hold a password
	}
	u.Path = "/" + name
	return u.String()
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// drop removes a database. A reader of its log that has just ended still has a slot for a moment.
func (d *databases) drop(t testing.TB, ctx context.Context, name string) { //nolint:revive // t comes first in helpers
	t.Helper()
	for {
		err := d.exec(ctx, "DROP DATABASE IF EXISTS "+quoted(name)+" WITH (FORCE)")
		if err == nil {
			return
		}
		refused := (*pgconn.PgError)(nil)
		if !errors.As(err, &refused) || refused.Code != inUse || !lifecycle.Sleep(ctx, 50*time.Millisecond) {
			t.Fatal(err)
		}
	}
}
