package postgres

import (
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
)

// TestExerciseOnImages is TestExercise on the databases themselves. Their images are large and come from elsewhere,
// so it is asked for by a variable: make test-images.
func TestExerciseOnImages(t *testing.T) {
	if os.Getenv("ENGINE_TEST_IMAGES") == "" {
		t.Skip("ENGINE_TEST_IMAGES is not set: see make test-images")
	}
	for _, c := range []struct {
		flavor *flavor
		image  dbtest.Image
		// setup is done in each new database.
		setup string
	}{
		{
			citus, dbtest.Image{
				Name: "citusdata/citus:12.1", Port: "5432/tcp", Env: map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"},
				Ready: "database system is ready to accept connections", Times: 2, // the first server only sets up
				URL: url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres"},
			}, "CREATE EXTENSION citus",
		},
		{
			cockroach, dbtest.Image{
				Name: "cockroachdb/cockroach:v24.3.0", Port: "26257/tcp", Cmd: []string{"start-single-node", "--insecure"},
				Ready: "node startup completed", Times: 1,
				URL: url.URL{Scheme: "postgres", User: url.User("root"), Path: "/defaultdb", RawQuery: "sslmode=disable"},
			}, "SET CLUSTER SETTING sql.defaults.serial_normalization = 'sql_sequence'",
		},
	} {
		t.Run(c.flavor.dialect.kind, func(t *testing.T) {
			address, err := url.Parse(dbtest.ImageURL(t, c.image))
			require.NoError(t, err)
			var made atomic.Int64
			fixture := exercised
			fixture.Dialect = c.flavor.dialect
			fixture.Open = func(t testing.TB) backendtest.Database {
				t.Helper()
				name := "exercise_" + strconv.FormatInt(made.Add(1), 10)
				execOn(t, address.String(), "CREATE DATABASE "+name)
				own := *address
				own.Path = "/" + name
				execOn(t, own.String(), c.setup)
				source, err := c.flavor.open(Options{Primary: wire.Endpoint{URL: func() (string, error) { return own.String(), nil }, MaxConnections: 4}})
				require.NoError(t, err)
				t.Cleanup(source.Close)
				return backendtest.Database{Source: source, Exec: func(t testing.TB, sql string) { execOn(t, own.String(), sql) }}
			}
			backendtest.Exercise(t, fixture)
		})
	}
}

// execOn runs a text on a connection of its own.
func execOn(t testing.TB, address, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // what it ran is done
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}
