package assembly

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOrderHoldsOverFaults changes rows whose events are to be in order while webhooks refuse
// some of them, and workers and connections of the database go away. An event
// may come again, but never after one of its row that came later, and none is left out.
func TestOrderHoldsOverFaults(t *testing.T) {
	t.Parallel()
	i := installTables(t, `CREATE TABLE stock (id int PRIMARY KEY, n int)`)
	h := newHook(t)
	var mu sync.Mutex
	last := map[int]int{}
	var wrong [][3]int
	h.answer = func(w http.ResponseWriter, body map[string]any) {
		data, _ := json.Marshal(body["event"])
		var e struct {
			Data struct{ New struct{ ID, N int } }
		}
		if json.Unmarshal(data, &e) != nil {
			return
		}
		row, n := e.Data.New.ID, e.Data.New.N
		mu.Lock()
		defer mu.Unlock()
		if before := last[row]; n != before && n != before+1 {
			wrong = append(wrong, [3]int{row, before, n})
		}
		last[row] = n
		if rand.IntN(10) == 0 { //nolint:gosec // no secret
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	i.watch("stock", map[string]any{
		"webhook": h.URL, "order_by_key": true, "delete": nil, "retry_conf": map[string]any{"num_retries": 100, "interval_sec": 1},
	})
	const rows, changes = 20, 15
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT g, 0 FROM generate_series(1, $1::int) g`, rows)
	require.NoError(t, err)
	first, second := i.deliver(), i.deliver()
	for change := range changes {
		_, err := i.db.Exec(t.Context(), `UPDATE stock SET n = n + 1`)
		require.NoError(t, err)
		switch change % 4 {
		case 1:
			first.Stop()
			first = i.deliver()
		case 2:
			_, err := i.db.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'test'`)
			require.NoError(t, err)
		case 3:
			second.Stop()
			second = i.deliver()
		}
		time.Sleep(100 * time.Millisecond) // the load of the test
	}
	i.awaitLong(rows*(changes+1), endedSQL, "watch_stock")
	mu.Lock()
	defer mu.Unlock()
	require.Empty(t, wrong, "row, change before, change")
	for row := 1; row <= rows; row++ {
		require.Equal(t, changes, last[row], "row %d", row)
	}
}
