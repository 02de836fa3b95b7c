package assembly

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
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

	// A transaction with and without its trigger, in turns.
	took := map[string]time.Duration{}
	for range 5 {
		for _, table := range []string{"plain", "stock"} {
			began := time.Now()
			for range 200 {
				_, err := i.db.Exec(t.Context(), `INSERT INTO `+table+` DEFAULT VALUES`)
				require.NoError(t, err)
			}
			took[table] += time.Since(began)
		}
	}
	t.Logf("insert of one row: %v without, %v with a trigger (%.0f %% more)", took["plain"]/1000, took["stock"]/1000,
		100*(took["stock"].Seconds()/took["plain"].Seconds()-1))

	i.deliverWith(100) // the default
	i.awaitNumber(1000, endedSQL, "watch_stock")
	const many = 20_000
	began := time.Now()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock (n) SELECT generate_series(1, $1)`, many)
	require.NoError(t, err)
	i.awaitLong(1000+many, endedSQL, "watch_stock")
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
