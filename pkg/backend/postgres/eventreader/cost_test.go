package eventreader_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestReaderCost prints what an event that is made from the log costs in CPU, by process: first of transactions of one row that are
// there when the reader begins, then of those that 16 clients commit while it reads.
func TestReaderCost(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("ENGINE_BENCH_EVENTS") == "" {
		t.Skip("for make bench-events")
	}
	f := setup(t, ownServer(t, true, nil), `CREATE TABLE read (id bigserial PRIMARY KEY, n int); ALTER TABLE read REPLICA IDENTITY FULL`)
	f.install(t, f.trigger("read", "read", true))
	const rows, writers = 30_000, 16
	conns := make([]*pgx.Conn, writers)
	for i := range conns {
		var err error
		conns[i], err = pgx.Connect(t.Context(), f.url)
		require.NoError(t, err)
		defer func() { _ = conns[i].Close(context.Background()) }()
	}
	write := func() {
		var writing sync.WaitGroup
		for _, c := range conns {
			writing.Go(func() {
				for range rows / writers {
					if _, err := c.Exec(context.Background(), `INSERT INTO read (n) VALUES (1)`); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writing.Wait()
	}
	write()
	last := map[string]time.Duration{}
	for i, name := range []string{"all there", "with writers"} {
		began, before := time.Now(), ownCPU(t)
		if i == 0 {
			f.read(t)
		} else {
			write()
		}
		wanted := rows / writers * writers * (i + 1)
		require.Eventually(t, func() bool {
			return f.number(t, `SELECT coalesce(max(sequence), 0) FROM engine_catalog.event_log`) >= int64(wanted)
		}, patience, tick)
		per := func(d time.Duration) float64 { return float64(d.Microseconds()) / (rows / writers * writers) }
		text := fmt.Sprintf("%s: %.0f events/s; this process %.1f µs", name, rows/time.Since(began).Seconds(), per(ownCPU(t)-before))
		for _, process := range []string{"client backend", "walsender"} {
			used := f.cpu(t, process)
			text += fmt.Sprintf(", %s %.1f µs", process, per(used-last[process]))
			last[process] = used
		}
		load, err := os.ReadFile("/proc/loadavg")
		require.NoError(t, err)
		t.Logf("%s; load %s", text, bytes.TrimSpace(load))
	}
}

// ownCPU is what this process has used, clients included.
func ownCPU(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpu is what a process of the reader has used in the server.
func (f *fixture) cpu(t *testing.T, kind string) time.Duration {
	t.Helper()
	var pid int
	require.NoError(t, f.db.QueryRow(t.Context(), `SELECT pid FROM pg_stat_activity WHERE backend_type = $1 AND application_name = 'eventreader test'
		AND (query LIKE '%log_position%' OR backend_type = 'walsender') LIMIT 1`, kind).Scan(&pid))
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+2:])
	var ticks int
	for _, field := range fields[11:13] { // of user and system, in hundredths of a second
		n, err := strconv.Atoi(string(field))
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
