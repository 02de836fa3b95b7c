package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// what is why a text was refused, as administrators see it.
func what(t *testing.T, err error) string {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apierror.SQLiteError, e.Code)
	require.Equal(t, "query execution failed", e.Message)
	d, ok := e.Internal.(detail)
	require.True(t, ok)
	return d.Error.Message
}

// No text reaches another file than the one of the source.
func TestTextsStayInTheFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", nil)
	out := filepath.Join(t.TempDir(), "out.db")
	for _, text := range []string{
		"ATTACH '" + out + "' AS o",
		"ATTACH ':memory:' AS o; DETACH o",
		"VACUUM INTO '" + out + "'",
		"SELECT load_extension('" + out + "')",
		"SELECT writefile('" + out + "', 'x')",
		"PRAGMA temp_store_directory = '" + filepath.Dir(out) + "'",
		"PRAGMA writable_schema = ON",
		"CREATE VIRTUAL TABLE v USING csv(filename='/etc/hosts')",
	} {
		for _, r := range []backend.RawSQL{{SQL: text}, {SQL: text, NoTransaction: true}, {SQL: text, ReadOnly: true}} {
			_, err := f.run(t, r)
			require.NotEmpty(t, what(t, err), "%+v", r)
		}
	}
	_, err := os.Stat(out)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = f.run(t, backend.RawSQL{SQL: "VACUUM", NoTransaction: true})
	require.NoError(t, err, "the file itself can be made smaller")
}

// No text breaks the file.
func TestTextsKeepTheFileWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (1)", nil)
	for text, why := range map[string]string{
		"UPDATE sqlite_dbpage SET data = zeroblob(4096) WHERE pgno = 1":   deniedPages,
		"INSERT INTO SQLITE_DBPAGE (pgno, data) VALUES (1, zeroblob(8))":  deniedPages,
		"DELETE FROM sqlite_dbpage":                                       deniedPages,
		"PRAGMA journal_mode = OFF":                                       deniedPragma + "journal_mode",
		"PRAGMA schema_version = 1":                                       deniedPragma + "schema_version",
		"PRAGMA writable_schema = ON":                                     deniedPragma + "writable_schema",
		"PRAGMA writable_schema(ON); UPDATE sqlite_schema SET sql = 'no'": deniedPragma + "writable_schema",
	} {
		for _, r := range []backend.RawSQL{{SQL: text}, {SQL: text, NoTransaction: true}} {
			_, err := f.run(t, r)
			require.Equal(t, why, what(t, err), "%+v", r)
		}
	}
	require.Equal(t, [][]string{{"ok"}}, f.rows(t, "PRAGMA integrity_check"))
	require.Equal(t, [][]string{{"wal"}}, f.rows(t, "PRAGMA journal_mode"))
}

// A read-only text can't leave its transaction, nor the mode of its connection.
func TestReadOnlyTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER UNIQUE); INSERT INTO a VALUES (1)", nil)
	for _, text := range []string{
		"INSERT INTO a VALUES (2)", "UPDATE a SET n = 2", "DELETE FROM a", "DROP TABLE a", "CREATE TABLE b (n)", "CREATE TEMP TABLE b (n)",
		"COMMIT; INSERT INTO a VALUES (2)", "ROLLBACK; BEGIN IMMEDIATE; INSERT INTO a VALUES (2); COMMIT", "SAVEPOINT x; DELETE FROM a; RELEASE x",
		"PRAGMA query_only = OFF; DELETE FROM a", "PRAGMA user_version = 7", "PRAGMA journal_mode = DELETE",
		"WITH x AS (SELECT 1) INSERT INTO a SELECT * FROM x", "DELETE FROM a RETURNING n", "EXPLAIN DELETE FROM a", "REINDEX", "ANALYZE", "VACUUM",
	} {
		_, err := f.run(t, backend.RawSQL{SQL: text, ReadOnly: true})
		require.Error(t, err, text)
		require.NotEmpty(t, what(t, err), text)
	}
	require.Equal(t, [][]string{{"1"}}, f.rows(t, "SELECT n FROM a"))
	require.Equal(t, [][]string{{"n"}}, f.rows(t, "SELECT name FROM pragma_table_info('a')"))
	require.Len(t, f.rows(t, "PRAGMA table_info(a)"), 1)
	require.Equal(t, [][]string{{"0"}}, f.rows(t, "PRAGMA user_version"))
}

// A text in a transaction can't end it, so that all of it happens or nothing.
func TestTextsDoNotEndTheirTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER)", nil)
	for _, text := range []string{
		"INSERT INTO a VALUES (1); COMMIT; INSERT INTO missing VALUES (1)", "BEGIN; INSERT INTO a VALUES (1); COMMIT",
		"INSERT INTO a VALUES (1); ROLLBACK",
	} {
		_, err := f.run(t, backend.RawSQL{SQL: text})
		require.Equal(t, deniedTransaction, what(t, err))
		require.Empty(t, f.rows(t, "SELECT * FROM a"))
	}
	_, err := f.run(t, backend.RawSQL{SQL: "BEGIN; INSERT INTO a VALUES (1); COMMIT; BEGIN; INSERT INTO a VALUES (2)", NoTransaction: true})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1"}}, f.rows(t, "SELECT * FROM a"), "what is left open is rolled back")
	_, err = f.run(t, backend.RawSQL{SQL: "SAVEPOINT s; INSERT INTO a VALUES (3); RELEASE s"})
	require.NoError(t, err)
}

// What a text does to its connection reaches no other client.
func TestTextsKeepTheirSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE p (n INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p)", nil)
	_, err := f.run(t, backend.RawSQL{SQL: "PRAGMA foreign_keys = OFF; INSERT INTO c VALUES (1); CREATE TEMP TABLE p (n)", NoTransaction: true})
	require.NoError(t, err)
	_, err = f.run(t, backend.RawSQL{SQL: "INSERT INTO c VALUES (2)"})
	require.Equal(t, "FOREIGN KEY constraint failed", what(t, err))
	_, err = f.run(t, backend.RawSQL{SQL: "INSERT INTO p VALUES (3)"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"3"}}, f.rows(t, "SELECT n FROM main.p"))
}

// The result is that of the last statement, with numbers as they are.
func TestResultsOfTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER, x REAL, b BLOB)", nil)
	rows, err := f.run(t, backend.RawSQL{SQL: "INSERT INTO a VALUES (9007199254740993, 0.1, x'00ff'); SELECT n, x, hex(b) AS h FROM a; -- the end\n ;"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"n", "x", "h"}, {"9007199254740993", "0.1", "00FF"}}, rows)
	rows, err = f.run(t, backend.RawSQL{SQL: "SELECT 1; DELETE FROM a"})
	require.NoError(t, err)
	require.Nil(t, rows)
	rows, err = f.run(t, backend.RawSQL{SQL: "  "})
	require.NoError(t, err)
	require.Nil(t, rows)
	_, err = f.run(t, backend.RawSQL{SQL: "SELECT 1;\x00"})
	require.Error(t, err)
}

func TestReadOnlySource(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (1)", func(o *Options) { o.ReadOnly = true })
	require.Equal(t, [][]string{{"1"}}, f.rows(t, "SELECT n FROM a"))
	for _, err := range []error{
		f.source.Mutate(t.Context(), nil, func(backend.Tx) error { return nil }),
		func() error { _, err := f.run(t, backend.RawSQL{SQL: "DELETE FROM a"}); return err }(),
	} {
		var e *apierror.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, apierror.NotSupported, e.Code)
	}
}

// A statement that runs for ever ends with its caller, and its connection is of use after that.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(o *Options) { o.Readers = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := f.source.RunSQL(ctx, backend.RawSQL{
			ReadOnly: true,
			SQL:      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
		})
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, f.source.Ping(t.Context()))
}
