package live

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// batch is the part of a cycle that is one statement.
type batch struct {
	poller  *poller
	cohorts []*cohort
	cycle   uint64
	number  int
	// began is when the cycle did, and follows reports whether the poller followed a table then.
	began   time.Time
	follows bool

	// What is reported.
	database, push time.Duration
	size           int
	err            error
}

// outcome is the result of one cohort.
type outcome struct {
	result *Result
	// seen is what the statement has seen when it has found nothing for a stream, nil where that isn't known.
	seen backend.Snapshot
}

// run runs the statement and sends out the results.
func (b *batch) run() {
	outcomes, err := b.query()
	if err != nil && b.dropFaulty(err) {
		if len(b.cohorts) == 0 {
			return
		}
		outcomes, err = b.query()
	}
	if b.poller.ctx.Err() != nil {
		return // the failure is of our own making
	}
	started := time.Now()
	if b.err = err; err != nil {
		b.fail(apierror.From(err))
	} else {
		b.deliver(outcomes)
	}
	b.push = time.Since(started)
}

// query asks the database.
func (b *batch) query() ([]outcome, error) {
	p := b.poller
	source, release, err := p.manager.deps.Use(p.live.Source)
	if err != nil {
		return nil, err
	}
	defer release()
	values := make([][][]byte, len(b.cohorts))
	for i, c := range b.cohorts {
		values[i] = c.values
	}
	outcomes := make([]outcome, len(b.cohorts))
	var answer []byte
	started := time.Now()
	ctx, end := p.live.Poll(p.ctx, p.manager.deps.Tracer)
	take := func(i int, roots [][]byte, cursor []byte, seen backend.Snapshot) {
		answer = p.live.AppendAnswer(answer[:0], roots)
		b.size += len(answer)
		if p.live.Streaming && cursor == nil {
			outcomes[i].seen = seen
			return // an empty batch is not sent
		}
		if !p.live.Streaming && p.manager.deps.SkipEmpty && isEmpty(roots) {
			return
		}
		r := &Result{Hash: sha256.Sum256(answer), Cursor: bytes.Clone(cursor)}
		if b.wanted(b.cohorts[i], r.Hash) {
			r.Data = bytes.Clone(answer)
		}
		outcomes[i].result = r
	}
	if streams, ok := source.(backend.StreamSource); ok && b.follows {
		err = streams.QueryStream(ctx, p.live.Statement, values, take)
	} else {
		err = source.QueryLive(ctx, p.live.Statement, values, func(i int, roots [][]byte, cursor []byte) { take(i, roots, cursor, nil) })
	}
	end(err)
	b.database = time.Since(started)
	p.manager.deps.Metrics.database(p.kind, p.operation, b.database)
	return outcomes, err
}

// isEmpty reports whether nothing was found.
func isEmpty(roots [][]byte) bool {
	return !slices.ContainsFunc(roots, func(r []byte) bool { return string(r) != "[]" && string(r) != "null" })
}

// wanted reports whether any subscriber may want a result, so that the others need no memory.
func (b *batch) wanted(c *cohort, h Hash) bool {
	if b.poller.live.Streaming {
		return true
	}
	b.poller.mu.Lock()
	defer b.poller.mu.Unlock()
	return !c.known || c.hash != h || slices.ContainsFunc(c.subscribers, func(s *Subscriber) bool {
		return s.fresh && !bytes.Equal(s.Hash, h[:])
	})
}

// deliver sends results to the subscribers that do not have them.
func (b *batch) deliver(outcomes []outcome) {
	p := b.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range b.cohorts {
		c.proven, c.running = true, false
		r := outcomes[i].result
		switch {
		case r == nil:
			p.settle(c, outcomes[i].seen, b.began)
		case p.live.Streaming:
			b.advance(c, r)
		default:
			changed := !c.known || c.hash != r.Hash
			c.hash, c.known = r.Hash, true
			for _, s := range c.subscribers {
				if s.since < b.cycle {
					s.take(r, changed)
				}
			}
		}
	}
}

// take sends the subscriber a result of a live query, unless it has it.
func (s *Subscriber) take(r *Result, changed bool) {
	if s.fresh {
		changed = !bytes.Equal(s.Hash, r.Hash[:])
		s.fresh, s.Hash = false, nil
	}
	if changed && r.Data != nil {
		s.link.push(s, r)
	}
}

// advance sends a batch of a stream. Those that joined while the statement ran stay where they are.
func (b *batch) advance(c *cohort, r *Result) {
	p := b.poller
	next := p.advance(c, r, func(s *Subscriber) bool { return s.since < b.cycle })
	if next == c {
		return
	}
	p.manager.deps.Metrics.streamed(fromStatement)
	if p.pushed.Load() {
		p.want(c)    // for those
		p.want(next) // it may have seen less than the statement
		p.notice()   // there may be more without a notification
	}
}

// advance sends a batch of a stream to subscribers of a cohort and moves them on, possibly to an existing cohort, which
// it returns.
func (p *poller) advance(c *cohort, r *Result, moves func(*Subscriber) bool) *cohort {
	values := slices.Clone(c.values)
	values[p.live.Cursor] = r.Cursor
	key := keyOf(values)
	if key == c.key {
		return c // a value that is not past itself, as NaN is: it would come for ever
	}
	next := p.cohorts[key]
	if next == nil {
		next = p.newCohort(key, values)
		next.proven = true
	}
	for _, s := range slices.Clone(c.subscribers) {
		if !moves(s) {
			continue
		}
		c.remove(s)
		next.add(s)
		s.fresh = false
		s.link.push(s, r)
	}
	p.drop(c)
	p.drop(next)
	return next
}

// fail sends an error to all subscribers of the batch.
func (b *batch) fail(e *apierror.Error) {
	p := b.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &Result{Err: e}
	for _, c := range b.cohorts {
		c.known, c.running = false, false
		for _, s := range c.subscribers {
			if s.since < b.cycle {
				s.Hash = nil
				s.link.push(s, r)
			}
		}
	}
}

// dropFaulty looks for values that the database does not take for what they should be. They
// are the fault of their own subscribers, whose subscriptions end with it.
func (b *batch) dropFaulty(err error) bool {
	if apierror.From(err).Code != apierror.DataException {
		return false
	}
	p := b.poller
	source, release, err := p.manager.deps.Use(p.live.Source)
	if err != nil {
		return false
	}
	defer release()
	before := len(b.cohorts)
	b.cohorts = slices.DeleteFunc(slices.Clone(b.cohorts), func(c *cohort) bool { return b.faulty(source, c) })
	return len(b.cohorts) < before
}

func (b *batch) faulty(source backend.LiveSource, c *cohort) bool {
	p := b.poller
	if c.proven {
		return false
	}
	err := source.CheckLive(p.ctx, p.live.Statement, c.values)
	if err == nil {
		c.proven = true
		return false
	}
	if apierror.From(err).Code != apierror.DataException {
		return false
	}
	p.mu.Lock()
	subscribers := slices.Clone(c.subscribers)
	p.mu.Unlock()
	for _, s := range subscribers {
		p.manager.End(s, err)
	}
	return true
}
