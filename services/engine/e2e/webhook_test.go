package e2e

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// call is what a webhook learns of an event.
type call struct {
	ID      string
	Name    string // of a cron trigger
	Trigger struct{ Name string }
	Event   struct {
		Data struct{ New struct{ ID, N int } }
	}
}

// webhook counts the events that it has taken, by their ids.
type webhook struct {
	t   *testing.T
	url string
	// hold keeps a call waiting, nil for not.
	hold func(*http.Request)
	// unreliable makes it fail, hang and be slow at random.
	unreliable atomic.Bool

	mu      sync.Mutex
	taken   map[string]int
	rows    map[int]bool // the ids of the new rows that were taken
	faults  map[string]int
	order   map[int][]int    // the values that each row of an ordered trigger came with
	calling map[int][]string // events whose calls are under way, by the row
	overlap int              // calls that began while one of another event of the same row was under way
}

// refusal is an answer that doesn't take an event.
type refusal struct {
	status     int
	retryAfter int // seconds, 0 for none
	hang       bool
}

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	w := &webhook{t: t, taken: map[string]int{}, rows: map[int]bool{}, faults: map[string]int{}, order: map[int][]int{}, calling: map[int][]string{}}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections) // hanging calls end first
	w.url = s.URL
	return w
}

func (w *webhook) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var c call
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || c.ID == "" {
		out.WriteHeader(http.StatusBadRequest)
		return
	}
	ordered := c.Trigger.Name == orderedTrigger
	if ordered {
		w.enter(c.Event.Data.New.ID, c.ID)
		defer w.leave(c.Event.Data.New.ID, c.ID)
	}
	if w.hold != nil {
		w.hold(r)
	}
	if r.Context().Err() != nil {
		return // without waiting for the answer
	}
	refused := w.refuse()
	switch {
	case refused == nil:
		w.take(c, ordered)
	case refused.hang:
		<-r.Context().Done()
	default:
		if refused.retryAfter > 0 {
			out.Header().Set("Retry-After", strconv.Itoa(refused.retryAfter))
		}
		out.WriteHeader(refused.status)
	}
}

// refuse decides whether a call is refused; nil when it isn't. It may take its time.
func (w *webhook) refuse() *refusal {
	if !w.unreliable.Load() {
		return nil
	}
	kind, r := "", (*refusal)(nil)
	switch n := rand.IntN(100); { //nolint:gosec // no secret
	case n < 5:
		kind, r = "500", &refusal{status: http.StatusInternalServerError}
	case n < 8:
		kind, r = "503", &refusal{status: http.StatusServiceUnavailable, retryAfter: 1}
	case n < 9:
		kind, r = "hanging", &refusal{hang: true}
	case n < 14:
		kind = "slow"
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) //nolint:gosec // no secret; the fault itself
	default:
		return nil
	}
	w.mu.Lock()
	w.faults[kind]++
	w.mu.Unlock()
	return r
}

// faulted counts the faults by kind.
func (w *webhook) faulted() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.faults)
}

func (w *webhook) take(c call, ordered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken[c.ID]++
	w.rows[c.Event.Data.New.ID] = true
	if ordered && w.taken[c.ID] == 1 {
		row := c.Event.Data.New
		w.order[row.ID] = append(w.order[row.ID], row.N)
	}
}

func (w *webhook) enter(row int, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.calling[row], func(other string) bool { return other != id }) {
		w.overlap++
	}
	w.calling[row] = append(w.calling[row], id)
}

func (w *webhook) leave(row int, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.calling[row], id)
	w.calling[row] = slices.Delete(w.calling[row], i, i+1)
}

// count is how many events were taken, and how often one was taken again.
func (w *webhook) count() (events, again int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.taken {
		again += n - 1
	}
	return len(w.taken), again
}

func (w *webhook) has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.taken[id] > 0
}
