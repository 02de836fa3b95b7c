package bus

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
)

// remoteCall is a request to another process that waits for its answer.
type remoteCall struct {
	token  string
	frames chan frame
	// heard is when the responder last gave a sign of life.
	heard atomic.Int64
	// address is where the responder can be written to, nil until it has announced that.
	address atomic.Pointer[string]
	// broken is why no more frames will come; the frame that goes with it wakes the
	// caller up.
	broken atomic.Pointer[apierror.Error]
	// member is the replica that was queried, nil for the queue group; doubtful reports whether it had been
	// silent before, and probed whether NATS was polled to see whether it is still there.
	member   *member
	doubtful bool
	probed   atomic.Bool
	// wire is what the call goes over, bundle the number of the one that the request was sent in, 0 for none.
	wire   *wire
	bundle atomic.Uint64
	// repeatable is copied from the endpoint, effective reports whether it does harm to carry the request out
	// twice, and began whether a part of the answer has come.
	repeatable, effective bool
	began                 atomic.Bool
}

// breakOff ends the call with err.
func (c *remoteCall) breakOff(err *apierror.Error) {
	c.broken.CompareAndSwap(nil, err)
	select {
	case c.frames <- frame{kind: frameBroken}:
	default: // there are frames to wake up for
	}
}

// lost is err as the error of a call whose responder may have had its request: no caller is to repeat one that
// must not be carried out twice.
func (c *remoteCall) lost(err *apierror.Error) *apierror.Error {
	if !c.effective {
		return err
	}
	e := *err
	e.Message += "; the request may have been carried out"
	e.RetryAfter = 0
	return &e
}

func (b *Bus) open(ctx context.Context, ep Endpoint, asked *member) *remoteCall {
	var left time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline), time.Millisecond)
	}
	now := time.Now()
	// Next to the window: a head, an end and a wake-up.
	c := &remoteCall{
		token:  callToken(b.callCount.Add(1), b.cfg.Window, left),
		frames: make(chan frame, b.cfg.Window+3),
		member: asked, wire: b.main,
		// A request to one replica concerns its subscriptions and connections, which end with it.
		repeatable: ep.Repeatable, effective: !ep.Repeatable && !ep.Replica,
	}
	if asked != nil {
		asked.calls.Add(1)
		if c.doubtful = asked.silence(now) >= b.silent(); !c.doubtful {
			c.wire = b.wireTo(ep, asked)
		}
	}
	c.heard.Store(now.UnixNano())
	b.callsMu.Lock()
	b.calls[c.token] = c
	b.callsMu.Unlock()
	return c
}

func (b *Bus) close(c *remoteCall) {
	b.callsMu.Lock()
	delete(b.calls, c.token)
	b.callsMu.Unlock()
	if c.member != nil {
		c.member.calls.Add(-1)
	}
	c.wire.release()
}

// tell is where the responder can be written to; "" while that is not known.
func (b *Bus) tell(c *remoteCall) string {
	if address := c.address.Load(); address != nil {
		return *address
	}
	if c.member != nil {
		return addressSubject(c.member.inbox, c.wire.inbox+"."+c.token)
	}
	return ""
}

// onReply gets what comes for the calls of this process that go over a wire. It must not wait.
func (b *Bus) onReply(w *wire, m *nats.Msg) {
	tail := strings.TrimPrefix(m.Subject, replySubject(w.inbox, ""))
	if number, ok := strings.CutPrefix(tail, bundleToken); ok {
		b.onBundle(w, number, m)
		return
	}
	b.onFrame(w, tail, m)
}

// onFrame gets a frame of a call. What is ahead of tail in its subject says that it is one.
func (b *Bus) onFrame(w *wire, tail string, m *nats.Msg) {
	token, f, ok := parseFrame(tail, m)
	if !ok {
		return
	}
	b.callsMu.Lock()
	c := b.calls[token]
	b.callsMu.Unlock()
	if c == nil {
		if f.address != "" { // no caller is left
			_ = w.nc.Publish(f.address+verbStop, nil)
		}
		return
	}
	now := time.Now().UnixNano()
	c.heard.Store(now)
	// Whether a replica is there is heard through NATS alone: one that NATS has lost doesn't hear
	// of changes any more.
	if c.member != nil && f.kind != frameUnheard && !w.direct {
		c.member.heard.Store(now)
	}
	if f.address != "" && c.address.Load() == nil {
		address := f.address // not f, which would be in memory of its own for every frame
		c.address.Store(&address)
	}
	if f.kind == frameAlive {
		return
	}
	select {
	case c.frames <- f:
	default:
		c.breakOff(c.lost(unavailable("a responder sent more than it was allowed to")))
	}
}

// watchCalls looks after the calls whose responder has given no sign of life: after a
// while it asks NATS whether the responder is still there, and later it gives it up.
func (b *Bus) watchCalls(now time.Time) {
	b.callsMu.Lock()
	defer b.callsMu.Unlock()
	for _, c := range b.calls {
		silence := now.Sub(time.Unix(0, c.heard.Load()))
		if c.repeatable && !c.began.Load() && b.outOfReach(c, silence, now) {
			c.breakOff(errSilent)
			continue
		}
		if silence >= b.cfg.IdleTimeout {
			c.breakOff(c.lost(unavailable("the responder fell silent before its answer was complete")))
			continue
		}
		if c.wire.direct && silence >= 2*b.cfg.Heartbeat {
			c.member.line.disuse(c.wire)
		}
		if address := b.tell(c); address != "" && silence >= b.cfg.Heartbeat {
			c.probed.Store(true)
			_ = c.wire.nc.PublishRequest(address+verbProbe, replySubject(c.wire.inbox, c.token), nil)
		}
	}
}

// outOfReach reports whether c should be tried elsewhere after a silence of that length. A replica that had
// been silent before the call is given the time that it takes to be heard from.
func (b *Bus) outOfReach(c *remoteCall, silence time.Duration, now time.Time) bool {
	switch {
	case c.member == nil:
		return silence >= b.cfg.IdleTimeout
	case c.doubtful && silence < b.silent():
		return false
	}
	return c.member.silence(now) >= b.silent()
}

// errSilent breaks off a call that can be tried elsewhere.
var errSilent = unavailable("the responder fell silent")

// callRemote sends a request through NATS, to a replica that has been heard from recently or to the
// queue group. A replica that is busy is given up for another one, up to the number of attempts; so is
// one that is gone, and the first one that falls silent if the request is repeatable.
func (b *Bus) callRemote(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, sink Sink, attempts int) error {
	body, err := marshalRequest(req)
	if err != nil {
		return apierror.From(err)
	}
	var tried *member
	lost := false
	for {
		asked := b.choose(ep, tried)
		err := b.attempt(ctx, ep, asked, body, newHead, sink)
		switch {
		case errors.Is(err, errRefused):
			if attempts--; attempts <= 0 {
				return busy(ep.Service)
			}
		case errors.Is(err, errNotSent):
			continue
		case errors.Is(err, errNotThere):
			b.drop(ep.Service, asked)
		case errors.Is(err, errLost) && !lost:
			lost = true
		case errors.Is(err, errLost):
			return unavailable("the responder fell silent before its answer was complete")
		default:
			return err
		}
		tried = asked
	}
}

// errNotThere reports that a replica is gone and never had the request, errLost that a repeatable
// request was lost with its responder before a part of its answer came, errNotSent that a direct
// connection was lost before the request was sent.
var (
	errNotSent  = errors.New("the request was not sent")
	errNotThere = errors.New("the replica is not there")
	errLost     = errors.New("the replica was lost")
)

func (b *Bus) attempt(ctx context.Context, ep Endpoint, asked *member, body []byte, newHead func() proto.Message, sink Sink) error {
	if ctx.Err() != nil {
		return contextFailure(ctx, false)
	}
	c := b.open(ctx, ep, asked)
	defer b.close(c)
	a := &answer{bus: b, call: c, service: ep.Service, rest: body, newHead: newHead, sink: sink}
	subject := ep.Subject
	if asked != nil {
		subject = directSubject(ep.Subject, asked.instance())
	}
	if err := a.ask(ctx, subject); err != nil {
		if c.wire.direct {
			c.member.line.disuse(c.wire)
			return errNotSent
		}
		return notConnected(err)
	}
	for {
		select {
		case f := <-c.frames:
			if done, err := a.take(f); done {
				return err
			}
		case <-ctx.Done():
			a.giveUp()
			return contextFailure(ctx, a.began)
		}
	}
}

// answer is what a caller knows of the answer to its request.
type answer struct {
	bus     *Bus
	call    *remoteCall
	service string
	rest    []byte // of the request, not sent yet
	newHead func() proto.Message
	sink    Sink

	next     uint32 // number of the frame that comes next
	headDone bool
	began    bool // the sink has a part of the body
}

// ask sends the request, or the first part of a large one.
func (a *answer) ask(ctx context.Context, subject string) error {
	m := &nats.Msg{Subject: subject, Reply: replySubject(a.call.wire.inbox, a.call.token)}
	if trace.SpanContextFromContext(ctx).IsValid() {
		m.Header = nats.Header{}
		propagation.TraceContext{}.Inject(ctx, headerCarrier(m.Header))
	}
	limit := int(a.bus.nc.MaxPayload()) - payloadMargin
	if len(a.rest) > limit {
		if m.Header == nil {
			m.Header = nats.Header{}
		}
		m.Header.Set(headerSize, strconv.Itoa(len(a.rest)))
	}
	m.Data = a.nextPart(limit)
	if requests := a.call.wire.requests; len(m.Header) == 0 && requests.useful(len(m.Data)) {
		return requests.add(subject, m.Reply, m.Data, &a.call.bundle)
	}
	return a.call.wire.nc.PublishMsg(m)
}

func (a *answer) nextPart(limit int) []byte {
	n := min(len(a.rest), limit)
	part := a.rest[:n]
	a.rest = a.rest[n:]
	a.bus.metrics.sent.Add(float64(n))
	return part
}

// take handles one frame and reports whether it was the last.
func (a *answer) take(f frame) (done bool, err error) {
	if broken := a.call.broken.Load(); broken != nil {
		a.giveUp()
		if broken == errSilent && !a.headDone {
			return true, errLost
		}
		return true, failure(broken, a.began)
	}
	switch f.kind {
	case frameUnheard:
		return true, a.unheard()
	case frameUnsent:
		return true, errNotSent
	case frameRefused:
		return true, errRefused
	case frameError:
		return true, unmarshalError(f.data)
	case frameCutOff:
		return true, failure(unmarshalError(f.data), true)
	case frameWant:
		err = a.call.wire.nc.Publish(f.address+verbPart, a.nextPart(a.bus.frameLimit()))
	case frameHead, framePiece, frameEnd:
		return a.takeNumbered(f)
	}
	if err != nil {
		err = failure(notConnected(err), a.began)
	}
	return err != nil, err
}

// unheard is the error of a call whose responder NATS does not know.
func (a *answer) unheard() error {
	c := a.call
	asked := c.address.Load() != nil || c.probed.Load()
	switch {
	case !asked && c.member != nil:
		return errNotThere
	case !asked:
		return noResponder(a.service)
	case c.repeatable && !a.headDone:
		return errLost
	}
	return failure(c.lost(responderGone(a.service)), a.began)
}

// takeNumbered handles the frames that make up the answer. One that is missing was lost on
// the way, and the answer with it.
func (a *answer) takeNumbered(f frame) (done bool, err error) {
	if f.number != a.next {
		a.giveUp()
		return true, failure(a.call.lost(unavailable("a part of the answer was lost")), a.began)
	}
	a.next++
	a.bus.metrics.received.Add(float64(len(f.data)))
	a.call.began.Store(true)
	if f.kind == frameHead {
		err = a.takeHead(f.data)
	} else {
		err = a.takeBody(f.data)
	}
	if f.kind == framePiece && err == nil {
		err = a.credit(f.address)
	}
	if err != nil {
		a.giveUp()
	}
	return err != nil || f.kind == frameEnd, err
}

func (a *answer) takeHead(data []byte) error {
	a.headDone = true
	if a.newHead == nil {
		return nil
	}
	head := a.newHead()
	if len(data) > 0 { // most have none
		if err := proto.Unmarshal(data, head); err != nil {
			return apierror.From(err)
		}
	}
	return a.sink.Head(head)
}

func (a *answer) takeBody(data []byte) error {
	if !a.headDone {
		if err := a.takeHead(nil); err != nil {
			return err
		}
	}
	if len(data) == 0 {
		return nil
	}
	a.began = true
	_, err := a.sink.Write(data)
	return err
}

// credit lets the responder send one more piece. NATS answers it when the responder is
// gone.
func (a *answer) credit(address string) error {
	err := a.call.wire.nc.PublishRequest(address+verbCredit, replySubject(a.call.wire.inbox, a.call.token), nil)
	if err != nil {
		return failure(a.call.lost(notConnected(err)), a.began)
	}
	return nil
}

// giveUp tells the responder to cancel the answer.
func (a *answer) giveUp() {
	var err error
	if address := a.call.address.Load(); address != nil {
		err = a.call.wire.nc.Publish(*address+verbStop, nil)
	} else { // the request itself may not have been taken yet
		err = a.call.wire.nc.Publish(cancelSubject(a.service), []byte(a.call.wire.inbox+"."+a.call.token))
	}
	if err != nil {
		a.bus.log.Debug("cannot cancel a request", "error", err)
	}
}
