package live

import (
	"bytes"
	"context"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/request"
)

// panicked is the log message of a panic, which ends the subscription.
const panicked = "panic in a subscription"

// Subscription is a running subscription.
type Subscription struct {
	client    *Client
	key       uint64
	operation *queryv1.ExecuteRequest
	ctx       context.Context //nolint:containedctx // the life of the subscription
	cancel    context.CancelFunc

	// These belong to Client.mu. link is where results come from, nil while there is none, and id the
	// name there: each place has another one, so that leaving one can't be mistaken for leaving the
	// next. moving reports whether a goroutine is looking for a place.
	link   *link
	id     uint64
	moving bool
	closed bool
	// paused reports whether the receiver of a stream was full.
	paused bool
	// about is the executor's description of the operation.
	about request.Description
	// resumed is signalled when the receiver can take more. It is nil until the subscription turns out
	// to be one that a remote schema answers.
	resumed chan struct{}

	// headers are what remote schemas may be shown of the client's request; it may be nil.
	headers func() map[string]string

	// taking has the receiver called by one goroutine at a time.
	taking   sync.Mutex
	receiver Receiver
	ended    bool
	// hash is that of the last result, cursor where a stream has got to.
	hash   []byte
	cursor []byte
}

// Subscribe begins a subscription and returns once it is known to be in order. Results may
// come before that. headers are what remote schemas may be shown of the client's request, for
// those subscriptions that they answer; it may be nil.
func (c *Client) Subscribe(ctx context.Context, operation *queryv1.ExecuteRequest, headers func() map[string]string, r Receiver) (*Subscription, error) {
	s := &Subscription{
		client: c, operation: operation, receiver: r, headers: headers,
		key: keyOf(operation.GetSession().GetRole(), operation.GetQuery(), operation.GetOperationName()),
	}
	// What is done for the subscription later on belongs to the trace of its client, too.
	s.ctx, s.cancel = context.WithCancel(trace.ContextWithSpanContext(c.base, trace.SpanContextFromContext(ctx)))
	s.moving = true
	for attempts := 3; ; attempts-- {
		err := s.place(ctx)
		switch {
		case err == nil:
			return s, nil
		case attempts == 0 || !passes(err) || ctx.Err() != nil:
			s.Close()
			return nil, err
		}
		if !lifecycle.Sleep(ctx, retryAfter) {
			s.Close()
			return nil, ctx.Err()
		}
	}
}

// Description is the executor's description of the operation; the zero value when it wasn't requested.
func (s *Subscription) Description() request.Description {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	return s.about
}

// place puts a subscription on the best executor.
func (s *Subscription) place(ctx context.Context) error {
	c := s.client
	instance, err := c.executor(ctx, s.key)
	if err != nil {
		return err
	}
	l := c.linkTo(instance)
	c.mu.Lock()
	delete(c.subscriptions, s.id)
	c.last++
	id := c.last
	if !s.closed {
		s.link, s.id = l, id
		c.subscriptions[id] = s
	}
	c.mu.Unlock()
	s.operation.MinVersion = c.config.MinVersion() // not the larger one: a restored database starts counting again
	s.taking.Lock()
	r := &queryv1.SubscribeRequest{Subscriber: id, Operation: s.operation, Hash: s.hash, Cursor: s.cursor}
	s.taking.Unlock()
	head, err := l.subscribe(ctx, r)
	if err == nil {
		c.mu.Lock()
		s.about = request.Describe(head)
		c.mu.Unlock()
		s.taking.Lock()
		if head.Cursor != nil && s.cursor == nil { // else there was a result meanwhile
			s.cursor = head.GetCursor()
		}
		s.taking.Unlock()
		if head.GetRemote() {
			s.follow(instance)
			return nil
		}
		err = s.placed(l, id)
	}
	if err != nil {
		c.mu.Lock()
		if s.link == l {
			s.link = nil
		}
		c.mu.Unlock()
		l.unsubscribe(id) // it may have arrived although the answer did not
	}
	return err
}

// placed ends a move. It fails when the place was given up while it was found.
func (s *Subscription) placed(l *link, id uint64) error {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.closed || s.paused {
		s.moving = false
		l.unsubscribe(id)
		return nil
	}
	if s.link != l || l.ctx.Err() != nil {
		return unavailable("the link has ended")
	}
	s.moving = false
	if c.best(s.key) != l.instance {
		c.move(s) // an executor came in the meantime
	}
	return nil
}

// move takes a subscription to another executor. The caller holds mu.
func (c *Client) move(s *Subscription) {
	if s.link != nil {
		s.link.unsubscribe(s.id)
		s.link = nil
	}
	if s.moving || s.paused {
		return
	}
	s.moving = true
	go s.replace()
}

// replace places a subscription again, however long that takes.
func (s *Subscription) replace() {
	c := s.client
	for s.ctx.Err() == nil {
		select {
		case c.moves <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		moving, done := context.WithTimeout(s.ctx, moveWithin)
		err := guard.Do(c.config.Log, panicked, func() error { return s.place(moving) })
		late := moving.Err() != nil
		done()
		<-c.moves
		switch {
		case err == nil || s.ctx.Err() != nil:
			return
		case !late && !passes(err):
			s.end(apierror.From(err))
			return
		}
		lifecycle.Sleep(s.ctx, retryAfter)
	}
}

// find is a subscription whose results come over a link.
func (c *Client) find(id uint64, l *link) *Subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.subscriptions[id]; s != nil && s.link == l {
		return s
	}
	return nil
}

// take hands a result to the receiver.
func (s *Subscription) take(l *link, id uint64, m *queryv1.LiveResult) {
	s.taking.Lock()
	defer s.taking.Unlock()
	if s.ended || s.client.find(id, l) != s {
		return
	}
	e := m.GetError()
	switch {
	case m.GetEnd():
		var why *apierror.Error
		if e != nil {
			why = errorOf(e)
		}
		s.finish(why)
	case e != nil:
		s.hash = nil
		s.receiver.Fail(errorOf(e))
	case m.GetVersion() < s.client.config.MinVersion():
		s.outdated()
	case !s.receiver.Data(m.GetData(), m.Cursor != nil) && m.Cursor != nil:
		s.pause()
	default:
		s.hash = m.GetHash()
		if m.Cursor != nil {
			s.cursor = bytes.Clone(m.GetCursor())
		}
	}
}

// outdated requests a result again that was made by metadata older than the gateway's: its client may
// no longer be allowed to see it. The executor answers by the version that the gateway follows, and
// continues behind what the client has seen.
func (s *Subscription) outdated() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	c.move(s)
}

func errorOf(e *queryv1.LiveError) *apierror.Error {
	out := apierror.New(apierror.Code(e.GetCode()), e.GetMessage())
	out.Path = e.GetPath()
	return out
}

// pause suspends a stream until its receiver can take more.
func (s *Subscription) pause() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	s.paused = true
	if s.link != nil {
		s.link.unsubscribe(s.id)
		s.link = nil
	}
}

// Resume continues a stream whose receiver was full, behind the last batch that it took.
func (s *Subscription) Resume() {
	s.taking.Lock() // a refusal that is under way comes first
	defer s.taking.Unlock()
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.resumed != nil {
		select {
		case s.resumed <- struct{}{}:
		default:
		}
		return
	}
	if !s.paused || s.closed {
		return
	}
	s.paused = false
	c.move(s)
}

// end ends a subscription that can't go on.
func (s *Subscription) end(e *apierror.Error) {
	s.taking.Lock()
	defer s.taking.Unlock()
	if !s.ended {
		s.finish(e)
	}
}

// finish tells the receiver that the subscription has ended. The caller holds taking.
func (s *Subscription) finish(e *apierror.Error) {
	s.ended = true
	s.Close()
	s.receiver.End(e)
}

// Close ends the subscription. Its receiver may be called once more, from another goroutine.
func (s *Subscription) Close() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	delete(c.subscriptions, s.id)
	s.cancel()
	if s.link != nil {
		s.link.unsubscribe(s.id)
		s.link = nil
	}
}
