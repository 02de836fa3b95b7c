package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
)

// batch is the part of a cycle that is one statement.
type batch struct {
	poller  *poller
	cohorts []*cohort
	cycle   uint64
	number  int
	// late reports whether the statement took too long for several cohorts.
	late bool
	// began is when the cycle did, and follows reports whether the poller followed a table then.
	began   time.Time
	follows bool

	// What is reported. faults are errors of single cohorts, err is one of all.
	database, push time.Duration
	size           int
	faults         []error
	err            error
}

// outcome is the result of one cohort.
type outcome struct {
	result *Result
	// seen is what the statement has seen when it has found nothing for a stream, nil where that isn't known.
	seen backend.Snapshot
}

// run runs the statement and sends out the results.
func (b *batch) run() { b.answer(b.cohorts, time.Now().Add(4*b.poller.options.Patience)) }

// answer runs the statement for cohorts. When it fails, or takes too long, for several, it runs again for each half of them, so that
// only the cohorts that fail get an error. After end, the cohorts that are left run by themselves.
func (b *batch) answer(cohorts []*cohort, end time.Time) {
	p := b.poller
	ctx, stop := context.WithTimeout(p.ctx, p.options.Patience)
	defer stop()
	outcomes, err := b.query(ctx, cohorts)
	slow := err != nil && late(ctx)
	half := len(cohorts) / 2
	switch {
	case p.ctx.Err() != nil: // the failure is of our own making
	case err == nil:
		b.deliver(cohorts, outcomes)
	case slow && (half == 0 || time.Now().After(end)):
		b.leave(cohorts)
	case slow || half > 0 && ofOne(err):
		if slow {
			b.late = true
		}
		b.answer(cohorts[:half], end)
		b.answer(cohorts[half:], end)
	case ofOne(err):
		b.failOne(ctx, cohorts[0], err)
	default:
		b.err = err
		b.fail(cohorts, apierror.From(err))
	}
}

// leave has cohorts run by themselves, because it takes too long to find out which of them the others wait for.
func (b *batch) leave(cohorts []*cohort) {
	p := b.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	b.late = true
	for _, c := range cohorts {
		c.running = false
		p.setApart(c, 0)
	}
}

// failOne sends an error to the subscribers of a cohort, which runs by itself from then on. If the database doesn't take the values for what they
// should be, the subscriptions end.
func (b *batch) failOne(ctx context.Context, c *cohort, err error) {
	p := b.poller
	if late(ctx) {
		err = apierror.New(apierror.Timeout, "the statement of the subscription takes too long")
	}
	b.faults = append(b.faults, err)
	if apierror.From(err).Code == apierror.DataException && b.faulty(c) {
		return
	}
	b.fail([]*cohort{c}, apierror.From(err))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failApart(c)
}

// query asks the database. A panic is an error.
func (b *batch) query(ctx context.Context, cohorts []*cohort) (outcomes []outcome, err error) {
	err = guard.Do(b.poller.manager.deps.Log, "panic in a subscription", func() (err error) {
		outcomes, err = b.ask(ctx, cohorts)
		return err
	})
	return outcomes, err
}

func (b *batch) ask(ctx context.Context, cohorts []*cohort) (outcomes []outcome, err error) {
	p := b.poller
	source, release, err := p.manager.deps.Use(p.live.Source)
	if err != nil {
		return nil, err
	}
	defer release()
	values := make([][][]byte, len(cohorts))
	for i, c := range cohorts {
		values[i] = c.values
	}
	outcomes = make([]outcome, len(cohorts))
	var answer []byte
	started := time.Now()
	ctx, end := p.live.Poll(ctx, p.manager.deps.Tracer)
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
		if b.wanted(cohorts[i], r.Hash) {
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
	took := time.Since(started)
	b.database += took
	p.manager.deps.Metrics.database(p.kind, p.operation, took)
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
func (b *batch) deliver(cohorts []*cohort, outcomes []outcome) {
	p := b.poller
	started := time.Now()
	defer func() { b.push += time.Since(started) }()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range cohorts {
		c.proven, c.running = true, false
		if !guard.Run(p.manager.deps.Log, "panic in a subscription", func() { b.deliverOne(c, outcomes[i]) }) {
			c.known, c.position = false, nil // the statement has to say
		}
	}
}

func (b *batch) deliverOne(c *cohort, o outcome) {
	switch p, r := b.poller, o.result; {
	case r == nil:
		p.settle(c, o.seen, b.began)
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

// fail sends an error to all subscribers of cohorts.
func (b *batch) fail(cohorts []*cohort, e *apierror.Error) {
	p := b.poller
	started := time.Now()
	defer func() { b.push += time.Since(started) }()
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &Result{Err: e}
	for _, c := range cohorts {
		c.known, c.running = false, false
		for _, s := range c.subscribers {
			if s.since < b.cycle {
				s.Hash = nil
				s.link.push(s, r)
			}
		}
	}
}

// faulty ends the subscriptions of a cohort if the database doesn't take its values for what they should be. It reports whether it did.
func (b *batch) faulty(c *cohort) bool {
	p := b.poller
	if c.proven {
		return false
	}
	source, release, err := p.manager.deps.Use(p.live.Source)
	if err != nil {
		return false
	}
	defer release()
	err = guard.Do(p.manager.deps.Log, "panic in a subscription", func() error { return source.CheckLive(p.ctx, p.live.Statement, c.values) })
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
