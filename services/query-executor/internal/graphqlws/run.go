package graphqlws

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
)

// Socket is an open WebSocket.
type Socket interface {
	// Protocol is the subprotocol that the server chose, "" for none.
	Protocol() string
	// Read reads the next message, and Write writes one.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Ping waits for a sign of life, while another goroutine reads.
	Ping(ctx context.Context) error
	// Close takes leave of the server, Abort doesn't.
	Close()
	Abort()
}

// Options configure how a subscription is begun, and how long servers may be silent.
type Options struct {
	// Init is the payload of connection_init, a JSON value, nil for none.
	Init []byte
	// Patience is how long a server may take to acknowledge a connection.
	Patience time.Duration
	// Silence is how long a server may be silent before it is requested a sign of life, and
	// how long it may take to give one.
	Silence time.Duration
}

// UnacknowledgedError reports that a server didn't acknowledge the connection, so that nothing was
// missed yet.
type UnacknowledgedError struct{ cause error }

// Error implements error.
func (e *UnacknowledgedError) Error() string { return e.cause.Error() }

// Unwrap is why.
func (e *UnacknowledgedError) Unwrap() error { return e.cause }

// writeTimeout bounds the writing of a message.
const writeTimeout = 10 * time.Second

// conversation is a subscription on a WebSocket.
type conversation struct {
	Socket
	newer bool
	kinds map[string]kind
	// heard counts messages, and taking reports whether a result is being taken: nothing is read then,
	// not even a sign of life.
	heard  atomic.Int64
	taking atomic.Bool
}

// Run subscribes with a request, the payload of the subscription as JSON, and hands each result to take
// until the server completes the subscription, which is no error. It fails with *ServerError when the
// server sends that, and with the error of take. It closes the socket.
func Run(ctx context.Context, s Socket, o Options, request []byte, take func(result []byte) error) error {
	defer s.Abort()
	c := &conversation{Socket: s, newer: s.Protocol() == transport, kinds: legacyKinds}
	switch {
	case c.newer:
		c.kinds = transportKinds
	case s.Protocol() != Legacy:
		return fault("the server of the remote schema speaks neither " + transport + " nor " + Legacy)
	}
	// Reading isn't what ends with ctx, or the server couldn't be informed.
	reading, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	left := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ctx.Done():
			c.leave()
			stop(context.Cause(ctx))
		case <-finished:
		}
	}()
	err := c.run(reading, stop, o, request, take)
	close(finished)
	<-left
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if cause := context.Cause(reading); cause != nil {
		return cause
	}
	return err
}

func (c *conversation) run(ctx context.Context, stop context.CancelCauseFunc, o Options, request []byte, take func([]byte) error) error {
	if err := c.begin(ctx, o); err != nil {
		return &UnacknowledgedError{err}
	}
	name := "subscribe"
	if !c.newer {
		name = "start"
	}
	if err := c.send(ctx, name, subscriptionID, request); err != nil {
		return err
	}
	watched, unwatch := context.WithCancel(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		if !c.watch(watched, o.Silence) {
			stop(fault("the server of the remote schema has fallen silent"))
			c.Abort()
		}
	}()
	err := c.follow(ctx, take)
	unwatch()
	<-watching
	return err
}

// begin opens the connection of the protocol.
func (c *conversation) begin(ctx context.Context, o Options) error {
	patience, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	if err := c.send(patience, "connection_init", "", o.Init); err != nil {
		return err
	}
	for {
		m, err := c.next(patience)
		switch {
		case err != nil && errors.Is(patience.Err(), context.DeadlineExceeded):
			return fault("the server of the remote schema did not acknowledge the connection in time")
		case err != nil:
			return err
		case m.kind == acknowledged:
			return nil
		case m.kind == refused:
			return m.errorsOf()
		}
	}
}

// follow takes results until there are no more.
func (c *conversation) follow(ctx context.Context, take func([]byte) error) error {
	for {
		m, err := c.next(ctx)
		switch {
		case err != nil:
			return err
		case !m.about():
		case m.kind == result && m.payload == nil:
			return notProtocol()
		case m.kind == result:
			c.taking.Store(true)
			err := take(m.payload)
			c.taking.Store(false)
			if err != nil {
				c.leave()
				return err
			}
		case m.kind == failed, m.kind == refused:
			return m.errorsOf()
		case m.kind == completed:
			c.Close()
			return nil
		}
	}
}

// next reads a message, and answers what the protocol wants to be answered.
func (c *conversation) next(ctx context.Context) (message, error) {
	for {
		text, err := c.Read(ctx)
		if err != nil {
			return message{}, err
		}
		c.heard.Add(1)
		m, err := read(text, c.kinds)
		if err != nil || m.kind != pinged {
			return m, err
		}
		if err := c.send(ctx, "pong", "", nil); err != nil {
			return m, err
		}
	}
}

// send writes a message.
func (c *conversation) send(ctx context.Context, name, id string, payload []byte) error {
	text := jsontext.AppendString([]byte(`{"type":`), name)
	if id != "" {
		text = append(append(text, `,"id":`...), id...)
	}
	if payload != nil {
		text = append(append(text, `,"payload":`...), payload...)
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.Write(ctx, append(text, '}'))
}

// leave ends the subscription at the server, as far as that can be done.
func (c *conversation) leave() {
	name := "complete"
	if !c.newer {
		name = "stop"
	}
	if c.send(context.Background(), name, subscriptionID, nil) == nil {
		c.Close()
	}
	c.Abort()
}

// watch asks a silent server for a sign of life, until there is none, or ctx ends.
func (c *conversation) watch(ctx context.Context, silence time.Duration) (alive bool) {
	tick := time.NewTicker(silence)
	defer tick.Stop()
	for last := int64(-1); ; {
		select {
		case <-ctx.Done():
			return true
		case <-tick.C:
		}
		heard := c.heard.Load()
		if heard != last || c.taking.Load() {
			last = heard
			continue
		}
		ping, cancel := context.WithTimeout(ctx, silence)
		err := c.Ping(ping)
		cancel()
		if err != nil && ctx.Err() == nil && c.heard.Load() == heard && !c.taking.Load() {
			return false
		}
	}
}

func notProtocol() error {
	return fault("the server of the remote schema has sent a message that is not of the protocol")
}

func fault(message string) error {
	return apierror.New(apierror.RemoteSchemaError, message).WithStatus(http.StatusBadRequest)
}
