package live

import (
	"context"
	"errors"
	"net/http"
	"time"

	"queryengine/pkg/apierror"
)

const (
	// patience is how long a statement for several cohorts may take: one that takes longer runs for fewer.
	patience = 5 * time.Second
	// alonePatience is how long the statement of one cohort may take that runs by itself.
	alonePatience = time.Minute
	// aloneAtOnce is how many cohorts of a source run by themselves at once, so that they take few connections.
	aloneAtOnce = 4
	// longestWait is after how many intervals at most a cohort that fails runs again.
	longestWait = 8
	// wellFor is after how many good cycles a poller shares statements among more cohorts again.
	wellFor = 8
)

// apart is how a cohort runs by itself: its statement has failed, or has taken too long, and no other cohort shares it.
// It belongs to the mu of the poller.
type apart struct {
	// wait is the time until the next run; it doubles with each failure.
	wait time.Duration
}

// ofOne reports whether the values of one cohort may be the cause of an error. If not, the source is at fault.
func ofOne(err error) bool {
	e := apierror.From(err)
	switch e.Code {
	case apierror.PostgresError, apierror.PostgresMaxConns, apierror.Busy:
		return false
	}
	return e.Status != http.StatusServiceUnavailable
}

// late reports whether a run has ended because it took too long.
func late(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// setApart has a cohort run by itself after a time. It needs the lock.
func (p *poller) setApart(c *cohort, after time.Duration) {
	if p.cohorts[c.key] != c {
		return // it has no subscribers left
	}
	if c.apart == nil {
		c.apart = &apart{}
		p.aparts++
	}
	c.apart.wait = after
	time.AfterFunc(after, func() { p.manager.runAlone(p, c) })
}

// rejoin has a cohort share statements again. It needs the lock.
func (p *poller) rejoin(c *cohort) {
	if c.apart == nil {
		return
	}
	c.apart = nil
	p.aparts--
	p.want(c) // what has changed meanwhile wasn't noted
	p.signal()
}

// failApart has a cohort that has failed wait before it runs by itself. It needs the lock.
func (p *poller) failApart(c *cohort) {
	wait := p.options.Interval
	if c.apart != nil {
		wait = min(2*c.apart.wait, longestWait*p.options.Interval)
	}
	p.setApart(c, max(wait, p.options.Interval))
}

// runAlone runs a cohort by itself, unless the manager is closed.
func (m *Manager) runAlone(p *poller, c *cohort) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.running.Add(1)
	m.mu.Unlock()
	defer m.running.Done()
	select {
	case p.places.alone <- struct{}{}:
	case <-p.ctx.Done():
		return
	}
	defer func() { <-p.places.alone }()
	p.runAlone(c)
}

func (p *poller) runAlone(c *cohort) {
	p.mu.Lock()
	if c.apart == nil || p.cohorts[c.key] != c {
		p.mu.Unlock()
		return
	}
	if p.live.Streaming && !c.hasRoom() {
		p.setApart(c, p.options.Interval)
		p.mu.Unlock()
		return
	}
	p.cycle++
	c.running, c.position, c.seen = true, nil, p.position
	b := &batch{poller: p, cohorts: []*cohort{c}, cycle: p.cycle, number: 1, began: time.Now()}
	p.mu.Unlock()
	ctx, stop := context.WithTimeout(p.ctx, alonePatience)
	defer stop()
	outcomes, err := b.query(ctx, b.cohorts)
	if p.ctx.Err() != nil {
		return
	}
	took := time.Since(b.began)
	if err == nil {
		b.deliver(b.cohorts, outcomes)
	} else {
		b.failOne(ctx, c, err)
	}
	p.mu.Lock()
	switch {
	case err != nil:
	case took > p.options.Patience:
		p.setApart(c, p.options.Interval)
	default:
		p.rejoin(c)
	}
	p.mu.Unlock()
	p.report(&report{started: b.began, total: time.Since(b.began), cohorts: 1, batches: []*batch{b}})
}
