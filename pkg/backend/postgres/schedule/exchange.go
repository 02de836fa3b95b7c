package schedule

import (
	"errors"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// step is what was sent for one statement.
type step struct {
	// cost is nil when nothing was sent: then twin, unless that is nil too, is what was sent in its place.
	cost *Cost
	twin *step
	text *wire.Text
	sent wire.Sent
	// renew is the error of a statement that has to run again because of what the session keeps.
	renew error
}

// collected is the answer to a statement.
type collected struct {
	answer []byte
	// first is when its result began.
	first time.Time
	err   error
}

// read reads the answers. Its error is that of the connection.
func (b *batch) read(c *wire.Conn, p *wire.Pipeline) error {
	began := time.Now()
	for i := range b.steps {
		s := &b.steps[i]
		if s.cost == nil {
			b.finish(c, i, Answered, collected{})
			continue
		}
		got := b.reader(i).collect(c, p, &s.sent)
		switch {
		case c.PG.IsClosed() || errors.Is(got.err, wire.ErrBroken):
			return wire.ErrBroken
		case b.sharer.writes && b.undone(c, got.err):
			c.Pool.Meter.Shared(backend.SharedAlone)
			b.finish(c, i, Alone, got)
		case errors.Is(got.err, wire.ErrTooLarge):
			s.cost.refrain(largeFor)
			b.finish(c, i, Alone, got)
			return wire.ErrBroken // to read the rest would take longer than to run the others again
		case c.Stale(got.err, s.text.SQL):
			s.renew = got.err
			b.finish(c, i, Alone, got)
		default:
			if b.sharer.writes && len(got.answer) > smallAnswer {
				s.cost.refrain(largeFor)
			}
			b.finish(c, i, Answered, got)
		}
		now := time.Now()
		s.cost.held(now.Sub(began))
		began = now
	}
	return nil
}

// undone reports whether the error of what writes is due to the round trip, so that it runs alone.
func (b *batch) undone(c *wire.Conn, err error) bool {
	switch wire.State(err) {
	case wire.StateReadOnly:
		c.Implicit = false // the server's default has changed
		return true
	case wire.StateQueryCanceled:
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.stopped
	}
	return false
}

// collect reads the answer to what was sent. No request waits for it when q is nil.
func (q *shared) collect(c *wire.Conn, p *wire.Pipeline, s *wire.Sent) (got collected) {
	if q == nil {
		got.first, got.err = p.Collect(s, nil)
		return got
	}
	got.first, got.err = p.Collect(s, func(r *wire.Result) (err error) {
		got.answer, err = q.job.Of.Collect(c, r, q.answer[:0])
		return err
	})
	return got
}
