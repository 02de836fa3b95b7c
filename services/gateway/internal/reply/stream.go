// Package reply is how answers leave the gateway: as the bytes that came over the bus,
// compressed where the client wants it, and with the two encodings of errors.
package reply

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	// holdLimit is how much of an answer is held back. It is no less than a frame of the
	// bus, so that an answer of one frame gets a Content-Length.
	holdLimit = 512 << 10
	// keepLimit is the largest buffer that is kept for the next answer.
	keepLimit = 1 << 20
	// measured is from where on net/http doesn't announce the length of a whole body by itself, which
	// costs it less than a field that it has to read, copy and sort.
	measured = 2 << 10
	// flushEvery is how much of a packed answer may wait in the encoder. It is no more than a
	// frame of the bus, so that frames go on as they come.
	flushEvery = 64 << 10
)

// varyEncoding is shared by all answers, and never written to.
var varyEncoding = []string{"Accept-Encoding"}

// Stream writes the body of one answer.
//
// The first part is held back: while nothing has been sent, the answer can still become
// another, and one that is whole by then is sent with its Content-Length. After that each
// Write goes to the client. A Stream is for one goroutine, and is used again after Reset.
type Stream struct {
	compressor *Compressor
	w          http.ResponseWriter
	accepted   Accepted
	status     int
	started    bool
	held       []byte
	encoding   Encoding // that the body has
	encoder    encoder  // of an answer that has started
	waiting    int      // bytes that were written to encoder since it was flushed
	packing    func() (done func())
	size       int64
	sent       int64
}

// NewStream returns a Stream that needs a Reset.
func NewStream(c *Compressor) *Stream { return &Stream{compressor: c} }

// Reset prepares for another answer, to a client with these accepted encodings.
func (s *Stream) Reset(w http.ResponseWriter, accepted Accepted) {
	held := s.held[:0]
	if cap(held) > keepLimit {
		held = nil
	}
	*s = Stream{compressor: s.compressor, w: w, accepted: accepted, status: http.StatusOK, held: held}
}

// OnPack has begin called before an answer that is whole is packed, and what it returns after that.
// One that is packed while it is sent has no such moment.
func (s *Stream) OnPack(begin func() (done func())) { s.packing = begin }

// SetStatus sets the status of an answer that has not started.
func (s *Stream) SetStatus(status int) { s.status = status }

// Status is the status of the answer.
func (s *Stream) Status() int { return s.status }

// Started reports whether a part of the answer has been sent.
func (s *Stream) Started() bool { return s.started }

// Size is the number of bytes of the body before compression.
func (s *Stream) Size() int64 { return s.size }

// Sent is the number of bytes of the body that were sent.
func (s *Stream) Sent() int64 { return s.sent }

// Encoding is how the body was packed.
func (s *Stream) Encoding() Encoding { return s.encoding }

// Held is the buffered body. It may be truncated, and appended to with Hold.
func (s *Stream) Held() []byte { return s.held }

// Hold replaces the buffered body; nothing must have been sent.
func (s *Stream) Hold(body []byte) { s.held = body }

// Write adds to the body. p is not kept.
func (s *Stream) Write(p []byte) (int, error) {
	if !s.started {
		if len(s.held) == 0 || len(s.held)+len(p) <= holdLimit {
			s.held = append(s.held, p...)
			return len(p), nil
		}
		if err := s.start(); err != nil {
			return 0, err
		}
	}
	return len(p), s.send(p)
}

// start sends the head and the buffered body, without announcing the length.
func (s *Stream) start() error {
	s.started = true
	if s.mayEncode() && s.accepted.Encoding != Identity {
		if s.encoder = s.compressor.stream(s.accepted.Encoding, (*wire)(s)); s.encoder != nil {
			s.setEncoding()
		}
	}
	s.w.WriteHeader(s.status)
	return s.send(s.held)
}

// mayEncode reports whether the body is one to pack, and if so, has caches know that it depends on
// the request. One that is packed already stays as it is.
func (s *Stream) mayEncode() bool {
	h := s.w.Header()
	if h.Get("Content-Encoding") != "" {
		return false
	}
	switch known := h["Vary"]; {
	case known == nil:
		h["Vary"] = varyEncoding
	case !strings.Contains(known[0], varyEncoding[0]):
		h.Add("Vary", varyEncoding[0])
	}
	return true
}

func (s *Stream) setEncoding() {
	s.encoding = s.accepted.Encoding
	s.w.Header().Set("Content-Encoding", s.encoding.String())
}

// Begin sends the head now, and has each Write go to the client as it is. What fails shows
// with the next Flush.
func (s *Stream) Begin() {
	s.accepted, s.started, s.held = Plain, true, s.held[:0]
	s.w.WriteHeader(s.status)
}

// Flush sends everything that was written to the client.
func (s *Stream) Flush() error {
	if err := http.NewResponseController(s.w).Flush(); err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	return nil
}

func (s *Stream) send(p []byte) (err error) {
	s.size += int64(len(p))
	if s.encoder == nil {
		_, err = (*wire)(s).Write(p)
		return err
	}
	if _, err = s.encoder.Write(p); err != nil {
		return err
	}
	if s.waiting += len(p); s.waiting < flushEvery {
		return nil
	}
	s.waiting = 0
	if err = s.encoder.Flush(); err != nil {
		return err
	}
	return s.Flush()
}

// Close sends the rest. The Stream must not be used before the next Reset.
func (s *Stream) Close() error {
	if !s.started {
		return s.sendWhole()
	}
	if s.encoder == nil {
		return nil
	}
	err := s.encoder.Close()
	s.release()
	return err
}

// sendWhole sends an answer that was held back until its end.
func (s *Stream) sendWhole() error {
	s.started = true
	s.size = int64(len(s.held))
	body := s.held
	wanted := s.accepted.Encoding != Identity && (s.accepted.Required || len(body) >= compressFrom)
	if s.mayEncode() && wanted {
		packed, err := s.pack(body)
		if err != nil {
			return err
		}
		defer s.compressor.unpack(packed)
		body = packed.bytes
		s.setEncoding()
	}
	if s.status != http.StatusNotModified && (len(body) == 0 || len(body) >= measured) {
		s.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	s.w.WriteHeader(s.status)
	_, err := (*wire)(s).Write(body)
	return err
}

func (s *Stream) pack(body []byte) (*pack, error) {
	if s.packing != nil {
		defer s.packing()()
	}
	return s.compressor.pack(s.accepted.Encoding, body)
}

// Abandon frees what an answer that broke off holds.
func (s *Stream) Abandon() { s.release() }

func (s *Stream) release() {
	if s.encoder != nil {
		s.compressor.endStream(s.encoding, s.encoder)
		s.encoder = nil
	}
}

// wire is a Stream as what goes to the client.
type wire Stream

func (s *wire) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.sent += int64(n)
	if err != nil {
		return n, fmt.Errorf("send the answer: %w", err)
	}
	return n, nil
}
