package bus

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/protobuf/proto"
)

// frameWriter cuts an answer into frames. Small pieces are collected, so that a small
// answer is one message; a large piece goes out as it is, without a copy.
type frameWriter struct {
	exchange *exchange
	log      *slog.Logger
	ctx      context.Context
	limit    int

	head     proto.Message
	began    bool   // Write was called
	headSent bool   // or there is none
	buffer   []byte // not sent yet
	number   uint32 // of the next frame
	underway int    // pieces without a credit
}

// SetHead implements ResponseWriter.
func (w *frameWriter) SetHead(m proto.Message) {
	if !w.began {
		w.head = m
	}
}

// Write implements ResponseWriter.
func (w *frameWriter) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		w.began = true
		rest := p[written:]
		n := len(rest)
		var err error
		if n < w.limit/4 {
			err = w.keep(rest)
		} else {
			n = min(n, w.limit)
			err = w.flush()
			if err == nil {
				err = w.piece(rest[:n])
			}
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

// keep collects p, which is less than a frame.
func (w *frameWriter) keep(p []byte) error {
	if len(w.buffer)+len(p) > w.limit {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buffer = append(w.buffer, p...)
	return nil
}

func (w *frameWriter) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	err := w.piece(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// piece sends a piece of the body as soon as the caller has room for it.
func (w *frameWriter) piece(p []byte) error {
	if err := w.sendHead(); err != nil {
		return err
	}
	if err := w.waitForRoom(); err != nil {
		return err
	}
	w.underway++
	return w.send(framePiece, w.exchange.address, p)
}

func (w *frameWriter) waitForRoom() error {
	for {
		select {
		case <-w.exchange.credits:
			w.underway--
			continue
		default:
		}
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		if w.underway < cap(w.exchange.credits) {
			return nil
		}
		select {
		case <-w.exchange.credits:
			w.underway--
		case <-w.ctx.Done():
		}
	}
}

func (w *frameWriter) sendHead() error {
	if w.headSent {
		return nil
	}
	w.headSent = true
	if w.head == nil {
		return nil
	}
	b, err := proto.Marshal(w.head)
	if err != nil {
		return fmt.Errorf("encode the head of an answer: %w", err)
	}
	if len(b) == 0 {
		return nil
	}
	return w.send(frameHead, "", b)
}

func (w *frameWriter) send(kind frameKind, address string, p []byte) error {
	if err := w.exchange.send(kind, w.number, address, p); err != nil {
		return fmt.Errorf("send a part of an answer: %w", err)
	}
	w.number++
	return nil
}

// finish ends the answer. No one is left to tell when this fails: the caller notices that
// the answer has no end.
func (w *frameWriter) finish(err error) {
	head := headOf(err)
	if head != nil {
		w.SetHead(head)
	}
	if err == nil || head != nil && !w.began {
		err = cmp.Or(w.sendHead(), err)
	}
	switch {
	case err == nil:
		err = w.send(frameEnd, "", w.buffer)
	case w.began:
		err = w.send(frameCutOff, "", marshalError(err, w.limit))
	default:
		err = w.send(frameError, "", marshalError(err, w.limit))
	}
	if err != nil {
		w.log.Debug("cannot end an answer", "error", err)
	}
}
