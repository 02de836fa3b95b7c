package assembly

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// latencies gathers how long events took from their commit, which their rows name, to the webhook.
type latencies struct {
	mu   sync.Mutex
	list []time.Duration
}

func (l *latencies) answer(_ http.ResponseWriter, body map[string]any) {
	now := time.Now()
	data, _ := json.Marshal(body["event"])
	var e struct {
		Data struct{ New struct{ At string } }
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	at, _ := strconv.ParseInt(e.Data.New.At, 10, 64)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, now.Sub(time.Unix(0, at)))
}

// measure changes n rows, one each interval, and gives the median and the 99th percentile.
func (i *tables) measure(l *latencies, n int, interval time.Duration) (median, p99 time.Duration) {
	i.t.Helper()
	l.mu.Lock()
	l.list = nil
	l.mu.Unlock()
	next := time.Now()
	for range n {
		_, err := i.db.Exec(i.t.Context(), `INSERT INTO quick (at) VALUES ($1)`, strconv.FormatInt(time.Now().UnixNano(), 10))
		require.NoError(i.t, err)
		next = next.Add(interval)
		time.Sleep(time.Until(next)) // the load
	}
	require.Eventually(i.t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.list) == n
	}, patience, 10*time.Millisecond)
	slices.Sort(l.list)
	return l.list[n/2], l.list[n*99/100]
}

// cost prints how long a transaction takes without and with a trigger: medians of many, in turns,
// as one client sees them.
func (i *tables) cost(what string, statements ...string) {
	i.t.Helper()
	conn, err := i.db.Acquire(i.t.Context())
	require.NoError(i.t, err)
	defer conn.Release()
	took := map[string][]time.Duration{}
	for range 500 {
		for _, table := range []string{"plain", "stock"} {
			began := time.Now()
			for _, statement := range statements {
				_, err := conn.Exec(i.t.Context(), strings.ReplaceAll(statement, "%s", table))
				require.NoError(i.t, err)
			}
			took[table] = append(took[table], time.Since(began))
		}
	}
	median := func(table string) time.Duration {
		slices.Sort(took[table])
		return took[table][len(took[table])/2]
	}
	without, with := median("plain"), median("stock")
	i.t.Logf("%s: %v without, %v with a trigger (%.0f %% more)", what, without, with, 100*(with.Seconds()/without.Seconds()-1))
}

// TestEventSpeed prints how fast events are delivered. It is for machines that do nothing else:
// make bench-events.
func TestEventSpeed(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("ENGINE_BENCH_EVENTS") == "" {
		t.Skip("for make bench-events")
	}
	i := installTables(t, `CREATE TABLE plain (id serial PRIMARY KEY, n int DEFAULT 0, label text DEFAULT 'a label');
		CREATE TABLE stock (LIKE plain INCLUDING ALL); CREATE TABLE backlog (LIKE plain INCLUDING ALL);
		CREATE TABLE quick (id serial PRIMARY KEY, at text)`)
	bulk, quick := newHook(t), newHook(t)
	l := &latencies{}
	quick.answer = l.answer
	i.watch("stock", map[string]any{"webhook": bulk.URL})
	i.watch("quick", map[string]any{"webhook": quick.URL})
	i.watch("backlog", map[string]any{"webhook": "http://127.0.0.1:1/", "retry_conf": map[string]any{"num_retries": 5, "interval_sec": 5}})

	var synced string
	require.NoError(t, i.db.QueryRow(t.Context(), `SHOW fsync`).Scan(&synced))
	t.Logf("fsync is %s", synced)
	i.cost("one row", `INSERT INTO %s DEFAULT VALUES`)
	i.cost("one row between BEGIN and COMMIT", `BEGIN`, `INSERT INTO %s DEFAULT VALUES`, `COMMIT`)
	i.cost("100 rows", `INSERT INTO %s (n) SELECT generate_series(1, 100)`)
	i.cost("an update of one row", `UPDATE %s SET n = n + 1 WHERE id = 1`)
	_, err := i.db.Exec(t.Context(), `TRUNCATE engine_catalog.event_log`)
	require.NoError(t, err)

	i.deliverWith(100) // the default
	const many = 20_000
	began := time.Now()
	_, err = i.db.Exec(t.Context(), `INSERT INTO stock (n) SELECT generate_series(1, $1)`, many)
	require.NoError(t, err)
	i.awaitLong(many, endedSQL, "watch_stock")
	t.Logf("sustained: %.0f events/s", many/time.Since(began).Seconds())

	median, p99 := i.measure(l, 200, 20*time.Millisecond)
	t.Logf("idle: median %v, p99 %v from before the commit to the webhook", median, p99)
	median, p99 = i.measure(l, 2500, 2*time.Millisecond)
	t.Logf("500 events/s: median %v, p99 %v", median, p99)
	_, err = i.db.Exec(t.Context(), `INSERT INTO backlog (n) SELECT generate_series(1, 100000)`)
	require.NoError(t, err)
	median, p99 = i.measure(l, 200, 20*time.Millisecond)
	t.Logf("beside 100,000 events of a broken webhook: median %v, p99 %v", median, p99)
}
