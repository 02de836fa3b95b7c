package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/types/known/emptypb"
)

const (
	// directTimeout bounds each attempt to connect to a member.
	directTimeout = 5 * time.Second
	// directRetry is how long a member that can't be connected to is left alone, twice as long
	// each time up to directRetryMax.
	directRetry    = time.Second
	directRetryMax = time.Minute
	// directPatience is how long a process that ends waits for its callers to leave, and
	// directPoll how often it looks.
	directPatience = 2 * time.Second
	directPoll     = 5 * time.Millisecond
)

// wire is a connection that calls go over: the one to NATS, or a direct one.
type wire struct {
	nc *nats.Conn
	// inbox begins the subjects that answers come to. Each wire has its own: the server would deliver an answer
	// over every connection that listens for it, also while a retired wire has its last calls.
	inbox string
	// direct reports whether it leads to one process.
	direct bool
	// requests is what small requests are sent by together; nil where each is a message for itself.
	requests *bundler
	// counted reports whether it is in the metrics.
	counted atomic.Bool
	// calls is how many are under way. A wire that is retired takes no more, and is closed after
	// the last one.
	calls   atomic.Int64
	retired atomic.Bool
}

// take counts a call in, and reports whether it may go over the wire.
func (w *wire) take() bool {
	if !w.direct {
		return true
	}
	w.calls.Add(1)
	if w.retired.Load() {
		w.release()
		return false
	}
	return true
}

// release counts a call out.
func (w *wire) release() {
	if w.direct && w.calls.Add(-1) == 0 && w.retired.Load() {
		w.nc.Close()
	}
}

// retire has no more calls go over a direct wire.
func (w *wire) retire() {
	w.retired.Store(true)
	if w.calls.Load() == 0 {
		go w.nc.Close() // it waits for handlers, one of which may be the caller
	}
}

// line is the direct connection to a member.
type line struct {
	wire atomic.Pointer[wire] // nil as long as there is none

	mu sync.Mutex
	// dialing reports whether a connection is being made, ended whether it isn't needed any more.
	dialing, ended bool
	// next is when another attempt may be made, wait how long the one after it is put off.
	next time.Time
	wait time.Duration
}

// begin reports whether the caller is to connect.
func (l *line) begin(now time.Time) bool {
	if l.wire.Load() != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dialing || l.ended || now.Before(l.next) {
		return false
	}
	l.dialing = true
	return true
}

// connected ends what begin began; w is nil when it failed. It reports whether it did so for the
// first time.
func (l *line) connected(w *wire) (failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dialing = false
	switch {
	case w == nil:
		failed = l.wait == 0
		l.wait = min(max(2*l.wait, directRetry), directRetryMax)
	case l.ended:
		w.retire()
	default:
		l.wait = 0
		l.wire.Store(w)
		if w.nc.IsClosed() {
			l.wire.CompareAndSwap(w, nil)
		}
	}
	l.next = time.Now().Add(max(l.wait, directRetry))
	return failed
}

// disuse has no more calls go over w; there may be another wire later.
func (l *line) disuse(w *wire) {
	if l.wire.CompareAndSwap(w, nil) {
		w.retire()
	}
}

// end is for members that are gone.
func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if w := l.wire.Swap(nil); w != nil {
		w.retire()
	}
}

// wireTo is the connection for a call to a member. Without NATS no call is made, the same as everywhere.
func (b *Bus) wireTo(ep Endpoint, m *member) *wire {
	if ep.Direct && b.nc.IsConnected() {
		if w := m.line.wire.Load(); w != nil && w.take() {
			return w
		}
	}
	return b.main
}

// callsDirectly reports whether this process may connect to the replicas of a service.
func (b *Bus) callsDirectly(service string) bool {
	return b.cfg.Name == directCaller && slices.ContainsFunc(endpoints(), func(e Endpoint) bool {
		return e.Direct && e.Service == service && e.callers.has(directCaller)
	})
}

// connectDirectly connects to a member, if it offers that and can be reached.
func (b *Bus) connectDirectly(m *member) {
	ctx, cancel := context.WithTimeout(context.Background(), directTimeout)
	defer cancel()
	w, err := b.dialDirect(ctx, m)
	failed := m.line.connected(w)
	if err == nil {
		// After it is in use: readers of the metric may expect the next call to go over it.
		w.counted.Store(true)
		b.metrics.direct.Inc()
		if w.nc.IsClosed() {
			b.uncount(w)
		}
	}
	switch {
	case err == nil:
		b.log.Debug("connected directly", "inbox", m.inbox)
	case failed && !errors.Is(err, errNoOffer):
		b.log.Info("no direct connection; requests go through NATS", "inbox", m.inbox, "reason", err)
	}
}

// uncount takes a wire out of the metrics, once.
func (b *Bus) uncount(w *wire) {
	if w.counted.Swap(false) {
		b.metrics.direct.Dec()
	}
}

// errNoOffer reports that a process accepts no direct connections.
var errNoOffer = errors.New("no direct connections are offered")

func (b *Bus) dialDirect(ctx context.Context, m *member) (*wire, error) {
	answer := &collector{limit: 64 << 10}
	if err := b.callRemote(ctx, DirectOffer(m.instance()), &emptypb.Empty{}, nil, answer, 1); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoOffer, err)
	}
	var offer directOffer
	if err := json.Unmarshal(answer.body.Bytes(), &offer); err != nil {
		return nil, err
	}
	w := &wire{direct: true, inbox: newInbox(b.cfg.Name)}
	options := append(b.callOptions(), nats.NoReconnect(), nats.UserInfo(offer.User, offer.Password),
		nats.ClosedHandler(func(nc *nats.Conn) {
			m.line.wire.CompareAndSwap(w, nil)
			b.uncount(w)
			b.lostCalls(w)
		}))
	if len(offer.Certificate) > 0 {
		trust, err := trustOnly(offer.Certificate)
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(trust))
	}
	nc, err := nats.Connect("nats://"+offer.Address, options...)
	if err != nil {
		return nil, err
	}
	w.nc = nc
	if offer.Bundles {
		w.requests = b.requestBundler(w, m)
	}
	replies, err := nc.Subscribe(repliesSubject(w.inbox), func(m *nats.Msg) { b.onReply(w, m) })
	if err == nil {
		err = replies.SetPendingLimits(-1, -1) // as those of the main connection
	}
	if err == nil {
		err = flush(ctx, nc)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return w, nil
}

// lostCalls ends the calls that were under way over a direct wire. What has come of their answers
// before is taken first.
func (b *Bus) lostCalls(w *wire) {
	b.callsMu.Lock()
	defer b.callsMu.Unlock()
	for _, c := range b.calls {
		if c.wire != w {
			continue
		}
		c.probed.Store(true) // the responder may have had the request
		select {
		case c.frames <- frame{kind: frameUnheard}:
		default:
			c.breakOff(c.lost(unavailable("a responder sent more than it was allowed to")))
		}
	}
}

// endLines is for the end of this process.
func (b *Bus) endLines() {
	d := &b.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, list := range d.services {
		for _, m := range list {
			m.line.end()
		}
	}
}

// pause waits, and reports whether the context is not done.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
