package walreader_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/dbtest"
)

// TestFeedEndsWhenTablesAreAltered: what its log tells from then on, or how, isn't what was promised.
func TestFeedEndsWhenTablesAreAltered(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"a column more":           `ALTER TABLE a ADD COLUMN m int DEFAULT 1`,
		"another type":            `ALTER TABLE a ALTER n TYPE bigint`,
		"another collation":       `ALTER TABLE a ALTER name TYPE text COLLATE "C"`,
		"another name":            `ALTER TABLE a RENAME n TO m`,
		"another identity":        `ALTER TABLE a REPLICA IDENTITY FULL`,
		"gone":                    `DROP TABLE a`,
		"row level security":      `ALTER TABLE a ENABLE ROW LEVEL SECURITY`,
		"not published":           `ALTER PUBLICATION engine_live DROP TABLE a`,
		"the publication is gone": `DROP PUBLICATION engine_live`,
		"less is published":       `ALTER PUBLICATION engine_live SET (publish = 'insert')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, n int, name text); CREATE TABLE other (id int PRIMARY KEY)`)
			f.feed.CheckEvery(10 * time.Millisecond)
			_, ended := f.listen(t)
			f.watch(t, "barrier", "a")
			f.exec(t, `INSERT INTO a VALUES (1); UPDATE a SET n = 2; TRUNCATE a; ALTER TABLE other ADD n int`)
			f.exec(t, `VACUUM FULL a`)
			f.barrier(t)
			require.Empty(t, ended, "nothing that matters was altered")
			f.exec(t, sql)
			select {
			case err := <-ended:
				require.ErrorContains(t, err, "was altered")
			case <-time.After(patience):
				require.Fail(t, "it goes on")
			}
		})
	}
}

// TestFeedEndsWhenStatementsGoElsewhere: their server has to be the one whose log is read.
func TestFeedEndsWhenStatementsGoElsewhere(t *testing.T) {
	t.Parallel()
	f, other := setup(t, dbtest.LogicalURL(t), ""), setup(t, dbtest.URL(t), "")
	server, err := walreader.ServerOf(t.Context(), f.db.PgConn())
	require.NoError(t, err)
	f.exec(t, `CREATE PUBLICATION engine_live`)
	require.NoError(t, f.feed.Check(t.Context(), f.db.PgConn(), server))
	require.ErrorContains(t, f.feed.Check(t.Context(), other.db.PgConn(), server), "another server")
}
