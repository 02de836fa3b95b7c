package eventreader_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/dbtest"
)

// touched changes a column that has nothing to do with odd values, leaves rows as they are, and removes them.
var touched = []string{`UPDATE stock SET counted = 1`, `UPDATE stock SET counted = counted`, `DELETE FROM stock`}

// TestEventsAreThoseOfTriggers holds that the events which are made from the log are those that triggers of
// the database make, in the same order.
func TestEventsAreThoseOfTriggers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema, table string
		change        func(*backend.EventTrigger)
		sql           []string
	}{
		"all kinds of values": {
			schema: `CREATE TYPE mood AS ENUM ('good', 'bad "x"'); CREATE TYPE pair AS (a int, b text); CREATE DOMAIN doc AS jsonb;
				CREATE TABLE stock (id int PRIMARY KEY, gone int, label text, n numeric(8,3), f float8, ok boolean, at timestamptz, d date, span interval,
					j json, jb jsonb, dj doc, list text[], grid int[][], mood mood, pair pair, pairs pair[], raw bytea, u uuid, r int4range, c char(5), p point);
				ALTER TABLE stock DROP COLUMN gone; ALTER TABLE stock REPLICA IDENTITY FULL`,
			table: "stock",
			sql: []string{
				`INSERT INTO stock (id) VALUES (1)`,
				`INSERT INTO stock VALUES (2, e'a,"b"\\(c)''\n ü', 1.5, 'NaN', true, '2020-02-03 04:05:06.7+08', '2020-01-01', '1 day 2 hours', '{"a" : 1, "a": 2}',
					'{"b": [1, "x"]}', 'null', ARRAY['a,b', NULL, '', '"', 'NULL'], '{{1,2},{3,4}}', 'bad "x"', ROW(1, 'a "quoted", text'),
					ARRAY[ROW(NULL, '')::pair], '\xdeadbeef', '6f0e4b1e-9a5c-4c6d-8d6a-1f8a3a0e7b11', '[1,5)', 'ab', '(1,2)')`,
				`UPDATE stock SET label = 'b' WHERE id = 2`,
				`UPDATE stock SET label = label, j = j, p = p`,
				`UPDATE stock SET n = 1.500, jb = 'null' WHERE id = 1`,
				`UPDATE stock SET id = id + 10`,
				`DELETE FROM stock`,
			},
		},
		"values that jsonb can't hold": {
			schema: `CREATE DOMAIN raw AS json; CREATE TYPE pair AS (a int, j json); CREATE TABLE stock (id int, j json, dj raw, list json[], pair pair, pairs pair[], n int); ALTER TABLE stock REPLICA IDENTITY FULL`, table: "stock",
			sql: []string{
				`INSERT INTO stock VALUES (1, '{"k":"a\u0000b"}', '"\ud800"', ARRAY['1e400000', '1'::json], ROW(1, '{"a":"\udc00"}'), ARRAY[ROW(2, '"\u0000"')::pair], 1),
					(2, '{"k":"\u0000"}', NULL, '{}', NULL, NULL, 1), (3, '{"fine": [1]}', '2', ARRAY['{}'::json], ROW(1, '[]'), '{}', 1)`,
				`UPDATE stock SET n = 2`, `UPDATE stock SET j = '"\u0000"' WHERE id = 3`, `DELETE FROM stock`,
			},
		},
		"ranges": {
			schema: `CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE TYPE moods AS RANGE (subtype = mood); CREATE TYPE words AS RANGE (subtype = text, collation = "C");
				CREATE DOMAIN few AS int4range CHECK (VALUE <@ '[0,100]');
				CREATE TABLE stock (id int, i int4range, b int8range, n numrange, t tsrange, z tstzrange, d daterange, m moods, w words, few few, list numrange[],
					many nummultirange, times tstzmultirange, counted int);
				ALTER TABLE stock REPLICA IDENTITY FULL`,
			table: "stock",
			sql: append([]string{
				`INSERT INTO stock (id) VALUES (1)`,
				`INSERT INTO stock VALUES (2, 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', '{empty,NULL}', '{}', '{}')`,
				`INSERT INTO stock VALUES (3, '(,)', '(,9223372036854775807)', '(NaN,)', '[-infinity,infinity]', '[infinity,infinity]', '[-infinity,infinity)', '[good,bad]',
					'["a,\"\")","z\\ ü")', '[5,5]', ARRAY['[1,1]', '(,NaN]', NULL]::numrange[], '{[1,2),(3,),[NaN,NaN]}', '{[-infinity,2020-01-01 00:00+00]}')`,
				`INSERT INTO stock VALUES (4, '[-2147483648,2147483647)', '[-9223372036854775808,)', '[1e-300,1e300]', '["0044-03-15 BC","294276-12-31 23:59:59.999999"]',
					'["0001-01-01 00:00:00+00 BC",)', '["4713-01-01 BC","5874897-12-30"]', '(,good)', '[,]', '[0,3)', '[7:8]={"[1,2]",empty}', '{(,)}', '{(,)}')`,
			}, touched...),
		},
		"composite values": {
			schema: `CREATE TYPE mood AS ENUM ('good', 'bad "x"'); CREATE TYPE inner_pair AS (at tstzrange, j json, f float8); CREATE DOMAIN named AS text CHECK (VALUE <> '');
				CREATE TYPE pair AS ("a ""b" int, inside inner_pair, list inner_pair[], mood mood, name named, raw bytea, x xml, d date, n numeric, b bit varying);
				CREATE DOMAIN checked AS inner_pair CHECK ((VALUE).f IS DISTINCT FROM 7); CREATE TYPE nothing AS (); CREATE TABLE other (id int, p inner_pair);
				CREATE TABLE stock (id int, p pair, list pair[], c checked, e nothing, o other, os other[], counted int);
				ALTER TABLE stock REPLICA IDENTITY FULL`,
			table: "stock",
			sql: append([]string{
				`INSERT INTO stock (id) VALUES (1)`,
				`INSERT INTO stock VALUES (2, ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), '{}', ROW(NULL, NULL, NULL), ROW(), ROW(NULL, NULL), '{NULL}')`,
				`INSERT INTO stock VALUES (3, ROW(1, ROW('(,infinity)', '{"a": 1, "a": "\u0000"}', 'NaN')::inner_pair, ARRAY[ROW('empty', '1e400000', '-infinity')::inner_pair, NULL], 'bad "x"',
					'"),(\', '\x00ff', '<a b="c"/>', 'infinity', 'NaN', B'')::pair, NULL, ROW('[2020-01-01,)', '"\ud800"', '-0')::inner_pair, NULL, ROW(1, ROW(NULL, '[]', 1e308)::inner_pair), NULL)`,
				`INSERT INTO stock VALUES (4, NULL, ARRAY[ROW(2, NULL, '{}', 'good', 'ü', '', NULL, '4713-01-01 BC', 1e-400, B'101')::pair, NULL], NULL, ROW(), NULL,
					ARRAY[ROW(1, ROW('(,)', 'null', 'Infinity')::inner_pair)::other])`,
			}, touched...),
		},
		"listened and shown columns": {
			schema: `CREATE TABLE stock (id int, label text, qty int); ALTER TABLE stock REPLICA IDENTITY FULL`, table: "stock",
			change: func(e *backend.EventTrigger) {
				e.Update = &backend.EventOperation{Columns: []string{"qty"}, Payload: []string{"label"}}
				e.Delete = nil
			},
			sql: []string{`INSERT INTO stock VALUES (1, 'a', 1)`, `UPDATE stock SET label = 'b'`, `UPDATE stock SET qty = 3`, `DELETE FROM stock`},
		},
		"only inserts, with a key": {
			schema: `CREATE TABLE stock (id int PRIMARY KEY, label text)`, table: "stock",
			change: func(e *backend.EventTrigger) { e.Update, e.Delete = nil, nil },
			sql:    []string{`INSERT INTO stock VALUES (1, 'a')`, `UPDATE stock SET label = 'b'`, `DELETE FROM stock`},
		},
		"large values that an update leaves": {
			schema: `CREATE TABLE stock (id int, big text, label text); ALTER TABLE stock ALTER big SET STORAGE EXTERNAL, REPLICA IDENTITY FULL`, table: "stock",
			sql: []string{`INSERT INTO stock VALUES (1, repeat('ab', 20000), 'a')`, `UPDATE stock SET label = 'b'`, `DELETE FROM stock`},
		},
		"generated columns": {
			schema: `CREATE TABLE stock (id int, "it's" text, twice int GENERATED ALWAYS AS (id * 2) STORED, loud text GENERATED ALWAYS AS (upper("it's") || '!') STORED);
				ALTER TABLE stock REPLICA IDENTITY FULL`, table: "stock",
			sql: []string{`INSERT INTO stock VALUES (1, 'a')`, `UPDATE stock SET id = 2, "it's" = NULL`, `DELETE FROM stock`},
		},
		"names that need quotes": {
			schema: `CREATE TABLE "it's \ ""x"" $$" ("a'b" int, "c""d\" bigint); ALTER TABLE "it's \ ""x"" $$" REPLICA IDENTITY FULL`, table: `it's \ "x" $$`,
			sql: []string{`INSERT INTO "it's \ ""x"" $$" VALUES (1, 2)`, `UPDATE "it's \ ""x"" $$" SET "a'b" = 7`},
		},
		"order by key": {
			schema: `CREATE TABLE stock (id int, part text, label text, PRIMARY KEY (id, part)); ALTER TABLE stock REPLICA IDENTITY FULL`, table: "stock",
			change: func(e *backend.EventTrigger) { e.Ordered = true },
			sql: []string{
				`INSERT INTO stock VALUES (1, 'a', 'x'), (2, 'b', 'x')`, `UPDATE stock SET id = 3 WHERE id = 1`, `DELETE FROM stock`,
			},
		},
		"partitions, rows that move, truncation": {
			schema: `CREATE TABLE stock (id int, label text) PARTITION BY LIST (id);
				CREATE TABLE stock_1 PARTITION OF stock FOR VALUES IN (1);
				CREATE TABLE stock_2 (label text, id int); ALTER TABLE stock ATTACH PARTITION stock_2 FOR VALUES IN (2);
				ALTER TABLE stock_1 REPLICA IDENTITY FULL; ALTER TABLE stock_2 REPLICA IDENTITY FULL; ALTER TABLE stock REPLICA IDENTITY FULL`,
			table: "stock",
			sql: []string{
				`INSERT INTO stock VALUES (1, 'a'), (2, 'b')`, `INSERT INTO stock_2 VALUES ('c', 2)`, `UPDATE stock SET label = label || '!'`,
				`UPDATE stock SET id = 2 WHERE id = 1`, `DELETE FROM stock_2 WHERE label = 'c!'`, `TRUNCATE stock`, `INSERT INTO stock VALUES (1, 'z')`,
			},
		},
		"savepoints and roll-back": {
			schema: `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`, table: "stock",
			sql: []string{
				`BEGIN; INSERT INTO stock VALUES (1); SAVEPOINT a; INSERT INTO stock VALUES (2); ROLLBACK TO a; INSERT INTO stock VALUES (3); COMMIT`,
				`BEGIN; INSERT INTO stock VALUES (4); ROLLBACK`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, dbtest.LogicalURL(t), c.schema)
			triggers := []backend.EventTrigger{f.trigger("same", c.table, false), f.trigger("logged", c.table, true)}
			for i := range triggers {
				if c.change != nil {
					c.change(&triggers[i])
				}
			}
			f.install(t, triggers...)
			f.read(t)
			for _, sql := range c.sql {
				f.exec(t, sql)
			}
			wanted := f.events(t, "same")
			require.NotEmpty(t, wanted)
			f.caughtUp(t, "logged", len(wanted))
			require.Equal(t, wanted, f.events(t, "logged"))
			require.Equal(t, "0", f.text(t, `SELECT count(*)::text FROM engine_catalog.event_log e JOIN engine_catalog.event_log same
				ON same.payload = e.payload AND same.trigger_name = 'same' AND same.sequence <> e.sequence
				WHERE e.trigger_name = 'logged' AND abs(extract(epoch FROM e.created_at - same.created_at)) > 600`), "the time is that of the commit")
		})
	}
}

// TestWritersWriteNoEvents holds that a transaction that changes rows of a table whose log is read has no
// trigger and writes no event, and that its event comes nonetheless.
func TestWritersWriteNoEvents(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	require.Equal(t, "0", f.text(t, `SELECT count(*)::text FROM pg_trigger WHERE tgrelid = 'stock'::regclass`))
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	require.Empty(t, f.events(t, "watch"))
	f.read(t)
	f.caughtUp(t, "watch", 1)
}

// TestReaderThatDies holds that each change has its event once, in the order of commits, however often the
// reader dies in between.
func TestReaderThatDies(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int, round int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true), f.trigger("same", "stock", false))
	const rounds, rows = 12, 40
	for i := range rounds {
		stop := f.read(t)
		for j := range rows {
			f.exec(t, fmt.Sprintf(`INSERT INTO stock VALUES (%d, %d); UPDATE stock SET id = -id WHERE id = %d AND round = %d`, j, i, j, i))
			if j == i*3 {
				if i%3 == 0 { // the connections are lost
					f.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
						AND pid <> pg_backend_pid() AND application_name = 'eventreader test'`)
				}
				_ = stop()
				stop = f.read(t)
			}
		}
		_ = stop()
	}
	f.read(t)
	wanted := f.events(t, "same")
	f.caughtUp(t, "watch", len(wanted))
	require.Equal(t, wanted, f.events(t, "watch"))
	require.Zero(t, f.missed.Load())
}

// TestTransactionOfManyRows holds that the events of a transaction that is larger than what is held in memory are all written, once and in their order,
// also when the reader dies in the middle of it.
func TestTransactionOfManyRows(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int, label text); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	const rows = 20_000
	f.exec(t, fmt.Sprintf(`INSERT INTO stock SELECT g, repeat('x', 200) FROM generate_series(1, %d) g`, rows))
	written := func() int64 {
		return f.number(t, `SELECT max(coalesce(last_value, 0)) FROM pg_sequences WHERE sequencename = 'event_log_sequence_seq'`)
	}
	for range 3 {
		before := written()
		stop := f.read(t)
		// Some of it is written, and nothing is committed.
		require.Eventually(t, func() bool { return written() > before+2000 }, patience, time.Millisecond)
		_ = stop()
	}
	f.read(t)
	f.caughtUp(t, "watch", rows)
	require.Equal(t, int64(0), f.number(t, `SELECT count(*) FROM (SELECT (payload#>>'{data,new,id}')::int AS id, row_number() OVER (ORDER BY sequence) AS n
		FROM engine_catalog.event_log) AS e WHERE id <> n`))
	require.Zero(t, f.missed.Load())
}

// TestOneReader holds that of two readers one reads, and the other takes over.
func TestOneReader(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	first := f.read(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
	err := f.source.MakeEvents(t.Context(), backend.EventProgress{})
	require.ErrorIs(t, err, backend.ErrRead)
	f.read(t)
	_ = first()
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	f.caughtUp(t, "watch", 2)
}

// TestTriggersChangeTheirWay holds that while a trigger goes from one way to the other and back, each of
// the changes that are made meanwhile has its event once.
func TestTriggersChangeTheirWay(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("stays", "stock", true), f.trigger("watch", "stock", false))
	f.read(t)
	written := make(chan int)
	stop := make(chan struct{})
	go func() {
		defer close(written)
		n := 0
		for {
			select {
			case <-stop:
				written <- n
				return
			default:
			}
			n++
			if _, err := f.db.Exec(t.Context(), `INSERT INTO stock VALUES ($1)`, n); err != nil {
				return
			}
		}
	}()
	for i := range 10 {
		f.install(t, f.trigger("watch", "stock", i%2 == 0))
	}
	close(stop)
	n, ok := <-written
	require.True(t, ok)
	f.caughtUp(t, "watch", n)
	require.Equal(t, strconv.Itoa(n), f.text(t, `SELECT count(DISTINCT payload#>>'{data,new,id}')::text FROM engine_catalog.event_log WHERE trigger_name = 'watch'`))
}

// TestSlotEndsWithItsTriggers holds that nothing is left that would keep the log, whether the last trigger
// is dropped, with a reader or without one, or changes its way.
func TestSlotEndsWithItsTriggers(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	require.Equal(t, "1", f.slots(t))
	drop := func() {
		require.NoError(t, f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"watch"}}))
	}
	drop()
	require.Equal(t, "0", f.slots(t))
	require.Equal(t, "1", f.text(t, `SELECT count(*)::text FROM pg_publication_tables WHERE pubname = 'engine_events'`), "the list of triggers itself")

	f.install(t, f.trigger("watch", "stock", true))
	stop := f.read(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
	drop()
	require.Equal(t, "0", f.slots(t))
	_ = stop()

	f.install(t, f.trigger("watch", "stock", true))
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	f.install(t, f.trigger("watch", "stock", false))
	require.Equal(t, "1", f.slots(t), "the log has an event")
	require.NoError(t, f.source.MakeEvents(t.Context(), progress(f)), "it ends when there is nothing more to read")
	require.Equal(t, "0", f.slots(t))
	require.True(t, contains(f.events(t, "watch"), `"id": 2`))
}

// TestLogThatIsGone holds that reading goes on at a new slot when the old one is lost, and that it says so.
func TestLogThatIsGone(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	f.exec(t, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database();
		INSERT INTO stock VALUES (1)`)
	f.read(t)
	require.Eventually(t, func() bool { return f.missed.Load() == 1 && f.slots(t) == "1" }, patience, tick)
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	f.caughtUp(t, "watch", 1)
	require.True(t, contains(f.events(t, "watch"), `"id": 2`))
}

// TestServerThatKeepsNoMoreLog holds that reading goes on when the server has reached its bound on the log
// that it keeps, and that nothing before that is made twice.
func TestServerThatKeepsNoMoreLog(t *testing.T) {
	t.Parallel()
	f := setup(t, ownServer(t, false, map[string]string{"max_slot_wal_keep_size": "1MB"}),
		`CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	stop := f.read(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
	_ = stop()
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	require.Eventually(t, func() bool {
		for _, sql := range []string{`SELECT pg_logical_emit_message(false, 'fill', repeat('x', 1000000))`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
			f.exec(t, sql)
		}
		return f.text(t, `SELECT wal_status FROM pg_replication_slots`) == "lost"
	}, patience, tick)
	f.read(t)
	require.Eventually(t, func() bool { return f.missed.Load() == 1 }, patience, tick)
	f.exec(t, `INSERT INTO stock VALUES (3)`)
	f.caughtUp(t, "watch", 2)
	require.True(t, contains(f.events(t, "watch")[1:], `"id": 3`))
}

// TestReplicatedChanges holds that changes which replication has made make events of the triggers that
// ask for them.
func TestReplicatedChanges(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	all := f.trigger("all", "stock", true)
	all.OnReplication = true
	f.install(t, f.trigger("own", "stock", true), all)
	origin := f.text(t, `SELECT 'origin_' || oid FROM pg_database WHERE datname = current_database()`)
	f.exec(t, `SELECT pg_replication_origin_create('`+origin+`'); SELECT pg_replication_origin_session_setup('`+origin+`')`)
	f.exec(t, `BEGIN; SELECT pg_replication_origin_xact_setup('0/10', now()); INSERT INTO stock VALUES (1); COMMIT`)
	f.exec(t, `SELECT pg_replication_origin_session_reset(); SELECT pg_replication_origin_drop('`+origin+`'); INSERT INTO stock VALUES (2)`)
	f.read(t)
	f.caughtUp(t, "all", 2)
	f.caughtUp(t, "own", 1)
	require.True(t, contains(f.events(t, "own"), `"id": 2`))
}

// TestTableThatChanges holds that changes from before a table was altered have events.
func TestTableThatChanges(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int, label text); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	f.exec(t, `INSERT INTO stock VALUES (1, 'a')`)
	f.exec(t, `ALTER TABLE stock ADD more int DEFAULT 7, DROP label; INSERT INTO stock VALUES (2)`)
	f.exec(t, `ALTER TABLE stock ALTER id TYPE uuid USING '6f0e4b1e-9a5c-4c6d-8d6a-1f8a3a0e7b11'; INSERT INTO stock VALUES ('00000000-9a5c-4c6d-8d6a-1f8a3a0e7b11')`)
	f.read(t)
	f.caughtUp(t, "watch", 3)
	list := f.events(t, "watch")
	require.Contains(t, list[0], `{"id": "1", "label": "a"}`)
	require.Contains(t, list[1], `{"id": "2", "more": "7"}`)
	require.Contains(t, list[2], `{"id": "00000000-9a5c-4c6d-8d6a-1f8a3a0e7b11", "more": 7}`)
}

// TestRefusedTriggers holds the errors of tables that can't be read from the log.
func TestRefusedTriggers(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE keyed (id int PRIMARY KEY); CREATE TABLE bare (id int);
		CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY LIST (id); CREATE TABLE part PARTITION OF parts FOR VALUES IN (1)`)
	refused := func(trigger backend.EventTrigger) string {
		t.Helper()
		err := f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{trigger}})
		require.Error(t, err)
		return err.Error()
	}
	onlyInserts := func(table string) backend.EventTrigger {
		e := f.trigger("watch", table, true)
		e.Update, e.Delete = nil, nil
		return e
	}
	require.Contains(t, refused(f.trigger("watch", "keyed", true)), `event trigger "watch": the log has rows as they were before an update or a delete only after: ALTER TABLE public.keyed REPLICA IDENTITY FULL`)
	require.Contains(t, refused(onlyInserts("bare")), `ALTER TABLE public.bare REPLICA IDENTITY FULL`)
	require.Contains(t, refused(f.trigger("watch", "parts", true)), `ALTER TABLE public.part REPLICA IDENTITY FULL`)
	f.install(t, onlyInserts("parts"))
	part := onlyInserts("part")
	part.Name = "other"
	require.Contains(t, refused(part), `the log is read for another part of the same partitioned table already: public.parts`)
}

// TestServerWhoseLogCannotBeRead holds that a server that lacks what is needed refuses the trigger, says
// why, and keeps nothing of it.
func TestServerWhoseLogCannotBeRead(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.URL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	err := f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{f.trigger("watch", "stock", true)}})
	require.ErrorContains(t, err, `the log of the database can't be read for event triggers: logical decoding requires`)
	installed, err := f.source.InstalledEventTriggers(t.Context(), []string{"watch"})
	require.NoError(t, err)
	require.Empty(t, installed)
	require.NoError(t, f.source.MakeEvents(t.Context(), progress(f)), "there is nothing to read")
	f.install(t, f.trigger("watch", "stock", false))
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
}

// TestSlotThatIsAhead holds that changes aren't lost without a word where the slot is ahead of the events, as on a standby server that took
// over with the slot but without the last events.
func TestSlotThatIsAhead(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	stop := f.read(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
	_ = stop()
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	require.Eventually(t, func() bool { // once the server has noticed that no client reads
		_, err := f.db.Exec(t.Context(), `SELECT pg_replication_slot_advance(slot_name, pg_current_wal_lsn())
			FROM pg_replication_slots WHERE database = current_database()`)
		return err == nil
	}, patience, tick)
	f.read(t)
	require.Eventually(t, func() bool { return f.missed.Load() == 1 }, patience, tick)
	f.exec(t, `INSERT INTO stock VALUES (3)`)
	f.caughtUp(t, "watch", 2)
	require.True(t, contains(f.events(t, "watch")[1:], `"id": 3`))
}

// TestLogWithoutChanges holds that the server may drop its log also when nothing in it is about a trigger, and that no reader takes that for a
// gap.
func TestLogWithoutChanges(t *testing.T) {
	t.Parallel()
	f := setup(t, ownServer(t, false, map[string]string{"wal_sender_timeout": "6s"}), `CREATE TABLE stock (id int); ALTER TABLE stock REPLICA IDENTITY FULL;
		CREATE TABLE other (id int)`)
	f.install(t, f.trigger("watch", "stock", true))
	stop := f.read(t)
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	f.caughtUp(t, "watch", 1)
	f.exec(t, `INSERT INTO other SELECT generate_series(1, 200000)`)
	end := f.text(t, `SELECT pg_current_wal_lsn()::text`)
	require.Eventually(t, func() bool {
		f.exec(t, `INSERT INTO other VALUES (0)`)
		return f.text(t, `SELECT (confirmed_flush_lsn >= '`+end+`')::text FROM pg_replication_slots`) == "true"
	}, patience, tick)
	_ = stop()
	f.exec(t, `INSERT INTO stock VALUES (2)`)
	f.read(t)
	f.caughtUp(t, "watch", 2)
	require.Zero(t, f.missed.Load())
}

// TestEventsAfterChanges holds that the session which makes events stands changes of tables whose events it has made before.
func TestEventsAfterChanges(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t), `CREATE TYPE mood AS ENUM ('glad', 'sad');
		CREATE TABLE stock (id int, label text, n bigint, m mood, twice int GENERATED ALWAYS AS (id * 2) STORED); ALTER TABLE stock REPLICA IDENTITY FULL`)
	same, logged := f.trigger("same", "stock", false), f.trigger("logged", "stock", true)
	for _, trigger := range []*backend.EventTrigger{&same, &logged} {
		trigger.Update = &backend.EventOperation{Columns: []string{"label", "m"}, Payload: []string{"id", "label", "m", "twice"}}
	}
	f.install(t, same, logged)
	f.read(t)
	for _, change := range []string{
		`SELECT`,
		`ALTER TABLE stock ALTER label TYPE varchar`,
		`ALTER TABLE stock ALTER twice TYPE bigint`,
		`ALTER TABLE stock ALTER m TYPE text; DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad', 'glad'); ALTER TABLE stock ALTER m TYPE mood USING m::mood`,
		`ALTER TABLE stock ADD more int DEFAULT 7`,
	} {
		f.exec(t, change)
		f.exec(t, `INSERT INTO stock (id, label, n, m) VALUES (1, 'a', 2, 'glad'); UPDATE stock SET label = 'b', m = 'sad'; DELETE FROM stock`)
		wanted := f.events(t, "same")
		f.caughtUp(t, "logged", len(wanted))
		require.Equal(t, wanted, f.events(t, "logged"), change)
	}
}
