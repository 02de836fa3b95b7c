package schedule

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// writersEach is how many transactions that write are under way for each processor before others wait.
const writersEach = 4

// Writers has transactions that write wait for each other while there is much to do.
//
// Sessions of the server that take turns on few processors cost it more the more there are: what each has
// in memory is no longer in the processors' caches when it is its turn, and they wait for each other's locks.
// So while many transactions are under way, others wait for the end of one. While there are fewer, nothing waits.
//
// One that takes long is waited for a few milliseconds, and no longer counts then: it may itself wait for a lock, for
// the disk, or for the way to a server far away. Whether to wait at all is decided by measuring, as with Batcher.
type Writers struct {
	// Most is how many are under way before others wait.
	Most int
	// Ahead is how long they count.
	Ahead time.Duration
	// Always has them wait whatever was measured.
	Always bool
	// off has nothing wait, and nothing measured.
	off bool
	// decided is called when whether they wait changes.
	decided func(waits bool)

	unused sync.Pool

	mu       sync.Mutex
	rule     rule
	inflight inflight
	queue    []*waiting
	look     *time.Timer
	watching bool
}

// waiting is a transaction that waits.
type waiting struct {
	// ready gets one value with the turn, unless it has left the queue.
	ready chan struct{}
	turn  WriteTicket
}

// WriteTicket is a transaction under way. The zero value is one that no request waits for.
type WriteTicket struct {
	writers *Writers
	came    time.Time
	// place is negative for one that doesn't count.
	place  int
	number uint64
}

func newWriters(p Policy, decided func(waits bool)) *Writers {
	w := &Writers{decided: decided, Always: p == Always, off: p == Off, Most: writersEach * runtime.GOMAXPROCS(0), Ahead: aheadGrace, rule: rule{tolerated: tolerated}}
	w.unused.New = func() any { return &waiting{ready: make(chan struct{}, 1)} }
	return w
}

// Enter waits until a transaction may begin, or until ctx ends. The turn has to be ended.
func (w *Writers) Enter(ctx context.Context) WriteTicket {
	if w.off {
		return WriteTicket{}
	}
	q, turn := w.enter(time.Now())
	if q == nil {
		return turn
	}
	select {
	case <-q.ready:
	case <-ctx.Done():
		if !w.leave(q) {
			<-q.ready
		}
	}
	turn = q.turn
	w.unused.Put(q)
	return turn
}

// enter gives a turn, or has one wait for it.
func (w *Writers) enter(now time.Time) (*waiting, WriteTicket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	turn := WriteTicket{writers: w, came: now, place: w.inflight.free(w.Most)}
	if turn.place >= 0 {
		turn.number = w.inflight.begin(turn.place, now)
		return nil, turn
	}
	w.rule.crowded++
	if len(w.queue) == maxWaiting || w.rule.apart && !w.Always {
		return nil, turn
	}
	q := w.unused.Get().(*waiting)
	q.turn = turn
	w.queue = append(w.queue, q)
	if !w.watching {
		w.watch()
	}
	return q, WriteTicket{}
}

// leave takes one out of the queue. It is false when it has its turn.
func (w *Writers) leave(q *waiting) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, q)
	if i < 0 {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	return true
}

// Waiting is how many transactions wait.
func (w *Writers) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}

// End ends the turn of a transaction whose connection was released.
func (t WriteTicket) End() {
	w, now := t.writers, time.Now()
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.rule.apart
	if w.rule.took(min(now.Sub(t.came), longest), 1, now); w.rule.apart != before && !w.Always {
		w.decided(!w.rule.apart)
	}
	if !w.inflight.holds(t.place, t.number) {
		return
	}
	w.inflight.end(t.place)
	w.next(now)
}

// next gives free places to those who have waited longest.
func (w *Writers) next(now time.Time) {
	for len(w.queue) > 0 {
		place := w.inflight.free(w.Most)
		if place < 0 {
			return
		}
		q := w.queue[0]
		w.queue = slices.Delete(w.queue, 0, 1)
		q.turn.place, q.turn.number = place, w.inflight.begin(place, now)
		q.ready <- struct{}{} // from here on it is its request's
	}
}

// watch looks after those who wait, for as long as there are some.
func (w *Writers) watch() {
	w.watching = true
	if w.look == nil {
		w.look = time.AfterFunc(lookEvery, w.overdue)
	} else {
		w.look.Reset(lookEvery)
	}
}

// overdue lets those go on who have waited for transactions that take too long.
func (w *Writers) overdue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.inflight.overdue(now, w.Ahead)
	w.next(now)
	w.watching = false
	if len(w.queue) > 0 {
		w.watch()
	}
}
