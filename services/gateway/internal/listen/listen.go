// Package listen accepts connections of clients, and drops those that do not read what is sent to them.
package listen

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// piece is the most that is written at once: a client has the whole timeout for each piece.
const piece = 128 << 10

// Listen listens at a TCP address. A client that takes less than a piece of its answer in
// a time between half of timeout and timeout is disconnected.
func Listen(ctx context.Context, network, address string, timeout time.Duration) (net.Listener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false) // its sockets take no filter, which Leave needs
	l, err := config.Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, timeout: timeout}, nil
}

// Leave has a listener of Listen accept no new connections, and returns when those that clients have
// made already were accepted, at the latest after limit. Closing it then resets none.
func Leave(l net.Listener, limit time.Duration) {
	if own, ok := l.(*listener); ok {
		leave(own.Listener, limit)
	}
}

type listener struct {
	net.Listener
	timeout time.Duration
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c, l.timeout), nil
}

// conn moves the deadline of its writes on only when half of the time is over: moving it
// costs more than writing a small answer. A deadline that is set from outside stays.
type conn struct {
	net.Conn
	timeout time.Duration
	reads   readDeadline

	// received are all bytes so far, answered those up to the end of the last request; idle reports
	// whether no request is being processed.
	received, answered atomic.Int64
	idle               atomic.Bool

	mu       sync.Mutex
	deadline time.Time
	outside  bool
}

func newConn(c net.Conn, timeout time.Duration) *conn {
	return &conn{Conn: c, timeout: timeout, reads: readDeadline{conn: c}}
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.reads.read(p)
	c.received.Add(int64(n))
	return n, err
}

func (c *conn) setIdle(idle bool) {
	c.answered.Store(c.received.Load())
	c.idle.Store(idle)
}

// comesIn reports whether an idle connection has begun to receive the next request.
func (c *conn) comesIn() bool {
	return c.received.Load() != c.answered.Load() || unread(c.Conn)
}

func (c *conn) Write(p []byte) (int, error) {
	written := 0
	for {
		if err := c.moveDeadline(); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+piece)])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

func (c *conn) moveDeadline() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.outside || c.deadline.Sub(now) >= c.timeout/2 {
		return nil
	}
	c.deadline = now.Add(c.timeout)
	return c.Conn.SetWriteDeadline(c.deadline)
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error { return c.reads.want(t) }

// SetWriteDeadline implements net.Conn. Without one, conn keeps to its own: a server takes its
// deadline away after a handshake, after each answer, and when a connection becomes a WebSocket.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.IsZero() && !c.outside {
		return nil
	}
	c.deadline, c.outside = t, !t.IsZero()
	return c.Conn.SetWriteDeadline(t)
}
