package eventlog_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// fixture is an empty database with a source on it and a connection of the test's own.
type fixture struct {
	source *postgres.Source
	url    string
	db     *pgx.Conn
}

// newFixture makes the database with the given tables.
func newFixture(t testing.TB, schema string) *fixture {
	t.Helper()
	f := &fixture{url: dbtest.URL(t)}
	var err error
	f.source, err = postgres.Open(t.Context(), postgres.Options{
		Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return f.url, nil }, MaxConnections: 4}}, ApplicationName: "eventlog test",
	})
	require.NoError(t, err)
	t.Cleanup(f.source.Close)
	f.db, err = pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.db.Close(context.Background()) })
	f.exec(t, schema)
	return f
}

func (f *fixture) exec(t testing.TB, sql string) {
	t.Helper()
	_, err := f.db.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// text is the value of a query as text.
func (f *fixture) text(t testing.TB, sql string) string {
	t.Helper()
	var s string
	require.NoError(t, f.db.QueryRow(t.Context(), sql).Scan(&s))
	return s
}
