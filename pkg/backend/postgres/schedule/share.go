package schedule

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// Bounds of shared round trips.
const (
	// maxShared is how many statements share a round trip, maxWaiting how many wait for one; beyond,
	// statements run alone.
	maxShared, maxWaiting = 16, 256
	// aheadGrace, sharedGrace and lookEvery are the defaults of Batcher.Ahead and Batcher.Within, and how often
	// those who wait are looked after.
	aheadGrace, sharedGrace, lookEvery = 5 * time.Millisecond, 25 * time.Millisecond, 2 * time.Millisecond
)

// Batcher lets short statements of different requests share round trips.
//
// Most of what a small read costs, on both sides, is to write to sockets and to wake up. So while as
// many round trips are under way as there are processors, short statements wait for the end of one, and
// are sent together on one connection: each is followed by a Sync, which makes it a transaction that
// has nothing to do with the others. While there are fewer, nothing waits; but where there is much to do, a statement lets those
// join it that come at the same time.
//
// One that takes long, or waits for a lock, holds up the others for a few milliseconds: they run on other
// connections then. So only statements share that may run twice, or, of those that write, nothing runs again but what the
// server has cancelled. A request that ends leaves its statement behind; the server gets a request to cancel when no request waits for anything of a
// round trip any more.
type Batcher struct {
	// RoundTrips is how many round trips are under way before statements wait.
	RoundTrips int
	// Ahead is how long statements wait for the round trips ahead of them: then another one is begun, and
	// those that take longer no longer count. Within is how long they wait for each that is ahead of
	// them in their own one: then they run alone.
	Ahead, Within time.Duration
	// Always has statements share whenever they can, whatever was measured.
	Always bool
	// Yield lets other requests go first that are ready to run: runtime.Gosched. Tests set it.
	Yield func()

	pool *wire.Pool
	// writes is set for statements that write: they must not run twice.
	writes bool
	// short is what statements that share take at most when they run alone.
	short time.Duration
	// possible is set once a connection turns out to be one to the server itself. What a pooler makes of
	// several transactions in one round trip is up to the pooler.
	possible atomic.Bool
	unused   sync.Pool

	mu       sync.Mutex
	rule     rule
	inflight inflight
	queue    []*shared
	look     *time.Timer
	watching bool
}

// Ticket is a statement that runs alone, as one of the round trips that others may wait for. The zero
// value is one that no request waits for.
type Ticket struct {
	sharer *Batcher
	began  time.Time
	place  int
	number uint64
}

func newBatcher(p *wire.Pool, share Policy, writes bool) *Batcher {
	s := &Batcher{
		RoundTrips: runtime.GOMAXPROCS(0), Ahead: aheadGrace, Within: sharedGrace, Yield: runtime.Gosched, Always: share == Always,
		pool: p, writes: writes, short: shortTime, rule: rule{tolerated: tolerated},
	}
	if writes {
		s.short, s.rule.tolerated = shortWrite, toleratedWrite
	}
	s.unused.New = func() any { return &shared{done: make(chan struct{}, 1)} }
	return s
}

// Possible reports whether anything may share.
func (s *Batcher) Possible() bool { return s.possible.Load() }

// Run runs a statement in a shared round trip, and appends its answer to out. Where the outcome is none or Alone, it is still to run,
// alone, in a turn that has to be ended.
func (s *Batcher) Run(ctx context.Context, j Job, out *backend.Answer) (o Outcome, turn Ticket, err error) {
	q, turn := s.join(ctx, j)
	if q == nil {
		return 0, turn, nil
	}
	defer s.forget(q)
	switch q.outcome {
	case Alone, Lost:
		return q.outcome, Ticket{}, nil
	case Refused:
		return Refused, Ticket{}, wire.ConnectError(ctx, q.err)
	}
	if q.err != nil {
		return q.outcome, Ticket{}, wire.QueryError(ctx, q.err, wire.Executed{SQL: q.job.Text.SQL, Args: j.Values, Prepared: true})
	}
	return q.outcome, Ticket{}, out.Append(q.answer)
}

// join has a statement share a round trip, and waits for its outcome. Where it doesn't share, q is nil.
func (s *Batcher) join(ctx context.Context, j Job) (q *shared, turn Ticket) {
	if j.Cost == nil || j.Text.Once || !s.possible.Load() {
		return nil, Ticket{}
	}
	now := time.Now()
	if !s.Always && !j.Cost.short(s.short, now) {
		return nil, Ticket{}
	}
	q, turn, gathers := s.enter(&j, now)
	if gathers {
		s.Yield()
		q, turn = s.gather(turn, &j, now)
	}
	if q != nil {
		q.wait(ctx, s)
	}
	return q, turn
}

// enter has a statement wait for a round trip, or gives it a turn; gathers reports whether it does so for others.
func (s *Batcher) enter(j *Job, now time.Time) (q *shared, turn Ticket, gathers bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.inflight.free(s.RoundTrips); place >= 0 {
		return nil, s.take(place, now), s.Always || s.rule.gathers()
	}
	s.rule.crowded++
	if len(s.queue) < maxWaiting && (s.Always || !s.rule.apart) {
		q = s.share(j, now)
	}
	if q == nil {
		return nil, Ticket{sharer: s, began: now, place: -1}, false
	}
	s.queue = append(s.queue, q)
	if !s.watching {
		s.watch()
	}
	return q, Ticket{}, false
}

// gather has a statement that has found a free place share its round trip with those that wait by now, in front of them.
//
// The answers of a round trip wake up clients at the same time, so that their next requests come at the same time, too. If
// the first one to find a free place were sent at once, it would be alone, and the others would wait for its end while they
// could be sent. So it lets those go first that are ready to run. When none waits after that, it runs alone.
func (s *Batcher) gather(turn Ticket, j *Job, now time.Time) (*shared, Ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 || !s.inflight.holds(turn.place, turn.number) {
		return nil, turn
	}
	q := s.share(j, now)
	if q == nil {
		return nil, turn
	}
	s.rule.crowded++
	s.queue = slices.Insert(s.queue, 0, q)
	go s.run(s.take(turn.place, time.Now()), s.next())
	return q, Ticket{}
}

// share makes a statement one that shares a round trip; nil when it runs alone for being measured.
func (s *Batcher) share(j *Job, now time.Time) *shared {
	if !s.Always && j.Cost.sample() {
		return nil
	}
	q := s.unused.Get().(*shared)
	q.job, q.joined = *j, now
	return q
}

// Waiting is how many statements wait.
func (s *Batcher) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

func (s *Batcher) take(place int, now time.Time) Ticket {
	return Ticket{sharer: s, began: now, place: place, number: s.inflight.begin(place, now)}
}

// End ends a turn, whose connection was released. Those who have waited for it go on.
func (t Ticket) End() {
	s := t.sharer
	if s == nil {
		return
	}
	now := time.Now()
	s.mu.Lock()
	s.took(min(now.Sub(t.began), longest), 1, now)
	next, turn := s.goOn(t, now)
	s.mu.Unlock()
	if next != nil {
		go s.run(turn, next)
	}
}

// took notes the time of runs.
func (s *Batcher) took(d time.Duration, runs int, now time.Time) {
	before := s.rule.apart
	if s.rule.took(d, runs, now); s.rule.apart != before {
		s.report()
	}
}

// report tells the meter whether statements share.
func (s *Batcher) report() {
	d := backend.ShareQueries
	if s.writes {
		d = backend.ShareMutations
	}
	s.pool.Meter.Decided(d, s.possible.Load() && (s.Always || !s.rule.apart))
}

// allow sets whether statements can share.
func (s *Batcher) allow(possible bool) {
	if s.possible.Swap(possible) != possible {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.report()
	}
}

// next takes those who have waited longest; nil when the queue is empty.
func (s *Batcher) next() *batch {
	n := min(len(s.queue), maxShared)
	if n == 0 {
		return nil
	}
	b := newBatch(s, s.queue[:n])
	s.queue = slices.Delete(s.queue, 0, n)
	return b
}

// goOn has those who wait go on instead of a turn that ends, or makes the place free.
func (s *Batcher) goOn(t Ticket, now time.Time) (*batch, Ticket) {
	if !s.inflight.holds(t.place, t.number) {
		return nil, Ticket{}
	}
	b := s.next()
	if b == nil {
		s.inflight.end(t.place)
		return nil, Ticket{}
	}
	return b, s.take(t.place, now)
}

// run makes shared round trips for as long as statements wait.
func (s *Batcher) run(t Ticket, b *batch) {
	for b != nil {
		b.run()
		s.mu.Lock()
		now := time.Now()
		s.took(b.took, b.answered, now)
		b, t = s.goOn(t, now)
		s.mu.Unlock()
	}
}

// watch looks after those who wait, for as long as there are some.
func (s *Batcher) watch() {
	s.watching = true
	if s.look == nil {
		s.look = time.AfterFunc(lookEvery, s.overdue)
	} else {
		s.look.Reset(lookEvery)
	}
}

// overdue begins other round trips instead of those that take too long.
func (s *Batcher) overdue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.inflight.overdue(now, s.Ahead)
	for {
		place := s.inflight.free(s.RoundTrips)
		if place < 0 {
			break
		}
		b := s.next()
		if b == nil {
			break
		}
		go s.run(s.take(place, now), b)
	}
	s.watching = false
	if len(s.queue) > 0 {
		s.watch()
	}
}
