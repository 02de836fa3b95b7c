package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/querylog"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/reply"
	"queryengine/services/gateway/internal/request"
)

const (
	// eventsEvery is the time between comments that keep a quiet stream of events alive.
	eventsEvery = 12 * time.Second
	// maxEvents is how many batches of a streaming subscription may wait to be sent.
	maxEvents = 8
)

// eventsByQuery answers GET requests whose subscription is in their query string.
func eventsByQuery(relay bool) handler {
	return func(x *exchange) error { return x.eventsByQuery(relay) }
}

func (x *exchange) eventsByQuery(relay bool) error {
	x.mode = accesslog.ModeError
	if err := x.authenticate(nil); err != nil {
		return err
	}
	q := x.r.URL.Query()
	r := request.OfQuery(q)
	if err := x.api.findDocument(x.session, &r); err != nil {
		return err
	}
	if !request.IsSubscription(r.Query, r.OperationName) {
		// Whatever a page links to must not change anything.
		return apierror.New(apierror.BadRequest, "only subscriptions are allowed with GET")
	}
	if v := q.Get("variables"); v != "" {
		parsed, err := jsonwalk.Parse([]byte(v))
		if err != nil || parsed.Kind != jsonwalk.Object {
			return apierror.New(apierror.InvalidJSON, "the variables are no JSON object")
		}
		r.Variables = parsed.Raw
	}
	x.mode = accesslog.ModeSingle
	x.asks(r)
	return x.events(r, relay)
}

// events answers with server-sent events, as the protocol graphql-sse has it: an event "next"
// for each result and an event "complete" at the end.
func (x *exchange) events(r request.GraphQL, relay bool) error {
	stream := &eventStream{wake: make(chan struct{}, 1)}
	var end func()
	if request.IsSubscription(r.Query, r.OperationName) {
		s, err := x.subscribe(r, relay, stream)
		if err != nil {
			stream.End(apierror.From(err))
		} else {
			end = s.Close
			x.describe(s.Description())
			stream.started(s)
		}
	} else if err := x.execute(r, relay, (*eventSink)(stream)); err != nil {
		stream.End(apierror.From(err))
	} else {
		x.describe(stream.about)
		stream.Data(stream.answer, false)
		stream.End(nil)
	}
	if end != nil {
		defer end()
	}
	x.beginEvents()
	return x.sendEvents(stream)
}

// beginEvents sends the head of an answer of server-sent events.
func (x *exchange) beginEvents() {
	x.w.Header().Set("Content-Type", eventsType+"; charset=utf-8")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.Header().Set("X-Accel-Buffering", "no") // proxies that would collect them
	x.stream.Begin()
}

func (x *exchange) subscribe(r request.GraphQL, relay bool, to live.Receiver) (*subscription, error) {
	a := x.api
	err := a.limitsOf(x.session).Rate(accesslog.ClientIP(x.r))
	var asked *queryv1.ExecuteRequest
	if err == nil {
		asked, err = a.executeRequest(x.session, r, relay, x.requestID, nil)
	}
	if err == nil {
		asked.ReadOnly = x.r.Method == http.MethodGet // as in execute
		var s *subscription
		client := x.r // the exchange may be another client's when the headers are requested
		if s, err = a.subscribe(x.ctx, x.session, accesslog.ClientIP(x.r), asked, func() map[string]string {
			return a.clientHeaders(client.Header, client.Host)
		}, to); err == nil {
			a.documents.Keep(x.session, &r)
			return s, nil
		}
	}
	return nil, a.refused(x.ctx, x.session, r.OperationName, x.requestID, err)
}

// errExpired ends what goes on for longer than its session.
var errExpired = apierror.New(apierror.AccessDenied, "the credentials of the request have expired")

// expiry ends when the session does, never for one without end.
func (x *exchange) expiry() (context.Context, context.CancelFunc) {
	if x.expires.IsZero() {
		return context.Background(), func() {}
	}
	return context.WithDeadline(context.Background(), x.expires)
}

// ended is the fault of a stream whose context has ended. A client that goes is none: that is how it ends its stream.
func (x *exchange) ended() error {
	if cause := context.Cause(x.ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// sendEvents sends what the stream has until it ends, the session ends, the client goes or the
// gateway stops.
func (x *exchange) sendEvents(stream *eventStream) error {
	expiry, cancel := x.expiry()
	defer cancel()
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	for {
		if expiry.Err() != nil {
			x.failure = errExpired
			_, err := x.Write(append(appendFailure(nil, errExpired), lastEvent...))
			return err
		}
		n, more, resume := stream.next()
		if resume != nil {
			resume.Resume()
		}
		var text []byte
		switch {
		case more && n.err != nil:
			text = appendFailure(nil, n.err)
		case more && n.data != nil:
			text = appendEvent(nil, n.data)
		}
		if n.end {
			text = append(text, lastEvent...)
		}
		if !more {
			if err := x.stream.Flush(); err != nil {
				return err
			}
			select {
			case <-stream.wake:
				continue
			case <-expiry.Done():
				continue
			case <-tick.C:
				text = []byte(":\n\n")
			case <-x.api.stopping:
				return nil
			case <-x.ctx.Done():
				return x.ended()
			}
		}
		if _, err := x.Write(text); err != nil {
			return err
		}
		if n.end {
			return nil
		}
	}
}

// lastEvent tells the client that the stream is complete.
const lastEvent = "event: complete\ndata:\n\n"

func appendFailure(b []byte, e *apierror.Error) []byte {
	return append(reply.AppendGraphQLError(append(b, "event: next\ndata: "...), e, false), "\n\n"...)
}

// appendEvent appends a result. Line breaks can only stand between the tokens of JSON, and
// would end the line.
func appendEvent(b, document []byte) []byte {
	b = append(b, "event: next\ndata: "...)
	return append(querylog.AppendOneLine(b, document), "\n\n"...)
}

// event is something to send.
type event struct {
	data []byte
	err  *apierror.Error
	end  bool
}

// eventStream holds events to be sent. It is the live.Receiver of a subscription.
type eventStream struct {
	wake   chan struct{}
	answer []byte              // of a query
	about  request.Description // of a query

	mu           sync.Mutex
	pending      []event
	subscription *subscription
	// full reports whether a batch was refused.
	full bool
}

// eventSink collects the answer of a query. It is the bus.Sink of that.
type eventSink eventStream

// Head leaves out response headers: it is too late for them.
func (s *eventSink) Head(m proto.Message) error {
	s.about = request.Describe(m)
	return nil
}

func (s *eventSink) Write(p []byte) (int, error) {
	s.answer = append(s.answer, p...)
	return len(p), nil
}

func (f *eventStream) started(s *subscription) {
	f.mu.Lock()
	f.subscription = s
	f.mu.Unlock()
	f.signal()
}

func (f *eventStream) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Data implements live.Receiver. A newer result of a live query takes the place of one that
// still waits.
func (f *eventStream) Data(document []byte, stream bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch last := len(f.pending) - 1; {
	case stream && last+1 >= maxEvents:
		f.full = true
		return false
	case !stream && last >= 0:
		f.pending[last] = event{data: document}
	default:
		f.pending = append(f.pending, event{data: document})
	}
	f.signal()
	return true
}

// Fail implements live.Receiver.
func (f *eventStream) Fail(e *apierror.Error) { f.push(event{err: e}) }

// End implements live.Receiver.
func (f *eventStream) End(e *apierror.Error) { f.push(event{err: e, end: true}) }

// push adds an event, instead of an error that still waits.
func (f *eventStream) push(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last := len(f.pending) - 1; last >= 0 && f.pending[last].err != nil {
		f.pending = f.pending[:last]
	}
	f.pending = append(f.pending, e)
	f.signal()
}

// next takes the next event, if there is one. resume is a stream that can continue.
func (f *eventStream) next() (e event, ok bool, resume *subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pending) > 0 {
		e, ok = f.pending[0], true
		f.pending = f.pending[1:]
	}
	if f.full && len(f.pending) == 0 && f.subscription != nil {
		f.full, resume = false, f.subscription
	}
	return e, ok, resume
}
