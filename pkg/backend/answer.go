package backend

import "io"

// DefaultFrame is the size at which an Answer hands its bytes on.
const DefaultFrame = 512 << 10

// Answer is the buffer that an answer's JSON is written into. Encoders append to Buf
// directly, with no Go value in between, and call Flush between rows. Not safe for
// concurrent use.
type Answer struct {
	Buf []byte
	// sink gets full frames; nil keeps everything in Buf.
	sink  io.Writer
	frame int
	sent  int64
}

// NewAnswer returns an Answer that hands frames of about frame bytes to sink, and keeps
// everything when sink is nil. buf is its first buffer.
func NewAnswer(buf []byte, sink io.Writer, frame int) *Answer {
	if frame <= 0 {
		frame = DefaultFrame
	}
	return &Answer{Buf: buf[:0], sink: sink, frame: frame}
}

// Holder is a sink that can let its writer go on without waiting for the reader, because the writer
// holds a connection that others may be waiting for.
type Holder interface {
	Hold(on bool)
}

// Hold sets whether a connection is held while the answer is written.
func (a *Answer) Hold(on bool) {
	if h, ok := a.sink.(Holder); ok {
		h.Hold(on)
	}
}

// Flush hands the bytes on when a frame is full. Encoders call it after each row.
func (a *Answer) Flush() error {
	if a.sink == nil || len(a.Buf) < a.frame {
		return nil
	}
	return a.flush()
}

// Append adds p to the answer, which has nothing to do with Buf. What fills a frame by itself is
// handed on without a copy.
func (a *Answer) Append(p []byte) error {
	if a.sink == nil || len(p) < a.frame {
		a.Buf = append(a.Buf, p...)
		return a.Flush()
	}
	if err := a.Close(); err != nil {
		return err
	}
	n, err := a.sink.Write(p)
	a.sent += int64(n)
	return err
}

// Close writes the rest.
func (a *Answer) Close() error {
	if a.sink == nil || len(a.Buf) == 0 {
		return nil
	}
	return a.flush()
}

// Sent is the number of bytes that were handed on: once it isn't 0, an error can't be
// answered any more, only a broken answer.
func (a *Answer) Sent() int64 { return a.sent }

func (a *Answer) flush() error {
	n, err := a.sink.Write(a.Buf)
	a.sent += int64(n)
	a.Buf = a.Buf[:0]
	return err
}
