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
	// address is where the responder can be written to, nil until it has said so.
	address atomic.Pointer[string]
	// broken is why no more frames will come; the frame that goes with it wakes the
	// caller up.
	broken atomic.Pointer[apierror.Error]
}

// breakOff ends the call with err.
func (c *remoteCall) breakOff(err *apierror.Error) {
	c.broken.CompareAndSwap(nil, err)
	select {
	case c.frames <- frame{kind: frameBroken}:
	default: // there are frames to wake up for
	}
}

func (b *Bus) open(ctx context.Context) *remoteCall {
	var left time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline), time.Millisecond)
	}
	// Next to the window: a head, an end and a wake-up.
	c := &remoteCall{
		token:  callToken(b.callCount.Add(1), b.cfg.Window, left),
		frames: make(chan frame, b.cfg.Window+3),
	}
	c.heard.Store(time.Now().UnixNano())
	b.callsMu.Lock()
	b.calls[c.token] = c
	b.callsMu.Unlock()
	return c
}

func (b *Bus) close(c *remoteCall) {
	b.callsMu.Lock()
	delete(b.calls, c.token)
	b.callsMu.Unlock()
}

// onReply gets the frames of all calls of this process. It must not wait.
func (b *Bus) onReply(m *nats.Msg) {
	token, f, ok := parseFrame(strings.TrimPrefix(m.Subject, replySubject(b.inbox, "")), m)
	if !ok {
		return
	}
	b.callsMu.Lock()
	c := b.calls[token]
	b.callsMu.Unlock()
	if c == nil {
		if f.address != "" { // somebody works for nobody
			_ = b.nc.Publish(f.address+verbStop, nil)
		}
		return
	}
	c.heard.Store(time.Now().UnixNano())
	if f.address != "" && c.address.Load() == nil {
		c.address.Store(&f.address)
	}
	if f.kind == frameAlive {
		return
	}
	select {
	case c.frames <- f:
	default:
		c.breakOff(unavailable("a responder sent more than it was allowed to"))
	}
}

// watchCalls looks after the calls whose responder has given no sign of life: after a
// while it asks NATS whether the responder is still there, and later it gives it up.
func (b *Bus) watchCalls(now time.Time) {
	b.callsMu.Lock()
	defer b.callsMu.Unlock()
	for _, c := range b.calls {
		silence := now.Sub(time.Unix(0, c.heard.Load()))
		if silence >= b.cfg.IdleTimeout {
			c.breakOff(unavailable("the responder fell silent before its answer was complete"))
			continue
		}
		if address := c.address.Load(); address != nil && silence >= b.cfg.Heartbeat {
			_ = b.nc.PublishRequest(*address+verbProbe, replySubject(b.inbox, c.token), nil)
		}
	}
}

// callRemote asks through NATS; one that is busy is given up for another one, up to the
// number of attempts.
func (b *Bus) callRemote(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, sink Sink, attempts int) error {
	body, err := proto.Marshal(req)
	if err != nil {
		return apierror.From(err)
	}
	for {
		err := b.attempt(ctx, ep, body, newHead, sink)
		attempts--
		if !errors.Is(err, errRefused) {
			return err
		}
		if attempts == 0 {
			return busy(ep.Service)
		}
	}
}

func (b *Bus) attempt(ctx context.Context, ep Endpoint, body []byte, newHead func() proto.Message, sink Sink) error {
	if ctx.Err() != nil {
		return contextFailure(ctx, false)
	}
	c := b.open(ctx)
	defer b.close(c)
	a := &answer{bus: b, call: c, service: ep.Service, rest: body, newHead: newHead, sink: sink}
	if err := a.ask(ctx, ep.Subject); err != nil {
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
	m := &nats.Msg{Subject: subject, Reply: replySubject(a.bus.inbox, a.call.token)}
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
	return a.bus.nc.PublishMsg(m)
}

func (a *answer) nextPart(limit int) []byte {
	n := min(len(a.rest), limit)
	part := a.rest[:n]
	a.rest = a.rest[n:]
	return part
}

// take handles one frame and says whether it was the last.
func (a *answer) take(f frame) (done bool, err error) {
	if broken := a.call.broken.Load(); broken != nil {
		a.giveUp()
		return true, failure(broken, a.began)
	}
	switch f.kind {
	case frameUnheard:
		if a.call.address.Load() == nil {
			return true, noResponder(a.service)
		}
		return true, failure(responderGone(a.service), a.began)
	case frameRefused:
		return true, errRefused
	case frameError:
		return true, unmarshalError(f.data)
	case frameCutOff:
		return true, failure(unmarshalError(f.data), true)
	case frameWant:
		err = a.bus.nc.Publish(f.address+verbPart, a.nextPart(a.bus.frameLimit()))
	case frameHead, framePiece, frameEnd:
		return a.takeNumbered(f)
	}
	if err != nil {
		err = failure(notConnected(err), a.began)
	}
	return err != nil, err
}

// takeNumbered handles the frames that make up the answer. One that is missing was lost on
// the way, and the answer with it.
func (a *answer) takeNumbered(f frame) (done bool, err error) {
	if f.number != a.next {
		a.giveUp()
		return true, failure(unavailable("a part of the answer was lost"), a.began)
	}
	a.next++
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
	if err := proto.Unmarshal(data, head); err != nil {
		return apierror.From(err)
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
	err := a.bus.nc.PublishRequest(address+verbCredit, replySubject(a.bus.inbox, a.call.token), nil)
	if err != nil {
		return failure(notConnected(err), a.began)
	}
	return nil
}

// giveUp tells the responder that its answer is not wanted any more.
func (a *answer) giveUp() {
	var err error
	if address := a.call.address.Load(); address != nil {
		err = a.bus.nc.Publish(*address+verbStop, nil)
	} else {
		err = a.bus.nc.Publish(cancelSubject(a.service), []byte(a.bus.inbox+"."+a.call.token))
	}
	if err != nil {
		a.bus.log.Debug("cannot cancel a request", "error", err)
	}
}
