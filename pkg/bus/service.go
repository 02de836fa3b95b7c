package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/deadline"
)

// Handler answers one request. It may be called concurrently.
//
// An error that it returns before its first Write reaches the caller, an apierror.Error
// field by field. An error after the first Write cuts the answer off: the caller gets
// ErrCutOff. The request is only to be read, and belongs to the caller after the return.
type Handler func(ctx context.Context, req proto.Message, w ResponseWriter) error

// ResponseWriter takes an answer. It is for one goroutine at a time.
type ResponseWriter interface {
	// SetHead sets what goes in front of the body. It counts only before the first Write.
	// The message must not be changed afterwards.
	SetHead(m proto.Message)
	// Write sends p as part of the body and does not keep it. It waits while the caller
	// is behind, and fails when the caller no longer wants the answer. Pieces of about
	// Config.FrameSize are cheapest.
	Write(p []byte) (int, error)
}

// Flush sends on what Write has collected. Answers that come slowly need it.
func Flush(w ResponseWriter) error {
	if f, ok := w.(interface{ flush() error }); ok {
		return f.flush()
	}
	return nil
}

// ServiceInfo describes a service to the NATS tools.
type ServiceInfo struct {
	Name        string
	Version     string // semantic version
	Description string
	// Concurrency bounds the requests in progress, over all endpoints and ways; past it
	// the answer is "busy" at once. 0 is no bound. Endpoints that are Long don't count.
	Concurrency int
	// Lacks reports whether the replica lacks something that requests may need, nil for never. Callers prefer replicas
	// that lack nothing.
	Lacks func() bool
}

// errRefused is the answer of a responder at its limit, or while it stops.
var errRefused = errors.New("busy")

// Service answers requests on a Bus.
type Service struct {
	bus   *Bus
	info  ServiceInfo
	micro micro.Service

	// base ends when Stop has waited long enough.
	base   context.Context
	cancel context.CancelFunc
	// deadlines end the contexts of requests.
	deadlines deadline.CoarseTimer

	inProgress atomic.Int64
	long       atomic.Int64 // of those in progress, the ones that don't count
	stopping   atomic.Bool
	drained    chan struct{}
	drainOnce  sync.Once
	stopOnce   sync.Once

	workers  workers
	cancels  *nats.Subscription
	directs  []*nats.Subscription // at this process's own server
	gauge    prometheus.Gauge
	refusals prometheus.Counter
	served   atomic.Uint64
	failed   atomic.Uint64
}

// endpoint is what this process answers at one subject.
type endpoint struct {
	Endpoint
	service    *Service
	newRequest func() proto.Message
	handler    Handler
	calls      map[string]prometheus.Counter // of local calls, by outcome
	// announces reports whether callers are to learn of its service by it: its requests are shared.
	announces bool
}

// Register announces a service.
func (b *Bus) Register(ctx context.Context, info ServiceInfo) (*Service, error) {
	s := &Service{
		bus:      b,
		info:     info,
		drained:  make(chan struct{}),
		gauge:    b.metrics.inProgress.WithLabelValues(info.Name),
		refusals: b.metrics.refused.WithLabelValues(info.Name),
	}
	s.base, s.cancel = context.WithCancel(context.Background())
	cancels, err := b.nc.Subscribe(cancelSubject(info.Name), b.onCancel)
	if err != nil {
		return nil, fmt.Errorf("register %s: %w", info.Name, err)
	}
	s.cancels = cancels
	s.micro, err = micro.AddService(b.nc, micro.Config{
		Name:         info.Name,
		Version:      cmp.Or(info.Version, "0.0.0"),
		Description:  info.Description,
		Metadata:     map[string]string{"instance": b.cfg.Instance},
		StatsHandler: func(*micro.Endpoint) any { return s.stats() },
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("register %s: %w", info.Name, err), cancels.Unsubscribe())
	}
	if err := b.flush(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("register %s: %w", info.Name, err), s.Stop(ctx))
	}
	if err := s.offerDirect(); err != nil {
		return nil, errors.Join(fmt.Errorf("register %s: %w", info.Name, err), s.Stop(ctx))
	}
	return s, nil
}

// stats adds to what micro counts: requests are handled behind its back, by workers.
func (s *Service) stats() json.RawMessage {
	b, _ := json.Marshal(map[string]int64{ // numbers always encode
		"in_progress": s.inProgress.Load(),
		"concurrency": int64(s.info.Concurrency),
		"served":      int64(s.served.Load()),
		"failed":      int64(s.failed.Load()),
	})
	return b
}

// Handle has h answer the requests to ep. The subscription is active on return.
func (s *Service) Handle(ep Endpoint, newRequest func() proto.Message, h Handler) error {
	e := &endpoint{Endpoint: ep, service: s, newRequest: newRequest, handler: h, calls: map[string]prometheus.Counter{}}
	for _, o := range []string{outcomeOK, outcomeError, outcomeCutOff} {
		e.calls[o] = s.bus.metrics.calls.WithLabelValues(ep.Subject, wayLocal, o)
	}
	err := s.micro.AddEndpoint(ep.Name, micro.HandlerFunc(e.onRequest),
		micro.WithEndpointSubject(ep.Subject), micro.WithEndpointQueueGroup(ep.Service))
	if err != nil {
		return fmt.Errorf("handle %s: %w", ep.Subject, err)
	}
	instance := instanceOf(s.bus.inbox)
	if e.announces = !ep.Replica; e.announces {
		err = s.micro.AddEndpoint(ep.Name+"-direct", micro.HandlerFunc(e.onRequest),
			micro.WithEndpointSubject(directSubject(ep.Subject, instance)), micro.WithEndpointQueueGroup(instance))
		if err != nil {
			return fmt.Errorf("handle %s: %w", ep.Subject, err)
		}
	}
	if err := s.handleDirect(e); err != nil {
		return fmt.Errorf("handle %s directly: %w", ep.Subject, err)
	}
	if err := s.bus.flush(s.base); err != nil {
		return fmt.Errorf("handle %s: %w", ep.Subject, err)
	}
	s.bus.changeEndpoints(func(m map[string]*endpoint) { m[ep.Subject] = e })
	if e.announces {
		s.announce()
	}
	return nil
}

// Stop accepts no more requests and waits for the pending ones. When ctx ends first, they are cancelled
// and ctx's error is returned. It is safe to call twice.
func (s *Service) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		announced := false // a service that isn't may not publish that it leaves
		s.bus.changeEndpoints(func(m map[string]*endpoint) {
			maps.DeleteFunc(m, func(_ string, e *endpoint) bool {
				announced = announced || e.service == s && e.announces
				return e.service == s
			})
		})
		if announced {
			s.leave()
		}
		// NATS learns that we no longer listen before it gets the refusals of those that
		// came too late, so that their callers' second try goes elsewhere.
		if err := s.micro.Stop(); err != nil {
			s.bus.log.Warn("service did not stop in time", "service", s.info.Name, "error", err)
		}
		for _, sub := range s.directs {
			_ = sub.Drain() // fails when the connection is lost
		}
		s.stopping.Store(true)
		if s.inProgress.Load() == 0 {
			s.setDrained()
		}
	})
	defer s.cancel()
	defer s.workers.close()
	defer func() { _ = s.cancels.Unsubscribe() }() // fails when it is closed already
	select {
	case <-s.drained:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop %s with %d requests in hand: %w", s.info.Name, s.inProgress.Load(), ctx.Err())
	}
}

func (s *Service) setDrained() { s.drainOnce.Do(func() { close(s.drained) }) }

// admit reports whether one more request may be worked on; release ends it.
func (s *Service) admit(long bool) bool {
	if long {
		s.long.Add(1)
	}
	n := s.inProgress.Add(1)
	if s.stopping.Load() || !long && s.info.Concurrency > 0 && n-s.long.Load() > int64(s.info.Concurrency) {
		s.release(long)
		s.refusals.Inc()
		return false
	}
	s.gauge.Inc()
	return true
}

func (s *Service) done(err error, long bool) {
	s.gauge.Dec()
	s.served.Add(1)
	if err != nil {
		s.failed.Add(1)
	}
	s.release(long)
}

func (s *Service) release(long bool) {
	if long {
		s.long.Add(-1)
	}
	if s.inProgress.Add(-1) == 0 && s.stopping.Load() {
		s.setDrained()
	}
}

// invoke runs the handler; a panic in it is an error of this request alone.
func (e *endpoint) invoke(ctx context.Context, req proto.Message, w ResponseWriter) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e.service.bus.log.Error("panic in a handler", "endpoint", e.Subject, "panic", p, "stack", string(debug.Stack()))
			err = apierror.New(apierror.Unexpected, "internal error")
		}
	}()
	return e.handler(ctx, req, w)
}

func (b *Bus) endpoint(subject string) *endpoint { return (*b.endpoints.Load())[subject] }

func (b *Bus) changeEndpoints(change func(map[string]*endpoint)) {
	b.endpointsMu.Lock()
	defer b.endpointsMu.Unlock()
	m := maps.Clone(*b.endpoints.Load())
	change(m)
	b.endpoints.Store(&m)
}
