package listen_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/listen"
)

// draining is a server with a Drain.
type draining struct {
	*listen.Drain
	server  *http.Server
	address string
}

func drained(t *testing.T) *draining {
	t.Helper()
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0", time.Minute)
	require.NoError(t, err)
	d := &draining{Drain: listen.NewDrain("/ready"), address: l.Addr().String()}
	d.server = &http.Server{
		Handler: d.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "here")
		})),
		ConnState: d.ConnState, ReadHeaderTimeout: time.Minute,
	}
	go func() { _ = d.server.Serve(l) }()
	t.Cleanup(func() { _ = d.server.Close() })
	return d
}

// client is one connection.
type client struct {
	net.Conn
	answers *bufio.Reader
}

func (d *draining) dial(t *testing.T) *client {
	t.Helper()
	c, err := net.Dial("tcp", d.address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &client{c, bufio.NewReader(c)}
}

func (c *client) send(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

func (c *client) answer(t *testing.T) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(c.answers, nil)
	require.NoError(t, err)
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, "here", string(text))
	return r
}

func (c *client) ask(t *testing.T) *http.Response {
	t.Helper()
	c.send(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	return c.answer(t)
}

func TestClientsAreAskedToLeave(t *testing.T) {
	t.Parallel()
	d := drained(t)
	c := d.dial(t)
	require.False(t, c.ask(t).Close)

	gone := make(chan struct{})
	go func() {
		d.Run(time.Minute, time.Minute)
		close(gone)
	}()
	// The connection stays open for the next request, and ends with its answer.
	require.Eventually(t, func() bool { return c.ask(t).Close }, 30*time.Second, 10*time.Millisecond)
	require.True(t, d.dial(t).ask(t).Close, "who comes is served, too")
	select {
	case <-gone:
		t.Fatal("a request has just come")
	case <-time.After(time.Millisecond):
	}
}

func TestIdleClientsAreNotWaitedForWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string][2]time.Duration{
		"quiet": {50 * time.Millisecond, time.Minute},
		"limit": {time.Second, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drained(t)
			c := d.dial(t)
			c.ask(t)
			began := time.Now()
			d.Run(limits[0], limits[1])
			require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
			require.True(t, c.ask(t).Close, "what comes afterwards is answered all the same")
		})
	}
}

// TestProbesAreNotWaitedFor: frequent readiness probes don't delay the end of the server.
func TestProbesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	d := drained(t)
	d.dial(t).ask(t)
	// On a busy machine all of the time may be over before the first probe is.
	for quiet := 200 * time.Millisecond; ; quiet *= 2 {
		ended := make(chan struct{})
		go func() {
			d.Run(quiet, time.Minute)
			close(ended)
		}()
		if probesUntil(t, d, ended) > 0 {
			return
		}
	}
}

// probesUntil probes often, and counts how many were answered before the end.
func probesUntil(t *testing.T, d *draining, ended <-chan struct{}) (probes int) {
	t.Helper()
	for {
		select {
		case <-ended:
			return probes
		case <-time.After(5 * time.Millisecond):
			require.Less(t, probes, 4000)
			c := d.dial(t)
			c.send(t, "GET /ready HTTP/1.1\r\nHost: h\r\n\r\n")
			c.answer(t)
		}
		select {
		case <-ended:
		default:
			probes++
		}
	}
}

func TestNobodyIsWaitedFor(t *testing.T) {
	t.Parallel()
	began := time.Now()
	listen.NewDrain().Run(time.Minute, time.Minute)
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestRequestsOnTheirWayAreAnswered: a connection that counts as idle because the header of its
// next request has not come in completely is not closed with those that are idle.
func TestRequestsOnTheirWayAreAnswered(t *testing.T) {
	t.Parallel()
	d := drained(t)
	idle, begun := d.dial(t), d.dial(t)
	idle.ask(t)
	begun.ask(t)
	begun.send(t, "GET / HTTP/1.1\r\nHo")

	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		d.Run(50*time.Millisecond, time.Minute)
		d.CloseIdle(time.Minute)
		stopped <- d.server.Shutdown(ctx)
	}()
	_, err := idle.answers.ReadByte()
	require.ErrorIs(t, err, io.EOF, "closed in order")
	begun.send(t, "st: h\r\n\r\n")
	require.True(t, begun.answer(t).Close)
	require.NoError(t, <-stopped)
}
