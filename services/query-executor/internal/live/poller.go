package live

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/execute"
)

// gather is how long those that join wait for others to be run together with.
const gather = 5 * time.Millisecond

// poller runs one statement for all its cohorts.
type poller struct {
	manager *Manager
	key     string
	kind    kind
	live    *execute.Live
	places  places
	role    string
	// operation is the first subscriber's; others with the same statement may have another name.
	operation Operation
	options   Options
	ctx       context.Context //nolint:containedctx // the life of the poller
	stop      context.CancelFunc
	wake      chan struct{}
	// feed is nil when the poller can only poll. pushed reports whether it is notified of changes,
	// changed whether there was one, and lost whether it was notified until the feed was lost.
	feed    *changeFeed
	pushed  atomic.Bool
	changed atomic.Bool
	lost    atomic.Bool
	// told is when the oldest change was reported that no run has looked at, in nanoseconds; 0 for
	// none.
	told atomic.Int64
	// refresh is how often it is run without a change; it belongs to the goroutine that runs it.
	refresh time.Duration

	mu      sync.Mutex
	cohorts map[string]*cohort
	// index finds cohorts by changed rows; nil when all rows matter to all of them.
	index *index
	// due are those that the next cycle runs; some may be gone.
	due         []*cohort
	following   following
	subscribers int
	// position is that of the changes that were reported last, and seen what it was when all cohorts were run last. Changes that
	// are reported one after the other with the same position are visible together: a run sees all or none of them. That says
	// nothing of streams, which take rows without a run.
	position, seen uint64
	// cycle counts the cycles that have begun.
	cycle   uint64
	failing bool
	// aparts is the number of cohorts that run by themselves.
	aparts int
	// most is how many cohorts share a statement, and well the number of good cycles since that became fewer. They belong to the
	// goroutine that runs cycles.
	most, well int
}

func newPoller(m *Manager, key string, first *Subscriber) *poller {
	p := &poller{
		manager: m, key: key, kind: queries, live: first.Live, role: first.Role, operation: first.Operation, options: m.deps.Queries,
		wake: make(chan struct{}, 1), cohorts: map[string]*cohort{},
	}
	if p.live.Match != nil {
		p.index = newIndex()
	}
	if p.live.Streaming {
		p.kind, p.options = streams, m.deps.Streams
	}
	p.options.Patience = cmp.Or(p.options.Patience, patience)
	p.most = max(p.options.Batch, 1)
	p.ctx, p.stop = context.WithCancel(m.base)
	return p
}

// join adds a subscriber. It gets its first result soon.
func (p *poller) join(s *Subscriber) {
	values := s.Values
	if s.Cursor != nil {
		values = slices.Clone(values)
		values[p.live.Cursor] = s.Cursor
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := keyOf(values)
	c := p.cohorts[key]
	if c == nil {
		c = p.newCohort(key, values)
	}
	c.add(s)
	p.want(c) // what the subscriber has seen may be later
	s.poller, s.since, s.fresh = p, p.cycle, true
	s.Values = nil // the cohort's are enough
	p.subscribers++
	p.signal()
}

// newCohort needs the lock.
func (p *poller) newCohort(key string, values [][]byte) *cohort {
	c := &cohort{key: key, values: values}
	if p.index != nil {
		c.test = p.live.Match.Test(values)
		p.index.add(c)
	}
	p.cohorts[key] = c
	p.manager.deps.Metrics.cohorts(p.kind, 1)
	return c
}

// drop takes out a cohort that has no subscribers any more. It needs the lock.
func (p *poller) drop(c *cohort) {
	if len(c.subscribers) > 0 || p.cohorts[c.key] != c {
		return
	}
	delete(p.cohorts, c.key)
	if c.apart != nil {
		c.apart = nil
		p.aparts--
	}
	p.manager.deps.Metrics.cohorts(p.kind, -1)
	if p.index != nil {
		p.index.remove(c)
	}
}

// touch has a cohort run in the next cycle. It needs the lock.
func (p *poller) touch(c *cohort) {
	if !c.due {
		c.due = true
		p.due = append(p.due, c)
	}
}

// leave removes a subscriber and reports whether it was the last one.
func (p *poller) leave(s *Subscriber) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := s.cohort
	c.remove(s)
	s.poller = nil
	p.drop(c)
	p.subscribers--
	if p.subscribers == 0 && p.failing {
		p.failing = false
		p.manager.deps.Metrics.failing(p.kind, -1)
	}
	return p.subscribers == 0
}

func (p *poller) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// notice notes that something has changed.
func (p *poller) notice() {
	p.told.CompareAndSwap(0, time.Now().UnixNano())
	p.changed.Store(true)
	p.signal()
}

// noticeAll notes changes that may matter to all cohorts, with their position; 0 where it isn't known.
func (p *poller) noticeAll(position uint64) {
	p.mu.Lock()
	known := position != 0 && position == p.seen && !p.live.Streaming
	p.position = position
	p.mu.Unlock()
	if !known {
		p.notice()
	}
}

// noticeRows notes that such rows have changed, and which cohorts they may matter to.
func (p *poller) noticeRows(rows []backend.RowImage, position uint64) {
	if len(rows) == 0 {
		return
	}
	switch touched, all := p.touchRows(rows, position); {
	case all:
		p.notice()
	case touched:
		p.told.CompareAndSwap(0, time.Now().UnixNano())
		p.signal()
	}
}

// touchRows has the cohorts run in the next cycle that changed rows may matter to, and reports whether there are any; all
// reports that it takes too much work to find them.
func (p *poller) touchRows(rows []backend.RowImage, position uint64) (touched, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.position = position
	before, work := len(p.due), mostWork
	touch := func(c *cohort) {
		if position == 0 || position != c.seen || p.live.Streaming {
			p.touch(c)
		}
	}
	for _, row := range rows {
		if work = p.index.find(row, p.cohorts, work, touch); work < 0 {
			return false, true
		}
	}
	return len(p.due) > before, false
}

// run runs cycles until the poller is stopped. The interval begins again when a cycle of all
// cohorts has ended; in between those are run that have just joined. A poller that learns of
// changes waits for them instead, and hardly ever runs without one.
func (p *poller) run() {
	defer p.manager.running.Done()
	if p.feed != nil {
		defer p.feed.leave(p)
	}
	next, ask := time.Now(), time.Now()
	for {
		all, ok := p.wait(next)
		if !ok {
			return
		}
		began := time.Now()
		waiting := p.runCycle(all)
		took := time.Since(began)
		if all && p.feed != nil && (p.lost.Swap(false) || !time.Now().Before(ask)) {
			ask = p.feed.watch(p)
		}
		switch {
		case p.pushed.Load() && waiting, !p.pushed.Load() && all:
			next = time.Now().Add(p.options.Interval)
		case p.pushed.Load() && all:
			next = time.Now().Add(p.refresh)
		}
		if p.pushed.Load() && !p.rest(took) {
			return
		}
	}
}

// rest keeps a writer that never pauses from taking all of the database: as long as a cycle
// has taken, none begins.
func (p *poller) rest(took time.Duration) bool {
	t := time.NewTimer(min(took, p.options.Interval))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// wait waits for the next cycle and reports whether it is for all cohorts.
func (p *poller) wait(next time.Time) (all, ok bool) {
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	select {
	case <-p.ctx.Done():
		return false, false
	case <-timer.C:
		p.changed.Store(false)
		return true, true
	case <-p.wake:
	}
	timer.Reset(min(gather, time.Until(next)))
	select {
	case <-p.ctx.Done():
		return false, false
	case <-timer.C:
	}
	return p.changed.Swap(false) || !time.Now().Before(next), true
}

// begin begins a cycle and returns the cohorts that are run in it. waiting reports whether there are
// others whose subscribers are full.
func (p *poller) begin(all bool) (cohorts []*cohort, cycle uint64, waiting bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cycle++
	due := p.due
	p.due = nil
	take := func(c *cohort) {
		if c.apart != nil {
			c.due = false // it runs by itself
			return
		}
		if c.isCurrent() {
			return
		}
		if p.live.Streaming && !c.hasRoom() {
			if waiting = true; c.due {
				p.due = append(p.due, c)
			}
			return
		}
		c.due, c.running, c.position, c.seen = false, true, nil, p.position
		cohorts = append(cohorts, c)
	}
	if all {
		p.seen = p.position
		due = slices.Collect(maps.Values(p.cohorts))
	}
	for _, c := range due {
		if p.cohorts[c.key] == c {
			take(c)
		}
	}
	if len(cohorts) > 0 {
		p.following.begin()
	}
	return cohorts, p.cycle, waiting
}

func (p *poller) endCycle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.following.end()
}

// runCycle runs cohorts in batches, several at once, and reports whether one has to wait for its
// subscribers, or failed.
func (p *poller) runCycle(all bool) (waiting bool) {
	started := time.Now()
	told := p.told.Swap(0)
	cohorts, cycle, waiting := p.begin(all)
	follows := p.follows()
	if len(cohorts) == 0 {
		return waiting
	}
	report := report{started: started, snapshot: time.Since(started), cohorts: len(cohorts)}
	var running sync.WaitGroup
	for part := range slices.Chunk(cohorts, p.most) {
		select {
		case p.places.taken <- struct{}{}:
		case <-p.ctx.Done():
		}
		if p.ctx.Err() != nil {
			break
		}
		b := &batch{poller: p, cohorts: part, cycle: cycle, number: len(report.batches) + 1, began: started, follows: follows}
		report.batches = append(report.batches, b)
		running.Go(func() {
			defer func() { <-p.places.taken }()
			b.run()
		})
	}
	running.Wait()
	p.endCycle()
	if p.ctx.Err() != nil {
		return false
	}
	slow := false
	for _, b := range report.batches {
		waiting = waiting || b.err != nil
		slow = slow || b.late
	}
	p.resize(slow)
	report.total = time.Since(started)
	if told != 0 {
		p.manager.deps.Metrics.push(p.kind, time.Since(time.Unix(0, told)))
	}
	p.report(&report)
	return waiting
}

// resize has statements shared by fewer cohorts when they take too long, and by more again after some time.
func (p *poller) resize(slow bool) {
	p.well++
	switch {
	case slow:
		p.most, p.well = max(p.most/2, 1), 0
	case p.well%wellFor == 0:
		p.most = min(2*p.most, max(p.options.Batch, 1))
	}
}
