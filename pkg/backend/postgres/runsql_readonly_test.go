package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// vaultSQL holds what the attacks are after: rows, a sequence, and functions and procedures
// that write or that make the transaction writable.
const vaultSQL = `
	CREATE TABLE vault (id int PRIMARY KEY, gold int);
	INSERT INTO vault VALUES (1, 100);
	CREATE SEQUENCE tickets;
	CREATE FUNCTION steal() RETURNS int LANGUAGE sql AS 'UPDATE vault SET gold = 0 RETURNING gold';
	CREATE FUNCTION steal_set() RETURNS int LANGUAGE sql SET transaction_read_only = off
		AS 'UPDATE vault SET gold = 0 RETURNING gold';
	CREATE FUNCTION steal_config() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
		PERFORM set_config('transaction_read_only', 'off', true);
		UPDATE vault SET gold = 0; RETURN 0; END $$;
	CREATE FUNCTION swallow() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
		BEGIN SET LOCAL transaction_read_only = off; EXCEPTION WHEN OTHERS THEN NULL; END;
		BEGIN UPDATE vault SET gold = 0; EXCEPTION WHEN OTHERS THEN NULL; END;
		RETURN 0; END $$;
	CREATE PROCEDURE commit_and_steal() LANGUAGE plpgsql AS $$ BEGIN
		COMMIT; SET TRANSACTION READ WRITE; UPDATE vault SET gold = 0; COMMIT; END $$;
	CREATE PROCEDURE rollback_and_steal() LANGUAGE plpgsql AS $$ BEGIN
		ROLLBACK; UPDATE vault SET gold = 0; COMMIT; END $$;
	CREATE VIEW trap AS SELECT steal() AS gold`

// attacks try to write in spite of read_only.
var attacks = map[string]string{
	"plain write":              `UPDATE vault SET gold = 0`,
	"drop":                     `DROP TABLE vault CASCADE`,
	"write in a cte":           `WITH x AS (DELETE FROM vault RETURNING *) SELECT * FROM x`,
	"select into":              `SELECT * INTO loot FROM vault`,
	"explain analyze":          `EXPLAIN ANALYZE UPDATE vault SET gold = 0`,
	"sequence":                 `SELECT nextval('tickets'), setval('tickets', 100)`,
	"writing function":         `SELECT steal()`,
	"view on a function":       `SELECT * FROM trap`,
	"large object":             `SELECT lo_from_bytea(4711, 'x')`,
	"large object and commit":  `SELECT lo_from_bytea(4711, 'x'); COMMIT`,
	"large object and chain":   `SELECT lo_from_bytea(4711, 'x'); /**/ commit and chain`,
	"commit":                   `COMMIT; UPDATE vault SET gold = 0`,
	"end":                      `END; UPDATE vault SET gold = 0`,
	"end in lower case":        "\n\tend work; update vault set gold = 0",
	"rollback":                 `ROLLBACK; UPDATE vault SET gold = 0`,
	"abort":                    `ABORT; UPDATE vault SET gold = 0`,
	"rollback, begin":          `ROLLBACK; BEGIN; UPDATE vault SET gold = 0; COMMIT`,
	"rollback, begin writable": `ROLLBACK; BEGIN READ WRITE; UPDATE vault SET gold = 0; COMMIT`,
	"commit and chain":         `COMMIT AND CHAIN; SET TRANSACTION READ WRITE; UPDATE vault SET gold = 0; COMMIT`,
	"rollback and chain":       `ROLLBACK AND CHAIN; SET TRANSACTION READ WRITE; UPDATE vault SET gold = 0; COMMIT`,
	"prepare transaction":      `SELECT lo_from_bytea(4711, 'x'); PREPARE TRANSACTION 'later'; COMMIT PREPARED 'later'`,
	"begin in the transaction": `BEGIN READ WRITE; UPDATE vault SET gold = 0`,
	"start transaction":        `START TRANSACTION READ WRITE; UPDATE vault SET gold = 0`,
	"behind a comment":         "/* /* ; */ */ -- ;\r COMMIT; UPDATE vault SET gold = 0",
	"behind a separator":       `; ; COMMIT; UPDATE vault SET gold = 0`,
	"set transaction":          `SET TRANSACTION READ WRITE; UPDATE vault SET gold = 0`,
	"set local":                `SET LOCAL transaction_read_only = off; UPDATE vault SET gold = 0`,
	"set to default": `SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE;
		SET transaction_read_only TO DEFAULT; UPDATE vault SET gold = 0`,
	"reset":                  `RESET transaction_read_only; UPDATE vault SET gold = 0`,
	"reset all":              `RESET ALL; UPDATE vault SET gold = 0`,
	"discard all":            `DISCARD ALL; UPDATE vault SET gold = 0`,
	"session and commit":     `SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; COMMIT; UPDATE vault SET gold = 0`,
	"default and commit":     `SET default_transaction_read_only = off; COMMIT; UPDATE vault SET gold = 0`,
	"set_config":             `SELECT set_config('transaction_read_only', 'off', true); UPDATE vault SET gold = 0`,
	"set_config in a cte":    `WITH x AS MATERIALIZED (SELECT set_config('transaction_read_only', 'off', false)) SELECT steal() FROM x`,
	"set_config by update":   `UPDATE pg_settings SET setting = 'off' WHERE name = 'transaction_read_only'; UPDATE vault SET gold = 0`,
	"do block":               `DO $$ BEGIN SET LOCAL transaction_read_only = off; UPDATE vault SET gold = 0; END $$`,
	"do block that commits":  `DO $$ BEGIN COMMIT; UPDATE vault SET gold = 0; COMMIT; END $$`,
	"do block, nested":       `DO $a$ BEGIN EXECUTE $b$ DO $c$ BEGIN ROLLBACK; UPDATE vault SET gold = 0; END $c$ $b$; END $a$`,
	"function with set":      `SELECT steal_set()`,
	"function with config":   `SELECT steal_config()`,
	"errors swallowed":       `SELECT swallow(); SELECT swallow()`,
	"procedure that commits": `CALL commit_and_steal()`,
	"procedure rolls back":   `CALL rollback_and_steal()`,
	"savepoint": `SAVEPOINT a; SET LOCAL transaction_read_only = off; ROLLBACK TO SAVEPOINT a;
		UPDATE vault SET gold = 0`,
	"savepoint kept":          `SAVEPOINT a; RELEASE a; ROLLBACK TO a; UPDATE vault SET gold = 0`,
	"prepared statement":      `PREPARE p AS UPDATE vault SET gold = 0; EXECUTE p`,
	"cursor":                  `DECLARE c CURSOR FOR SELECT steal(); FETCH ALL FROM c`,
	"copy from":               `COPY vault FROM '/dev/null'`,
	"copy to a program":       `COPY (SELECT 1) TO PROGRAM 'cat'`,
	"dollar quotes":           `SELECT $a$; $$ $a$; COMMIT; UPDATE vault SET gold = 0; SELECT $$ $a$ ; $$`,
	"escape string":           `SELECT E'\'; COMMIT; UPDATE vault SET gold = 0; --'`,
	"plain string":            `SELECT '\'; COMMIT; UPDATE vault SET gold = 0; --'`,
	"other rules of strings":  `SET standard_conforming_strings = off; SELECT '\'; COMMIT; UPDATE vault SET gold = 0; --'`,
	"other rules, other way":  `SET standard_conforming_strings = off; SELECT '\';'; COMMIT; UPDATE vault SET gold = 0; --'`,
	"hidden in parentheses":   `SELECT (1; COMMIT; UPDATE vault SET gold = 0; SELECT 1)`,
	"hidden in a body":        `CREATE FUNCTION f() BEGIN; COMMIT; UPDATE vault SET gold = 0`,
	"hidden behind an atomic": `CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END; COMMIT; UPDATE vault SET gold = 0`,
	"quoted keyword":          `"COMMIT"; UPDATE vault SET gold = 0`,
	"other role":              `SET SESSION AUTHORIZATION DEFAULT; SET ROLE NONE; COMMIT; UPDATE vault SET gold = 0`,
	"analyze":                 `ANALYZE vault; COMMIT`,
	"notify and commit":       `NOTIFY loot; COMMIT; DELETE FROM vault`,
	"alter system":            `ALTER SYSTEM SET default_transaction_read_only = off`,
	"temporary table":         `CREATE TEMP TABLE loot (id int); COMMIT; INSERT INTO vault VALUES (2, 2)`,
}

const vaultState = `SELECT concat_ws('|',
	(SELECT json_agg(v ORDER BY id) FROM vault v),
	(SELECT last_value || ' ' || is_called FROM tickets),
	(SELECT count(*) FROM pg_largeobject_metadata),
	(SELECT count(*) FROM pg_class WHERE relname = 'loot'),
	(SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()))`

func TestReadOnlyHolds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, vaultSQL, nil)
	untouched := f.text(t, vaultState)
	for name, sql := range attacks {
		for _, without := range []bool{false, true} {
			_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: sql, ReadOnly: true, NoTransaction: without})
			if err != nil {
				var e *apierror.Error
				require.ErrorAs(t, err, &e, name)
				require.Equal(t, apierror.PostgresError, e.Code, name)
			}
			require.Equal(t, untouched, f.text(t, vaultState), name)
		}
	}
	// The vault can be opened: what held was the mode, not the table.
	_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: attacks["plain write"]})
	require.NoError(t, err)
	require.NotEqual(t, untouched, f.text(t, vaultState))
}

func TestReadOnlyTextStillRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, vaultSQL, nil)
	for sql, want := range map[string][][]string{
		"SELECT 1; SELECT gold FROM vault; ":                            {{"gold"}, {"100"}},
		"WITH x AS (SELECT 1 AS a) SELECT a, NULL AS b FROM x":          {{"a", "b"}, {"1", "NULL"}},
		"SHOW transaction_read_only":                                    {{"transaction_read_only"}, {"on"}},
		"EXPLAIN (COSTS off) SELECT 1":                                  {{"QUERY PLAN"}, {"Result"}},
		"SET LOCAL search_path = pg_catalog; SELECT 'x;' AS a":          {{"a"}, {"x;"}},
		"VALUES (1), (2)":                                               {{"column1"}, {"1"}, {"2"}},
		"SAVEPOINT a; SELECT 1; ROLLBACK TO SAVEPOINT a; SELECT 2 AS b": {{"b"}, {"2"}},
		"DO $$ BEGIN PERFORM 1; END $$":                                 nil,
		"PREPARE p AS SELECT 3 AS c; EXECUTE p":                         {{"c"}, {"3"}},
		"SELECT":                                                        {{}, {}},
		"TABLE vault":                                                   {{"id", "gold"}, {"1", "100"}},
		"":                                                              nil,
	} {
		got, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: sql, ReadOnly: true})
		require.NoError(t, err, sql)
		require.Equal(t, want, got.Rows, sql)
	}
}

func TestReadOnlyRefusal(t *testing.T) {
	t.Parallel()
	f := newFixture(t, vaultSQL, nil)
	for sql, message := range map[string]string{
		"DROP TABLE vault": `cannot execute DROP TABLE in a read-only transaction`,
		"commit; SELECT 1": `cannot execute COMMIT in a read-only transaction`,
	} {
		_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: sql, ReadOnly: true})
		var e *apierror.Error
		require.ErrorAs(t, err, &e)
		d, ok := e.Internal.(wire.Detail)
		require.True(t, ok)
		require.Equal(t, sql, d.Statement)
		require.Equal(t, "25006", d.Error.StatusCode)
		require.Equal(t, message, d.Error.Message)
	}
}
