package walreader_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// patience is how long a test waits for what has to come.
const patience = 30 * time.Second

// fixture is a database with a feed that isn't read yet, and a connection of the test's own.
type fixture struct {
	url, slot string
	pool      *wire.Pool
	feed      *walreader.Feed
	db        *pgx.Conn
	// told are the tables that were reported, by their names.
	told chan string
	// changes are what learned of them.
	changes chan backend.Change
}

func setup(t *testing.T, url, schema string) *fixture {
	t.Helper()
	f := &fixture{url: url, told: make(chan string, 1000), changes: make(chan backend.Change, 10_000)}
	var err error
	f.db, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.db.Close(context.Background()) })
	require.NoError(t, f.db.QueryRow(t.Context(), `SELECT 'slot_' || oid FROM pg_database WHERE datname = current_database()`).Scan(&f.slot))
	f.pool, err = wire.NewPool(wire.Endpoint{URL: func() (string, error) { return url, nil }}, "walreader test")
	require.NoError(t, err)
	t.Cleanup(f.pool.Close)
	f.feed = walreader.NewFeed(f.pool, f.slot)
	f.exec(t, schema)
	return f
}

func (f *fixture) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := f.db.Exec(t.Context(), sql)
	require.NoError(t, err, sql)
}

func (f *fixture) text(t *testing.T, sql string) (text string) {
	t.Helper()
	require.NoError(t, f.db.QueryRow(t.Context(), sql).Scan(&text), sql)
	return text
}

// listen begins to listen; stop ends it and returns how it ended.
func (f *fixture) listen(t *testing.T) (stop func() error, ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, end := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(end)
		end <- f.feed.Listen(ctx, sync.OnceFunc(func() { close(ready) }), func(c backend.Change) {
			f.changes <- c
			f.told <- c.ID
		})
	}()
	select {
	case <-ready:
	case err := <-end:
		require.NoError(t, err)
	case <-time.After(patience):
		require.Fail(t, "the feed doesn't begin")
	}
	stop = sync.OnceValue(func() error {
		cancel()
		return <-end
	})
	t.Cleanup(func() { _ = stop() })
	return stop, end
}

func names(list ...string) []catalog.Name {
	var of []catalog.Name
	for _, n := range list {
		of = append(of, catalog.Name{Schema: "public", Name: n})
	}
	return of
}

func (f *fixture) watch(t *testing.T, list ...string) []string {
	t.Helper()
	ids, err := f.feed.Watch(t.Context(), names(list...))
	require.NoError(t, err, list)
	return ids
}

// oid is the id of a table.
func (f *fixture) oid(t *testing.T, name string) string {
	t.Helper()
	return f.text(t, `SELECT '`+name+`'::regclass::oid::text`)
}

// next waits until a change of each of the tables was reported, and of no others. Several transactions may be
// reported together, or not.
func (f *fixture) next(t *testing.T, why string, ids ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	for len(missing) > 0 {
		select {
		case id := <-f.told:
			require.Contains(t, ids, id, why)
			delete(missing, id)
		case <-time.After(patience):
			require.Fail(t, "nothing was reported", "%s: %v", why, missing)
		}
	}
}

// barrier waits until everything before it was reported, by a change of a table that has no other purpose,
// and returns what was.
func (f *fixture) barrier(t *testing.T) (told []string) {
	t.Helper()
	f.exec(t, `INSERT INTO barrier DEFAULT VALUES`)
	mark := f.oid(t, "barrier")
	for {
		select {
		case id := <-f.told:
			if id == mark {
				return told
			}
			told = append(told, id)
		case <-time.After(patience):
			require.Fail(t, "the barrier wasn't told")
		}
	}
}

const barrierTable = `CREATE TABLE barrier (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);`

// withUser is an address as another role, whose password is "secret".
func withUser(t *testing.T, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword(role, "secret")
	return u.String()
}
