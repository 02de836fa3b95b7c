package live

import (
	"context"
	"slices"
	"sync"
	"time"

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
	role    string
	options Options
	ctx     context.Context //nolint:containedctx // the life of the poller
	stop    context.CancelFunc
	wake    chan struct{}

	mu          sync.Mutex
	cohorts     map[string]*cohort
	subscribers int
	// cycle counts the cycles that have begun.
	cycle   uint64
	failing bool
}

func newPoller(m *Manager, key string, first *Subscriber) *poller {
	p := &poller{
		manager: m, key: key, kind: queries, live: first.Live, role: first.Role, options: m.deps.Queries,
		wake: make(chan struct{}, 1), cohorts: map[string]*cohort{},
	}
	if p.live.Streaming {
		p.kind, p.options = streams, m.deps.Streams
	}
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
		c = &cohort{key: key, values: values}
		p.cohorts[key] = c
	}
	c.add(s)
	c.due = true
	s.poller, s.since, s.fresh = p, p.cycle, true
	s.Values = nil // the cohort's are enough
	p.subscribers++
	p.signal()
}

// leave takes a subscriber out and says whether it was the last one.
func (p *poller) leave(s *Subscriber) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := s.cohort
	c.remove(s)
	s.poller = nil
	if len(c.subscribers) == 0 && p.cohorts[c.key] == c {
		delete(p.cohorts, c.key)
	}
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

// run runs cycles until the poller is stopped. The interval begins again when a cycle of all
// cohorts has ended; in between those are run that have just joined.
func (p *poller) run() {
	defer p.manager.running.Done()
	next := time.Now()
	for {
		all, ok := p.wait(next)
		if !ok {
			return
		}
		p.runCycle(all)
		if all {
			next = time.Now().Add(p.options.Interval)
		}
	}
}

// wait waits for the next cycle and says whether it is for all cohorts.
func (p *poller) wait(next time.Time) (all, ok bool) {
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	select {
	case <-p.ctx.Done():
		return false, false
	case <-timer.C:
		return true, true
	case <-p.wake:
	}
	timer.Reset(min(gather, time.Until(next)))
	select {
	case <-p.ctx.Done():
		return false, false
	case <-timer.C:
	}
	return !time.Now().Before(next), true
}

// begin begins a cycle and gives the cohorts that are run in it.
func (p *poller) begin(all bool) (cohorts []*cohort, cycle uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cycle++
	for _, c := range p.cohorts {
		if !all && !c.due || p.live.Streaming && !c.hasRoom() {
			continue
		}
		c.due = false
		cohorts = append(cohorts, c)
	}
	return cohorts, p.cycle
}

// runCycle runs cohorts in batches, several at once.
func (p *poller) runCycle(all bool) {
	started := time.Now()
	cohorts, cycle := p.begin(all)
	if len(cohorts) == 0 {
		return
	}
	report := report{started: started, snapshot: time.Since(started), cohorts: len(cohorts)}
	var running sync.WaitGroup
	for part := range slices.Chunk(cohorts, max(p.options.Batch, 1)) {
		select {
		case p.manager.slots <- struct{}{}:
		case <-p.ctx.Done():
		}
		if p.ctx.Err() != nil {
			break
		}
		b := &batch{poller: p, cohorts: part, cycle: cycle, number: len(report.batches) + 1}
		report.batches = append(report.batches, b)
		running.Go(func() {
			defer func() { <-p.manager.slots }()
			b.run()
		})
	}
	running.Wait()
	if p.ctx.Err() != nil {
		return
	}
	report.total = time.Since(started)
	p.report(&report)
}
