package walreader_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/testlong"
)

// TestFeedMissesNothing has writers with random transactions on several tables, while readers look at a
// table whenever they learn of it. At rest each reader has seen the last state of its table; a change
// that was lost, or told before it was visible, would leave it behind.
func TestFeedMissesNothing(t *testing.T) {
	t.Parallel()
	const tables, writers = 4, 4
	transactions := testlong.Of(50, 150)
	schema := barrierTable
	for i := range tables {
		schema += fmt.Sprintf(`CREATE TABLE t%d (id int PRIMARY KEY, n int);`, i)
	}
	f := setup(t, dbtest.LogicalURL(t), schema)
	f.listen(t)
	f.watch(t, "barrier")
	number := map[string]int{}
	for i := range tables {
		number[f.watch(t, fmt.Sprint("t", i))[0]] = i
	}
	f.barrier(t)

	var writing sync.WaitGroup
	for w := range writers {
		conn, err := pgx.Connect(t.Context(), f.url)
		require.NoError(t, err)
		defer conn.Close(context.Background())
		random := rand.New(rand.NewPCG(uint64(w), 1))
		writing.Go(func() {
			for range transactions {
				sql := "BEGIN;"
				for range 1 + random.IntN(3) {
					table, id := random.IntN(tables), w*1000+random.IntN(20)
					sql += []string{
						fmt.Sprintf("INSERT INTO t%d VALUES (%d, 0) ON CONFLICT (id) DO UPDATE SET n = t%d.n + 1;", table, id, table),
						fmt.Sprintf("DELETE FROM t%d WHERE id = %d;", table, id),
						fmt.Sprintf("SAVEPOINT s; INSERT INTO t%d VALUES (%d, 7); ROLLBACK TO s;", table, 100_000+id),
					}[random.IntN(3)]
				}
				sql += []string{"COMMIT", "COMMIT", "ROLLBACK"}[random.IntN(3)]
				if _, err := conn.Exec(t.Context(), sql); err != nil {
					t.Error(sql, err)
					return
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		writing.Wait()
		close(finished)
	}()

	state := func(i int) string {
		return f.text(t, fmt.Sprintf(`SELECT coalesce(string_agg(id || ':' || n, ',' ORDER BY id), '') FROM t%d`, i))
	}
	seen := make([]string, tables)
	mark, told := f.oid(t, "barrier"), 0
	for done := false; !done; {
		select {
		case id := <-f.told:
			if done = id == mark; !done {
				seen[number[id]] = state(number[id])
				told++
			}
		case <-finished:
			finished = nil
			f.exec(t, `INSERT INTO barrier DEFAULT VALUES`)
		case <-time.After(patience):
			require.Fail(t, "nothing is reported any more")
		}
	}
	for i := range tables {
		require.Equal(t, state(i), seen[i], "t%d", i)
	}
	require.Positive(t, told)
}

// TestFeedReadsLargeTransactions has one of many rows, with others that commit before and after it.
func TestFeedReadsLargeTransactions(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, n int)`)
	f.listen(t)
	f.watch(t, "barrier")
	a := f.watch(t, "a")
	f.barrier(t)
	f.exec(t, `INSERT INTO a SELECT g, 0 FROM generate_series(1, 100000) g`)
	require.Equal(t, a, f.barrier(t))
	f.exec(t, `UPDATE a SET n = 1`)
	require.Equal(t, a, f.barrier(t), "a transaction tells once")
}
