package live

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/execute"
)

// Options configure how often subscriptions of a kind are run, and how many cohorts at once.
type Options struct {
	Interval time.Duration
	Batch    int
	// Patience is how long a statement for several cohorts may take; 0 is the default.
	Patience time.Duration
}

// Deps are what a Manager works with.
type Deps struct {
	// Use gives a source by its name, and the function that ends its use.
	Use func(source string) (backend.LiveSource, func(), error)
	// Queries and Streams are the options of the two kinds.
	Queries, Streams Options
	// SkipEmpty sends no results of live queries in which nothing was found.
	SkipEmpty bool
	Metrics   *Metrics
	// Version is the metadata version that a plan is good for now, 0 for none.
	Version func(plan any) int64
	// ChangeLog gives the changes of a source whose log another service reads.
	ChangeLog func(source string) backend.Changes
	// Calls knows which calls of asynchronous actions have ended.
	Calls CallLog
	// Tracer makes the spans of the statements.
	Tracer trace.Tracer
	// Log takes a line for each cycle of a poller.
	Log *slog.Logger
}

// statements bounds how many statements of subscriptions run at once on a source: queries and mutations
// share the connections.
const statements = 16

// places bound the statements of a source, so that one that hangs leaves those of the others alone: taken is for shared
// statements, alone for cohorts that run by themselves.
type places struct{ taken, alone chan struct{} }

// Subscription is a planned subscription.
type Subscription struct {
	// Plan and Request are the caller's: for Stale, and to plan again.
	Plan, Request any
	// Live is the statement; Calls take its place in a subscription about calls of actions.
	Live  *execute.Live
	Calls *Calls
	// Remote reports whether a remote schema answers the subscription, which isn't for a Manager then.
	Remote bool
	// Values are the cohort's.
	Values [][]byte
	Role   string
	// Operation is what the subscription is counted as.
	Operation Operation
	// Hash identifies the result that the subscriber has, if it has one.
	Hash []byte
	// Cursor is where a stream has got to, nil for where it begins.
	Cursor []byte
}

// Manager keeps all subscriptions of the process. It is safe for concurrent use.
type Manager struct {
	deps Deps
	base context.Context //nolint:containedctx // the life of the pollers
	stop context.CancelFunc

	// mu comes before a poller's, and that before a link's.
	mu      sync.Mutex
	closed  bool
	links   map[string]*Link
	places  map[string]places // by source
	pollers map[string]*poller
	feeds   map[string]*changeFeed // by source
	calls   *watch                 // nil until a subscription asks about calls
	running sync.WaitGroup
}

// New returns a Manager without subscriptions.
func New(d Deps) *Manager {
	m := &Manager{deps: d, places: map[string]places{}, links: map[string]*Link{}, pollers: map[string]*poller{}, feeds: map[string]*changeFeed{}}
	m.base, m.stop = context.WithCancel(context.Background())
	return m
}

func unavailable(message string) *apierror.Error {
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

// Open opens a link. The caller serves it, and closes it.
func (m *Manager) Open(name string) (*Link, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, unavailable("the query-executor is stopping")
	}
	if m.links[name] != nil {
		return nil, apierror.New(apierror.Unexpected, "the link is open already")
	}
	l := newLink(m, name)
	m.links[name] = l
	return l, nil
}

// drop ends a link and its subscriptions.
func (m *Manager) drop(l *Link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.links[l.name] != l {
		return
	}
	delete(m.links, l.name)
	for _, s := range l.subscribers {
		m.detach(s)
	}
	l.subscribers = nil
}

// Join begins a subscription. One that selects nothing (it has neither Live nor Calls) ends at
// once.
func (m *Manager) Join(link string, id uint64, s Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.links[link]
	if l == nil || m.closed {
		return unavailable("the link of the subscription is not open")
	}
	if l.subscribers[id] != nil {
		return apierror.Newf(apierror.Unexpected, "the link has a subscriber %d already", id)
	}
	sub := &Subscriber{ID: id, Subscription: s, link: l}
	if s.Live == nil && s.Calls == nil {
		l.push(sub, &Result{End: true})
		return nil
	}
	l.subscribers[id] = sub
	m.attach(sub)
	return nil
}

// Leave ends subscriptions; those that are gone already don't matter.
func (m *Manager) Leave(link string, ids []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.links[link]
	if l == nil {
		return
	}
	for _, id := range ids {
		if s := l.subscribers[id]; s != nil {
			delete(l.subscribers, id)
			m.detach(s)
		}
	}
}

// CountRemote counts subscriptions that remote schemas answer: the manager has nothing else to do
// with them.
func (m *Manager) CountRemote(o Operation, n float64) { m.deps.Metrics.subscribers(remotes, o, n) }

// Stale takes out the subscribers whose plans are not good any more. Nothing is sent to them
// until Rejoin.
func (m *Manager) Stale(good func(plan any) bool) []*Subscriber {
	m.mu.Lock()
	defer m.mu.Unlock()
	var stale []*Subscriber
	for _, l := range m.links {
		for _, s := range l.subscribers {
			if s.runs() && !good(s.Plan) {
				stale = append(stale, s)
			}
		}
	}
	for _, s := range stale {
		s.keepPosition()
		m.detach(s)
	}
	return stale
}

// Rejoin goes on with a subscriber from Stale. What it has seen stays; of next only the plan
// counts.
func (m *Manager) Rejoin(s *Subscriber, next Subscription) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.link.subscribers[s.ID] != s || m.closed {
		return // it has left in the meantime
	}
	next.Request, next.Hash, next.Cursor = s.Request, s.Hash, s.Cursor
	s.Subscription = next
	m.attach(s)
}

// End ends a subscription with an error, nil for none.
func (m *Manager) End(s *Subscriber, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(s, err)
}

func (m *Manager) end(s *Subscriber, err error) {
	if s.link.subscribers[s.ID] != s {
		return
	}
	delete(s.link.subscribers, s.ID)
	m.detach(s)
	r := &Result{End: true}
	if err != nil {
		r.Err = apierror.From(err)
	}
	s.link.push(s, r)
}

// attach adds a subscriber to its poller, which is started when it is the first one, or to those that
// wait for calls.
func (m *Manager) attach(s *Subscriber) {
	if s.Calls != nil {
		m.watchCalls(s)
		s.watched = true
		return
	}
	key := s.Role + "\x00" + s.Live.Key()
	p := m.pollers[key]
	if p == nil {
		p = newPoller(m, key, s)
		p.feed, p.places = m.feed(s.Live), m.placesOf(s.Live.Source)
		m.pollers[key] = p
		m.running.Add(1)
		m.deps.Metrics.pollers(p.kind, 1)
		go p.run()
	}
	m.deps.Metrics.subscribers(p.kind, s.Operation, 1)
	p.join(s)
}

func (m *Manager) placesOf(source string) places {
	p, known := m.places[source]
	if !known {
		p = places{make(chan struct{}, statements), make(chan struct{}, aloneAtOnce)}
		m.places[source] = p
	}
	return p
}

// feed returns the change feed for a subscription; nil when its tables aren't known.
func (m *Manager) feed(l *execute.Live) *changeFeed {
	if len(l.Tables) == 0 {
		return nil
	}
	f := m.feeds[l.Source]
	if f == nil {
		f = newChangeFeed(m, l.Source)
		m.feeds[l.Source] = f
		m.running.Add(1)
		go f.run()
	}
	f.use()
	return f
}

// detach takes a subscriber from its poller, which is stopped when it was the last one.
func (m *Manager) detach(s *Subscriber) {
	if s.watched {
		s.watched = false
		m.deps.Metrics.subscribers(queries, s.Operation, -1)
		m.calls.remove(s)
	}
	p := s.poller
	if p == nil {
		return
	}
	m.deps.Metrics.subscribers(p.kind, s.Operation, -1)
	if p.leave(s) {
		delete(m.pollers, p.key)
		m.deps.Metrics.pollers(p.kind, -1)
		p.stop()
	}
}

// Close ends all links and returns when nothing runs any more.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	for _, l := range m.links {
		l.shut()
	}
	m.mu.Unlock()
	m.stop()
	m.running.Wait()
}
