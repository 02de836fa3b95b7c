// Package checkup shares the answer of a check between callers that ask at the same time.
package checkup

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/guard"
)

// Shared is a check whose answer is valid for a while. However many callers there are, one check runs
// at a time: a public health check must not be a way to load what it checks. It is safe for concurrent
// use.
type Shared struct {
	check func(context.Context) error
	keep  time.Duration
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex
	latest *outcome
}

// outcome is one check, maybe still under way.
type outcome struct {
	done chan struct{} // closed when err and ended are set
	// ended is when the check was over.
	ended time.Time
	err   error
}

// New returns a Shared whose answers are valid for keep. check bounds its own time; its context doesn't
// end with the caller that started it.
func New(keep time.Duration, log *slog.Logger, check func(context.Context) error) *Shared {
	return &Shared{check: check, keep: keep, log: log, now: time.Now}
}

// Ask returns what the latest check found, nil for nothing wrong. It waits for a check that
// is under way, and fails with ctx's error when ctx ends first.
func (s *Shared) Ask(ctx context.Context) error {
	o := s.current(context.WithoutCancel(ctx))
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// current is the latest check; one that is too old gets a successor.
func (s *Shared) current(ctx context.Context) *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.latest; o != nil {
		select {
		case <-o.done:
			if s.now().Sub(o.ended) < s.keep {
				return o
			}
		default:
			return o
		}
	}
	o := &outcome{done: make(chan struct{})}
	s.latest = o
	go func() {
		o.err = guard.Do(s.log, "panic in a health check", func() error { return s.check(ctx) })
		o.ended = s.now()
		close(o.done)
	}()
	return o
}
