// Package listen accepts connections of clients, and loses patience with those that do not
// take what is sent to them.
package listen

import (
	"context"
	"net"
	"time"
)

// piece is the most that is written at once: a client has the whole timeout for each piece.
const piece = 128 << 10

// Listen listens at a TCP address. A client that takes less than a piece of its answer in
// a time between half of timeout and timeout is disconnected.
func Listen(ctx context.Context, network, address string, timeout time.Duration) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, timeout: timeout}, nil
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
	return &conn{Conn: c, timeout: l.timeout}, nil
}

// conn moves the deadline of its writes on only when half of the time is over: moving it
// costs more than writing a small answer.
type conn struct {
	net.Conn
	timeout  time.Duration
	deadline time.Time
}

func (c *conn) Write(p []byte) (int, error) {
	written := 0
	for {
		if now := time.Now(); c.deadline.Sub(now) < c.timeout/2 {
			c.deadline = now.Add(c.timeout)
			if err := c.SetWriteDeadline(c.deadline); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+piece)])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}
