package schedule

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// Outcome is what became of a statement in a shared round trip.
type Outcome uint8

const (
	_ Outcome = iota // none yet
	// Answered is one that the server has answered: Answer has the answer, or Err the error.
	Answered
	// Alone is one that has to run alone.
	Alone
	// Lost is one whose connection was lost.
	Lost
	// Left is one whose request has ended.
	Left
	// Refused is one for which there was no connection; Err is why.
	Refused
)

// shared is a statement in a shared round trip.
type shared struct {
	// job has the text that was sent once it was sent.
	job Job
	// joined is when it began to wait, sent when it was sent.
	joined, sent time.Time
	// done gets one value when the outcome is known, unless the request has left.
	done chan struct{}

	// batch is nil as long as it waits, place its index there; the sharer's lock guards them.
	batch *batch
	place int
	// outcome is guarded by the lock of the batch.
	outcome Outcome
	answer  []byte
	err     error
}

// maxReused is how large a buffer may be that is used again.
const maxReused = 16 << 10

// forget ends the use of a statement whose outcome is known.
func (s *Batcher) forget(q *shared) {
	if q.outcome == Left || q.outcome == Alone {
		return // the round trip may still use it
	}
	answer := q.answer[:0]
	if cap(answer) > maxReused {
		answer = nil
	}
	*q = shared{done: q.done, answer: answer}
	s.unused.Put(q)
}

// wait waits for the outcome, or for the end of the request.
func (q *shared) wait(ctx context.Context, s *Batcher) {
	select {
	case <-q.done:
		return
	case <-ctx.Done():
	}
	s.mu.Lock()
	b := q.batch
	if b == nil {
		if i := slices.Index(s.queue, q); i >= 0 {
			s.queue = slices.Delete(s.queue, i, i+1)
		}
		q.outcome = Left
	}
	s.mu.Unlock()
	if b != nil && !b.leave(q) {
		<-q.done
		return
	}
	q.err = wire.ConnectError(ctx, ctx.Err())
}

// batch is a shared round trip.
type batch struct {
	sharer *Batcher
	// ctx ends when no request waits for anything of it any more, and there is nothing to be expected soon.
	ctx    context.Context
	cancel context.CancelFunc
	// took and answered are the time of those that it has answered, from when they began to wait.
	took     time.Duration
	answered int

	// steps is what was sent for each of the list.
	steps []step

	mu sync.Mutex
	// list has nil for those whose outcome is known: they may be in use for something else.
	list []*shared
	// front is the index of the first statement that isn't answered, seen which one that was when it was
	// looked at last; wanted counts those without outcome.
	front, seen, wanted int
	// idle is set as long as nothing is expected to be answered soon: before anything is sent, and when the
	// one in front takes long.
	idle bool
	// stopped is set once the server got a request to cancel what holds up others: what it cancels runs alone.
	stopped bool
	watch   *time.Timer
}

// newBatch is a round trip of statements that have waited.
func newBatch(s *Batcher, waiting []*shared) *batch {
	b := &batch{sharer: s, steps: make([]step, len(waiting)), list: slices.Clone(waiting), wanted: len(waiting), idle: true}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	for i, q := range waiting {
		q.batch, q.place = b, i
	}
	return b
}

// leave is called for a request that ends. It is false when there is an outcome already.
func (b *batch) leave(q *shared) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.list[q.place] != q {
		return false
	}
	b.decide(q, Left)
	b.cancelUnwanted()
	return true
}

// decide notes an outcome. The lock is held.
func (b *batch) decide(q *shared, o Outcome) {
	q.outcome = o
	b.list[q.place] = nil
	b.wanted--
	if o != Left {
		q.done <- struct{}{} // from here on it is its request's
	}
}

// cancelUnwanted cancels what no request waits for. The short time that it takes as a rule isn't worth to
// tell the server.
func (b *batch) cancelUnwanted() {
	if b.wanted == 0 && b.idle {
		b.cancel()
	}
}

// rest notes the same outcome for all that have none.
func (b *batch) rest(o Outcome, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.list {
		if q != nil {
			q.err = err
			b.decide(q, o)
		}
	}
}

// look lets those go that wait for one that has been in front for long, and has what no request waits for cancelled
// when it is. It is called again and again as long as the round trip lasts.
//
// What writes may not run anywhere else while the server still has it. So the one in front is cancelled, and runs alone: of
// what the server reports as cancelled nothing has happened.
func (b *batch) look() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.front >= len(b.list) {
		return
	}
	b.watch.Reset(b.sharer.Within)
	if b.front != b.seen {
		b.seen = b.front
		return
	}
	b.idle = true
	front := &b.steps[b.front]
	if front.cost != nil {
		front.cost.refrain(stuckFor)
	}
	if b.sharer.writes {
		b.stopped = true
		b.cancel()
		return
	}
	for i, q := range b.list {
		if s := &b.steps[i]; q != nil && s != front && s.twin != front { // its twins would wait for the same
			b.sharer.pool.Meter.Shared(backend.SharedAlone)
			b.decide(q, Alone)
		}
	}
	b.cancelUnwanted()
}

// run makes the round trip on a connection that is taken for it alone: others may be waiting for one.
func (b *batch) run() {
	defer b.cancel()
	c, err := b.sharer.pool.AcquireUnmetered(b.ctx, wire.FreshFor)
	if err != nil {
		b.rest(Refused, err)
		return
	}
	defer c.Release()
	if !c.Pipelines() || b.sharer.writes && !c.PipelinesWrites() {
		b.rest(Alone, nil)
		return
	}
	line := c.StartPipeline(context.Background())
	if err = b.exchange(c, line); err != nil {
		// What the server still sends isn't worth the wait.
		_ = c.PG.Conn().Close()
		c.Discard()
	}
	_ = line.Close() // whether the connection is lost shows when it is released
	b.rest(Lost, nil)
	for i := range b.steps {
		if s := &b.steps[i]; s.renew != nil {
			c.Revise(b.ctx, s.renew, s.text.SQL)
		}
	}
}

// exchange sends the statements and reads their answers. What panics does so again when it runs alone, in
// the goroutine of its request, which knows what to do about it.
func (b *batch) exchange(c *wire.Conn, p *wire.Pipeline) (err error) {
	defer func() {
		if recover() != nil {
			err = wire.ErrBroken
		}
	}()
	b.send(c, p)
	if err = p.Flush(); err != nil {
		return err
	}
	read := make(chan struct{})
	b.begin(b.look, b.sharer.Within)
	cancels := context.AfterFunc(b.ctx, func() { cancelAll(c, read) })
	defer func() {
		b.end()
		close(read)
		if !cancels() {
			c.Discard() // a late request to cancel must not end what another user runs
		}
	}()
	return b.read(c, p)
}

// begin has look called as long as the round trip lasts.
func (b *batch) begin(look func(), every time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle, b.watch = false, time.AfterFunc(every, look)
}

func (b *batch) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.front = len(b.list)
	b.watch.Stop()
}

// cancelEvery is how often a server gets a request to cancel what it still has of a round trip.
const cancelEvery = 20 * time.Millisecond

// cancelAll cancels one statement after the other, until the answers to all have been read. A server
// that doesn't answer in time is given up.
func cancelAll(c *wire.Conn, read <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), wire.CancelGrace)
	defer cancel()
	for {
		_ = c.PG.CancelRequest(ctx) // the connection is closed if this doesn't help
		select {
		case <-read:
			return
		case <-ctx.Done():
			_ = c.PG.Conn().Close() // ends the wait of the one that reads
			return
		case <-time.After(cancelEvery):
		}
	}
}

// send writes the statements whose requests are still there. Their parameters aren't read after it: when
// a request ends, the memory may be used for something else. Of equal ones the first is sent: it runs after all of
// them were requested.
func (b *batch) send(c *wire.Conn, p *wire.Pipeline) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for i, q := range b.list {
		if q == nil {
			continue
		}
		text, err := q.job.Of.TextFor(c)
		if err != nil {
			q.err = err
			b.decide(q, Answered)
			continue
		}
		q.job.Text, q.sent = text, now
		c.Pool.Meter.WaitedFor(now.Sub(q.joined))
		if twin := b.twin(i); twin != nil {
			b.steps[i].twin = twin
			continue
		}
		b.steps[i] = step{cost: q.job.Cost, text: text, sent: p.SendIndependent(text, q.job.Values, q.job.Ahead)}
	}
}

// twin finds what was sent of a statement that is equal to that one, nil for nothing.
func (b *batch) twin(i int) *step {
	q := b.list[i]
	if !q.job.Stable {
		return nil
	}
	for j, other := range b.list[:i] {
		if other != nil && b.steps[j].text == q.job.Text && other.job.Of == q.job.Of && slices.EqualFunc(other.job.Values, q.job.Values, sameValue) {
			return &b.steps[j]
		}
	}
	return nil
}

// sameValue tells NULL from an empty text.
func sameValue(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// reader is one that waits for what was sent as that step; nil when no request does.
func (b *batch) reader(i int) *shared {
	b.mu.Lock()
	defer b.mu.Unlock()
	for j, q := range b.list[i:] {
		if q != nil && (j == 0 || b.steps[i+j].twin == &b.steps[i]) {
			return q
		}
	}
	return nil
}

// finish notes the outcome of a statement, and of those that it was sent for, unless their requests have left.
func (b *batch) finish(c *wire.Conn, i int, o Outcome, got collected) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.front, b.idle = i+1, false
	var first *shared
	for j, q := range b.list[i:] {
		if q == nil || j > 0 && b.steps[i+j].twin != &b.steps[i] {
			continue
		}
		how := backend.SharedEqual
		if first == nil {
			first, how = q, backend.SharedAnswered
			q.answer = got.answer
		} else {
			q.answer = append(q.answer[:0], got.answer...) // each answer is its request's
		}
		if o == Answered {
			if got.err == nil {
				c.Pool.Meter.Shared(how)
			}
			if got.err == nil && how == backend.SharedAnswered {
				c.Pool.Meter.Answered(q.sent, got.first)
			}
			b.took += min(time.Since(q.joined), longest)
			b.answered++
		}
		q.err = got.err
		if q != first {
			b.decide(q, o)
		}
	}
	if first != nil {
		b.decide(first, o) // last: from then on what was copied for the others is used for something else
	}
}
