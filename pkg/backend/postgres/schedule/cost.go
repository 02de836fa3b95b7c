package schedule

import (
	"sync/atomic"
	"time"
)

// Which statements share.
const (
	// shortTime is what a statement may take when it runs alone and little else is under way.
	shortTime = 250 * time.Microsecond
	// shortWrite is that of one that writes, whose time depends more on what else is under way.
	shortWrite = time.Millisecond
	// knownAfter is how often it has run alone before that is known.
	knownAfter = 8
	// sampleEvery is which of its runs remain alone, so that its cost is still measured.
	sampleEvery = 64
	// smallAnswer is an answer that may be kept until others are complete. After a larger one the
	// statement doesn't share for a while.
	smallAnswer, largeFor = 16 << 10, 10 * time.Second
	// heldUp is how long a statement may hold up others: on a busy machine some do that by chance. After t it
	// doesn't share for heldShare times t, at most for largeFor; for stuckFor while it is still running.
	heldUp, heldShare, stuckFor = 10 * time.Millisecond, 5, 500 * time.Millisecond
)

// Cost is what runs of a statement have shown; a nil *Cost is that of a statement that never shares.
type Cost struct {
	runs atomic.Uint32
	// least is about the least time that it takes, in nanoseconds: a busy machine moves it little.
	least atomic.Int64
	// until is when it may share again, in nanoseconds since the epoch.
	until atomic.Int64
}

// short reports whether a statement is short, and its answer small enough, to share.
func (c *Cost) short(within time.Duration, now time.Time) bool {
	return c.runs.Load() >= knownAfter && c.least.Load() <= int64(within) && c.until.Load() <= now.UnixNano()
}

// sample reports whether a run remains alone for being measured.
func (c *Cost) sample() bool { return c.runs.Add(1)%sampleEvery == 0 }

// Ran notes a run that was alone: the time until its result came, and the size of its answer.
func (c *Cost) Ran(took time.Duration, size int) {
	if c == nil {
		return
	}
	c.runs.Add(1)
	known, t := c.least.Load(), int64(took)
	switch {
	case known == 0:
		known = t
	case t < known:
		known -= (known - t) / 4
	default:
		known += min(t-known, known) / 64
	}
	c.least.Store(known)
	if size > smallAnswer {
		c.refrain(largeFor)
	}
}

// held notes for how long it has held up others.
func (c *Cost) held(t time.Duration) {
	if t > heldUp {
		c.refrain(min(heldShare*t, largeFor))
	}
}

func (c *Cost) refrain(d time.Duration) { c.until.Store(time.Now().Add(d).UnixNano()) }
