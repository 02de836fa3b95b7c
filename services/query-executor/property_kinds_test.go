package queryexecutor

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/oracle"
	"queryengine/pkg/testlong"
)

// citusModels have models on the server of ENGINE_TEST_CITUS_URL, with their tables in a layout.
func citusModels(t testing.TB, layout string) *modelDatabase {
	t.Helper()
	url := dbtest.CitusURL(t, "")
	executeIn(t, url, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = models', current_database()); END $$")
	conn := connect(t, url)
	db := postgresIn(t, url, "models")
	db.dialect, db.refused = oracle.Citus[layout], map[string]int{}
	db.fill = func(t testing.TB, sql string) error {
		t.Helper()
		_, err := conn.Exec(t.Context(), "SET client_min_messages = warning; SET citus.shard_count = 4; SET citus.shard_replication_factor = 1")
		require.NoError(t, err)
		for statement := range strings.SplitSeq("DROP SCHEMA IF EXISTS models CASCADE;\nCREATE SCHEMA models;\n"+sql, ";\n") {
			for range 10 { // databases of one Citus are filled at the same time, and its deadlocks are distributed
				_, err = conn.Exec(t.Context(), statement)
				if pg := (*pgconn.PgError)(nil); !errors.As(err, &pg) || pg.Code != "40P01" {
					break
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}
	return db
}

// sqlServerModels have models on the server of ENGINE_TEST_SQL_SERVER_URL.
func sqlServerModels(t testing.TB) *modelDatabase {
	t.Helper()
	address := dbtest.SQLServerURL(t)
	pool, err := sql.Open("sqlserver", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	db := &modelDatabase{dialect: oracle.Babelfish, address: address, refused: map[string]int{}}
	if strings.HasPrefix(dbtest.SQLServerVersion(t, address), dbtest.Babelfish) {
		db.slow = true
		db.reason = func(_, internal []byte) string {
			if bytes.Contains(internal, []byte(`syntax error at or near \"FOR\"`)) {
				return "a list in an order can't be JSON"
			}
			return ""
		}
	}
	var drop []string
	db.fill = func(t testing.TB, text string) error {
		t.Helper()
		var made []string
		for statement := range strings.SplitSeq(strings.Join(drop, ";\n")+";\n"+text, ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := pool.ExecContext(t.Context(), statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
			if words := strings.Fields(statement); words[0] == "CREATE" {
				made = append(made, "DROP "+words[1]+" "+words[2])
			}
		}
		slices.Reverse(made)
		drop = made
		return nil
	}
	db.read = func(t testing.TB, text string) []byte {
		t.Helper()
		answer, err := json.Marshal(map[string]any{"data": readRows(t, pool, text)})
		require.NoError(t, err)
		return answer
	}
	return db
}

// readRows are the rows of a query, by the names of their columns.
func readRows(t testing.TB, pool *sql.DB, text string) []map[string]any {
	t.Helper()
	rows, err := pool.QueryContext(context.WithoutCancel(t.Context()), text)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // it was read
	names, err := rows.Columns()
	require.NoError(t, err)
	list := []map[string]any{}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		row := map[string]any{}
		for i, name := range names {
			row[name] = values[i]
		}
		list = append(list, row)
	}
	require.NoError(t, rows.Err())
	return list
}

// TestCitusRandom asks and changes what TestRandomAnswers and TestRandomChanges do, of a real Citus with its tables in layouts.
func TestCitusRandom(t *testing.T) {
	t.Parallel()
	for _, layout := range slices.Sorted(maps.Keys(oracle.Citus)) {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			db := citusModels(t, layout)
			if layout == "tenants" || layout == "distributed" || layout == "apart" || layout == "mixed" {
				db.reason = citusReason
			}
			proven := requireRandom(t, db, testlong.Of(2, 60))
			proven.Server, proven.Layout = dbtest.CitusVersion(t, db.address), layout
			backendtest.Report(t, proven)
		})
	}
}

// TestSQLServerRandom does it on a SQL Server.
func TestSQLServerRandom(t *testing.T) {
	t.Parallel()
	db := sqlServerModels(t)
	proven := requireRandom(t, db, testlong.Of(1, 6))
	proven.Server, proven.Layout = dbtest.SQLServerVersion(t, db.address), "local"
	backendtest.Report(t, proven)
}

// citusReason is a reason of Citus: one with the code for what it doesn't do, or one that it has another code for.
func citusReason(message, internal []byte) string {
	for _, known := range slices.Concat(citusApart, citusLacks) {
		if bytes.Contains(message, []byte(known)) {
			return known
		}
	}
	if bytes.Contains(internal, []byte(`"status_code":"0A000"`)) {
		return strings.TrimSpace(string(message))
	}
	return ""
}

// requireRandom asks and changes random things on random schemas.
func requireRandom(t *testing.T, db *modelDatabase, most int) backendtest.Tested {
	t.Helper()
	asked, several, changed := 0, 0, 0
	for i := range cmp.Or(*models, most) {
		seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
		m := oracle.New(seed, db.dialect)
		e := newModelFixture(t, db, m, seed)
		for n := range uint64(queriesPerRole) {
			for _, role := range db.rolesOf(m) {
				switch err := requireAnswer(t, e, db, m, role, seed, n); {
				case err == nil:
					asked++
				case errors.Is(err, oracle.ErrAmbiguous):
					several++
				}
			}
		}
		for n := range uint64(queriesPerRole) {
			for _, role := range db.rolesOf(m) {
				changed += requireChange(t, e, db, m, role, seed, n)
			}
		}
		e.sources.Close()
	}
	t.Logf("%d answers and %d changes are right, %d questions have several; refused: %v", asked, changed, several, db.refused)
	proven := backendtest.Tested{Tests: "random requests", Cases: asked + changed, Except: map[string]string{}}
	for reason, times := range db.refused {
		name := fmt.Sprintf("%d of them", times)
		proven.Except[name] = strings.TrimPrefix(proven.Except[name]+"; "+reason, "; ")
	}
	require.Positive(t, proven.Cases)
	return proven
}
