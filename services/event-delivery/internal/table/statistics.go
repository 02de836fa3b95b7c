package table

import (
	"log/slog"
	"sync"
	"time"
)

// statisticsEvery is the time between lines about taken events.
const statisticsEvery = 10 * time.Minute

// statistics count taken events, for a line from time to time while there are some.
type statistics struct {
	mu      sync.Mutex
	since   time.Time
	events  map[string]int // by source
	fetches int
}

// taken counts a batch of a source.
func (s *statistics) taken(source string, n int, now time.Time, log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since, s.events = now, map[string]int{}
	}
	s.events[source] += n
	s.fetches++
	if now.Sub(s.since) >= statisticsEvery {
		log.Info("", "num_events_fetched", s.events, "num_fetches", s.fetches)
		s.since, s.events, s.fetches = now, map[string]int{}, 0
	}
}
