package bus

import (
	"cmp"
	"context"

	"google.golang.org/protobuf/proto"
)

// localWriter hands an answer to the caller's sink without any copy.
type localWriter struct {
	sink     Sink
	head     proto.Message
	newHead  func() proto.Message
	headDone bool
	began    bool
	sinkErr  error
}

// callLocal runs the handler on the caller's goroutine.
func (e *endpoint) callLocal(ctx context.Context, req proto.Message, newHead func() proto.Message, sink Sink) error {
	w := &localWriter{sink: sink, newHead: newHead}
	err := e.invoke(ctx, req, w)
	head := headOf(err)
	if head != nil {
		w.SetHead(head)
	}
	if err == nil || head != nil && !w.began {
		err = cmp.Or(w.sendHead(), err)
	}
	e.service.done(err, e.Long)
	switch {
	case w.sinkErr != nil:
		return w.sinkErr
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return contextFailure(ctx, w.began)
	}
	return failure(err, w.began)
}

// SetHead implements ResponseWriter.
func (w *localWriter) SetHead(m proto.Message) {
	if !w.began {
		w.head = m
	}
}

// Write implements ResponseWriter.
func (w *localWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.began = true
	if err := w.sendHead(); err != nil {
		return 0, err
	}
	n, err := w.sink.Write(p)
	if err != nil {
		w.sinkErr = err
	}
	return n, err
}

func (w *localWriter) sendHead() error {
	if w.headDone || w.newHead == nil {
		return nil
	}
	w.headDone = true
	if w.head == nil {
		w.head = w.newHead()
	}
	if err := w.sink.Head(w.head); err != nil {
		w.sinkErr = err
	}
	return w.sinkErr
}
