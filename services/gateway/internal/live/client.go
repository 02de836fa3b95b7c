package live

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// Bus is what a Client needs of a *bus.Bus.
type Bus interface {
	Call(ctx context.Context, ep bus.Endpoint, req proto.Message, newHead func() proto.Message, sink bus.Sink) error
	CallMessage(ctx context.Context, ep bus.Endpoint, req proto.Message, newHead func() proto.Message, limit int) (proto.Message, []byte, error)
	Publish(t bus.Topic, m proto.Message) error
	Lacks(service, instance string) bool
	Subscribe(t bus.Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error)
}

// Receiver takes what a subscription delivers. Its methods are called one after the other and
// must not wait.
type Receiver interface {
	// Data is a response document, which is read-only. Receivers of a stream that can't take it refuse:
	// it comes again after Resume. Of a live query false means nothing.
	Data(document []byte, stream bool) bool
	// Fail is an error of a subscription that goes on.
	Fail(e *apierror.Error)
	// End is the end; e is why, nil for no error.
	End(e *apierror.Error)
}

const (
	// silence is how long an executor is believed to be there without a sign of it.
	silence = 3500 * time.Millisecond
	// patience is how long a new subscription waits for an executor.
	patience = 5 * time.Second
	// movers is how many subscriptions move at once.
	movers = 32
	// moveWithin is how long one of them may take: others wait for its place.
	moveWithin = 10 * time.Second
	// retryAfter is the pause before a move that failed is tried again.
	retryAfter = 200 * time.Millisecond
)

// Config is what a Client works with.
type Config struct {
	Bus Bus
	// MinVersion is the newest version of the metadata that is known.
	MinVersion func() int64
	Log        *slog.Logger
}

// Client keeps subscriptions. It is safe for concurrent use.
type Client struct {
	config Config
	base   context.Context //nolint:containedctx // the life of the links
	stop   context.CancelFunc
	moves  chan struct{}

	mu            sync.Mutex
	executors     map[string]time.Time     // by instance: when it was last heard of
	changed       chan struct{}            // closed when an executor comes
	links         map[string]*link         // by instance
	subscriptions map[uint64]*Subscription // by id
	last          uint64
	running       sync.WaitGroup
}

// NewClient returns a Client that knows no executor before Start.
func NewClient(c Config) *Client {
	client := &Client{
		config: c, moves: make(chan struct{}, movers), executors: map[string]time.Time{}, changed: make(chan struct{}),
		links: map[string]*link{}, subscriptions: map[uint64]*Subscription{},
	}
	client.base, client.stop = context.WithCancel(context.Background())
	return client
}

// Start finds the executors, and keeps finding them.
func (c *Client) Start() error {
	stop, err := c.config.Bus.Subscribe(bus.LiveExecutors, func() proto.Message { return &queryv1.LiveExecutor{} }, func(m proto.Message) {
		if e, ok := m.(*queryv1.LiveExecutor); ok {
			c.heard(e.GetInstance(), e.GetLeaving())
		}
	})
	if err != nil {
		return err
	}
	c.running.Go(func() {
		defer stop()
		tick := time.NewTicker(silence / 4)
		defer tick.Stop()
		for {
			select {
			case <-c.base.Done():
				return
			case now := <-tick.C:
				c.forget(now)
			}
		}
	})
	return c.config.Bus.Publish(bus.LiveRollCall, &queryv1.LiveRollCall{})
}

// Stop ends all subscriptions without a word to their receivers.
func (c *Client) Stop() {
	c.stop()
	c.running.Wait()
}

// heard notes that an executor is there, or leaves.
func (c *Client) heard(instance string, leaving bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leaving {
		delete(c.executors, instance)
		return // its link ends when it has stopped, and what is on it moves
	}
	_, known := c.executors[instance]
	c.executors[instance] = time.Now()
	if !known {
		close(c.changed)
		c.changed = make(chan struct{})
		c.rebalance()
	}
}

// forget drops the executors that have fallen silent.
func (c *Client) forget(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for instance, at := range c.executors {
		if now.Sub(at) > silence {
			delete(c.executors, instance)
			if l := c.links[instance]; l != nil {
				l.cancel()
			}
		}
	}
}

// rebalance moves the subscriptions that another executor is better for. The caller holds mu.
func (c *Client) rebalance() {
	for _, s := range c.subscriptions {
		if s.link != nil && c.best(s.key) != s.link.instance {
			c.move(s)
		}
	}
}

// best is the executor for a subscription, "" when there is none; one that lacks nothing, if there is one. The caller holds mu.
func (c *Client) best(key uint64) string {
	best, highest, bestLacks := "", uint64(0), false
	for instance := range c.executors {
		n, lacks := score(key, instance), c.config.Bus.Lacks(bus.ServiceQueryExecutor, instance)
		better := n > highest || n == highest && instance > best
		if best == "" || bestLacks && !lacks || better && bestLacks == lacks {
			best, highest, bestLacks = instance, n, lacks
		}
	}
	return best
}

// executor is the best executor. When there is none it waits for one, for a while.
func (c *Client) executor(ctx context.Context, key uint64) (string, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		c.mu.Lock()
		best, changed := c.best(key), c.changed
		c.mu.Unlock()
		if best != "" {
			return best, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", ctx.Err()
		case <-deadline.C:
			return "", unavailable("no " + bus.ServiceQueryExecutor + " is available")
		}
	}
}

func unavailable(message string) *apierror.Error {
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

// passes reports whether an error is one of the moment: another try may succeed.
func passes(err error) bool {
	return apierror.From(err).Status == http.StatusServiceUnavailable || apierror.From(err).Code == apierror.Busy
}

// linkTo is the link to an executor, which is opened when there is none.
func (c *Client) linkTo(instance string) *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.links[instance]; l != nil {
		return l
	}
	l := &link{client: c, name: uuid.NewString(), instance: instance, open: make(chan struct{}), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(c.base)
	c.links[instance] = l
	c.running.Go(l.run)
	return l
}

// lost moves the subscriptions of a link that has ended.
func (c *Client) lost(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.links[l.instance] == l {
		delete(c.links, l.instance)
		delete(c.executors, l.instance) // until it is heard of again
	}
	if c.base.Err() != nil {
		return
	}
	for _, s := range c.subscriptions {
		if s.link == l {
			c.move(s)
		}
	}
}
