package table

import (
	"context"
	"sync"
)

// queued is how many events a trigger may have in hand for each call that it may make at once.
const queued = 4

// pace bounds the calls of one trigger that are made at once. A call that fails halves the bound,
// one that succeeds raises it by one, up to what the trigger may have at most. It is a
// delivery.Gate.
type pace struct {
	most int

	mu     sync.Mutex
	limit  int
	inside int
	freed  chan struct{} // closed when somebody may try to enter again
}

func newPace(most int) *pace {
	return &pace{most: max(most, 1), limit: max(most, 1), freed: make(chan struct{})}
}

// Enter waits for room.
func (p *pace) Enter(ctx context.Context) error {
	for {
		p.mu.Lock()
		if p.inside < p.limit {
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

// Leave makes room, and learns from what the call came to.
func (p *pace) Leave(taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside--
	if taken {
		p.limit = min(p.limit+1, p.most)
	} else {
		p.limit = max(p.limit/2, 1)
	}
	close(p.freed)
	p.freed = make(chan struct{})
}

// window is how many events may be in hand.
func (p *pace) window() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return queued * p.limit
}

// gate is a pace whose calls are counted.
type gate struct {
	*pace
	metrics *Metrics
}

// Enter waits for room.
func (g gate) Enter(ctx context.Context) error {
	err := g.pace.Enter(ctx)
	if err == nil {
		g.metrics.calling(1)
	}
	return err
}

// Leave makes room.
func (g gate) Leave(taken bool) {
	g.metrics.calling(-1)
	g.pace.Leave(taken)
}
