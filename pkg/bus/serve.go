package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.opentelemetry.io/otel/propagation"

	"queryengine/pkg/apierror"
)

// maxRequestSize bounds what a request in parts may take of this process's memory.
const maxRequestSize = 256 << 20

// errCallerGone is the cause of a handler's context when the caller has stopped waiting.
var errCallerGone = errors.New("the caller is gone")

// incoming is a request from another process.
type incoming struct {
	nc     *nats.Conn // where it came from
	reply  string
	key    string // of the exchange, see callerKey
	data   []byte
	header nats.Header
	// frames is what small frames of the answer may be sent by; nil where each is to be a message for itself.
	frames *bundler
}

// onRequest gets the requests that come by way of NATS.
func (e *endpoint) onRequest(r micro.Request) {
	e.take(incoming{nc: e.service.bus.nc, reply: r.Reply(), data: r.Data(), header: nats.Header(r.Headers())})
}

// take starts to answer a request. It runs on the goroutine of the subscription and must not
// wait.
func (e *endpoint) take(r incoming) {
	if r.key = callerKey(r.reply); r.key == "" {
		// The answer would reach no caller. Messages that a stream forwards are no requests either: a
		// user that may only write to a stream could otherwise send any request through it.
		return
	}
	if !e.service.admit(e.Long) {
		_ = r.nc.Publish(frameSubject(r.reply, frameRefused, 0), nil)
		return
	}
	e.service.workers.start(work{e, r})
}

func (e *endpoint) serve(r incoming) {
	b, began := e.service.bus, time.Now()
	window, left := parseCallToken(r.reply[strings.LastIndexByte(r.reply, '.')+1:])
	ctx, cancel := e.service.limitTime(left)
	defer cancel(nil)
	x := newExchange(b, r, window, cancel)
	ctx = propagation.TraceContext{}.Extract(ctx, headerCarrier(r.header))
	if r.frames != nil {
		r.frames.calls.Add(1)
		defer r.frames.calls.Add(-1)
	}
	b.exchanges.add(x)
	defer b.exchanges.remove(x)

	w := &frameWriter{exchange: x, log: b.log, ctx: ctx, limit: b.frameLimit()}
	err := e.answer(ctx, x, r, w)
	w.finish(err)
	b.metrics.took(&e.Endpoint, sideResponder, began)
	e.service.done(err, e.Long)
}

func (e *endpoint) answer(ctx context.Context, x *exchange, r incoming, w *frameWriter) error {
	data, err := x.request(ctx, r)
	if err != nil {
		return err
	}
	x.metrics.received.Add(float64(len(data)))
	req := e.newRequest()
	if err := unmarshalRequest(data, req); err != nil {
		return apierror.New(apierror.Unexpected, "internal error").WithInternal(fmt.Sprintf("read a request to %s: %v", e.Subject, err))
	}
	return e.invoke(ctx, req, w)
}

// limitTime makes the context of a request with that much time left, 0 for no limit.
func (s *Service) limitTime(left time.Duration) (context.Context, context.CancelCauseFunc) {
	if left > 0 {
		return s.deadlines.WithTimeout(s.base, left)
	}
	return context.WithCancelCause(s.base)
}

func newExchange(b *Bus, r incoming, window int, cancel context.CancelCauseFunc) *exchange {
	x := &exchange{
		nc:      r.nc,
		frames:  r.frames,
		metrics: b.metrics,
		key:     r.key,
		reply:   r.reply,
		address: addressSubject(b.inbox, r.key),
		cancel:  cancel,
		credits: make(chan struct{}, min(window, b.cfg.Window)),
	}
	if r.header.Get(headerSize) != "" {
		x.parts = make(chan []byte, 1)
	}
	x.sent.Store(time.Now().UnixNano())
	return x
}

// request gives the bytes of the request, which may have to be fetched in parts.
func (e *exchange) request(ctx context.Context, r incoming) ([]byte, error) {
	header := r.header.Get(headerSize)
	if header == "" {
		return r.data, nil
	}
	size, err := strconv.Atoi(header)
	if err != nil || size < len(r.data) || size > maxRequestSize {
		return nil, apierror.Newf(apierror.BadRequest, "a request of %s bytes is too large", header)
	}
	data := append(make([]byte, 0, size), r.data...)
	for len(data) < size {
		if err := e.send(frameWant, 0, e.address, nil); err != nil {
			return nil, err
		}
		select {
		case part := <-e.parts:
			if len(part) == 0 || len(part) > size-len(data) {
				return nil, apierror.New(apierror.Unexpected, "internal error").WithInternal("the parts of a request do not fit together")
			}
			data = append(data, part...)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return data, nil
}

// send sends a frame; the caller answers it at address, if it is not empty.
func (e *exchange) send(kind frameKind, number uint32, address string, data []byte) error {
	e.sent.Store(time.Now().UnixNano())
	e.metrics.sent.Add(float64(len(data)))
	if e.frames != nil {
		return e.sendInOrder(kind, number, address, data)
	}
	return publisher(e.nc)(frameSubject(e.reply, kind, number), address, data)
}

// publisher sends messages over a connection, with a reply subject unless that is empty.
func publisher(nc *nats.Conn) func(subject, reply string, data []byte) error {
	return func(subject, reply string, data []byte) error {
		if reply == "" {
			return nc.Publish(subject, data)
		}
		return nc.PublishRequest(subject, reply, data)
	}
}
