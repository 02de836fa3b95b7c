package assembly

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/localpg"
)

// publishing is an installation that publishes the changes of a table as a role sees them.
type publishing struct {
	*tables
	js jetstream.JetStream
}

// last is the sequence of the last message of the stream, 0 for none.
func (p *publishing) last() int {
	s, err := p.js.Stream(p.t.Context(), "CHANGES-default-parcels")
	if err != nil {
		return 0
	}
	return int(s.CachedInfo().State.LastSeq) //nolint:gosec // few
}

// timed runs f, and prints how fast messages come until there are so many more, and what they cost.
func (p *publishing) timed(what string, messages int, f func()) {
	p.t.Helper()
	first, began, before := p.last(), time.Now(), p.cpu()
	f()
	require.Eventually(p.t, func() bool { return p.last() >= first+messages }, 3*time.Minute, time.Millisecond)
	took, after := time.Since(began), p.cpu()
	load, err := os.ReadFile("/proc/loadavg")
	require.NoError(p.t, err)
	per := func(i int) float64 { return float64((after[i] - before[i]).Microseconds()) / float64(messages) }
	p.t.Logf("%s: %.0f a second; CPU of each: this process %.1f µs, walsender %.1f µs, session %.1f µs; load %s",
		what, float64(messages)/took.Seconds(), per(0), per(1), per(2), bytes.TrimSpace(load))
}

// cpu is what was used by this process, which is NATS, event-delivery and the clients, by the process of the server that reads the log, and by that
// which evaluates rows.
func (p *publishing) cpu() (used [3]time.Duration) {
	p.t.Helper()
	var u syscall.Rusage
	require.NoError(p.t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	used[0] = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	for i, kind := range []string{"walsender", "client backend"} {
		var pid int
		err := p.db.QueryRow(p.t.Context(), `SELECT coalesce(max(a.pid), 0) FROM pg_stat_activity a WHERE a.backend_type = $1 AND a.datname = current_database()
			AND (a.backend_type = 'walsender' OR EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory'))`, kind).Scan(&pid)
		require.NoError(p.t, err)
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // it isn't there yet
		}
		for _, field := range bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+2:])[11:13] { // of user and system, in hundredths of a second
			n, err := strconv.Atoi(string(field))
			require.NoError(p.t, err)
			used[i+1] += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return used
}

// durableURL is the address of a server whose commits are on disk.
func durableURL(t *testing.T) string {
	t.Helper()
	require.NoError(t, localpg.Ensure(t.Context(), func(string) {}))
	s, err := localpg.Start(t.Context(), localpg.Config{Dir: t.TempDir(), Durable: true, Settings: map[string]string{"wal_level": "logical"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s.URL("postgres")
}

// TestPublishedSpeed prints how fast rows and changes are published: make bench-events.
func TestPublishedSpeed(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("ENGINE_BENCH_EVENTS") == "" {
		t.Skip("for make bench-events")
	}
	const rows, changes, writers = 100_000, 50_000, 16
	p := &publishing{tables: installTablesAt(t, durableURL(t), `CREATE TABLE parcel (id serial PRIMARY KEY, owner text DEFAULT 'ann', state text DEFAULT 'sent',
			note text DEFAULT repeat('a note ', 10), cost numeric(10,2) DEFAULT 12.5, at timestamptz DEFAULT now(), secret text);
		ALTER TABLE parcel REPLICA IDENTITY FULL; INSERT INTO parcel (secret) SELECT 's' FROM generate_series(1, `+strconv.Itoa(rows)+`)`)}
	conn, err := nats.Connect(p.nats.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	p.js, err = jetstream.New(conn)
	require.NoError(t, err)
	p.request("pg_track_table", map[string]any{"table": "parcel"})
	p.request("pg_create_select_permission", map[string]any{"table": "parcel", "role": "customer", "permission": map[string]any{
		"columns": []string{"id", "owner", "state", "note", "cost", "at"}, "filter": map[string]any{"owner": "X-Engine-User-Id"},
	}})
	p.deliver()
	p.timed("rows to begin with", rows+2, func() {
		p.request("pg_publish_changes", map[string]any{
			"name": "parcels", "tables": []string{"parcel"}, "role": "customer", "session_variables": map[string]string{"x-engine-user-id": "ann"},
		})
	})
	p.timed("updates in one transaction", changes, func() {
		_, err := p.db.Exec(t.Context(), `UPDATE parcel SET state = 'lost' WHERE id <= $1`, changes)
		require.NoError(t, err)
	})
	conns := make([]*pgx.Conn, writers)
	for i := range conns {
		conns[i], err = pgx.Connect(t.Context(), p.url)
		require.NoError(t, err)
		defer func() { _ = conns[i].Close(context.Background()) }()
	}
	var lags []time.Duration
	p.timed("inserts of 16 clients", changes/writers*writers, func() {
		var written atomic.Int64
		var writing sync.WaitGroup
		began := time.Now()
		for _, c := range conns {
			writing.Go(func() {
				for range changes / writers {
					if _, err := c.Exec(context.Background(), `INSERT INTO parcel (secret) VALUES ('s')`); err != nil {
						t.Error(err)
						return
					}
					written.Add(1)
				}
			})
		}
		writing.Wait()
		t.Logf("written: %.0f a second", float64(written.Load())/time.Since(began).Seconds())
	})
	for range 200 {
		first, began := p.last(), time.Now()
		_, err := conns[0].Exec(t.Context(), `INSERT INTO parcel (secret) VALUES ('s')`)
		require.NoError(t, err)
		for p.last() == first {
			time.Sleep(200 * time.Microsecond) // that it is stored is measured, and nothing reports it
		}
		lags = append(lags, time.Since(began))
	}
	slices.Sort(lags)
	t.Logf("one insert after the other: median %v, p99 %v from before the commit until it is stored", lags[100], lags[198])
}
