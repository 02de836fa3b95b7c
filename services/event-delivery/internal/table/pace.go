package table

import (
	"context"
	"sync"
	"time"
)

const (
	// queued is how many events a trigger may have in progress for each call that it may make at once.
	queued = 4
	// mostQueued is that of a trigger whose webhook is fast: it has as many in progress as it delivers
	// in a second, so that its calls go on while a database or a processor is busy elsewhere.
	mostQueued = 16
	// measured is how long calls are counted to know how many a webhook takes.
	measured = time.Second
	// standstill is when a trigger takes hardly any more events: none of its calls has ended for
	// that long.
	standstill = 2 * time.Second
)

// pace bounds the calls of one trigger that are made at once. A call that fails halves the bound,
// one that succeeds raises it by one, up to what the trigger may have at most. It is a
// delivery.Gate.
type pace struct {
	most int

	mu     sync.Mutex
	limit  int
	inside int
	moved  time.Time     // when a call ended last, or the first began
	since  time.Time     // when the counting began
	count  int           // calls that were taken since then
	speed  int           // how many were taken in a second, before that
	freed  chan struct{} // closed when a waiter may try to enter again
}

func newPace(most int) *pace {
	return &pace{most: max(most, 1), limit: max(most, 1), freed: make(chan struct{})}
}

// Enter waits for a slot.
func (p *pace) Enter(ctx context.Context) error {
	for {
		p.mu.Lock()
		if p.inside < p.limit {
			if p.inside == 0 {
				p.moved = time.Now()
			}
			p.inside++
			p.mu.Unlock()
			return nil
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Leave frees a slot, and learns from the outcome of the call.
func (p *pace) Leave(taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = time.Now()
	p.measure()
	if taken {
		p.count++
		p.limit = min(p.limit+1, p.most)
	} else {
		p.limit = max(p.limit/2, 1)
	}
	p.end()
}

// Withdraw frees the slot of a call that wasn't made.
func (p *pace) Withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *pace) end() {
	p.inside--
	close(p.freed)
	p.freed = make(chan struct{})
}

// measure restarts the count from time to time.
func (p *pace) measure() {
	took := time.Since(p.since)
	if took < measured {
		return
	}
	p.speed = int(float64(p.count) / took.Seconds())
	p.count, p.since = 0, time.Now()
}

// window is how many events may be in progress.
func (p *pace) window() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inside > 0 && time.Since(p.moved) > standstill {
		return min(p.inside+1, queued*p.limit)
	}
	p.measure()
	return max(queued*p.limit, min(p.speed, mostQueued*p.limit))
}

// gate is a pace whose calls are counted.
type gate struct {
	*pace
	metrics *Metrics
}

// Enter waits for a slot.
func (g gate) Enter(ctx context.Context) error {
	err := g.pace.Enter(ctx)
	if err == nil {
		g.metrics.calling(1)
	}
	return err
}

// Leave frees a slot.
func (g gate) Leave(taken bool) {
	g.metrics.calling(-1)
	g.pace.Leave(taken)
}

// Withdraw frees a slot that wasn't used.
func (g gate) Withdraw() {
	g.metrics.calling(-1)
	g.pace.Withdraw()
}
