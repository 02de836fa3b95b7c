package eventreader_test

import (
	"context"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestWriterSpeed prints how many transactions of one row 16 clients get through, in turns on a table
// without a trigger, with one that writes events, and with one that is read from the log, without and with
// a reader on the same machine.
func TestWriterSpeed(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("ENGINE_BENCH_EVENTS") == "" {
		t.Skip("for make bench-events")
	}
	f := setup(t, ownServer(t, true, nil), `CREATE TABLE plain (id bigserial PRIMARY KEY, n int); CREATE TABLE written (LIKE plain INCLUDING ALL);
		CREATE TABLE read (LIKE plain INCLUDING ALL); ALTER TABLE read REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("written", "written", false), f.trigger("read", "read", true))
	conns := make([]*pgx.Conn, 16)
	for i := range conns {
		var err error
		conns[i], err = pgx.Connect(t.Context(), f.url)
		require.NoError(t, err)
		defer func() { _ = conns[i].Close(context.Background()) }()
	}
	round := func(table string, d time.Duration) float64 {
		var n atomic.Int64
		var writing sync.WaitGroup
		end := time.Now().Add(d)
		for _, c := range conns {
			writing.Go(func() {
				for time.Now().Before(end) {
					if _, err := c.Exec(context.Background(), `INSERT INTO `+table+` (n) VALUES (1)`); err != nil {
						t.Error(err)
						return
					}
					n.Add(1)
				}
			})
		}
		writing.Wait()
		return float64(n.Load()) / d.Seconds()
	}
	for _, with := range []string{"no reader", "a reader"} {
		if with == "a reader" {
			f.read(t)
			f.caughtUp(t, "read", int(f.number(t, `SELECT count(*) FROM read`)))
		}
		round("plain", time.Second)
		sum := map[string]float64{}
		tables := []string{"plain", "written", "read"}
		for i := range 6 {
			for j := range tables {
				table := tables[(i+j)%len(tables)]
				sum[table] += round(table, 1500*time.Millisecond) / 6
				if table == "read" && with == "a reader" { // what is read later is no burden for others
					f.caughtUp(t, "read", int(f.number(t, `SELECT count(*) FROM read`)))
				}
			}
		}
		t.Logf("%s: %.0f transactions/s without a trigger, %.2f of that with one, %.2f read from the log",
			with, sum["plain"], sum["written"]/sum["plain"], sum["read"]/sum["plain"])
	}
}

// TestLargeTransaction prints what a transaction of a million rows takes.
func TestLargeTransaction(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("ENGINE_BENCH_EVENTS") == "" {
		t.Skip("for make bench-events")
	}
	f := setup(t, ownServer(t, true, nil), `CREATE TABLE stock (id int, label text); ALTER TABLE stock REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("watch", "stock", true))
	f.exec(t, `INSERT INTO stock SELECT g, repeat('x', 100) FROM generate_series(1, 1000000) g`)
	var most uint64
	began := time.Now()
	f.read(t)
	for done := false; !done; time.Sleep(20 * time.Millisecond) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
		done = f.number(t, `SELECT count(*) FROM (SELECT FROM engine_catalog.event_log LIMIT 1) AS e`) > 0
	}
	f.caughtUp(t, "watch", 1_000_000)
	t.Logf("1,000,000 rows in %v, with a heap of at most %d MiB", time.Since(began).Round(time.Second), most>>20)
}

func (f *fixture) number(t *testing.T, sql string) (n int64) {
	t.Helper()
	require.NoError(t, f.db.QueryRow(t.Context(), sql).Scan(&n), sql)
	return n
}
