package remotesub

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/planned"
)

// maxRunning bounds the subscriptions that one executor keeps: each has a connection of its own.
const maxRunning = 10_000

// Deps are what a Manager works with.
type Deps struct {
	// Valid reports whether a plan can be used with the current metadata.
	Valid func(*planned.Plan) bool
	// Version is the metadata version that a plan is good for now, 0 for none.
	Version func(plan any) int64
	// Count adds to the number of subscriptions that run under a name.
	Count func(of live.Operation, change float64)
	// Tracer makes the spans of subscriptions.
	Tracer trace.Tracer
	Log    *slog.Logger
}

// Planned is a subscription that was planned, with what it asks the remote. Its Plan has a
// RemoteSubscription.
type Planned struct {
	Plan    *planned.Plan
	Body    []byte
	Remotes execute.Remotes
	// Operation is what metrics call it.
	Operation live.Operation
}

// Planner plans a subscription again, with the current metadata.
type Planner func(ctx context.Context) (Planned, error)

// Manager keeps the subscriptions that are running. It is safe for concurrent use.
type Manager struct {
	deps Deps

	mu      sync.Mutex
	closed  bool
	running map[*Subscription]struct{}
}

// Subscription is one that is running. Close ends it.
type Subscription struct {
	of      *Manager
	planned Planned // its Plan belongs to the Manager's mu
	again   Planner
	ctx     context.Context //nolint:containedctx // it ends with the subscription
	cancel  context.CancelCauseFunc
}

// New returns a Manager of no subscriptions.
func New(d Deps) *Manager { return &Manager{deps: d, running: map[*Subscription]struct{}{}} }

var errStopping = unavailable("the query-executor is stopping: subscribe again")

func unavailable(message string) *apierror.Error {
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

// Open begins a subscription that was planned; again plans it after changes of the metadata. It
// lasts no longer than ctx.
func (m *Manager) Open(ctx context.Context, p Planned, again Planner) (*Subscription, error) {
	s := &Subscription{of: m, planned: p, again: again}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if err := m.add(s); err != nil {
		s.cancel(err)
		return nil, err
	}
	m.deps.Count(p.Operation, 1)
	if !m.deps.Valid(p.Plan) {
		m.recheck([]*Subscription{s}) // it changed before the subscription was counted in
	}
	return s, nil
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.of.deps.Count(s.planned.Operation, -1)
	s.of.remove(s)
	s.cancel(nil)
}

// Follow hands answers to send as they come, each with the version of the metadata that it is good
// for, 0 for none. It returns when the remote ends the subscription; an error is why it ended
// otherwise.
func (s *Subscription) Follow(send func(answer []byte, version int64) error) error {
	return s.current().RemoteSubscription().Follow(s.ctx, s.of.deps.Tracer, s.planned.Remotes, s.planned.Body, func(answer []byte) error {
		return send(answer, s.of.deps.Version(s.current()))
	})
}

// current is the plan of the subscription.
func (s *Subscription) current() *planned.Plan {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.planned.Plan
}

// add counts a subscription in.
func (m *Manager) add(s *Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errStopping
	case len(m.running) >= maxRunning:
		return unavailable("too many subscriptions on remote schemas")
	}
	m.running[s] = struct{}{}
	return nil
}

func (m *Manager) remove(s *Subscription) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, s)
}

// Close ends all subscriptions.
func (m *Manager) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for s := range m.running {
		s.cancel(errStopping)
	}
}

// Running is the number of subscriptions that are running.
func (m *Manager) Running() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.running)
}

// Changed looks at the subscriptions whose plans are not valid any more after a change of the metadata.
// It returns the rest of the work, which takes time; nil for none.
func (m *Manager) Changed() func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var stale []*Subscription
	for s := range m.running {
		if !m.deps.Valid(s.planned.Plan) {
			stale = append(stale, s)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return func() { m.recheck(stale) }
}

// recheck plans subscriptions again after a change of the metadata, and ends those that a
// subscriber would notice a difference to.
func (m *Manager) recheck(list []*Subscription) {
	for _, s := range list {
		var next Planned
		err := guard.Do(m.deps.Log, "panic in the planning of a subscription", func() (err error) {
			next, err = s.again(context.Background())
			return err
		})
		m.mu.Lock()
		if err == nil && !next.Plan.RemoteSubscription().Same(s.planned.Plan.RemoteSubscription(), next.Body, s.planned.Body) {
			err = apierror.New(apierror.RemoteSchemaError, "the remote schema or its permissions have changed: subscribe again")
		}
		if err == nil {
			s.planned.Plan = next.Plan
		}
		m.mu.Unlock()
		if err != nil {
			s.cancel(err)
		}
	}
}
