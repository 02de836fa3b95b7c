package spool

import (
	"context"
	"io"
)

// Writer hands an answer on to its reader. It is for one goroutine, which calls Close when
// the answer is made.
type Writer struct {
	spool *Spool
	ctx   context.Context //nolint:containedctx // a Writer lives as long as its request
	to    io.Writer
	// held reports whether the writer of the answer holds what others may be waiting for.
	held bool
	pump *pump // nil until a part of the answer was written while held
	// patience is for the reader, before the rest of the answer is buffered, and grace for it when the
	// buffer is full.
	patience, grace waiter
}

// Writer returns a Writer to one reader. ctx is the request's.
func (s *Spool) Writer(ctx context.Context, to io.Writer) *Writer {
	return &Writer{
		spool: s, ctx: ctx, to: to,
		patience: waiter{left: s.config.Patience}, grace: waiter{left: s.config.Patience},
	}
}

// Hold sets whether writes from now on must not wait for the reader. It implements backend.Holder.
func (w *Writer) Hold(on bool) { w.held = on }

// Write implements io.Writer. While on hold it fails with what the reader failed with
// before; p is copied.
func (w *Writer) Write(p []byte) (int, error) {
	if !w.held {
		if err := w.flush(); err != nil {
			return 0, err
		}
		return w.to.Write(p)
	}
	if w.pump == nil {
		w.pump = newPump(w.spool, w.to)
	}
	if err := w.put(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// put has the pump take p.
func (w *Writer) put(p []byte) error {
	for {
		taken, err := w.pump.offer(p)
		if taken || err != nil {
			return err
		}
		moved, err := w.patience.wait(w.ctx, w.pump.moved)
		if err != nil {
			return err
		}
		if moved {
			continue
		}
		if taken, err = w.pump.keep(p); taken || err != nil {
			return err
		}
		if moved, err = w.grace.wait(w.ctx, w.pump.moved); err != nil {
			return err
		}
		if !moved {
			return errSlow
		}
	}
}

// flush waits until the reader has all that was written while held.
func (w *Writer) flush() error {
	if w.pump == nil {
		return nil
	}
	err := w.pump.finish()
	w.pump = nil
	return err
}

// Close waits until the reader has the answer; err is the error of making it, and no more is sent when
// there is one. It returns err, or the reader's error.
func (w *Writer) Close(err error) error {
	if w.pump == nil {
		return err
	}
	if err != nil {
		w.pump.abandon(err)
	}
	if failed := w.flush(); err == nil {
		err = failed
	}
	return err
}
