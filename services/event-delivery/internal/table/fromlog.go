package table

import (
	"context"
	"errors"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
)

const (
	// takeOver is how often another process that makes events from the log of a source is tried to be followed.
	takeOver = time.Second
	// lookAgain is how often a source is polled to see whether events are to be made from its log, besides when its
	// triggers change.
	lookAgain = time.Minute
	// longestPause bounds the pause after faults.
	longestPause = 30 * time.Second
)

// makeEvents makes the events of triggers that are read from the log of the source, in one process of all.
func (s *source) makeEvents(ctx context.Context) {
	log, ok := s.log.(backend.LogEvents)
	if !ok {
		return
	}
	progress := backend.EventProgress{
		Logger: s.Logger.With("source", s.meta.Name),
		Began: func() {
			s.Logger.InfoContext(ctx, "making events from the WAL of a source", "source", s.meta.Name)
		},
		Made:   func(events int, lag time.Duration) { s.Metrics.made(s.meta.Name, events, lag) },
		Missed: func() { s.Metrics.missed(s.meta.Name) },
	}
	wait, said := pause, ""
	for ctx.Err() == nil && !s.quiet.Load() {
		began := time.Now()
		err := guard.Do(s.Logger, "panic in the making of events", func() error { return log.MakeEvents(ctx, progress) })
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			said = ""
			s.awaitTriggers(ctx)
		case errors.Is(err, backend.ErrRead):
			lifecycle.Sleep(ctx, takeOver)
		default:
			if time.Since(began) > longestPause {
				wait, said = pause, "" // it was well in between
			}
			if text := err.Error(); text != said {
				s.Logger.WarnContext(ctx, "events can't be made from the WAL of a source; retrying later",
					"source", s.meta.Name, "error", text)
				said = text
			}
			lifecycle.Sleep(ctx, wait)
			wait = min(2*wait, longestPause)
		}
	}
}

// awaitTriggers waits until the triggers of the source have changed, for a while.
func (s *source) awaitTriggers(ctx context.Context) {
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	select {
	case <-s.changed:
	case <-timer.C:
	case <-ctx.Done():
	}
}
