package dbtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestURLGivesEachTestItsOwnDatabase(t *testing.T) {
	t.Parallel()
	first, second := dbtest.URL(t), dbtest.URL(t)
	require.NotEqual(t, first, second)

	for _, u := range []string{first, second} {
		conn, err := pgx.Connect(t.Context(), u)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `CREATE TABLE mine (id int)`)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	}
}

func TestURLIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var address string
	var open *pgx.Conn
	t.Run("a test", func(t *testing.T) { //nolint:paralleltest // ends before the check below
		address = dbtest.URL(t)
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		open = conn
	})
	require.Error(t, open.Ping(context.Background()), "a connection left open")
	_, err := pgx.Connect(t.Context(), address)
	require.ErrorContains(t, err, "does not exist")
}
