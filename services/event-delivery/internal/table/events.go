package table

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/delivery"
)

const (
	// recordVersion is the version of the invocation records of events of tables.
	recordVersion = "2"
	// unknownDelay is when an event is tried again whose trigger this process doesn't know.
	unknownDelay = time.Minute
	// largestBody is the largest event that is put into a message of the queue; a larger one is read
	// from its log by the worker that delivers it.
	largestBody = 256 << 10
	// recordPatience bounds one attempt to write outcomes.
	recordPatience = 15 * time.Second
)

// queue is where deliveries go; a *bus.Deliveries.
type queue interface {
	Publish(ctx context.Context, list []bus.Outgoing) error
}

// Config is what Events work with.
type Config struct {
	// Open opens a source; it makes no connection yet.
	Open   open.Open
	Queue  queue
	Env    metadata.Env
	Now    func() time.Time
	Logger *slog.Logger
	// Batch is how many events are taken at once, Interval how often they are looked for
	// without a notification. Nothing is taken when one of them is 0.
	Batch    int
	Interval time.Duration
	// Concurrency is how many webhooks this process calls at once.
	Concurrency int
	Metrics     *Metrics

	statistics *statistics
}

// Events delivers the events of tables. It is safe for concurrent use.
type Events struct {
	Config
	pool *open.Pool

	mu      sync.Mutex
	sources map[string]*source
	stopped bool
	running sync.WaitGroup
}

// New returns Events that know no sources yet.
func New(c Config) *Events {
	c.statistics = &statistics{}
	return &Events{Config: c, pool: open.New(c.Open), sources: map[string]*source{}}
}

// Follow applies a version of the metadata.
func (e *Events) Follow(s *snapshot.Snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return
	}
	var wanted []*metadata.Source
	for _, m := range s.Document.Sources {
		old := e.sources[m.Name]
		var before map[string]*trigger
		if old != nil {
			before = old.known()
		}
		// Half of the calls of a process are left to others, whatever a webhook does.
		triggers := triggersOf(m, before, e.Env, e.Concurrency/2)
		if len(triggers) == 0 {
			continue
		}
		wanted = append(wanted, m)
		if old != nil && open.Same(old.meta, m) {
			old.learn(triggers, s.Version)
			continue
		}
		if old != nil {
			old.end()
			delete(e.sources, m.Name)
		}
		e.begin(m, triggers, s.Version)
	}
	for name, old := range e.sources {
		if !slices.ContainsFunc(wanted, func(m *metadata.Source) bool { return m.Name == name }) {
			old.end()
			delete(e.sources, name)
		}
	}
	e.pool.Retain(wanted)
	e.Metrics.setPaused(e.sources)
}

// begin opens a source and starts to take its events.
func (e *Events) begin(m *metadata.Source, triggers map[string]*trigger, version int64) {
	opened, err := e.pool.Use(m)
	if err != nil {
		e.Logger.Warn("source with event triggers can't be opened", "source", m.Name, "error", err)
		return
	}
	log, ok := opened.Source.(backend.EventLog)
	if !ok {
		opened.Release()
		return
	}
	s := newSource(&e.Config, m, log)
	s.learn(triggers, version)
	e.sources[m.Name] = s
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	e.running.Go(func() {
		defer opened.Release()
		s.run(ctx)
	})
}

// StopTaking takes no more events; those in progress are still leased and recorded.
func (e *Events) StopTaking() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for _, s := range e.sources {
		s.pause()
	}
}

// Stop closes everything.
func (e *Events) Stop() {
	e.mu.Lock()
	e.stopped = true
	for name, s := range e.sources {
		s.end()
		delete(e.sources, name)
	}
	e.mu.Unlock()
	e.running.Wait()
	e.pool.Close()
}

func (e *Events) source(name string) *source {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sources[name]
}

// message is the content of an event in the queue besides its names.
type message struct {
	// Body is what a webhook gets but for delivery_info; nil when it is too large.
	Body json.RawMessage `json:"body,omitempty"`
	// Due is when the event was made or its retry was due, in microseconds.
	Due int64 `json:"due"`
	// Again reports whether the event was taken before.
	Again bool `json:"again,omitempty"`
	// Taken is how often the webhook has taken the event before.
	Taken int `json:"taken,omitempty"`
	// Lease names the taking of the event.
	Lease string `json:"lease,omitempty"`
}

// Admit reports whether an event is still to be delivered: one that another worker had may have its
// outcome already. Of an ordered trigger it must be the caller's by its lease: a message whose
// acknowledgement was lost comes again as if it were new, when a later event of its row may have been
// delivered.
func (e *Events) Admit(ctx context.Context, d *deliveryv1.Delivery, stale bool) (bool, error) {
	s := e.source(d.GetSource())
	if s == nil {
		return true, nil // Prepare puts it off
	}
	var m message
	unreadable := json.Unmarshal(d.GetEvent(), &m) != nil // Prepare gives its outcome
	if m.Lease != "" && s.ordered(d.GetTrigger()) {
		claimed, err := s.log.ClaimEvent(ctx, d.GetEventId(), m.Lease)
		if err != nil || !claimed {
			return false, err
		}
		stale = false
	}
	if !s.take(d.GetEventId()) {
		return false, nil
	}
	if unreadable || m.Body != nil && !m.Again && !stale {
		return true, nil //nolint:nilerr // Prepare gives its outcome
	}
	found, err := s.log.PendingEvents(ctx, []string{d.GetEventId()})
	if err != nil || len(found) == 0 || found[0].Tries != int(d.GetTries()) {
		s.leave(d.GetEventId())
		return false, err
	}
	m.Body, m.Taken = found[0].Body, found[0].Taken
	d.Event, err = metadata.Encode(m)
	return true, err
}

// Leave ends what Admit began. Without an outcome an event of an ordered trigger is to be taken again:
// no other process can claim it.
func (e *Events) Leave(d *deliveryv1.Delivery, ended bool) {
	s := e.source(d.GetSource())
	if s == nil {
		return
	}
	s.leave(d.GetEventId())
	if !ended && s.ordered(d.GetTrigger()) {
		s.release(context.Background(), []string{d.GetEventId()})
	}
}

// Prepare makes the call of an event.
func (e *Events) Prepare(d *deliveryv1.Delivery) (*delivery.Attempt, *delivery.Outcome) {
	var t *trigger
	s := e.source(d.GetSource())
	if s != nil {
		t = s.known()[d.GetTrigger()]
	}
	if t == nil {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Waiting, RetryAt: e.Now().Add(unknownDelay)}
	}
	paused := func() bool { return s.paused(t.Name) }
	if paused() {
		return nil, delivery.Withheld(d.GetEventId(), e.Now())
	}
	var m message
	if err := json.Unmarshal(d.GetEvent(), &m); err != nil || len(m.Body) < 2 {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Failed}
	}
	due := time.UnixMicro(m.Due)
	a := &delivery.Attempt{
		EventID: d.GetEventId(), Taken: m.Taken, Tries: int(d.GetTries()), Version: recordVersion, Target: t.target,
		Body: withDeliveryInfo(m.Body, int(d.GetTries()), t.Retry.Retries), Gate: gate{t.pace, e.Metrics}, Paused: paused,
		Described: fmt.Sprintf("Event Trigger %q", t.Name), Span: "Event trigger: " + t.Name, Trace: traceOf(m.Body),
		Sent: func(c delivery.Call) { e.Metrics.called(d.GetSource(), t.Name, due, c) },
	}
	if t.target.Request != nil || t.target.Response != nil {
		a.Session = sessionOf(m.Body)
	}
	return a, nil
}

// withDeliveryInfo adds what only an attempt knows to the body, which is an object.
func withDeliveryInfo(body json.RawMessage, retry, most int) []byte {
	b := make([]byte, 0, len(body)+64)
	b = append(b, `{"delivery_info":{"current_retry":`...)
	b = strconv.AppendInt(b, int64(retry), 10)
	b = append(b, `,"max_retries":`...)
	b = strconv.AppendInt(b, int64(most), 10)
	b = append(b, `},`...)
	return append(b, body[1:]...)
}

// sessionOf are the session variables of the request that made the event, nil for none.
func sessionOf(body json.RawMessage) map[string]string {
	var parts struct {
		Event struct {
			Session map[string]string `json:"session_variables"`
		} `json:"event"`
	}
	if err := json.Unmarshal(body, &parts); err != nil {
		return nil
	}
	return parts.Event.Session
}

// traceOf is the trace of the request that wrote the row. Most events have none.
func traceOf(body json.RawMessage) trace.SpanContext {
	if !bytes.Contains(body, []byte(`"trace_id"`)) {
		return trace.SpanContext{}
	}
	var parts struct {
		Event struct {
			Trace json.RawMessage `json:"trace_context"`
		} `json:"event"`
	}
	if err := json.Unmarshal(body, &parts); err != nil {
		return trace.SpanContext{}
	}
	return delivery.TraceOf(parts.Event.Trace)
}

var states = map[delivery.State]backend.EventState{
	delivery.Delivered: backend.EventDelivered, delivery.Waiting: backend.EventWaiting, delivery.Failed: backend.EventFailed,
	delivery.Dead: backend.EventFailed,
}

// Record writes outcomes of one source. Those of a source that is gone have nowhere to go.
func (e *Events) Record(ctx context.Context, outcomes []delivery.Outcome) error {
	s := e.source(outcomes[0].Source)
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	list := make([]backend.EventOutcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = backend.EventOutcome{ID: o.EventID, State: states[o.State], RetryAt: o.RetryAt}
		if o.Invocation != nil {
			list[i].Invocation, list[i].Status = o.Invocation.ID, o.Invocation.Status
			list[i].Request, list[i].Response = o.Invocation.Request, o.Invocation.Response
		}
	}
	if err := s.log.RecordEvents(ctx, list); err != nil {
		return err
	}
	s.signal() // there are free slots
	e.Metrics.ended(outcomes)
	return nil
}
