// Package deadline provides cheap, coarse timeouts for many short requests. context.WithTimeout takes a timer for each
// request, which hardly any reaches, and an entry in the parent, which hardly ever ends.
//
// A CoarseTimer checks all of its contexts together. They end up to Every after their deadline or their parent's end. A
// parent that ended before counts at once, and so does cancelling them. In everything else they behave like contexts of
// context.WithCancelCause.
package deadline

import (
	"context"
	"sync"
	"time"
)

// Every is how often a CoarseTimer checks its contexts.
const Every = 10 * time.Millisecond

// CoarseTimer keeps the contexts of requests in progress. Its zero value is ready; it is safe for concurrent use,
// and runs nothing while it has no contexts.
type CoarseTimer struct {
	mu sync.Mutex
	// kept is the first of the kept limits.
	kept    *limit
	timer   *time.Timer
	looking bool // the timer runs
}

// WithTimeout returns a context that ends when parent does, after timeout, or by cancel, whose argument is its
// cause. As with all contexts, cancel has to be called.
func (k *CoarseTimer) WithTimeout(parent context.Context, timeout time.Duration) (ctx context.Context, cancel context.CancelCauseFunc) {
	now := time.Now()
	l := &limit{Context: parent, keeper: k, at: now.Add(timeout)}
	if outer, ok := parent.Deadline(); ok && outer.Before(l.at) {
		l.at = outer
	}
	over := l.over(now)
	ctx, cancel = context.WithCancelCause(l)
	if over && l.leave() {
		l.end()
	}
	return ctx, cancel
}

// look ends what is over.
func (k *CoarseTimer) look() {
	now := time.Now()
	var ended []*limit
	k.mu.Lock()
	for l := k.kept; l != nil; {
		next := l.next
		if l.over(now) {
			l.unlink()
			ended = append(ended, l)
		}
		l = next
	}
	k.looking = k.kept != nil
	if k.looking {
		k.timer.Reset(Every)
	}
	k.mu.Unlock()
	for _, l := range ended {
		l.end()
	}
}

// limit is what the context of a request has as its parent, and nothing else has. It tells its child of its
// end by the function that the child gives AfterFunc, as package context has it for contexts of others.
type limit struct {
	context.Context //nolint:containedctx // it is a context
	keeper          *CoarseTimer
	at              time.Time
	end             func()
	err             error // once it is over

	// These are the keeper's.
	kept           bool
	previous, next *limit
}

// Deadline implements context.Context.
func (l *limit) Deadline() (time.Time, bool) { return l.at, true }

// never is not closed.
var never = make(chan struct{})

// Done implements context.Context: a context without a channel would never end for its child.
func (l *limit) Done() <-chan struct{} { return never }

// Err implements context.Context. The child asks when it learns of the end.
func (l *limit) Err() error { return l.err }

// AfterFunc has end called, which does not wait, when the limit is over. stop reports whether it won't be.
func (l *limit) AfterFunc(end func()) (stop func() bool) {
	l.end = end
	k := l.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	l.kept, l.next = true, k.kept
	if l.next != nil {
		l.next.previous = l
	}
	k.kept = l
	if k.looking {
		return l.leave
	}
	k.looking = true
	if k.timer == nil {
		k.timer = time.AfterFunc(Every, k.look)
	} else {
		k.timer.Reset(Every)
	}
	return l.leave
}

// leave ends the keeping of it, and reports whether it was kept.
func (l *limit) leave() bool {
	l.keeper.mu.Lock()
	defer l.keeper.mu.Unlock()
	if !l.kept {
		return false
	}
	l.unlink()
	return true
}

// unlink takes it out of the list.
func (l *limit) unlink() {
	if l.previous != nil {
		l.previous.next = l.next
	} else {
		l.keeper.kept = l.next
	}
	if l.next != nil {
		l.next.previous = l.previous
	}
	l.kept, l.previous, l.next = false, nil, nil
}

// over reports whether it is over, and notes why.
func (l *limit) over(now time.Time) bool {
	if l.err = l.Context.Err(); l.err == nil && !now.Before(l.at) {
		l.err = context.DeadlineExceeded
	}
	return l.err != nil
}
