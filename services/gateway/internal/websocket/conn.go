package websocket

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/pkg/session"
)

// writeTimeout is how long a client may take to take one message.
const writeTimeout = 30 * time.Second

// The close codes of the protocols beyond those of RFC 6455.
const (
	statusBadRequest  websocket.StatusCode = 4400
	statusForbidden   websocket.StatusCode = 4403
	statusInitTimeout websocket.StatusCode = 4408
)

// panicked is the log message of a panic, which ends an operation, or its connection where it isn't of an operation.
const panicked = "panic in an operation of a WebSocket"

// conn is one connection.
type conn struct {
	server   *Server
	id       string
	socket   *websocket.Conn
	protocol protocol
	endpoint Endpoint
	upgrade  http.Header
	opened   time.Time

	ctx    context.Context //nolint:containedctx // the life of the connection
	cancel context.CancelFunc
	slots  chan struct{} // taken by running operations

	initialised *time.Timer // ends a connection that is not initialised
	expiry      *time.Timer // ends a connection whose identity ends; nil for never

	// mu guards what the reading goroutine shares with operations.
	mu         sync.Mutex
	session    *session.Session
	header     http.Header // that the session was made of
	initFault  string      // why connection_init failed
	expires    time.Time   // of the session, zero for never
	reason     string      // why the connection was closed
	operations map[string]operation
	running    sync.WaitGroup

	out outbox
}

func newConn(s *Server, socket *websocket.Conn, p protocol, e Endpoint, upgrade http.Header) *conn {
	ctx, cancel := context.WithCancel(context.Background())
	return &conn{
		server: s, id: uuid.NewString(), socket: socket, protocol: p, endpoint: e, upgrade: upgrade, opened: time.Now(),
		ctx: ctx, cancel: cancel, slots: make(chan struct{}, s.config.MaxOperations),
		operations: map[string]operation{},
		out:        outbox{most: s.config.MaxSubscriptions},
	}
}

// serve reads messages until the connection ends, and returns when nothing of it runs.
func (c *conn) serve() {
	c.initialised = time.AfterFunc(c.server.config.InitTimeout, c.initTimedOut)
	keptAlive := make(chan struct{})
	go func() {
		defer close(keptAlive)
		c.keepAlive()
	}()
	for guard.Do(c.server.deps.Logger, panicked, c.readOne) == nil {
	}
	c.cancel()
	c.initialised.Stop()
	c.mu.Lock()
	if c.expiry != nil {
		c.expiry.Stop()
	}
	running := c.operations
	c.operations = nil
	c.mu.Unlock()
	_ = c.socket.CloseNow()
	for _, o := range running {
		o.stop()
	}
	c.running.Wait()
	<-keptAlive
}

// readOne reads and handles a message; an error ends the connection.
func (c *conn) readOne() error {
	kind, text, err := c.socket.Read(c.ctx)
	if err != nil {
		return err
	}
	c.server.deps.Metrics.received(len(text))
	var m message
	if kind == websocket.MessageText {
		m, err = parseMessage(text)
	} else {
		err = apierror.New(apierror.BadRequest, "only text messages are expected")
	}
	if err != nil {
		return c.unreadable(err)
	}
	switch m.kind {
	case "connection_init":
		return c.initialise(m)
	case "start", "subscribe":
		return c.start(m)
	case "stop", "complete":
		c.stop(m.id)
	case "ping":
		return c.pong(m)
	case "connection_terminate":
		c.close(websocket.StatusNormalClosure, "GQL_CONNECTION_TERMINATE received")
	}
	return nil
}

// closeReason is why the connection was closed, "" when its client did it.
func (c *conn) closeReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

func (c *conn) unreadable(err error) error {
	c.log(&logEntry{event: eventFault, text: err.Error()})
	if c.protocol == transport {
		c.close(statusBadRequest, "4400: Parsing client message failed: "+err.Error())
		return nil
	}
	return c.send(connectionError("parsing ClientMessage failed: " + err.Error()))
}

func (c *conn) initialise(m message) error {
	c.initialised.Stop()
	header, err := initHeaders(c.upgrade, m.payload)
	if err == nil {
		var done bool
		if done, err = c.authenticate(header); done {
			if err := c.send(messageAck); err != nil {
				return err
			}
			return c.send(c.protocol.keepAlive())
		}
	}
	text := apierror.From(err).Message
	c.mu.Lock()
	c.session, c.initFault = nil, text
	c.mu.Unlock()
	c.log(&logEntry{event: eventFault, text: text})
	if c.protocol == transport {
		c.close(statusForbidden, "4403: Forbidden")
		return nil
	}
	if err := c.send(connectionError(text)); err != nil {
		return err
	}
	c.close(statusBadRequest, "4400: Connection initialization failed: "+text)
	return nil
}

// authenticate sets the session; a later connection_init replaces it.
func (c *conn) authenticate(h http.Header) (bool, error) {
	identity, err := c.server.deps.Authenticate(c.ctx, h)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.header, c.initFault, c.expires = identity.Session, h, "", identity.Expires
	c.socket.SetReadLimit(c.server.config.MaxMessage)
	if c.expiry != nil {
		c.expiry.Stop()
		c.expiry = nil
	}
	if !identity.Expires.IsZero() {
		c.expiry = time.AfterFunc(time.Until(identity.Expires), func() { c.close(websocket.StatusNormalClosure, "") })
	}
	return true, nil
}

func (c *conn) initTimedOut() {
	code := websocket.StatusInternalError
	if c.protocol == transport {
		code = statusInitTimeout
	}
	c.close(code, "Connection initialisation timed out")
}

func (c *conn) keepAlive() {
	if c.server.config.KeepAlive <= 0 {
		return
	}
	ticker := time.NewTicker(c.server.config.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-ticker.C:
			if c.send(c.protocol.keepAlive()) != nil {
				return
			}
		}
	}
}

func (c *conn) pong(m message) error {
	b := []byte(`{"type":"pong"`)
	if m.payload.Raw != nil {
		b = append(append(b, `,"payload":`...), m.payload.Raw...)
	}
	return c.send(append(b, '}'))
}

// send writes a message. A client that does not take it in time loses the connection.
func (c *conn) send(text []byte) error {
	return c.sendOf(c.server.deps.Metrics.wroteOther, text)
}

// sendOf is send; count learns of the bytes, and how long they took.
func (c *conn) sendOf(count func(bytes int, took time.Duration), text []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, writeTimeout)
	defer cancel()
	started := time.Now()
	err := c.socket.Write(ctx, websocket.MessageText, text)
	if err != nil && ctx.Err() != nil && c.ctx.Err() == nil {
		c.log(&logEntry{event: eventFault, text: "the client does not take its messages"})
	}
	count(len(text), time.Since(started))
	return err
}

// close ends the connection with a reason; reading ends with it.
func (c *conn) close(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = reason
	}
	c.mu.Unlock()
	const limit = 123 // bytes, by RFC 6455
	if code >= statusBadRequest {
		encoded, _ := json.Marshal(map[string]string{"server_error_msg": reason}) // strings always encode
		if len(encoded) <= limit {
			reason = string(encoded)
		}
	}
	if len(reason) > limit {
		reason = strings.ToValidUTF8(reason[:limit], "")
	}
	_ = c.socket.Close(code, reason) // the client may be gone already
	c.cancel()
}
