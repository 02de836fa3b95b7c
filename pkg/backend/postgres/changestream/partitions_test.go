package changestream_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/testlong"
)

// partedTable is the table of the items as one with partitions, whose columns have another order in one of them.
const partedTable = `CREATE TABLE item (id int PRIMARY KEY, owner text, note text, secret text, n int, twice int GENERATED ALWAYS AS (n * 2) STORED)
		PARTITION BY RANGE (id);
	CREATE TABLE low (secret text, id int NOT NULL, note text, twice int GENERATED ALWAYS AS (n * 2) STORED, n int, owner text);
	ALTER TABLE item ATTACH PARTITION low FOR VALUES FROM (0) TO (100);
	CREATE TABLE high PARTITION OF item FOR VALUES FROM (100) TO (1000) PARTITION BY RANGE (id);
	CREATE TABLE high_1 PARTITION OF high FOR VALUES FROM (100) TO (200);
	CREATE TABLE high_2 PARTITION OF high FOR VALUES FROM (200) TO (1000);
	ALTER TABLE low REPLICA IDENTITY FULL; ALTER TABLE high_1 REPLICA IDENTITY FULL; ALTER TABLE high_2 REPLICA IDENTITY FULL;
	INSERT INTO item SELECT i, CASE WHEN i % 3 = 0 THEN 'you' ELSE 'me' END, 'first', 's', i % 70 FROM generate_series(1, 300) i;`

// made is a partition that is made as such.
func made(name string, from, to int) string {
	return fmt.Sprintf(`BEGIN; CREATE TABLE %[1]s PARTITION OF item FOR VALUES FROM (%d) TO (%d); ALTER TABLE %[1]s REPLICA IDENTITY FULL; COMMIT`, name, from, to)
}

// TestPartitions holds that a table is published as a whole, with partitions that are made under way, and nothing starts again.
func TestPartitions(t *testing.T) {
	t.Parallel()
	f := setup(t, partedTable+barrierTable)
	stop := f.publish(t, definition(items))
	for _, sql := range []string{
		`UPDATE item SET note = 'second' WHERE id % 7 = 0`,
		`UPDATE item SET id = id + 500 WHERE id BETWEEN 90 AND 110`, // to another partition
		`INSERT INTO low (id, owner, note, n) VALUES (95, 'me', 'by its own name', 1)`,
		`DELETE FROM high WHERE id % 5 = 0`,
		made("higher", 1000, 2000), `INSERT INTO item VALUES (1001, 'me', 'new', 's', 1)`, `UPDATE item SET n = 2 WHERE id = 1001`,
		`BEGIN; CREATE TABLE more PARTITION OF item FOR VALUES FROM (2000) TO (3000) PARTITION BY RANGE (id);
			CREATE TABLE more_1 PARTITION OF more FOR VALUES FROM (2000) TO (2500); ALTER TABLE more_1 REPLICA IDENTITY FULL;
			INSERT INTO item VALUES (2001, 'me', 'at once', 's', 1); COMMIT`,
	} {
		f.exec(t, sql)
		f.caughtUp(t)
		require.Equal(t, f.rows(t), f.sink.state()["item"], sql)
	}
	stop()
	f.inactive(t)
	f.exec(t, `UPDATE item SET note = 'third' WHERE id % 3 = 1`)
	stop = f.publish(t, definition(items))
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	f.exec(t, `TRUNCATE item; INSERT INTO item VALUES (7, 'me', 'after', 's', 1), (2001, 'me', 'after', 's', 1)`)
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Equal(t, 1, f.sink.count(changestream.OpTruncate))
	require.Equal(t, 1, f.sink.count(changestream.OpBegin))
	stop()
}

// TestRowsThatComeAndGoWithPartitions holds that all starts again when rows come to a table, or leave it, without the log's reporting them.
func TestRowsThatComeAndGoWithPartitions(t *testing.T) {
	t.Parallel()
	const whole = ` (id int NOT NULL PRIMARY KEY, owner text, note text, secret text, n int, twice int GENERATED ALWAYS AS (n * 2) STORED);
		ALTER TABLE other REPLICA IDENTITY FULL; INSERT INTO other VALUES (1001, 'me', 'of other', 's', 1);`
	const attach = `ALTER TABLE item ATTACH PARTITION other FOR VALUES FROM (1000) TO (2000);`
	for name, sql := range map[string]string{
		"detached":            `ALTER TABLE item DETACH PARTITION low`,
		"dropped":             `DROP TABLE high_1`,
		"truncated":           `TRUNCATE high_1`,
		"several truncated":   `TRUNCATE high`,
		"attached":            `CREATE TABLE other` + whole + attach,
		"attached at once":    `BEGIN; CREATE TABLE other` + whole + attach + `COMMIT`,
		"detached inside":     `ALTER TABLE high DETACH PARTITION high_2`,
		"away for a while":    `ALTER TABLE item DETACH PARTITION low; UPDATE low SET note = 'unseen'; ALTER TABLE item ATTACH PARTITION low FOR VALUES FROM (0) TO (100)`,
		"away at once":        `BEGIN; ALTER TABLE item DETACH PARTITION low; UPDATE low SET note = 'unseen'; ALTER TABLE item ATTACH PARTITION low FOR VALUES FROM (0) TO (100); COMMIT`,
		"replaced by another": `BEGIN; DROP TABLE low; CREATE TABLE low PARTITION OF item FOR VALUES FROM (0) TO (100); ALTER TABLE low REPLICA IDENTITY FULL; COMMIT`,
	} {
		for _, running := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, running: %v", name, running), func(t *testing.T) {
				t.Parallel()
				f := setup(t, partedTable+barrierTable)
				stop := f.publish(t, definition(items))
				f.caughtUp(t)
				if !running {
					stop()
					f.inactive(t)
				}
				f.exec(t, sql)
				if !running {
					f.publish(t, definition(items))
				}
				f.caughtUp(t) // with a change that is read after it
				require.Eventually(t, func() bool { return f.sink.count(changestream.OpBegin) == 2 }, patience, tick)
				f.caughtUp(t)
				require.Equal(t, f.rows(t), f.sink.state()["item"])
				require.Equal(t, 2, f.sink.count(changestream.OpBegin))
			})
		}
	}
}

// TestPartitionThatIsDetachedConcurrently can't be in a transaction with others.
func TestPartitionThatIsDetachedConcurrently(t *testing.T) {
	t.Parallel()
	f := setup(t, partedTable+barrierTable)
	f.publish(t, definition(items))
	f.caughtUp(t)
	f.exec(t, `ALTER TABLE item DETACH PARTITION low CONCURRENTLY`)
	require.Eventually(t, func() bool { return f.sink.count(changestream.OpBegin) >= 2 }, patience, tick, "also when nothing changes then")
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
}

// TestRandomPartitions holds that a reader has what a query gives at rest, whatever happened to rows and partitions while the process that publishes was
// replaced.
func TestRandomPartitions(t *testing.T) {
	t.Parallel()
	f := setup(t, partedTable+barrierTable)
	random := rand.New(rand.NewPCG(11, 5))
	attached, next := true, 1000
	for range testlong.Of(2, 5) {
		stop := f.publish(t, definition(items))
		for range 25 {
			first := random.IntN(3) * 100
			if !attached && first == 100 {
				first = 0
			}
			f.exec(t, transaction(random, first, 90))
			switch {
			case random.IntN(12) > 0:
			case attached && random.IntN(2) == 0:
				f.exec(t, `ALTER TABLE high DETACH PARTITION high_1`)
				attached = false
			case !attached:
				f.exec(t, `UPDATE high_1 SET note = 'unseen'`)
				f.exec(t, `ALTER TABLE high ATTACH PARTITION high_1 FOR VALUES FROM (100) TO (200)`)
				attached = true
			default:
				f.exec(t, made(fmt.Sprint("part_", next), next, next+10))
				f.exec(t, fmt.Sprintf(`INSERT INTO item VALUES (%d, 'me', 'new', 's', 1)`, next))
				next += 10
			}
		}
		if random.IntN(2) == 0 {
			f.caughtUp(t)
			require.Equal(t, f.rows(t), f.sink.state()["item"])
		}
		stop()
		f.inactive(t)
	}
	f.publish(t, definition(items))
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
}

func TestPartitionsThatAreRefused(t *testing.T) {
	t.Parallel()
	for change, message := range map[string]string{
		`ALTER TABLE high_2 REPLICA IDENTITY DEFAULT`:                                   "the log has rows as they were before a change only after: ALTER TABLE public.high_2 REPLICA IDENTITY FULL",
		`CREATE UNLOGGED TABLE fast PARTITION OF item FOR VALUES FROM (1000) TO (2000)`: "partition public.fast is unlogged",
		`CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
			ALTER TABLE item DROP CONSTRAINT item_pkey;
			CREATE FOREIGN TABLE far PARTITION OF item FOR VALUES FROM (1000) TO (2000) SERVER nowhere`: "partition public.far isn't a table",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			f := setup(t, partedTable+barrierTable+change)
			err := changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on)
			fault := (*apierror.Error)(nil)
			require.ErrorAs(t, err, &fault)
			require.Equal(t, `changes of table "item" can't be published: `+message, fault.Message)
			require.Zero(t, f.slots(t))
		})
	}
	f := setup(t, partedTable+barrierTable)
	low := items
	low.Name.Name = "low"
	err := changestream.Publish(t.Context(), f.pool, definition(items, low), f.sink, f.on)
	require.ErrorContains(t, err, `changes of table "low" can't be published: a partition of it is published as a table, too`)
}
