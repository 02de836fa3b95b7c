// Package scheduler is the service that decides when: it plans the events of cron triggers and
// publishes those, and one-off events, as they become due.
//
// It follows the metadata, so that it knows the triggers of every version, and takes no
// requests. Of several schedulers one is active, by a lease in the metadata database; the
// others stand by. Even if two were active for a moment, every tick would be planned once:
// the database sees to that, the lease only saves work.
package scheduler

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/logtype"
	"queryengine/pkg/service"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/scheduler/internal/store"
)

const (
	// generateEvery is how often ticks are planned ahead.
	generateEvery = time.Minute
	// cleanEvery is the interval between clean-ups of the logs.
	cleanEvery = time.Hour
)

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
	// Decoder of metadata snapshots is shared by the services of a process; nil for one of
	// its own.
	Decoder *snapshot.Decoder
	// Now is the clock that decides what is due, time.Now by default.
	Now func() time.Time
}

// Service is the scheduler service.
type Service struct {
	*service.Base
	config Config
	deps   Deps
	store  *store.Store

	starting sync.Mutex
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

// New wires the service and does no I/O.
func New(c Config, d Deps) (*Service, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	s := &Service{config: c.withDefaults(), deps: d, Base: service.New(service.Config{
		Name:        bus.ServiceScheduler,
		Description: "publishes scheduled events as they become due",
		Decoder:     d.Decoder,
	}, d.Bus, d.Logger, nil)}
	if c.Disabled {
		return s, nil
	}
	var err error
	s.store, err = store.Open(c.MetadataURL, d.Bus.Instance(), s.config.Lease)
	return s, err
}

// Status is nil while the service hears NATS, knows the metadata, reaches its database, and can
// publish what is due.
func (s *Service) Status() error {
	if err := s.Base.Status(); err != nil {
		return err
	}
	if s.store != nil {
		if err := s.store.Ping(context.Background()); err != nil {
			return err
		}
	}
	return s.deps.Bus.Deliveries().Status()
}

// Start begins to follow the metadata and to look for due events.
func (s *Service) Start(ctx context.Context) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	if err := s.Base.Start(ctx); err != nil {
		return err
	}
	if s.store == nil || s.cancel != nil {
		return nil
	}
	running, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.running.Go(func() { s.run(running) })
	return nil
}

// Stop gives the lease up, so that another scheduler takes over at once.
func (s *Service) Stop() {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.cancel != nil {
		s.cancel()
		s.running.Wait()
		s.cancel = nil
		s.store.Release()
	}
	s.Base.Stop()
	if s.store != nil {
		s.store.Close()
	}
}

// run looks for due events until ctx ends. A failure is logged once, and again when it is over.
func (s *Service) run(ctx context.Context) {
	ticker := time.NewTicker(s.config.Interval)
	defer ticker.Stop()
	work := &round{Service: s}
	ill := false
	log := telemetry.Of(s.deps.Logger, logtype.ScheduledTriggerWork)
	for {
		err := guard.Do(s.deps.Logger, "panic in the publishing of scheduled events", func() error { return work.do(ctx) })
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !ill:
			log.WarnContext(ctx, "scheduled events can't be published; retrying", "error", err)
		case err == nil && ill:
			log.InfoContext(ctx, "publishing of scheduled events recovered")
		}
		ill = err != nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// round is what the active scheduler does again and again.
type round struct {
	*Service
	// generated is when ticks were planned, zero while this scheduler isn't active.
	generated time.Time
	version   int64 // of the metadata that they were planned for
	// cleaned is when nothing was left in the logs that is too old.
	cleaned time.Time

	statistics statistics
}

func (r *round) do(ctx context.Context) error {
	active, err := r.store.Acquire(ctx)
	if err != nil || !active {
		r.generated = time.Time{}
		return err
	}
	current := r.Follower().Current()
	if current == nil {
		return nil // nothing is known yet, which the service's status says
	}
	now := r.deps.Now()
	// A clock that went back must not keep ticks from being planned.
	since := now.Sub(r.generated)
	if since >= generateEvery || since < 0 || r.version != current.Version {
		planned, err := r.store.Plan(ctx, current.Document, current.Version, now)
		if err != nil {
			return fmt.Errorf("plan cron events: %w", err)
		}
		if planned {
			r.generated, r.version = now, current.Version
		}
	}
	deliveries := r.deps.Bus.Deliveries()
	identity, err := deliveries.Ensure(ctx, r.config.Replicas)
	if err != nil {
		return err
	}
	if err := r.store.Republish(ctx, identity); err != nil {
		return fmt.Errorf("look for lost deliveries: %w", err)
	}
	publish := func(ctx context.Context, list []bus.Outgoing) error {
		err := deliveries.Publish(ctx, list)
		if err == nil {
			r.statistics.published(list, now, r.deps.Logger)
		}
		return err
	}
	for {
		n, err := r.store.Publish(ctx, current.Document, current.Version, now, publish)
		if err != nil {
			return fmt.Errorf("publish due events: %w", err)
		}
		if n < store.PublishBatch {
			break
		}
	}
	return r.clean(ctx, now)
}

// clean removes batches of old entries from the logs, until nothing is left for a while.
func (r *round) clean(ctx context.Context, now time.Time) error {
	if since := now.Sub(r.cleaned); since >= 0 && since < cleanEvery {
		return nil
	}
	done, err := r.store.Clean(ctx, r.config.Keep, now)
	if err != nil {
		return fmt.Errorf("clean up logs: %w", err)
	}
	if done {
		r.cleaned = now
	}
	return nil
}
