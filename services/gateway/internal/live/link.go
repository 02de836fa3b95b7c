package live

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	queryv1 "queryengine/proto/query/v1"
)

// openWithin is how long an executor may take to answer on a new link, leaveWithin how long a
// subscription may take to leave.
const (
	openWithin  = 5 * time.Second
	leaveWithin = 10 * time.Second
)

// link is the long answer of one executor.
type link struct {
	client   *Client
	name     string
	instance string
	ctx      context.Context //nolint:containedctx // the life of the link
	cancel   context.CancelFunc
	// open is closed when the executor has answered, ended when the link is gone.
	open, ended chan struct{}
	opened      bool

	results frames

	mu sync.Mutex
	// leaving are subscribers that are to leave; a goroutine is at it while sending is set.
	leaving []uint64
	sending bool
}

// run reads results until the link ends.
func (l *link) run() {
	err := l.client.config.Bus.Call(l.ctx, bus.LiveLink(l.instance), &queryv1.LinkRequest{Link: l.name}, nil, l)
	l.cancel()
	close(l.ended)
	if l.client.base.Err() == nil {
		l.client.config.Log.Debug("direct connection to an executor ended", "instance", l.instance, "error", err)
	}
	l.client.lost(l)
}

// ready waits until the executor has answered.
func (l *link) ready(ctx context.Context) error {
	timeout := time.NewTimer(openWithin)
	defer timeout.Stop()
	select {
	case <-l.open:
		return nil
	case <-l.ended:
	case <-timeout.C:
		l.cancel()
	case <-ctx.Done():
		return ctx.Err()
	}
	return unavailable("the " + bus.ServiceQueryExecutor + " does not answer")
}

// Head implements bus.Sink.
func (*link) Head(proto.Message) error { return nil }

// Write takes the next piece of the answer.
func (l *link) Write(p []byte) (int, error) { return l.results.write(p, l.take) }

// take hands a result to its subscribers.
func (l *link) take(m *queryv1.LiveResult) error {
	if !l.opened {
		l.opened = true
		close(l.open)
	}
	for _, id := range m.GetSubscribers() {
		if s := l.client.find(id, l); s != nil {
			if err := guard.Do(l.client.config.Log, panicked, func() error { s.take(l, id, m); return nil }); err != nil {
				s.end(apierror.From(err))
			}
		} else if !m.GetEnd() {
			l.unsubscribe(id) // the executor has not heard of it
		}
	}
	return nil
}

// subscribe begins a subscription on the executor, unless a remote schema answers it.
func (l *link) subscribe(ctx context.Context, r *queryv1.SubscribeRequest) (*queryv1.SubscribeHead, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	r.Link = l.name
	m, _, err := l.client.config.Bus.CallMessage(ctx, bus.LiveSubscribe(l.instance), r, newSubscribeHead, 0)
	head, _ := m.(*queryv1.SubscribeHead)
	return head, err
}

func newSubscribeHead() proto.Message { return &queryv1.SubscribeHead{} }

// unsubscribe ends a subscription on the executor. Several that end at once are one request.
func (l *link) unsubscribe(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = append(l.leaving, id)
	if l.sending || l.ctx.Err() != nil {
		return
	}
	l.sending = true
	go l.leave()
}

func (l *link) leave() {
	for {
		l.mu.Lock()
		ids := l.leaving
		l.leaving = nil
		l.sending = len(ids) > 0
		l.mu.Unlock()
		if len(ids) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(l.ctx, leaveWithin)
		_, _, err := l.client.config.Bus.CallMessage(ctx, bus.LiveUnsubscribe(l.instance),
			&queryv1.UnsubscribeRequest{Link: l.name, Subscribers: ids}, nil, 0)
		cancel()
		if err != nil && l.ctx.Err() == nil && !passes(err) {
			l.client.config.Log.Warn("subscriptions did not end", "error", apierror.From(err))
		}
	}
}
