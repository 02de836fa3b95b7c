package dbtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestPoolerTakeOver holds that a connection through the pooler outlives its restart and new
// settings, and not its crash.
func TestPoolerTakeOver(t *testing.T) {
	t.Parallel()
	p := dbtest.StartPooler(t, dbtest.URL(t), map[string]string{"pool_mode": "transaction"})
	conn, err := pgx.Connect(t.Context(), p.URL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	one := func() error {
		_, err := conn.Exec(t.Context(), "SELECT 1", pgx.QueryExecModeSimpleProtocol)
		return err
	}
	require.NoError(t, one())
	for range 3 {
		p.TakeOver()
		require.NoError(t, one())
	}
	p.Reload(map[string]string{"pool_mode": "session"})
	require.NoError(t, one())
	p.Crash()
	require.Error(t, one())
}
