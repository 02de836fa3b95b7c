package postgres

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/ir"
)

func TestOpenIsLazy(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{
		URL: func() (string, error) { return "postgres://me:hunter2@127.0.0.1:1/shop", nil },
	}}})
	require.NoError(t, err)
	defer s.Close()

	err = s.Ping(t.Context())
	requireError(t, err, apierror.PostgresError, "connection error")
	require.Equal(t, 500, apierror.From(err).Status)
	require.NotContains(t, string(apierror.From(err).InternalJSON()), "hunter2")
}

func TestOpenNeedsAnAddress(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Options{})
	require.Error(t, err)
	_, err = Open(t.Context(), Options{
		Primary:  schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return "", nil }}},
		Replicas: []schedule.Endpoint{{}},
	})
	require.ErrorContains(t, err, "read replica 0")
}

func TestConnectErrorsKeepPasswords(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://me:hunter2@%zz/shop",
		"host=127.0.0.1 port=1 password=hunter2 nonsense",
		"hunter2",
	} {
		s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }}}})
		require.NoError(t, err)
		err = s.Ping(t.Context())
		requireError(t, err, apierror.PostgresError, "connection error")
		require.NotContains(t, err.Error()+string(apierror.From(err).InternalJSON()), "hunter2")
		s.Close()
	}
}

func TestConnectErrorOfTheServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	u, err := url.Parse(f.url)
	require.NoError(t, err)
	u.Path = "/nowhere"
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return u.String(), nil }}}})
	require.NoError(t, err)
	defer s.Close()
	err = s.Ping(t.Context())
	requireError(t, err, apierror.PostgresError, "connection error")
	require.Contains(t, string(apierror.From(err).InternalJSON()), `database \"nowhere\" does not exist`)
}

func TestMaxConnectionsOfTheServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	role := f.text(t, "SELECT 'crowded_' || right(current_database(), 8)")
	f.exec(t, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 0 PASSWORD 'secret'")
	t.Cleanup(func() { _, _ = f.db.Exec(context.Background(), "DROP ROLE "+role) })
	u, err := url.Parse(f.url)
	require.NoError(t, err)
	u.User = url.UserPassword(role, "secret")
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return u.String(), nil }}}})
	require.NoError(t, err)
	defer s.Close()
	requireError(t, s.Ping(t.Context()), apierror.PostgresMaxConns, "max connections reached on postgres")
}

func TestPoolTimeout(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	p := f.source.primary
	c, err := p.Acquire(t.Context())
	require.NoError(t, err)
	p.Endpoint.PoolTimeout = time.Millisecond // not before, for connecting takes as long as it takes
	err = f.source.Ping(t.Context())
	requireError(t, err, apierror.Busy, "timed out waiting for a free connection to the database")
	c.Release()
	p.Endpoint.PoolTimeout = time.Minute
	require.NoError(t, f.source.Ping(t.Context()))
}

// pidOf is the server process of the only connection.
func pidOf(t *testing.T, f *fixture) uint32 {
	t.Helper()
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	return c.PG.PID()
}

func TestConnectionIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	first := pidOf(t, f)
	require.Equal(t, first, pidOf(t, f))

	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.PG.Exec(t.Context(), "BEGIN").Close())
	c.Release()
	require.NotEqual(t, first, pidOf(t, f), "an open transaction is not handed on")
}

func TestConnectionHasALifetime(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections, e.Lifetime = 1, time.Nanosecond })
	first := pidOf(t, f)
	require.NotEqual(t, first, pidOf(t, f))
}

func TestIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections, e.IdleTimeout = 1, 20*time.Millisecond })
	pidOf(t, f)
	require.Eventually(t, func() bool { return f.source.primary.Conns.Stat().TotalResources() == 0 },
		10*time.Second, 5*time.Millisecond)
}

func TestLostConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	var gone bool
	require.NoError(t, f.db.QueryRow(t.Context(), "SELECT pg_terminate_backend($1, 10000)", c.PG.PID()).Scan(&gone))
	require.True(t, gone)
	require.False(t, c.Alive(t.Context()))
	c.Release()
	require.NoError(t, f.source.Ping(t.Context()))
}

// TestQueriesOutliveTheirConnections: who asks doesn't see that a connection was lost, an idle one or
// one that waits for the answer. What may have written isn't repeated.
func TestQueriesOutliveTheirConnections(t *testing.T) {
	t.Parallel()
	const connections = 4
	f := newFixture(t, `CREATE TABLE n (id int4); INSERT INTO n VALUES (1)`, func(e *schedule.Endpoint) { e.MaxConnections = connections })
	st := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField}})
	ask := func() *errgroup.Group {
		var group errgroup.Group
		for range 2 * connections {
			group.Go(func() error {
				out := backend.NewAnswer(nil, nil, 0)
				if err := f.source.Query(t.Context(), st, backend.Args{}, out); err != nil {
					return err
				}
				if got := string(out.Buf); got != `[{"id":1}]` {
					return errors.New(got)
				}
				return nil
			})
		}
		return &group
	}
	const ours = ` FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS NOT NULL`
	terminate := func() {
		t.Helper()
		require.NotEqual(t, "0", f.text(t, `SELECT count(pg_terminate_backend(pid))::text`+ours))
	}
	require.NoError(t, ask().Wait())
	terminate()
	require.NoError(t, ask().Wait(), "idle connections were lost")

	f.exec(t, `BEGIN; LOCK TABLE n`)
	waiting := ask()
	require.Eventually(t, func() bool {
		f.exec(t, `SELECT pg_stat_clear_snapshot()`) // a transaction sees the activity as it was
		return f.text(t, `SELECT count(*)::text`+ours+` AND wait_event_type = 'Lock'`) == strconv.Itoa(connections)
	}, 30*time.Second, 5*time.Millisecond)
	terminate()
	f.exec(t, `COMMIT`)
	require.NoError(t, waiting.Wait(), "connections were lost that wait for an answer")

	calls := 0
	err := f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
		calls++
		terminate()
		return tx.Query(t.Context(), st, backend.Args{}, backend.NewAnswer(nil, nil, 0))
	})
	requireCode(t, err, apierror.PostgresError, "connection error")
	require.Equal(t, 1, calls)
}

func TestCancelKeepsTheConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	pid := pidOf(t, f)

	for _, c := range []struct {
		err  error
		stop func(context.Context) (context.Context, context.CancelFunc)
	}{
		{context.Canceled, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}},
		{nil, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}},
	} {
		conn, err := f.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		ctx, cancel := c.stop(t.Context())
		started := time.Now()
		err = wire.QueryError(ctx, conn.PG.Exec(ctx, "SELECT pg_sleep(60)").Close(), wire.Executed{SQL: "SELECT pg_sleep(60)"})
		cancel()
		conn.Release()
		require.Less(t, time.Since(started), 30*time.Second)
		if c.err != nil {
			require.ErrorIs(t, err, c.err)
		} else {
			requireError(t, err, apierror.Timeout, "the database did not answer within the time limit")
		}
		require.Equal(t, pid, pidOf(t, f))
	}
}

func TestApplicationName(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	pid := pidOf(t, f)
	var name string
	require.NoError(t, f.db.QueryRow(t.Context(), "SELECT application_name FROM pg_stat_activity WHERE pid = $1", pid).Scan(&name))
	require.Equal(t, "postgres test", name)
}

func TestReaderUsesReplicas(t *testing.T) {
	t.Parallel()
	address := func() (string, error) { return "postgres://127.0.0.1:1/x", nil }
	alone, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: address}}})
	require.NoError(t, err)
	defer alone.Close()
	require.Same(t, alone.primary, alone.reader())

	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: address}}, Replicas: []schedule.Endpoint{{Endpoint: wire.Endpoint{URL: address}}, {Endpoint: wire.Endpoint{URL: address}}}})
	require.NoError(t, err)
	defer s.Close()
	seen := map[*schedule.Scheduler]bool{}
	for range 100 {
		seen[s.reader()] = true
	}
	require.Equal(t, map[*schedule.Scheduler]bool{s.replicas[0]: true, s.replicas[1]: true}, seen)
}
