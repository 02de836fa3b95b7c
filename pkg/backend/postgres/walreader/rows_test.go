package walreader_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/dbtest"
)

// watchRows watches columns of a table and returns those that are reported.
func (f *fixture) watchRows(t *testing.T, table string, columns ...string) (told []string) {
	t.Helper()
	ids, list, err := f.feed.WatchRows(t.Context(), names(table)[0], backend.RowColumns{Told: columns})
	require.NoError(t, err)
	require.Contains(t, ids, f.oid(t, table))
	for _, c := range list {
		told = append(told, c.Name)
	}
	return told
}

// change is what learned of a table since the last call, which is one change.
func (f *fixture) change(t *testing.T, table string) backend.Change {
	t.Helper()
	f.barrier(t)
	id := f.oid(t, table)
	var got []backend.Change
	for len(f.changes) > 0 {
		if c := <-f.changes; c.ID == id {
			got = append(got, c)
		}
	}
	require.Len(t, got, 1, "one change of %s", table)
	return got[0]
}

// describe writes rows as "old > new", with ∅ for NULL and ? for what isn't known; "unknown" when no row is.
func describe(rows *backend.ChangedRows) string {
	if rows == nil {
		return "unknown"
	}
	image := func(cells []backend.Cell) string {
		if cells == nil {
			return ""
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = map[backend.CellState]string{backend.CellNull: "∅", backend.CellText: c.Text, backend.CellUnknown: "?", backend.CellKept: "="}[c.State]
		}
		return strings.Join(texts, ",")
	}
	var list []string
	for _, r := range rows.Rows {
		list = append(list, strings.TrimSpace(image(r.Old)+" > "+image(r.New)))
	}
	return strings.Join(rows.Columns, ",") + ": " + strings.Join(list, "; ")
}

func TestFeedTellsOfRows(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, owner int, name text);
		CREATE TABLE whole (id int, name varchar); ALTER TABLE whole REPLICA IDENTITY FULL;
		CREATE TABLE large (id int PRIMARY KEY, name text, n int); ALTER TABLE large ALTER name SET STORAGE EXTERNAL;
		CREATE TABLE parted (id int PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10);
		CREATE VIEW shifted AS SELECT id + 1 AS id FROM a`)
	f.listen(t)
	f.watch(t, "barrier")
	ids, told, err := f.feed.WatchRows(t.Context(), names("shifted")[0], backend.RowColumns{Told: []string{"id"}})
	require.NoError(t, err)
	require.Equal(t, []string{f.oid(t, "a")}, ids)
	require.Empty(t, told, "a column of a view")
	f.barrier(t)
	f.exec(t, `INSERT INTO a VALUES (1, 5)`)
	require.Nil(t, f.change(t, "a").Rows, "no listener has asked")
	f.exec(t, `DELETE FROM a`)
	f.change(t, "a")
	require.Equal(t, []string{"id"}, f.watchRows(t, "a", "id"))
	require.Equal(t, []string{"owner", "name"}, f.watchRows(t, "a", "owner", "name", "missing"))
	require.Equal(t, []string{"name"}, f.watchRows(t, "whole", "name"))
	require.Equal(t, []string{"id", "name", "n"}, f.watchRows(t, "large", "id", "name", "n"))
	require.Equal(t, []string{"id", "n"}, f.watchRows(t, "parted", "id", "n"))
	for _, c := range []struct{ sql, table, want string }{
		{`INSERT INTO a VALUES (1, 5, 'x'), (2, NULL, NULL)`, "a", "id,owner,name: > 1,5,x; > 2,∅,∅"},
		{`UPDATE a SET owner = 7 WHERE id = 1`, "a", "id,owner,name: 1,?,? > 1,7,x"},
		{`UPDATE a SET id = 10 WHERE id = 1`, "a", "id,owner,name: 1,?,? > 10,7,x"},
		{`DELETE FROM a WHERE id = 10`, "a", "id,owner,name: 10,?,? >"},
		{`BEGIN; INSERT INTO a VALUES (20, 1); DELETE FROM a WHERE id = 20; COMMIT`, "a", "id,owner,name: > 20,1,∅; 20,?,? >"},
		{`BEGIN; INSERT INTO a VALUES (22, 1); TRUNCATE a; COMMIT`, "a", "unknown"},
		{`INSERT INTO a SELECT g FROM generate_series(100, 2000) g`, "a", "unknown"}, // too many
		{`INSERT INTO whole VALUES (1, 'x')`, "whole", "name: > x"},
		{`UPDATE whole SET name = 'y'`, "whole", "name: x > y"},
		{`UPDATE whole SET name = repeat('y', 9000)`, "whole", "name: y > ?"}, // too long
		{`UPDATE whole SET id = 2`, "whole", "name: ? > ="},
		{`DELETE FROM whole`, "whole", "name: ? >"},
		{`INSERT INTO whole VALUES (2, ''), (3, NULL)`, "whole", "name: >; > ∅"},
		{`INSERT INTO large VALUES (1, repeat('x', 3000), 1)`, "large", "id,name,n: > 1," + strings.Repeat("x", 3000) + ",1"},
		{`UPDATE large SET n = 2`, "large", "id,name,n: 1,?,? > 1,=,2"}, // the value is stored apart, and stays
		{`ALTER TABLE large REPLICA IDENTITY FULL; UPDATE large SET n = 3`, "large", "id,name,n: 1," + strings.Repeat("x", 3000) + ",2 > 1," + strings.Repeat("x", 3000) + ",3"},
		{`INSERT INTO parted VALUES (3, 1)`, "parted", "id,n: > 3,1"},
		{`INSERT INTO parted VALUES (4, 1)`, "part", "id,n: > 4,1"},
		{`CREATE TABLE later PARTITION OF parted FOR VALUES FROM (10) TO (20); INSERT INTO later VALUES (11)`, "parted", "unknown"},
		{`ALTER TABLE a ADD COLUMN first int; INSERT INTO a (id, first) VALUES (30, 6)`, "a", "id,owner,name: > 30,∅,∅"},
		{`ALTER TABLE a ALTER owner TYPE bigint; INSERT INTO a VALUES (31, 6, 'z')`, "a", "id,owner,name: > 31,?,z"},
		{`ALTER TABLE a RENAME name TO title; INSERT INTO a VALUES (32, 6, 'z')`, "a", "id,owner,name: > 32,?,?"},
	} {
		f.exec(t, c.sql)
		require.Equal(t, c.want, describe(f.change(t, c.table).Rows), c.sql)
	}
	require.Equal(t, []string{"owner"}, f.watchRows(t, "a", "owner"))
	f.exec(t, `INSERT INTO a VALUES (33, 8)`)
	require.Equal(t, "id,owner,name: > 33,8,?", describe(f.change(t, "a").Rows), "its new type is reported")
	f.exec(t, `DELETE FROM a WHERE owner IS NULL; ALTER TABLE a DROP CONSTRAINT a_pkey, ADD PRIMARY KEY (id, owner); INSERT INTO a VALUES (34, 9)`)
	require.Nil(t, f.change(t, "a").Rows, "it has another key than when its columns were read")
	_, list, err := f.feed.WatchRows(t.Context(), names("a")[0], backend.RowColumns{Told: []string{"owner"}})
	require.NoError(t, err)
	require.Equal(t, []backend.ToldColumn{{Name: "owner", Type: "20", Collation: backend.CollationDeterministic, Key: 2}}, list)
	f.exec(t, `INSERT INTO a VALUES (35, 9)`)
	require.Equal(t, "owner: > 9", describe(f.change(t, "a").Rows))
}

// TestFeedTellsOfTransactions: by their numbers with the epoch, of which the log has the lower half.
func TestFeedTellsOfTransactions(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	f.watch(t, "barrier")
	f.watchRows(t, "a", "id")
	f.barrier(t)
	var want []uint64
	for range 3 {
		id, err := strconv.ParseUint(f.text(t, `WITH w AS (INSERT INTO a SELECT coalesce(max(id), 0) + 1 FROM a RETURNING id) SELECT pg_current_xact_id()::text FROM w`), 10, 64)
		require.NoError(t, err)
		want = append(want, id)
	}
	f.barrier(t)
	var got []uint64
	for len(f.changes) > 0 {
		if c := <-f.changes; c.ID == f.oid(t, "a") {
			for _, row := range c.Rows.Rows {
				got = append(got, row.Transaction)
			}
		}
	}
	require.Equal(t, want, got)
}

// TestFeedLeavesOutLongValues where rows have too many of them.
func TestFeedLeavesOutLongValues(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, name text, note text)`)
	f.listen(t)
	f.watch(t, "barrier")
	f.watchRows(t, "a", "id", "name", "note")
	f.barrier(t)
	f.exec(t, `INSERT INTO a SELECT g, 'n' || g, CASE WHEN g % 2 = 0 THEN repeat('x', 4000) END FROM generate_series(1, 200) g`)
	rows := f.change(t, "a").Rows
	require.Len(t, rows.Rows, 200)
	for i, row := range rows.Rows {
		note := backend.Cell{}
		if (i+1)%2 == 0 {
			note.State = backend.CellUnknown
		}
		require.Equal(t, []backend.Cell{{State: backend.CellText, Text: strconv.Itoa(i + 1)}, {State: backend.CellText, Text: fmt.Sprint("n", i+1)}, note}, row.New)
	}
}

// TestFeedComparesColumns: of some columns it is reported whether an update has kept them, and no values.
func TestFeedComparesColumns(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, n int, large text); ALTER TABLE a ALTER large SET STORAGE EXTERNAL`)
	f.listen(t)
	f.watch(t, "barrier")
	watch := func(told, compared []string) {
		t.Helper()
		_, known, err := f.feed.WatchRows(t.Context(), names("a")[0], backend.RowColumns{Told: told, Compared: compared})
		require.NoError(t, err)
		require.Len(t, known, len(told)+len(compared))
	}
	expect := func(sql, want string) {
		t.Helper()
		f.exec(t, sql)
		require.Equal(t, want, describe(f.change(t, "a").Rows), sql)
	}
	watch(nil, []string{"id", "n", "large"})
	f.barrier(t)
	expect(`INSERT INTO a VALUES (1, 1, repeat('x', 20000))`, "id,n,large: > ?,?,?")
	expect(`UPDATE a SET n = 2`, "id,n,large: ?,?,? > =,?,=")
	expect(`UPDATE a SET id = 2`, "id,n,large: ?,?,? > ?,?,=")
	f.exec(t, `ALTER TABLE a REPLICA IDENTITY FULL`)
	expect(`UPDATE a SET n = 3`, "id,n,large: ?,?,? > =,?,=")
	expect(`UPDATE a SET large = large || 'y'`, "id,n,large: ?,?,? > =,=,?")
	expect(`UPDATE a SET n = NULL; UPDATE a SET n = NULL`, "id,n,large: ?,?,? > =,?,=; ?,?,? > =,=,=")
	expect(`DELETE FROM a`, "id,n,large: ?,?,? >")
	watch([]string{"n"}, nil)
	watch(nil, []string{"n"})
	expect(`INSERT INTO a VALUES (1, 1); UPDATE a SET n = 2`, "id,n,large: > ?,1,?; ?,1,? > =,2,=")
}

// TestFeedDescribesColumns: how values compare is up to their types and collations.
func TestFeedDescribesColumns(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE COLLATION german (provider = icu, locale = 'de'); CREATE DOMAIN positive AS int;
		CREATE TABLE types (id int PRIMARY KEY, u uuid, t text COLLATE loose, g text COLLATE german, c text COLLATE "C", p text COLLATE "POSIX",
			d positive, twice int GENERATED ALWAYS AS (id * 2) STORED)`)
	f.listen(t)
	_, told, err := f.feed.WatchRows(t.Context(), names("types")[0],
		backend.RowColumns{Told: []string{"id", "u", "t", "g", "c"}, Compared: []string{"p", "d", "twice", "missing"}})
	require.NoError(t, err)
	require.Equal(t, []backend.ToldColumn{
		{Name: "id", Type: "23", Collation: backend.CollationDeterministic, Key: 1},
		{Name: "u", Type: "2950", Collation: backend.CollationDeterministic},
		{Name: "t", Type: "25", Collation: backend.CollationUnknown},
		{Name: "g", Type: "25", Collation: backend.CollationDeterministic},
		{Name: "c", Type: "25", Collation: backend.CollationBytes},
		{Name: "p", Type: "25", Collation: backend.CollationBytes},
		{Name: "d", Type: f.text(t, `SELECT 'positive'::regtype::oid::text`), Collation: backend.CollationDeterministic},
	}, told)
}

// TestFeedTellsOfPositions: of the last commit, with its time.
func TestFeedTellsOfPositions(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	f.watch(t, "barrier", "a")
	f.barrier(t)
	var last uint64
	for i := range 3 {
		before := f.text(t, `SELECT pg_current_wal_insert_lsn()::text`)
		f.exec(t, fmt.Sprintf(`INSERT INTO a VALUES (%d)`, i))
		c := f.change(t, "a")
		after := f.text(t, `SELECT pg_current_wal_insert_lsn()::text`)
		from, err := pgoutput.ParseLSN(before)
		require.NoError(t, err)
		to, err := pgoutput.ParseLSN(after)
		require.NoError(t, err)
		require.GreaterOrEqual(t, c.Position, uint64(from))
		require.Less(t, c.Position, uint64(to))
		require.Greater(t, c.Position, last)
		last = c.Position
		require.NotZero(t, c.Since)
		require.False(t, c.Committed.Before(c.Since))
	}
}

// TestValuesAreWrittenInOneWay, whatever the settings of the role and the database are.
func TestValuesAreWrittenInOneWay(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, d date, t timestamptz, i interval, f float8, b bytea);
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET datestyle = ''SQL, DMY''', current_database());
			EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database());
			EXECUTE format('ALTER DATABASE %I SET intervalstyle = ''iso_8601''', current_database());
			EXECUTE format('ALTER DATABASE %I SET extra_float_digits = -3', current_database());
			EXECUTE format('ALTER DATABASE %I SET bytea_output = ''escape''', current_database()); END $$`)
	f.listen(t)
	f.watch(t, "barrier")
	require.Len(t, f.watchRows(t, "a", "d", "t", "i", "f", "b"), 5)
	f.barrier(t)
	f.exec(t, `INSERT INTO a VALUES (1, '2011-02-03', '2011-02-03 04:05:06.5+00', '1 day 2 hours', 0.1::float8 + 0.2::float8, '\x6100')`)
	require.Equal(t, `d,t,i,f,b: > 2011-02-03,2011-02-03 04:05:06.5+00,1 day 02:00:00,0.30000000000000004,\x6100`, describe(f.change(t, "a").Rows))
}

// TestFeedMergesRows has several transactions that learn of together, or one by one.
func TestFeedMergesRows(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	f.watch(t, "barrier")
	require.Equal(t, []string{"id"}, f.watchRows(t, "a", "id"))
	f.barrier(t)
	var want []string
	for i := range 50 {
		f.exec(t, fmt.Sprintf(`INSERT INTO a VALUES (%d)`, i))
		want = append(want, strconv.Itoa(i))
	}
	f.barrier(t)
	var got []string
	var last uint64
	for len(f.changes) > 0 {
		c := <-f.changes
		require.GreaterOrEqual(t, c.Position, last)
		last = c.Position
		if c.ID != f.oid(t, "a") {
			continue
		}
		for _, row := range c.Rows.Rows {
			got = append(got, row.New[0].Text)
		}
	}
	require.Equal(t, want, got)
}
