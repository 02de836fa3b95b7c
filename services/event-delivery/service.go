// Package eventdelivery is the service that makes all webhook deliveries.
//
// It follows the metadata, so that it knows the triggers of every version, takes deliveries from the
// delivery stream, and makes them. The scheduler publishes scheduled events when they are due. Calls of
// asynchronous actions come as requests, are kept in a log and made from there. For subscriptions it reads
// the logs of sources, and it publishes the changes of tables.
package eventdelivery

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/extension"
	"queryengine/pkg/logtype"
	"queryengine/pkg/metadata"
	"queryengine/pkg/service"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/actionlog"
	"queryengine/services/event-delivery/internal/changes"
	"queryengine/services/event-delivery/internal/delivery"
	"queryengine/services/event-delivery/internal/publishing"
	"queryengine/services/event-delivery/internal/scheduled"
	"queryengine/services/event-delivery/internal/table"
)

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
	// Decoder of metadata snapshots is shared by the services of a process; nil for one of
	// its own.
	Decoder *snapshot.Decoder
	// Metrics takes the metrics of the service; nil for none.
	Metrics prometheus.Registerer
	// Open opens a source of the metadata; it makes no connection yet. Without it no events of
	// tables are delivered.
	Open open.Open
	// Kinds are those of the sources that Open opens; without them no changes are published.
	Kinds backend.Kinds
	// Env is os.LookupEnv: metadata may name variables.
	Env metadata.Env
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
	// Tracing makes the spans of deliveries, nil for none.
	Tracing *telemetry.Tracing
	// Now is the clock that decides what is too late, time.Now by default.
	Now func() time.Time
}

// Service is the event-delivery service.
type Service struct {
	*service.Base
	config Config
	logger *slog.Logger

	client *egress.Client
	queue  *bus.Deliveries
	store  *scheduled.Store
	cron   *scheduled.Cron
	tables *table.Events
	// readers is nil where nothing of tables is delivered.
	readers    *changes.Readers
	publishers *publishing.Publishers
	worker     *delivery.Worker
	// calls is nil without a metadata database, which only a disabled service may lack.
	calls  *actionlog.Log
	caller *actionlog.Worker

	starting sync.Mutex
	working  bool
}

// New wires the service and does no I/O.
func New(c Config, d Deps) (*Service, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	s := &Service{config: c, logger: d.Logger, queue: d.Bus.Deliveries()}
	s.Base = service.New(service.Config{
		Name:        bus.ServiceEventDelivery,
		Description: "delivers events to webhooks",
		Concurrency: requests,
		Decoder:     d.Decoder,
	}, d.Bus, d.Logger, s.register)
	if c.MetadataURL == "" {
		return s, nil
	}
	var err error
	c.Egress.Propagator, c.Egress.Code = d.Tracing.Propagator(), d.Code
	if s.client, err = egress.New(c.Egress); err != nil {
		return nil, err
	}
	if err := s.wireCalls(d); err != nil {
		return nil, err
	}
	if c.Disabled {
		return s, nil
	}
	return s, s.wire(d)
}

func (s *Service) wire(d Deps) error {
	var err error
	if s.store, err = scheduled.Open(s.config.MetadataURL); err != nil {
		return err
	}
	metrics := scheduled.NewMetrics(d.Metrics, s.config.DetailedMetrics)
	s.cron = scheduled.NewCron(s.store, d.Env, d.Now, metrics)
	kinds := map[deliveryv1.Kind]delivery.Kind{
		deliveryv1.Kind_KIND_CRON:    s.cron,
		deliveryv1.Kind_KIND_ONE_OFF: scheduled.NewOneOff(s.store, d.Env, d.Now, metrics),
	}
	if d.Open != nil {
		if err := s.wireTables(d); err != nil {
			return err
		}
		s.readers = changes.New(changes.Config{Bus: d.Bus, Open: d.Open, Logger: d.Logger, Metrics: changes.NewMetrics(d.Metrics)})
		s.publishers = publishing.New(publishing.Config{
			Bus: d.Bus, Open: d.Open, Kinds: d.Kinds, Replicas: s.config.Replicas, Logger: d.Logger, Metrics: publishing.NewMetrics(d.Metrics),
		})
		kinds[deliveryv1.Kind_KIND_TABLE_EVENT] = s.tables
	}
	s.Follower().Watch(s.follow)
	s.worker = delivery.New(delivery.Config{
		Queue:    s.queue,
		Replicas: s.config.Replicas,
		Kinds:    kinds,
		Publish:  d.Bus.PublishEvent,
		Client:   s.client,
		Lacks: func(address string) bool {
			_, named := extension.Name(address)
			return named && d.Code.Handler(address) == nil
		},
		Concurrency: s.config.Concurrency,
		Logger:      d.Logger,
		Tracer:      d.Tracing.Tracer("queryengine/services/event-delivery"),
		Now:         d.Now,
		Await:       s.await,

		FailuresAreErrors: s.config.FailuresAreErrors,
		Redacted:          s.config.Redacted,
	})
	return nil
}

func (s *Service) wireTables(d Deps) error {
	metrics, err := table.NewMetrics(d.Metrics, s.config.DetailedMetrics)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	s.tables = table.New(table.Config{
		Open: d.Open, Queue: s.queue, Env: d.Env, Now: d.Now, Metrics: metrics,
		Logger: telemetry.Of(d.Logger, logtype.EventTriggerProcess),
		Batch:  s.config.Batch, Interval: s.config.Interval, Concurrency: s.config.Concurrency,
	})
	return nil
}

// follow applies a version of the metadata.
func (s *Service) follow(current *snapshot.Snapshot) {
	s.cron.SetTriggers(current.Document.CronTriggers)
	if s.tables != nil {
		s.tables.Follow(current)
		s.readers.Follow(current)
		s.publishers.Follow(current)
	}
}

// metadataPatience bounds how long a delivery waits for the metadata that it is about.
const metadataPatience = 10 * time.Second

// await waits until this process knows a version of the metadata. What is still unknown
// then is for another worker, or for later.
func (s *Service) await(ctx context.Context, version int64) error {
	ctx, cancel := context.WithTimeout(ctx, metadataPatience)
	defer cancel()
	_, err := s.Follower().WaitFor(ctx, version)
	return err
}

// Status is nil while the service hears NATS, knows the metadata, reaches its database, and can
// publish what is due.
func (s *Service) Status() error {
	if err := s.Base.Status(); err != nil {
		return err
	}
	if s.calls != nil {
		if err := s.calls.Ping(context.Background()); err != nil {
			return err
		}
	}
	return s.queue.Status()
}

// Start begins to follow the metadata and to deliver.
func (s *Service) Start(ctx context.Context) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	if err := s.Base.Start(ctx); err != nil {
		return err
	}
	if s.worker != nil && !s.working {
		if s.readers != nil {
			if err := s.readers.Start(); err != nil {
				s.Base.Stop()
				return err
			}
		}
		s.worker.Start()
		s.caller.Start()
		s.working = true
	}
	return nil
}

// Stop waits for the webhooks that were called, for a bounded time, and gives the rest of
// the deliveries back.
func (s *Service) Stop() {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.tables != nil {
		s.readers.Stop()
		s.publishers.Stop()
		s.tables.StopTaking()
	}
	if s.working {
		var both sync.WaitGroup
		both.Go(func() { s.worker.Stop(s.config.StopTimeout) })
		both.Go(func() { s.caller.Stop(s.config.StopTimeout) })
		both.Wait()
		s.working = false
	}
	s.Base.Stop()
	if s.tables != nil {
		s.tables.Stop()
	}
	if s.worker != nil {
		s.store.Close()
	}
	if s.calls != nil {
		s.client.Close()
		s.calls.Close()
	}
}
