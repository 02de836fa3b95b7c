package extension

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Socket is the caller's side of a WebSocket that no network carries.
type Socket struct {
	read, write chan []byte
	// gone is closed once the handler has returned, left when the caller leaves.
	gone, left chan struct{}
	leave      sync.Once
	end        context.CancelFunc
	err        error
}

// Dial opens a WebSocket to the code named. The code runs until it returns or the caller closes.
func (s *Set) Dial(ctx context.Context, name, protocol string, header http.Header) (*Socket, error) {
	h := s.find(name)
	switch {
	case h == nil:
		return nil, ErrUnknown
	case h.Converse == nil:
		return nil, ErrNoSocket
	}
	if err := enter(ctx, h.sockets); err != nil {
		return nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &Socket{read: make(chan []byte), write: make(chan []byte), gone: make(chan struct{}), left: make(chan struct{}), end: end}
	go func() {
		defer func() { <-h.sockets }()
		defer close(c.gone)
		defer s.recover(ctx, h, func() { c.err = io.ErrUnexpectedEOF })
		c.err = h.Converse(context.WithValue(running, setKey{}, s), protocol, header, handlerSide{c})
	}()
	return c, nil
}

// Read returns the next message of the code. It fails with io.EOF once the code has returned.
func (c *Socket) Read(ctx context.Context) ([]byte, error) {
	select {
	case m := <-c.read:
		return m, nil
	case <-c.gone:
		if c.err != nil {
			return nil, c.err
		}
		return nil, io.EOF
	case <-c.left:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write gives the code a message.
func (c *Socket) Write(ctx context.Context, message []byte) error {
	select {
	case c.write <- append([]byte(nil), message...):
		return nil
	case <-c.gone:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close leaves: the context of the code ends.
func (c *Socket) Close() {
	c.leave.Do(func() { close(c.left) })
	c.end()
}

type handlerSide struct{ c *Socket }

func (h handlerSide) Read(ctx context.Context) ([]byte, error) {
	select {
	case m := <-h.c.write:
		return m, nil
	case <-h.c.left:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h handlerSide) Write(ctx context.Context, message []byte) error {
	select {
	case h.c.read <- message:
		return nil
	case <-h.c.left:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}
