package table

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
	deliveryv1 "queryengine/proto/delivery/v1"
)

const (
	// pause is how long a source is left alone after a fault.
	pause = time.Second
	// renewEvery is how often leases are renewed.
	renewEvery = backend.EventLease / 3
	// takePatience bounds one taking of events.
	takePatience = 30 * time.Second
)

// source is a source whose events are taken.
type source struct {
	*Config
	meta   *metadata.Source
	log    backend.EventLog
	cancel context.CancelFunc
	wake   chan struct{}
	// changed tells makeEvents that the triggers have changed.
	changed chan struct{}
	// quiet reports whether no more events are taken.
	quiet atomic.Bool

	// served is how many events were taken of each trigger lately. It belongs to capture.
	served map[string]int

	mu       sync.Mutex
	triggers map[string]*trigger
	version  int64
	inHand   map[string]struct{}
}

func newSource(c *Config, m *metadata.Source, log backend.EventLog) *source {
	return &source{
		Config: c, meta: m, log: log, wake: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		served: map[string]int{}, inHand: map[string]struct{}{},
	}
}

func (s *source) learn(triggers map[string]*trigger, version int64) {
	s.mu.Lock()
	s.triggers, s.version = triggers, version
	s.mu.Unlock()
	s.signal()
	signal(s.changed)
}

func (s *source) known() map[string]*trigger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.triggers
}

// ordered reports whether the events of a trigger are to be in order.
func (s *source) ordered(trigger string) bool {
	t := s.known()[trigger]
	return t != nil && t.OrderByKey
}

// delivers reports whether the events of any trigger are to be taken.
func (s *source) delivers() bool {
	for _, t := range s.known() {
		if !t.Paused {
			return true
		}
	}
	return false
}

// paused reports whether the events of a trigger are to wait.
func (s *source) paused(trigger string) bool {
	t := s.known()[trigger]
	return t != nil && t.Paused
}

// take notes that an event is in progress; false when it was already.
func (s *source) take(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, held := s.inHand[id]; held {
		return false
	}
	s.inHand[id] = struct{}{}
	return true
}

func (s *source) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inHand, id)
}

// signal makes the source look for events.
func (s *source) signal() { signal(s.wake) }

// signal wakes who waits for a channel, now or next time.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

func (s *source) pause() {
	s.quiet.Store(true)
	s.signal()
}

func (s *source) end() { s.cancel() }

// run takes events, renews leases and cleans up, until ctx ends.
func (s *source) run(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { s.renew(ctx) })
	if s.Batch > 0 && s.Interval > 0 {
		parts.Go(func() { s.capture(ctx) })
		parts.Go(func() { s.makeEvents(ctx) })
	}
	parts.Go(func() { s.clean(ctx) })
	parts.Wait()
}

// capture takes events when there may be some. What keeps it from that is left to other processes.
func (s *source) capture(ctx context.Context) {
	a := &alarm{
		open: s.log.OpenEventBell, wake: s.wake, interval: s.Interval, logger: s.Logger.With("source", s.meta.Name),
	}
	defer a.close()
	ill := false
	for ctx.Err() == nil && !s.quiet.Load() {
		if !s.delivers() {
			a.close() // writers needn't notify
			a.wait(ctx, s.Interval)
			continue
		}
		n := 0
		err := guard.Do(s.Logger, "panic in the taking of events", func() (err error) {
			n, err = s.captureOnce(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			if !ill {
				s.Logger.WarnContext(ctx, "events can't be fetched from a source; retrying", "source", s.meta.Name, "error", err)
			}
			a.close()
			lifecycle.Sleep(ctx, pause)
		} else if a.took(ctx, n); n < s.Batch {
			a.rest(ctx)
		}
		ill = err != nil
	}
}

// captureOnce takes a batch and publishes it. What can't be published is given back; where that
// fails too, its lease runs out.
func (s *source) captureOnce(ctx context.Context) (int, error) {
	s.mu.Lock()
	triggers, version := s.triggers, s.version
	s.mu.Unlock()
	wanted := s.demands(triggers)
	ctx, cancel := context.WithTimeout(ctx, takePatience)
	defer cancel()
	began := s.Now()
	taken, err := s.log.TakeEvents(ctx, wanted, s.Batch)
	if err != nil || len(taken) == 0 {
		return 0, err
	}
	s.count(taken)
	s.statistics.taken(s.meta.Name, len(taken), s.Now(), s.Logger)
	s.Metrics.taken(s.meta.Name, len(taken), s.Now().Sub(began))
	at := s.Now().UnixNano()
	list := make([]bus.Outgoing, len(taken))
	for i, e := range taken {
		m := message{Body: e.Body, Due: e.Created.UnixMicro(), Again: e.Again, Taken: e.Taken, Lease: e.Lease}
		if len(m.Body) > largestBody {
			m.Body = nil
		}
		event, err := metadata.Encode(m)
		if err != nil {
			return 0, err
		}
		list[i] = bus.Outgoing{
			// Each taking is an attempt of its own: no other process has these events.
			ID: fmt.Sprintf("%s:%d:%d", e.ID, e.Tries, at),
			Delivery: &deliveryv1.Delivery{
				Kind: deliveryv1.Kind_KIND_TABLE_EVENT, EventId: e.ID, Source: s.meta.Name, Trigger: e.Trigger,
				Tries: int32(e.Tries), Event: event, MetadataVersion: version, //nolint:gosec // far below the limit
			},
		}
	}
	if err := s.publish(ctx, list); err != nil {
		ids := make([]string, len(taken))
		for i, e := range taken {
			ids[i] = e.ID
		}
		s.release(ctx, ids)
		return 0, err
	}
	s.Metrics.published(len(taken), s.Now().Sub(began))
	return len(taken), nil
}

// publish tries again while the events are leased: some of a batch that failed may be in the queue,
// which knows them by their ids for as long. Were they given back at once, and taken under other
// ids, two workers could have the same event.
func (s *source) publish(ctx context.Context, list []bus.Outgoing) error {
	err := s.Queue.Publish(ctx, list)
	for err != nil && !s.quiet.Load() && lifecycle.Sleep(ctx, pause) {
		err = s.Queue.Publish(ctx, list)
	}
	return err
}

// demands are how many events each trigger can take; those of paused triggers wait in the log. Triggers of which few were taken lately are served
// first: a batch that others could fill then contains their new events.
func (s *source) demands(triggers map[string]*trigger) []backend.EventDemand {
	wanted := make([]backend.EventDemand, 0, len(triggers))
	for name, t := range triggers {
		if t.Paused {
			continue
		}
		wanted = append(wanted, backend.EventDemand{Trigger: name, Size: t.pace.window(), Ordered: t.OrderByKey})
	}
	slices.SortFunc(wanted, func(a, b backend.EventDemand) int {
		return cmp.Or(cmp.Compare(s.served[a.Trigger], s.served[b.Trigger]), cmp.Compare(a.Trigger, b.Trigger))
	})
	return wanted
}

// count notes what was taken; earlier counts are halved each time.
func (s *source) count(taken []backend.Event) {
	for name, n := range s.served {
		if n /= 2; n > 0 {
			s.served[name] = n
		} else {
			delete(s.served, name)
		}
	}
	for _, e := range taken {
		s.served[e.Trigger]++
	}
}

// release gives events back to be taken again at once.
func (s *source) release(ctx context.Context, ids []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordPatience)
	defer cancel()
	if err := s.log.ReleaseEvents(ctx, ids); err != nil {
		s.Logger.WarnContext(ctx, "events could not be released; they are retried when their lease expires",
			"source", s.meta.Name, "events", len(ids), "error", err)
	}
}

// renew renews the leases of the events in progress.
func (s *source) renew(ctx context.Context) {
	for lifecycle.Sleep(ctx, renewEvery) {
		s.mu.Lock()
		ids := slices.Collect(maps.Keys(s.inHand))
		s.mu.Unlock()
		if len(ids) == 0 {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, recordPatience)
		err := s.log.RenewEvents(bounded, ids)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "event leases can't be renewed; retrying", "source", s.meta.Name, "error", err)
		}
	}
}
