package queryexecutor

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/backend/sqlite"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/oracle"
)

// modelDatabase is a database for one random model after the other.
type modelDatabase struct {
	dialect *oracle.Dialect
	address string
	// fill replaces the content by what statements make.
	fill func(t testing.TB, sql string) error
	// read is the only value of the only row of a query; nil where nothing can be changed.
	read func(t testing.TB, sql string) []byte
	// reason is why the server doesn't do what a request asks for, "" for an error that must not be; nil where all requests have answers.
	reason func(message, internal []byte) string
	// refused is how often it gave reasons.
	refused map[string]int
	// slow reports whether long statements take minutes. Inherited roles, whose cells have conditions, ask nothing then.
	slow bool
}

// rolesOf are the roles of a model that ask.
func (db *modelDatabase) rolesOf(m *oracle.Model) []string {
	if !db.slow {
		return m.Roles
	}
	return slices.DeleteFunc(slices.Clone(m.Roles), m.Inherits)
}

// refuses reports whether an answer is an error with a reason.
func (db *modelDatabase) refuses(got, internal []byte) bool {
	if db.reason == nil || json.Valid(got) {
		return false
	}
	reason := db.reason(got, internal)
	if reason == "" {
		return false
	}
	db.refused[reason]++
	return true
}

// modelDatabases make an empty database for the time of a test.
var modelDatabases = map[string]func(testing.TB) *modelDatabase{"PostgreSQL": postgresModels, "SQLite": sqliteModels, "BigQuery": bigqueryModels, "SQL Server": mssqlModels}

// withoutJIT keeps the server from compiling statements whose costs it cannot know: the tables
// are new, and a hundred rows are not worth a second of compilation.
const withoutJIT = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$;\n"

func postgresModels(t testing.TB) *modelDatabase {
	t.Helper()
	return postgresIn(t, dbtest.URL(t), "public")
}

// postgresIn has models in a schema of a database.
func postgresIn(t testing.TB, url, schema string) *modelDatabase {
	t.Helper()
	executeIn(t, url, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = "+schema+"', current_database()); END $$")
	conn := connect(t, url)
	return &modelDatabase{
		dialect: oracle.PostgreSQL, address: url,
		fill: func(t testing.TB, sql string) error {
			t.Helper()
			_, err := conn.Exec(t.Context(), withoutJIT+"DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema+";\n"+sql)
			return err
		},
		read: func(t testing.TB, sql string) []byte {
			t.Helper()
			var value []byte
			require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&value))
			return value
		},
	}
}

// connect opens a connection until the test ends.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // tables change under statements
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// executeIn runs statements on a connection of their own.
func executeIn(t testing.TB, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, errors.Join(err, conn.Close(t.Context())))
}

// bigqueryModels have the REST API of BigQuery before a database of PostgreSQL.
func bigqueryModels(t testing.TB) *modelDatabase {
	t.Helper()
	url := dbtest.URL(t)
	// Functions find the tables of a model, and the server what it adds itself.
	executeIn(t, url, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, models', current_database()); END $$")
	conn := connect(t, url)
	return &modelDatabase{
		dialect: oracle.BigQuery, address: bigquerytest.New(t, url).URL,
		fill: func(t testing.TB, sql string) error {
			t.Helper()
			_, err := conn.Exec(t.Context(), "DROP SCHEMA IF EXISTS models CASCADE; CREATE SCHEMA models; SET search_path = models;\n"+sql)
			return err
		},
	}
}

// mssqlModels have the protocol of SQL Server before a database of PostgreSQL.
func mssqlModels(t testing.TB) *modelDatabase {
	t.Helper()
	url := dbtest.URL(t)
	db := postgresIn(t, url, "dbo")
	db.dialect, db.address = oracle.SQLServer, mssqltest.New(t, url).ConnectionString()
	return db
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
