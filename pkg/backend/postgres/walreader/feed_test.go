package walreader_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/dbtest"
)

func TestFeedTellsOfTables(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY, n text);
		CREATE TABLE "B b" (id int PRIMARY KEY, a_id int REFERENCES a ON DELETE CASCADE);
		CREATE TABLE whole (id int); ALTER TABLE whole REPLICA IDENTITY FULL;
		CREATE TABLE other (id int PRIMARY KEY);
		CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10);
		CREATE VIEW inner_view AS SELECT id FROM a;
		CREATE VIEW outer_view AS SELECT id FROM inner_view UNION SELECT id FROM part`)
	f.listen(t)
	f.watch(t, "barrier")
	a, b, whole, part, parted := f.oid(t, "a"), f.oid(t, `"B b"`), f.oid(t, "whole"), f.oid(t, "part"), f.oid(t, "parted")
	for range 2 { // the second time it is published
		require.Equal(t, []string{a}, f.watch(t, "a"))
		require.ElementsMatch(t, []string{a, b}, f.watch(t, "B b", "a"))
		require.Equal(t, []string{whole}, f.watch(t, "whole"))
		require.ElementsMatch(t, []string{a, part}, f.watch(t, "outer_view"))
		require.ElementsMatch(t, []string{parted, part}, f.watch(t, "parted"))
	}
	f.barrier(t)
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{`INSERT INTO a VALUES (1), (2)`, []string{a}},
		{`INSERT INTO "B b" VALUES (1, 1)`, []string{b}},
		{`UPDATE a SET id = 3 WHERE id = 2`, []string{a}},
		{`UPDATE a SET n = repeat('x', 100000) || random()::text`, []string{a}},
		{`UPDATE a SET id = 4 WHERE id = 3 /* what is TOASTed stays */`, []string{a}},
		{`INSERT INTO other VALUES (1)`, nil},
		{`BEGIN; INSERT INTO a VALUES (77); ROLLBACK`, nil},
		{`BEGIN; INSERT INTO a VALUES (78); SAVEPOINT s; INSERT INTO whole VALUES (1); ROLLBACK TO s; COMMIT`, []string{a}},
		{`BEGIN; SAVEPOINT s; INSERT INTO whole VALUES (1); RELEASE s; COMMIT`, []string{whole}},
		{`UPDATE whole SET id = 5`, []string{whole}},
		{`DELETE FROM whole`, []string{whole}},
		{`INSERT INTO parted VALUES (1)`, []string{part, parted}},
		{`TRUNCATE part`, []string{part, parted}},
		{`CREATE TABLE later PARTITION OF parted FOR VALUES FROM (10) TO (20); INSERT INTO later VALUES (11)`, []string{parted}},
		{`DELETE FROM a WHERE id = 1`, []string{a, b}},
		{`TRUNCATE "B b"`, []string{b}},
		{`ALTER TABLE a ADD COLUMN more int DEFAULT 5; INSERT INTO a VALUES (90)`, []string{a}},
		{`ALTER TABLE a DROP COLUMN n; UPDATE a SET more = 6`, []string{a}},
		{`ALTER TABLE "B b" RENAME TO c; INSERT INTO c VALUES (2)`, []string{b}},
		{`BEGIN; INSERT INTO a VALUES (7); INSERT INTO c VALUES (8); INSERT INTO a VALUES (9); COMMIT`, []string{a, b}},
		{`INSERT INTO a SELECT g FROM generate_series(1000, 3000) g`, []string{a}},
	} {
		f.exec(t, c.sql)
		told := f.barrier(t)
		if strings.HasPrefix(c.sql, "CREATE") {
			told = told[:len(told)-1] // a partition that wasn't asked about is reported, too
			require.Len(t, told, 1)
			continue
		}
		require.ElementsMatch(t, c.want, told, c.sql)
	}
}

// TestFeedTellsWhatIsVisible holds that a query after a report sees the change. With
// synchronous replication to a standby server that isn't there, a commit is in the log and is
// invisible until the wait is given up.
func TestFeedTellsWhatIsVisible(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	a := f.watch(t, "a")[0]
	f.watch(t, "barrier")
	f.barrier(t)

	waiting, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer waiting.Close(context.Background())
	f.exec(t, `SET synchronous_commit = local`)
	f.exec(t, `ALTER SYSTEM SET synchronous_standby_names = 'missing'`)
	t.Cleanup(func() {
		_, _ = f.db.Exec(context.Background(), `ALTER SYSTEM RESET synchronous_standby_names`)
		_, _ = f.db.Exec(context.Background(), `SELECT pg_reload_conf()`)
	})
	f.exec(t, `SELECT pg_reload_conf()`)
	_, err = waiting.Exec(t.Context(), `SET synchronous_commit = on`)
	require.NoError(t, err)
	count := func() string { return f.text(t, `SELECT count(*)::text FROM a`) }
	done := make(chan error, 1)
	for waits := false; !waits; { // the server takes its time to learn of the setting
		go func() {
			_, err := waiting.Exec(context.Background(), `INSERT INTO a SELECT coalesce(max(id), 0) + 1 FROM a`)
			done <- err
		}()
		require.Eventually(t, func() bool {
			waits = f.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'`) == "1"
			return waits || len(done) > 0
		}, patience, 10*time.Millisecond)
		if !waits {
			require.NoError(t, <-done)
			f.next(t, "no wait yet", a)
		}
	}
	rows := count()
	require.Empty(t, f.barrier(t), "what is after it in the log and visible is reported")
	require.Equal(t, rows, count())
	f.exec(t, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	require.NoError(t, <-done)
	f.next(t, "the wait has ended", a)
	require.NotEqual(t, rows, count())
}

// TestWatchWaitsForWriters holds that a transaction that wrote before its table was published is not
// missed: Watch returns after it.
func TestWatchWaitsForWriters(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY)`)
	f.listen(t)
	f.watch(t, "barrier")
	early, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer early.Close(context.Background())
	run := func(sql string) {
		_, err := early.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	run(`BEGIN; INSERT INTO a VALUES (1)`)

	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = f.feed.Watch(short, names("a"))
	require.Error(t, err) // that of the context, or of the server that ended the statement
	require.ErrorIs(t, short.Err(), context.DeadlineExceeded, "nothing else ended it")

	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.watch(t, "a")
	}()
	require.Eventually(t, func() bool {
		return f.text(t, `SELECT (count(*) > 0)::text FROM pg_stat_activity WHERE query LIKE '%virtualtransaction%' AND pid <> pg_backend_pid()`) == "true"
	}, patience, 10*time.Millisecond)
	run(`INSERT INTO a VALUES (2)`)
	select {
	case <-watched:
		require.Fail(t, "the table is watched before its writer has ended")
	default:
	}
	run(`COMMIT`)
	<-watched
	f.barrier(t)
	run(`INSERT INTO a VALUES (3)`)
	require.Equal(t, []string{f.oid(t, "a")}, f.barrier(t))
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable+`CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE keyless (id int);
		CREATE TABLE nothing (id int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
		CREATE UNLOGGED TABLE fast (id int PRIMARY KEY);
		CREATE TABLE parted (id int) PARTITION BY RANGE (id);
		CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10); ALTER TABLE part REPLICA IDENTITY FULL;
		CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE VIEW calls AS SELECT f() AS id;
		CREATE MATERIALIZED VIEW kept AS SELECT id FROM a;
		CREATE TABLE secret (id int PRIMARY KEY); ALTER TABLE secret ENABLE ROW LEVEL SECURITY`)
	f.listen(t)
	for _, name := range []string{"keyless", "nothing", "fast", "parted", "calls", "kept", "secret", "missing"} {
		_, err := f.feed.Watch(t.Context(), names("a", name))
		require.ErrorIs(t, err, backend.ErrUnwatchable, name)
	}
	f.exec(t, `INSERT INTO keyless VALUES (1)`)
	f.exec(t, `UPDATE keyless SET id = 2`) // would fail if it was published
	f.exec(t, `INSERT INTO parted VALUES (1)`)
	f.exec(t, `CREATE TABLE more PARTITION OF parted FOR VALUES FROM (10) TO (20); INSERT INTO parted VALUES (11)`)
	f.exec(t, `UPDATE parted SET id = 12 WHERE id = 11`)
	require.Len(t, f.watch(t, "part"), 1)
}

// TestOneReads holds that of feeds with the same slot one reads, and that another one takes over when it
// ends.
func TestOneReads(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable)
	stop, _ := f.listen(t)
	require.Equal(t, "true", f.text(t, `SELECT temporary::text FROM pg_replication_slots WHERE slot_name = '`+f.slot+`'`))
	second := walreader.NewFeed(f.pool, f.slot)
	err := second.Listen(t.Context(), func() {}, func(backend.Change) {})
	require.ErrorIs(t, err, backend.ErrRead)

	require.ErrorIs(t, stop(), context.Canceled)
	require.Eventually(t, func() bool {
		return f.text(t, `SELECT count(*)::text FROM pg_replication_slots WHERE slot_name = '`+f.slot+`'`) == "0"
	}, patience, 10*time.Millisecond, "nothing keeps the log")
	f.feed = second
	f.listen(t)
	f.watch(t, "barrier")
	f.barrier(t)
}

// TestListenEndsWithItsConnections ends each of the two, and the slot of a reader.
func TestListenEndsWithItsConnections(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), barrierTable)
	for _, which := range []string{"walsender", "client backend"} {
		_, ended := f.listen(t)
		f.watch(t, "barrier")
		f.barrier(t)
		f.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND backend_type = '`+which+`'`)
		if which != "walsender" {
			f.exec(t, `INSERT INTO barrier DEFAULT VALUES`) // the other connection notices when it is queried
		}
		select {
		case err := <-ended:
			require.Error(t, err, which)
			require.NotErrorIs(t, err, context.Canceled, which)
		case <-time.After(patience):
			require.Fail(t, "the feed goes on", which)
		}
		require.Eventually(t, func() bool {
			return f.text(t, `SELECT count(*)::text FROM pg_replication_slots WHERE slot_name = '`+f.slot+`'`) == "0"
		}, patience, 10*time.Millisecond)
		f.feed = walreader.NewFeed(f.pool, f.slot)
	}
}

func TestListenNeedsALogicalLog(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.URL(t), `CREATE TABLE a (id int PRIMARY KEY)`)
	if f.text(t, `SHOW wal_level`) == "logical" {
		t.Skip("the log of the tests' server can be read")
	}
	err := f.feed.Listen(t.Context(), func() { t.Error("it listens") }, func(backend.Change) {})
	require.ErrorContains(t, err, "wal_level")
}

func TestListenNeedsTheRight(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE a (id int PRIMARY KEY); CREATE PUBLICATION engine_live`)
	role := strings.Replace(f.slot, "slot", "role", 1)
	f.exec(t, `CREATE ROLE `+role+` LOGIN PASSWORD 'secret'`)
	t.Cleanup(func() { _, _ = f.db.Exec(context.Background(), `DROP ROLE `+role) })
	limited := setup(t, withUser(t, f.url, role), `SELECT 1`)
	err := limited.feed.Listen(t.Context(), func() { t.Error("it listens") }, func(backend.Change) {})
	require.ErrorContains(t, err, "replication")
	_, err = limited.feed.Watch(t.Context(), names("a"))
	require.ErrorContains(t, err, "owner of publication")

	f.exec(t, `ALTER ROLE `+role+` REPLICATION`)
	f.exec(t, `ALTER PUBLICATION engine_live ADD TABLE a`)
	limited.listen(t)
	require.Equal(t, []string{f.oid(t, "a")}, limited.watch(t, "a"), "what the owner has published needs no more rights")
	f.exec(t, `INSERT INTO a VALUES (1)`)
	limited.next(t, "published by its owner", f.oid(t, "a"))
}

// TestListenRefusesPublicationsWithGaps has publications of others that leave out changes.
func TestListenRefusesPublicationsWithGaps(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE a (id int PRIMARY KEY)`)
	for _, publication := range []string{
		`FOR TABLE a WHERE (id > 5)`, `FOR TABLE a WITH (publish = 'insert')`, `FOR TABLE a WITH (publish_via_partition_root)`,
	} {
		f.exec(t, `CREATE PUBLICATION engine_live `+publication)
		err := f.feed.Listen(t.Context(), func() { t.Error("it listens") }, func(backend.Change) {})
		require.ErrorContains(t, err, "doesn't publish all changes", publication)
		f.exec(t, `DROP PUBLICATION engine_live`)
	}
}
