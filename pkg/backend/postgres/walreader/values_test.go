package walreader_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/dbtest"
)

// watchColumn watches a column and returns whether its values are told.
func (f *fixture) watchColumn(t *testing.T, table, column string) bool {
	t.Helper()
	ids, told, err := f.feed.WatchColumn(t.Context(), names(table)[0], column)
	require.NoError(t, err)
	require.Contains(t, ids, f.oid(t, table))
	return told
}

// values are those that were told of a column of a table since the last call, nil for unknown ones.
func (f *fixture) values(t *testing.T, table, column string) []string {
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
	values, known := got[0].Values[column]
	if known && values == nil {
		return []string{}
	}
	return values
}

func TestFeedTellsOfValues(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, owner int, name text);
		CREATE TABLE whole (id int, name varchar(200)); ALTER TABLE whole REPLICA IDENTITY FULL;
		CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10);
		CREATE VIEW shifted AS SELECT id + 1 AS id FROM a;
		CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TABLE types (id int PRIMARY KEY, n numeric, c char(5), t text COLLATE loose, u uuid)`)
	f.listen(t)
	f.watch(t, "barrier")
	for column, told := range map[string]bool{"id": true, "u": true, "n": false, "c": false, "t": false, "missing": false} {
		require.Equal(t, told, f.watchColumn(t, "types", column), column)
	}
	ids, told, err := f.feed.WatchColumn(t.Context(), names("shifted")[0], "id")
	require.NoError(t, err)
	require.Equal(t, []string{f.oid(t, "a")}, ids)
	require.False(t, told, "a column of a view")
	require.True(t, f.watchColumn(t, "a", "id"))
	f.barrier(t)
	f.exec(t, `INSERT INTO a VALUES (1, 5)`)
	require.Nil(t, f.values(t, "a", "owner"), "nobody has asked")
	f.exec(t, `DELETE FROM a`)
	require.Equal(t, []string{"1"}, f.values(t, "a", "id"))
	require.True(t, f.watchColumn(t, "a", "owner"))
	require.True(t, f.watchColumn(t, "whole", "name"))
	require.True(t, f.watchColumn(t, "parted", "id"))
	for _, c := range []struct {
		sql, table, column string
		want               []string
	}{
		{`INSERT INTO a VALUES (1, 5), (2, NULL)`, "a", "id", []string{"1", "2"}},
		{`INSERT INTO a VALUES (3, 5), (4, NULL)`, "a", "owner", []string{"5"}},
		{`INSERT INTO a VALUES (6, NULL)`, "a", "owner", []string{}},
		{`UPDATE a SET owner = 7 WHERE id = 1`, "a", "id", []string{"1"}},
		{`UPDATE a SET owner = 5 WHERE id = 1`, "a", "owner", nil}, // what it was isn't known
		{`UPDATE a SET id = 10 WHERE id = 1`, "a", "id", []string{"1", "10"}},
		{`DELETE FROM a WHERE id = 10`, "a", "id", []string{"10"}},
		{`DELETE FROM a WHERE id = 2`, "a", "owner", nil},
		{`BEGIN; INSERT INTO a VALUES (20, 1); DELETE FROM a WHERE id = 20; COMMIT`, "a", "id", []string{"20"}},
		{`BEGIN; INSERT INTO a VALUES (21, 1); DELETE FROM a WHERE id = 21; COMMIT`, "a", "owner", nil},
		{`BEGIN; INSERT INTO a VALUES (22, 1); TRUNCATE a; COMMIT`, "a", "id", nil},
		{`INSERT INTO a SELECT g, g FROM generate_series(100, 2000) g`, "a", "id", nil}, // too many
		{`INSERT INTO whole VALUES (1, 'x')`, "whole", "name", []string{"x"}},
		{`UPDATE whole SET name = 'y'`, "whole", "name", []string{"x", "y"}},
		{`UPDATE whole SET name = repeat('y', 150)`, "whole", "name", nil}, // too long
		{`DELETE FROM whole`, "whole", "name", nil},
		{`INSERT INTO parted VALUES (3)`, "parted", "id", []string{"3"}},
		{`INSERT INTO parted VALUES (4)`, "part", "id", []string{"4"}},
		{`CREATE TABLE later PARTITION OF parted FOR VALUES FROM (10) TO (20); INSERT INTO later VALUES (11)`, "parted", "id", nil},
		{`ALTER TABLE a ADD COLUMN first int; INSERT INTO a (id, first) VALUES (30, 6)`, "a", "id", []string{"30"}},
		{`ALTER TABLE a RENAME id TO key; INSERT INTO a (key) VALUES (31)`, "a", "id", nil},
	} {
		f.exec(t, c.sql)
		require.Equal(t, c.want, f.values(t, c.table, c.column), c.sql)
	}
}

// TestFeedMergesValues has several transactions that are told of together, or one by one.
func TestFeedMergesValues(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	f.watch(t, "barrier")
	require.True(t, f.watchColumn(t, "a", "id"))
	f.barrier(t)
	want := map[string]bool{}
	for i := range 50 {
		f.exec(t, fmt.Sprintf(`INSERT INTO a VALUES (%d)`, i))
		want[strconv.Itoa(i)] = true
	}
	f.barrier(t)
	got := map[string]bool{}
	for len(f.changes) > 0 {
		for _, v := range (<-f.changes).Values["id"] {
			got[v] = true
		}
	}
	require.Equal(t, want, got)
}
