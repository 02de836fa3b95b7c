package rawsql

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestReadOnlyGuard takes the list of forbidden commands away: what is left must hold, too.
func TestReadOnlyGuard(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	pool, err := wire.NewPool(wire.Endpoint{URL: func() (string, error) { return url, nil }}, "rawsql test")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	text := func(pg *pgconn.PgConn, sql string) string {
		r := pg.ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
		require.NoError(t, r.Err)
		return string(r.Rows[0][0])
	}
	c, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.PG.Exec(t.Context(), `CREATE TABLE vault (gold int4); INSERT INTO vault VALUES (100)`).Close())
	c.Release()
	for _, sql := range []string{"COMMIT", "ROLLBACK", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN"} {
		c, err := pool.Acquire(t.Context())
		require.NoError(t, err)
		c.Discard()
		run := rawRun{pg: c.PG}
		require.NoError(t, run.exec(t.Context(), "SET default_transaction_read_only = on"))
		require.NoError(t, run.exec(t.Context(), "BEGIN READ ONLY"))
		g, err := run.newGuard(t.Context(), true)
		require.NoError(t, err)
		require.NoError(t, g.check(t.Context()))
		_, err = run.single(t.Context(), sql)
		require.NoError(t, err)
		require.ErrorContains(t, g.check(t.Context()), "query execution failed", sql)
		_, err = run.single(t.Context(), "UPDATE vault SET gold = 0")
		require.Error(t, err, "the session is read-only, too")
		_, err = run.single(t.Context(), "SELECT 1; SELECT 2")
		require.Error(t, err)
		run.rollback(t.Context())
		c.Release()
	}
	c, err = pool.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	require.Equal(t, "100", text(c.PG, `SELECT gold FROM vault`))
}
