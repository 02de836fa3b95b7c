package queryexecutor

import (
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqlite"
	"queryengine/pkg/dbtest"
	"queryengine/services/query-executor/internal/oracle"
)

// modelDatabase is a database for one random model after the other.
type modelDatabase struct {
	dialect *oracle.Dialect
	address string
	// fill replaces the content by what statements make.
	fill func(t testing.TB, sql string) error
	// read is the only value of the only row of a query.
	read func(t testing.TB, sql string) []byte
}

// modelDatabases make an empty database for the time of a test.
var modelDatabases = map[string]func(testing.TB) *modelDatabase{"PostgreSQL": postgresModels, "SQLite": sqliteModels}

// withoutJIT keeps the server from compiling statements whose costs it cannot know: the tables
// are new, and a hundred rows are not worth a second of compilation.
const withoutJIT = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$;\n"

func postgresModels(t testing.TB) *modelDatabase {
	t.Helper()
	url := dbtest.URL(t)
	connected := func(t testing.TB) *pgx.Conn {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		return conn
	}
	return &modelDatabase{
		dialect: oracle.PostgreSQL, address: url,
		fill: func(t testing.TB, sql string) error {
			t.Helper()
			conn := connected(t)
			_, err := conn.Exec(t.Context(), withoutJIT+"DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"+sql)
			require.NoError(t, conn.Close(t.Context()))
			return err
		},
		read: func(t testing.TB, sql string) []byte {
			t.Helper()
			conn := connected(t)
			var value []byte
			require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&value))
			require.NoError(t, conn.Close(t.Context()))
			return value
		},
	}
}

// sqliteModels makes a file for each model.
func sqliteModels(t testing.TB) *modelDatabase {
	t.Helper()
	db := &modelDatabase{dialect: oracle.SQLite}
	run := func(t testing.TB, sql string) (*backend.RawResult, error) {
		t.Helper()
		source := sqlite.Open(sqlite.Options{Path: db.address, Create: true, Readers: 1})
		defer source.Close()
		return source.RunSQL(t.Context(), backend.RawSQL{SQL: sql})
	}
	db.fill = func(t testing.TB, sql string) error {
		t.Helper()
		db.address = filepath.Join(t.TempDir(), "model.db")
		_, err := run(t, sql)
		return err
	}
	db.read = func(t testing.TB, sql string) []byte {
		t.Helper()
		result, err := run(t, sql)
		require.NoError(t, err)
		return []byte(result.Rows[1][0])
	}
	return db
}
