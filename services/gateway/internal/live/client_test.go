package live

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
)

// fakeBus has executors that do what the test sets.
type fakeBus struct {
	mu        sync.Mutex
	executors func(proto.Message)
	links     map[string]*fakeLink // by subject
	// subscribed are the requests that came, in their order.
	subscribed chan *queryv1.SubscribeRequest
	refuse     error
	// version is that of the metadata which the gateway follows.
	version atomic.Int64
	// remote reports whether remote schemas answer all subscriptions.
	remote bool
	// hangs is the query of a subscription that isn't answered.
	hangs string
}

// fakeLink is a link: what is written to it arrives on the goroutine of the call.
type fakeLink struct {
	frames chan []byte
	taken  chan error
	end    chan struct{}
}

func (l *fakeLink) write(t *testing.T, p []byte) {
	t.Helper()
	l.frames <- p
	require.NoError(t, receive(t, l.taken))
}

func newFakeBus() *fakeBus {
	b := &fakeBus{links: map[string]*fakeLink{}, subscribed: make(chan *queryv1.SubscribeRequest, 10)}
	b.version.Store(7)
	return b
}

func (b *fakeBus) Call(ctx context.Context, ep bus.Endpoint, _ proto.Message, _ func() proto.Message, sink bus.Sink) error {
	l := &fakeLink{frames: make(chan []byte), taken: make(chan error), end: make(chan struct{})}
	b.mu.Lock()
	b.links[ep.Subject] = l
	b.mu.Unlock()
	if _, err := sink.Write(frame(&queryv1.LiveResult{})); err != nil {
		return err
	}
	for {
		select {
		case p := <-l.frames:
			_, err := sink.Write(p)
			l.taken <- err
		case <-ctx.Done():
			return ctx.Err()
		case <-l.end:
			return errors.New("gone")
		}
	}
}

func (b *fakeBus) CallMessage(ctx context.Context, _ bus.Endpoint, req proto.Message, _ func() proto.Message, _ int) (proto.Message, []byte, error) {
	if r, ok := req.(*queryv1.SubscribeRequest); ok {
		b.subscribed <- proto.Clone(r).(*queryv1.SubscribeRequest)
		if b.hangs != "" && r.GetOperation().GetQuery() == b.hangs {
			<-ctx.Done()
			return nil, nil, ctx.Err()
		}
		return &queryv1.SubscribeHead{Remote: b.remote}, nil, b.refuse
	}
	return nil, nil, nil
}

func (b *fakeBus) Lacks(string, string) bool { return false }

func (b *fakeBus) Publish(bus.Topic, proto.Message) error { return nil }

func (b *fakeBus) Subscribe(_ bus.Topic, _ func() proto.Message, h func(proto.Message)) (func(), error) {
	b.executors = h
	return func() {}, nil
}

func (b *fakeBus) link(instance string) *fakeLink {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.links[bus.LiveLink(instance).Subject]
}

func frame(m *queryv1.LiveResult) []byte {
	body, _ := proto.Marshal(m)
	return append(binary.AppendUvarint(nil, uint64(len(body))), body...)
}

// client collects what a subscription delivers.
type client struct {
	told chan string
	full bool
	// panics has results be panicked about.
	panics bool
}

func (c *client) Data(document []byte, _ bool) bool {
	if c.panics {
		panic("unforeseen")
	}
	if c.full {
		c.full = false
		c.told <- "full"
		return false
	}
	c.told <- string(document)
	return true
}
func (c *client) Fail(e *apierror.Error) { c.told <- "failed: " + e.Message }
func (c *client) End(e *apierror.Error) {
	if e == nil {
		c.told <- "end"
		return
	}
	c.told <- "end: " + e.Message
}

func setup(t *testing.T) (*fakeBus, *Client) {
	t.Helper()
	b := newFakeBus()
	c := NewClient(Config{Bus: b, MinVersion: b.version.Load, Log: telemetry.Discard()})
	require.NoError(t, c.Start())
	t.Cleanup(c.Stop)
	return b, c
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		require.Fail(t, "nothing has come")
	}
	panic("not reached")
}

// TestMove: a subscription whose executor goes continues elsewhere with what it has seen, and messages
// of the old executor no longer count.
func TestMove(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	r := &client{told: make(chan string, 10)}
	s, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "subscription { a }"}, nil, r)
	require.NoError(t, err)
	first := receive(t, b.subscribed)
	require.Empty(t, first.GetHash())
	one := b.link("one")
	text := frame(&queryv1.LiveResult{Subscribers: []uint64{first.GetSubscriber()}, Data: []byte("1"), Hash: []byte("h1"), Version: 7})
	for i := range text { // in whatever pieces
		one.write(t, text[i:i+1])
	}
	require.Equal(t, "1", receive(t, r.told))

	b.executors(&queryv1.LiveExecutor{Instance: "one", Leaving: true})
	b.executors(&queryv1.LiveExecutor{Instance: "two"}) // which it moves to
	second := receive(t, b.subscribed)
	require.NotEqual(t, first.GetLink(), second.GetLink())
	require.Equal(t, "h1", string(second.GetHash()))
	require.EqualValues(t, 7, second.GetOperation().GetMinVersion())
	one.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{first.GetSubscriber()}, Data: []byte("late")}))
	two := b.link("two")
	two.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{second.GetSubscriber()}, Error: &queryv1.LiveError{Message: "no"}}))
	require.Equal(t, "failed: no", receive(t, r.told))

	close(two.end) // as a crash
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	third := receive(t, b.subscribed)
	for third.GetLink() == second.GetLink() {
		third = receive(t, b.subscribed)
	}
	require.Empty(t, third.GetHash(), "after an error, the next result counts whatever it is")
	b.link("one").write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{third.GetSubscriber()}, End: true}))
	require.Equal(t, "end", receive(t, r.told))
	s.Close()
}

// TestPause: a stream whose client is full waits, and continues behind what it has taken.
// TestFaultsOnALinkAreTheirOwn: subscriptions share the link to an executor. One that is refused, that panics, whose result isn't for
// the metadata, or that its client leaves, has no effect on another.
func TestFaultsOnALinkAreTheirOwn(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	subscribe := func(r *client) (*Subscription, uint64) {
		t.Helper()
		s, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "subscription { a }"}, nil, r)
		require.NoError(t, err)
		return s, receive(t, b.subscribed).GetSubscriber()
	}
	well := &client{told: make(chan string, 10)}
	_, id := subscribe(well)
	link := b.link("one")
	goesOn := func() {
		t.Helper()
		link.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{id}, Data: []byte("1"), Version: 7}))
		require.Equal(t, "1", receive(t, well.told))
	}
	goesOn()
	panics := &client{told: make(chan string, 10), panics: true}
	_, faulty := subscribe(panics)
	link.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{faulty, id}, Data: []byte("2"), Version: 7}))
	require.Equal(t, "end: internal error", receive(t, panics.told))
	require.Equal(t, "2", receive(t, well.told))

	failed := &client{told: make(chan string, 10)}
	_, faulty = subscribe(failed)
	link.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{faulty}, Error: &queryv1.LiveError{Message: "no"}}))
	require.Equal(t, "failed: no", receive(t, failed.told))
	goesOn()
	leaves, faulty := subscribe(&client{told: make(chan string, 10)})
	leaves.Close()
	link.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{faulty}, Data: []byte("late"), Version: 7}))
	goesOn()
	full := &client{told: make(chan string, 10), full: true}
	_, faulty = subscribe(full)
	link.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{faulty}, Data: []byte("2"), Cursor: []byte("c"), Version: 7}))
	require.Equal(t, "full", receive(t, full.told))
	goesOn()
	b.refuse = apierror.New(apierror.ValidationFailed, "no such field") // what a role gets that lost its permission
	_, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "subscription { b }"}, nil, &client{})
	require.ErrorContains(t, err, "no such field")
	receive(t, b.subscribed)
	goesOn()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Subscribe(cancelled, &queryv1.ExecuteRequest{Query: "subscription { c }"}, nil, &client{})
	require.Error(t, err)
	goesOn()

	// One whose executor hangs while it begins.
	b.hangs, b.refuse = "subscription { d }", nil
	impatient, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 2 * movers {
		waiting.Go(func() { _, _ = c.Subscribe(impatient, &queryv1.ExecuteRequest{Query: b.hangs}, nil, &client{}) })
		receive(t, b.subscribed)
	}
	goesOn()
	leave()
	waiting.Wait()
	goesOn()
}

// TestMovesThatHang: however many subscriptions an executor doesn't answer, another one gets there.
func TestMovesThatHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFakeBus()
		c := NewClient(Config{Bus: b, MinVersion: b.version.Load, Log: telemetry.Discard()})
		require.NoError(t, c.Start())
		defer c.Stop()
		well := make(chan string, 2)
		go func() {
			for r := range b.subscribed {
				if q := r.GetOperation().GetQuery(); q == "well" {
					well <- q
				}
			}
		}()
		defer close(b.subscribed)
		b.executors(&queryv1.LiveExecutor{Instance: "one"})
		for range 3 * movers {
			s, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "hangs"}, nil, &client{told: make(chan string, 10)})
			require.NoError(t, err)
			defer s.Close()
		}
		s, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "well"}, nil, &client{told: make(chan string, 10)})
		require.NoError(t, err)
		defer s.Close()
		<-well
		synctest.Wait()
		began := time.Now()
		b.hangs = "hangs"
		b.executors(&queryv1.LiveExecutor{Instance: "one", Leaving: true})
		for came := false; !came; {
			b.executors(&queryv1.LiveExecutor{Instance: "two"}) // it is there
			select {
			case <-well:
				came = true
			case <-time.After(time.Second):
				require.Less(t, time.Since(began), time.Hour)
			}
		}
	})
}

func TestPause(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	r := &client{told: make(chan string, 10)}
	s, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "subscription { a_stream }"}, nil, r)
	require.NoError(t, err)
	first := receive(t, b.subscribed)
	l := b.link("one")
	send := func(id uint64, data, cursor string) {
		t.Helper()
		l.write(t, frame(&queryv1.LiveResult{Subscribers: []uint64{id}, Data: []byte(data), Cursor: []byte(cursor), Version: 7}))
	}
	send(first.GetSubscriber(), "1", "c1")
	require.Equal(t, "1", receive(t, r.told))
	r.full = true
	send(first.GetSubscriber(), "2", "c2")
	require.Equal(t, "full", receive(t, r.told))
	send(first.GetSubscriber(), "3", "c3") // it was under way
	s.Resume()
	second := receive(t, b.subscribed)
	require.Equal(t, "c1", string(second.GetCursor()))
	require.NotEqual(t, first.GetSubscriber(), second.GetSubscriber())
	require.Empty(t, r.told)
}

// TestResultOfOlderMetadata: results of an executor that lags behind the gateway are not shown, and are
// requested again by the version that the gateway follows.
func TestResultOfOlderMetadata(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	r := &client{told: make(chan string, 10)}
	_, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{Query: "subscription { a }"}, nil, r)
	require.NoError(t, err)
	send := func(to *queryv1.SubscribeRequest, data string, version int64) {
		t.Helper()
		b.link("one").write(t, frame(&queryv1.LiveResult{
			Subscribers: []uint64{to.GetSubscriber()}, Data: []byte(data), Hash: []byte("h" + data), Version: version,
		}))
	}
	first := receive(t, b.subscribed)
	send(first, "1", 7)
	require.Equal(t, "1", receive(t, r.told))
	b.version.Store(8)
	send(first, "revoked", 7)
	second := receive(t, b.subscribed)
	require.EqualValues(t, 8, second.GetOperation().GetMinVersion())
	require.Equal(t, "h1", string(second.GetHash()), "what the client has seen")
	send(first, "revoked", 8) // it was under way
	send(second, "plan without a version", 0)
	third := receive(t, b.subscribed)
	send(third, "2", 9)
	require.Equal(t, "2", receive(t, r.told))
	require.Empty(t, r.told)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	b, c := setup(t)
	b.executors(&queryv1.LiveExecutor{Instance: "one"})
	b.refuse = apierror.New(apierror.ValidationFailed, "no such field")
	_, err := c.Subscribe(t.Context(), &queryv1.ExecuteRequest{}, nil, &client{})
	require.ErrorContains(t, err, "no such field")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.executors(&queryv1.LiveExecutor{Instance: "one", Leaving: true})
	_, err = c.Subscribe(ctx, &queryv1.ExecuteRequest{}, nil, &client{})
	require.ErrorIs(t, err, context.Canceled)
}
