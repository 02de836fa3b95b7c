package walreader

import "time"

const (
	// linger is how long transactions are gathered while they come at a rate of busy in it, or more. A few of them tell nothing about the rate.
	linger = 10 * time.Millisecond
	busy   = 15
	few    = 3
)

// Pace decides how many transactions are written together: while many come those of a moment, as each write has a cost of its own,
// and otherwise those that have come already.
type Pace struct {
	stream  *Stream
	written time.Time
	lingers bool
}

// NewPace returns the pace of what is read from a stream.
func NewPace(s *Stream) *Pace { return &Pace{stream: s} }

// Wrote tells that a number of transactions was written. Where many come the stream isn't read for a moment: most of what sending and
// reading single messages costs is waking up for them.
func (p *Pace) Wrote(transactions int) {
	now := time.Now()
	p.lingers = transactions > few && time.Duration(transactions)*linger >= busy*now.Sub(p.written)
	if p.written = now; p.lingers {
		p.stream.rest(now.Add(linger))
	}
}

// Wait is how long what was gathered since a time waits for more.
func (p *Pace) Wait(since time.Time) time.Duration {
	if !p.lingers {
		return 0
	}
	return linger - time.Since(since)
}
