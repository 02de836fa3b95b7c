package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
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

	templatesMu sync.Mutex
	// templates are the names of the databases that Filled copies, by what makes their content.
	templates map[string]string
}

// empty is the template of empty databases.
const empty = "template0"

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

// url makes a copy of a database for the test and returns its address.
func (d *databases) url(t testing.TB, template string) string {
	t.Helper()
	name := databaseName(t.Name())
	if err := d.copyOf(t.Context(), template, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		d.drop(t, ctx, name)
	})
	return d.of(name)
}

// copyOf makes a database. Copied files cost less than the default, a copy through the server's log.
func (d *databases) copyOf(ctx context.Context, template, name string) error {
	return d.exec(ctx, "CREATE DATABASE "+quoted(name)+" TEMPLATE "+quoted(template)+" STRATEGY file_copy")
}

// of is the address of a database.
func (d *databases) of(name string) string {
	u, err := url.Parse(d.address)
	if err != nil {
		panic("a connection has been made with this address")
	}
	u.Path = "/" + name
	return u.String()
}

// With is the address with a parameter of its connections.
func With(t testing.TB, address, parameter, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("the address is not a URL") // the text may hold a password
	}
	q := u.Query()
	q.Set(parameter, value)
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // drivers do not decode a plus
	return u.String()
}

// template is a database with what sql makes.
func (d *databases) template(ctx context.Context, sql string) (string, error) {
	d.templatesMu.Lock()
	defer d.templatesMu.Unlock()
	if name := d.templates[sql]; name != "" {
		return name, nil
	}
	name := databaseName("template")
	if err := d.copyOf(ctx, empty, name); err != nil {
		return "", err
	}
	if d.templates == nil {
		d.templates = map[string]string{}
	}
	conn, err := pgx.Connect(ctx, d.of(name))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, sql)
	if err = errors.Join(err, conn.Close(ctx)); err == nil {
		d.templates[sql] = name
	}
	return name, err
}

// end drops the templates.
func (d *databases) end(ctx context.Context) error {
	var errs []error
	for _, name := range d.templates {
		errs = append(errs, d.exec(ctx, "DROP DATABASE "+quoted(name)+" WITH (FORCE)"))
	}
	return errors.Join(errs...)
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
