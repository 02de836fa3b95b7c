package bus

import (
	"context"

	"google.golang.org/protobuf/proto"
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

// Call asks for an answer and hands it to sink as it comes.
func (b *Bus) Call(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, sink Sink) error {
	return errUnbuilt
}

// CallMessage is Call for answers that fit in memory: it returns the head and the body,
// and fails when the body is larger than limit bytes.
func (b *Bus) CallMessage(ctx context.Context, ep Endpoint, req proto.Message, newHead func() proto.Message, limit int) (proto.Message, []byte, error) {
	return nil, nil, errUnbuilt
}
