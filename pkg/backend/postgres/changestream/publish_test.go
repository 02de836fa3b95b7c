package changestream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/localpg"
	"queryengine/pkg/testlong"
)

const itemTable = `CREATE TABLE item (id int PRIMARY KEY, owner text, note text, secret text, n int, twice int GENERATED ALWAYS AS (n * 2) STORED);
	ALTER TABLE item REPLICA IDENTITY FULL;`

// items is what a role sees that sees its own rows without the column secret.
var items = changestream.Table{
	Name: catalog.Name{Schema: "public", Name: "item"}, Key: []string{"id"}, Condition: "r.owner = 'me' AND r.twice < 100",
	KeyObject: "json_build_object('id', r.id)", Document: "json_build_object('id', r.id, 'note', r.note, 'twice', r.twice)",
}

// shown are the messages of items, but those of the beginning.
func (m *memory) shown() []string {
	var list []string
	for _, message := range m.all() {
		if message.Table.Name == "item" {
			list = append(list, fmt.Sprintf("%s key=%s old=%s new=%s", message.Op, message.Key, message.Old, message.New))
		}
	}
	return list
}

func TestChangesAreThoseOfTheRole(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable+`INSERT INTO item VALUES (1, 'me', 'mine', 's', 1), (2, 'you', 'yours', 's', 1)`)
	f.publish(t, definition(items))
	f.caughtUp(t)
	f.exec(t, `INSERT INTO item VALUES (3, 'you', 'x', 's', 1)`)
	f.exec(t, `UPDATE item SET owner = 'me' WHERE id = 3`)
	f.exec(t, `UPDATE item SET secret = 'another', n = n WHERE id = 3`)
	f.exec(t, `UPDATE item SET n = 7, secret = 'and again' WHERE id = 3`)
	f.exec(t, `UPDATE item SET id = 4 WHERE id = 3`)
	f.exec(t, `UPDATE item SET n = 50 WHERE id = 4`)
	f.exec(t, `DELETE FROM item WHERE id = 4`)
	f.exec(t, `DELETE FROM item WHERE id = 1`)
	f.exec(t, `TRUNCATE item`)
	f.caughtUp(t)
	require.Equal(t, []string{
		`row key={"id" : 1} old= new={"id" : 1, "note" : "mine", "twice" : 2}`,
		`insert key={"id" : 3} old= new={"id" : 3, "note" : "x", "twice" : 2}`,
		`update key={"id" : 3} old={"id" : 3, "note" : "x", "twice" : 2} new={"id" : 3, "note" : "x", "twice" : 14}`,
		`delete key={"id" : 3} old={"id" : 3, "note" : "x", "twice" : 14} new=`,
		`insert key={"id" : 4} old= new={"id" : 4, "note" : "x", "twice" : 14}`,
		`delete key={"id" : 4} old={"id" : 4, "note" : "x", "twice" : 14} new=`,
		`delete key={"id" : 1} old={"id" : 1, "note" : "mine", "twice" : 2} new=`,
		`truncate key= old= new=`,
	}, f.sink.shown())
	for _, m := range f.sink.all() {
		if m.Op == changestream.OpInsert {
			require.NotZero(t, m.XID)
			require.WithinDuration(t, time.Now(), m.Commit, time.Hour)
		}
	}
}

func TestLargeValueThatAnUpdateLeaves(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable+`ALTER TABLE item ALTER note SET STORAGE EXTERNAL`)
	f.publish(t, definition(items))
	f.caughtUp(t)
	f.exec(t, `INSERT INTO item VALUES (1, 'me', repeat('large', 10000), 's', 1)`)
	f.exec(t, `UPDATE item SET n = 2`)
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Greater(t, len(f.sink.state()["item"][`{"id" : 1}`]), 50_000)
}

// rows is what a query of the role gives.
func (f *fixture) rows(t *testing.T) map[string]string {
	t.Helper()
	rows, err := f.db.Query(t.Context(), `SELECT (`+items.KeyObject+`)::text, (`+items.Document+`)::text FROM item r WHERE `+items.Condition)
	require.NoError(t, err)
	found := map[string]string{}
	var key, document string
	_, err = pgx.ForEachRow(rows, []any{&key, &document}, func() error {
		found[key] = document
		return nil
	})
	require.NoError(t, err)
	return found
}

// TestReplayedStateIsTheRolesQuery has writers with random transactions, from before the rows are read on,
// while the store fails and the process that publishes is replaced. At rest a reader has what a query gives,
// and has been notified of everything once, in the order of the commits.
func TestReplayedStateIsTheRolesQuery(t *testing.T) {
	t.Parallel()
	const writers, ids = 3, 40
	transactions := testlong.Of(60, 200)
	f := setup(t, itemTable+barrierTable+`INSERT INTO item SELECT i, CASE WHEN i % 3 = 0 THEN 'you' ELSE 'me' END, 'first', 's', i % 70
		FROM generate_series(1, 3000) i`)
	var writing sync.WaitGroup
	for w := range writers {
		db := connect(t, f.url)
		random := rand.New(rand.NewPCG(uint64(w), 7))
		writing.Go(func() {
			for range transactions {
				if _, err := db.Exec(t.Context(), transaction(random, w*1000, ids)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(99, 7))
	for range testlong.Of(3, 6) {
		f.sink.failOnceAt(len(f.sink.all()) + random.IntN(testlong.Of(300, 900)))
		before := len(f.sink.all())
		stop := f.publish(t, definition(items))
		require.Eventually(t, func() bool { return len(f.sink.all()) > before || f.quiet(&writing) }, patience, time.Millisecond)
		stop()
	}
	f.publish(t, definition(items))
	writing.Wait()
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Equal(t, 1, f.sink.count(changestream.OpBegin), "nothing began again")

	var last changestream.Place
	for _, m := range f.sink.all() {
		if m.Commit.IsZero() {
			continue
		}
		require.True(t, m.Place.LSN > last.LSN || m.Place.LSN == last.LSN && m.Place.Index > last.Index, "%+v after %+v", m.Place, last)
		last = m.Place
		require.NotContains(t, string(m.Old)+string(m.New), "secret")
		require.NotContains(t, string(m.Old)+string(m.New), "not for you")
	}
}

// quiet reports whether all writers have ended: then nothing may be left to publish.
func (f *fixture) quiet(writing *sync.WaitGroup) bool {
	ended := make(chan struct{})
	go func() {
		writing.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-time.After(tick):
		return false
	}
}

// transaction is a random one on the rows after first.
func transaction(random *rand.Rand, first, ids int) string {
	sql := "BEGIN;"
	for range 1 + random.IntN(4) {
		id, n := first+1+random.IntN(ids), random.IntN(70)
		owner, note := []string{"me", "you"}[random.IntN(2)], "for me"
		if owner == "you" {
			note = "not for you"
		}
		sql += []string{
			fmt.Sprintf("INSERT INTO item VALUES (%d, '%s', '%s', 'secret', %d) ON CONFLICT (id) DO UPDATE SET n = item.n + 1;", id, owner, note, n),
			fmt.Sprintf("UPDATE item SET owner = '%s', note = '%s', n = %d WHERE id = %d;", owner, note, n, id),
			fmt.Sprintf("DELETE FROM item WHERE id = %d;", id),
			fmt.Sprintf("UPDATE item SET id = %d WHERE id = %d AND NOT EXISTS (SELECT FROM item WHERE id = %d);", id+500, id, id+500),
			fmt.Sprintf("SAVEPOINT s; DELETE FROM item WHERE id = %d; ROLLBACK TO s;", id),
		}[random.IntN(5)]
	}
	return sql + []string{"COMMIT", "COMMIT", "COMMIT", "ROLLBACK"}[random.IntN(4)]
}

func TestRowsGoOnWhereTheyWereInterrupted(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable+`INSERT INTO item SELECT i, 'me', 'first', 's', 1 FROM generate_series(1, 2000) i`)
	f.sink.failOnceAt(701)
	require.ErrorIs(t, changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on), errStore)
	require.Len(t, f.sink.all(), 701)
	// Rows of before, and of after the place where it was interrupted, change meanwhile.
	f.exec(t, `UPDATE item SET note = 'second' WHERE id % 2 = 0`)
	f.exec(t, `DELETE FROM item WHERE id % 5 = 0`)
	f.exec(t, `INSERT INTO item VALUES (5, 'me', 'third', 's', 2), (1005, 'me', 'third', 's', 2)`)
	f.publish(t, definition(items))
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Equal(t, 1, f.sink.count(changestream.OpBegin))
	require.LessOrEqual(t, f.sink.count(changestream.OpRow), 2000)
}

// TestTransactionIsStoredOnce has the store fail within a transaction, which is read again then.
func TestTransactionIsStoredOnce(t *testing.T) {
	t.Parallel()
	const rows = 1200
	f := setup(t, itemTable+barrierTable)
	f.publish(t, definition(items))
	f.caughtUp(t)
	f.sink.failOnceAt(len(f.sink.all()) + 701)
	f.exec(t, fmt.Sprintf(`INSERT INTO item SELECT i, 'me', 'mine', 's', 1 FROM generate_series(1, %d) i`, rows))
	f.caughtUp(t)
	var want []string
	for i := range rows {
		want = append(want, fmt.Sprintf(`insert key={"id" : %[1]d} old= new={"id" : %[1]d, "note" : "mine", "twice" : 2}`, i+1))
	}
	require.Equal(t, want, f.sink.shown())
}

func TestRowsBeginAnewWithAnotherKey(t *testing.T) {
	t.Parallel()
	f := setup(t, `CREATE TABLE item (id text PRIMARY KEY, owner text, note text, twice int); ALTER TABLE item REPLICA IDENTITY FULL;`+barrierTable+
		`INSERT INTO item SELECT 'a' || i, 'me', 'mine', 1 FROM generate_series(1, 2000) i`)
	f.sink.failOnceAt(701)
	require.ErrorIs(t, changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on), errStore)
	f.exec(t, `ALTER TABLE item ALTER id TYPE int USING substr(id, 2)::int`)
	f.publish(t, definition(items))
	require.Eventually(t, func() bool { return f.sink.count(changestream.OpBegin) == 2 }, patience, tick)
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
}

// TestItBeginsAnew covers what makes all that was published void. A reader learns of that.
func TestItBeginsAnew(t *testing.T) {
	t.Parallel()
	others := items
	others.Condition = "r.owner = 'you'"
	for name, test := range map[string]struct {
		// meanwhile happens while nothing is published, running while it is.
		meanwhile, running string
		next               *changestream.Definition
	}{
		"the slot was dropped": {
			meanwhile: `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database();
				UPDATE item SET note = 'unseen'`,
		},
		"the definition has changed":         {next: definition(others)},
		"the table was made again":           {meanwhile: `DROP TABLE item;` + itemTable + `INSERT INTO item VALUES (7, 'me', 'new', 's', 1)`},
		"the table was made again under way": {running: `DROP TABLE item;` + itemTable + `INSERT INTO item VALUES (7, 'me', 'new', 's', 1)`},
		"rows were without what was before":  {meanwhile: `ALTER TABLE item REPLICA IDENTITY DEFAULT; UPDATE item SET note = 'unclear'; ALTER TABLE item REPLICA IDENTITY FULL`},
		"a column has another type":          {meanwhile: `UPDATE item SET note = 'no number'; ALTER TABLE item ALTER note TYPE int USING 7`},
		"the publication was dropped":        {meanwhile: `DO $$ BEGIN EXECUTE (SELECT format('DROP PUBLICATION %I', pubname) FROM pg_publication); END $$; UPDATE item SET note = 'unseen'`},
		"the table has left the publication": {running: `DO $$ BEGIN EXECUTE (SELECT format('ALTER PUBLICATION %I DROP TABLE item', pubname) FROM pg_publication); END $$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, itemTable+barrierTable+`INSERT INTO item VALUES (1, 'me', 'mine', 's', 1), (2, 'you', 'yours', 's', 1)`)
			stop := f.publish(t, definition(items))
			f.caughtUp(t)
			next := test.next
			if next == nil {
				next = definition(items)
			}
			if test.running != "" {
				f.exec(t, test.running)
			} else {
				stop()
				f.inactive(t)
				f.exec(t, test.meanwhile)
				f.publish(t, next)
			}
			require.Eventually(t, func() bool { return f.sink.count(changestream.OpBegin) == 2 }, patience, tick)
			f.caughtUp(t)
			if test.next == nil {
				require.Equal(t, f.rows(t), f.sink.state()["item"])
			} else {
				require.Equal(t, map[string]string{`{"id" : 2}`: `{"id" : 2, "note" : "yours", "twice" : 2}`}, f.sink.state()["item"])
			}
			require.Equal(t, 2, f.sink.count(changestream.OpBegin))
			require.Equal(t, 1, f.slots(t))
		})
	}
}

// inactive waits until no slot is read.
func (f *fixture) inactive(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		var active bool
		err := f.db.QueryRow(t.Context(), `SELECT coalesce(bool_or(active), false) FROM pg_replication_slots WHERE database = current_database()`).Scan(&active)
		return err == nil && !active
	}, patience, tick)
}

func (f *fixture) slots(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, f.db.QueryRow(t.Context(), `SELECT count(*) FROM pg_replication_slots WHERE database = current_database()`).Scan(&n))
	return n
}

func TestOneOfAllPublishes(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable)
	stop := f.publish(t, definition(items))
	f.caughtUp(t)
	require.ErrorIs(t, changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on), backend.ErrRead)
	require.ErrorIs(t, changestream.Drop(t.Context(), f.pool, definition().Name, f.on), backend.ErrRead)
	f.publish(t, definition(items))
	stop()
	f.exec(t, `INSERT INTO item VALUES (1, 'me', 'mine', 's', 1)`)
	f.caughtUp(t)
	require.Equal(t, 1, f.sink.count(changestream.OpBegin))
	require.Equal(t, 1, f.sink.count(changestream.OpReady))
}

func TestDropLeavesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable)
	stop := f.publish(t, definition(items))
	f.caughtUp(t)
	stop()
	f.dropped(t)
	var publications int
	require.NoError(t, f.db.QueryRow(t.Context(), `SELECT count(*) FROM pg_publication`).Scan(&publications))
	require.Zero(t, publications)
	require.Zero(t, f.slots(t))
}

// TestChangesByReplication holds that what logical replication has changed is published like all else.
func TestChangesByReplication(t *testing.T) {
	t.Parallel()
	f := setup(t, itemTable+barrierTable)
	f.publish(t, definition(items))
	f.caughtUp(t)
	var origin string
	require.NoError(t, f.db.QueryRow(t.Context(), `SELECT 'origin_' || oid FROM pg_database WHERE datname = current_database()`).Scan(&origin))
	for _, sql := range []string{
		`SELECT pg_replication_origin_create('` + origin + `'); SELECT pg_replication_origin_session_setup('` + origin + `')`,
		`BEGIN; SELECT pg_replication_origin_xact_setup('0/10', now()); INSERT INTO item VALUES (1, 'me', 'replicated', 's', 1); COMMIT`,
		`SELECT pg_replication_origin_session_reset(); SELECT pg_replication_origin_drop('` + origin + `')`,
	} {
		f.exec(t, sql)
	}
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Len(t, f.sink.state()["item"], 1)
}

// TestServerThatKeepsNoMoreLog holds that everything starts again when the server has reached its bound on the log that it keeps.
func TestServerThatKeepsNoMoreLog(t *testing.T) {
	t.Parallel()
	require.NoError(t, localpg.Ensure(t.Context(), func(string) {}))
	server, err := localpg.Start(t.Context(), localpg.Config{Dir: t.TempDir(), Template: dbtest.Cluster(), Settings: map[string]string{"wal_level": "logical", "max_slot_wal_keep_size": "1MB"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	f := newFixture()
	f.use(t, server.URL("postgres"))
	f.exec(t, itemTable+barrierTable+`INSERT INTO item VALUES (1, 'me', 'mine', 's', 1)`)
	stop := f.publish(t, definition(items))
	f.caughtUp(t)
	stop()
	f.exec(t, `UPDATE item SET note = 'unseen'`)
	require.Eventually(t, func() bool {
		for _, sql := range []string{`SELECT pg_logical_emit_message(false, 'fill', repeat('x', 1000000))`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
			f.exec(t, sql)
		}
		lost := false
		err := f.db.QueryRow(t.Context(), `SELECT wal_status = 'lost' FROM pg_replication_slots`).Scan(&lost)
		return err == nil && lost
	}, patience, tick)
	f.publish(t, definition(items))
	require.Eventually(t, func() bool { return f.sink.count(changestream.OpBegin) == 2 }, patience, tick)
	f.caughtUp(t)
	require.Equal(t, f.rows(t), f.sink.state()["item"])
	require.Equal(t, 1, f.slots(t))
}

// TestServerWhoseLogCannotBeRead holds the error of a server whose wal_level is replica, and that nothing is left there.
func TestServerWhoseLogCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.use(t, dbtest.URL(t))
	f.exec(t, itemTable+barrierTable)
	err := changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on)
	require.ErrorContains(t, err, "changes of the source can't be published: logical decoding requires wal_level")
	require.Empty(t, f.sink.all())
	f.dropped(t)
}

func TestTablesThatAreRefused(t *testing.T) {
	t.Parallel()
	for change, message := range map[string]string{
		`ALTER TABLE item REPLICA IDENTITY DEFAULT`:     "the log has rows as they were before a change only after: ALTER TABLE public.item REPLICA IDENTITY FULL",
		`ALTER TABLE item ENABLE ROW LEVEL SECURITY`:    "it has row level security, which isn't applied to the log",
		`ALTER TABLE item SET UNLOGGED`:                 "it is unlogged",
		`CREATE TABLE child () INHERITS (item)`:         "tables inherit from it: publish these",
		`DROP TABLE item; CREATE VIEW item AS SELECT 1`: "it isn't a table",
		`DROP TABLE item`:                               "it isn't there",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			f := setup(t, itemTable+barrierTable+change)
			err := changestream.Publish(t.Context(), f.pool, definition(items), f.sink, f.on)
			fault := (*apierror.Error)(nil)
			require.ErrorAs(t, err, &fault)
			require.Equal(t, `changes of table "item" can't be published: `+message, fault.Message)
			require.Empty(t, f.sink.all())
			require.Zero(t, f.slots(t))
		})
	}
}

// meter is a Sink that keeps nothing but how much there is.
type meter struct {
	memory
	rows, largest int
	heap          uint64
}

// Store implements changestream.Sink.
func (m *meter) Store(ctx context.Context, messages []changestream.Message) error {
	if messages[0].Commit.IsZero() || len(messages) < 100 {
		return m.memory.Store(ctx, messages)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows, m.largest = m.rows+len(messages), max(m.largest, len(messages))
	if m.rows%10_000 == 0 {
		m.heap = max(m.heap, heap())
	}
	return nil
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// TestTransactionLargerThanMemory isn't parallel: it measures the heap.
func TestTransactionLargerThanMemory(t *testing.T) { //nolint:paralleltest // see above
	rows := testlong.Of(50_000, 100_000)
	f := setup(t, itemTable+barrierTable)
	m := &meter{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	before := heap()
	go func() { ended <- changestream.Publish(ctx, f.pool, definition(items), m, f.on) }()
	require.Eventually(t, func() bool { return m.count(changestream.OpReady) == 1 }, patience, tick)
	f.exec(t, fmt.Sprintf(`INSERT INTO item SELECT i, 'me', repeat('x', 1000), 's', 1 FROM generate_series(1, %d) i`, rows))
	require.Eventually(t, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.rows == rows
	}, 3*patience, tick)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.LessOrEqual(t, m.largest, 500)
	require.NotZero(t, m.heap)
	require.Less(t, m.heap, before+32<<20, "the rows are %d kB", rows)
}
