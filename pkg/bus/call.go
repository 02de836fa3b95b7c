package bus

import (
	"bytes"
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
)

// Sink takes an answer, on the goroutine of the caller. An error from it ends the call and
// is what Call returns.
type Sink interface {
	// Head is called once, before the first Write. An answer without a body has it too;
	// a failed one may not. The message is only to be read.
	Head(m proto.Message) error
	// Write gets the next piece of the body; p is only valid during the call.
	Write(p []byte) (int, error)
}

// Call asks for an answer and hands it to sink as it comes. A responder in this process is
// called directly, unless it lacks something and one elsewhere doesn't; a request that it or another one is too busy for is tried once more
// elsewhere.
//
// newHead makes the message for the head; it may be nil for an answer whose head does not
// matter, and Sink.Head is not called then. The error is an *apierror.Error, or has
// ErrCutOff in its chain, or is the sink's, or context.Canceled.
func (b *Bus) Call(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, sink Sink) error {
	attempts := 2
	if e := b.endpoint(ep.Subject); e != nil && !(e.service.lacks() && b.lacksNothing(ep.Service)) {
		if ctx.Err() != nil {
			return contextFailure(ctx, false)
		}
		if e.service.admit(e.Long) {
			err := e.callLocal(ctx, req, newHead, sink)
			e.calls[outcome(err)].Inc()
			return err
		}
		attempts = 1
	}
	began := time.Now()
	err := b.callRemote(ctx, ep, req, newHead, sink, attempts)
	b.metrics.took(&ep, sideCaller, began)
	b.metrics.calls.WithLabelValues(ep.Subject, wayRemote, outcome(err)).Inc()
	return err
}

// CallMessage is Call for answers that fit in memory: it returns the head and the body,
// and fails when the body is larger than limit bytes.
func (b *Bus) CallMessage(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, limit int) (proto.Message, []byte, error) {
	c := &collector{limit: limit}
	if err := b.Call(ctx, ep, req, newHead, c); err != nil {
		return nil, nil, err
	}
	return c.head, c.body.Bytes(), nil
}

type collector struct {
	head  proto.Message
	body  bytes.Buffer
	limit int
}

func (c *collector) Head(m proto.Message) error {
	c.head = m
	return nil
}

func (c *collector) Write(p []byte) (int, error) {
	if c.body.Len()+len(p) > c.limit {
		return 0, apierror.Newf(apierror.Unexpected, "the answer has more than %d bytes", c.limit)
	}
	return c.body.Write(p)
}
