package websocket

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/services/gateway/internal/request"
)

// start begins an operation. What is wrong with it is reported to the client; an error ends the
// connection.
func (c *conn) start(m message) error {
	o := Operation{RequestID: uuid.NewString(), Relay: c.endpoint.Relay, Address: c.endpoint.Address}
	c.mu.Lock()
	_, taken := c.operations[m.id]
	o.Session, o.Header = c.session, c.header
	fault := c.initFault
	c.mu.Unlock()
	switch {
	case fault != "":
		return c.misused(m.id, "cannot start as connection_init failed with: "+fault)
	case o.Session == nil:
		return c.misused(m.id, "start received before the connection is initialised")
	case taken:
		return c.misused(m.id, "an operation already exists with this id: "+m.id)
	}
	var err error
	if o.Request, err = request.Read(m.payload); err == nil && o.Request.Document.Named() {
		err = c.server.deps.Find(o.Session, &o.Request)
	}
	if err != nil {
		c.logOperation(operationFailed, m.id, &o, "", apierror.From(err))
		return c.fail(m.id, err)
	}
	select {
	case c.slots <- struct{}{}:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	if request.IsSubscription(o.Request.Query, o.Request.OperationName) {
		c.subscribe(m.id, o)
		return nil
	}
	a := &answer{conn: c, id: m.id, operation: &o}
	var ctx context.Context
	ctx, a.cancel = context.WithCancel(c.ctx)
	c.add(m.id, a)
	c.running.Go(func() {
		c.run(ctx, a)
		a.cancel()
		<-c.slots
	})
	return nil
}

// stop ends an operation; nothing more is sent of it. One whose message is half sent is
// left to finish it, because a message can't be taken back.
func (c *conn) stop(id string) {
	c.mu.Lock()
	o := c.operations[id]
	delete(c.operations, id)
	c.mu.Unlock()
	if o == nil {
		return
	}
	o.stop()
	operation, about := o.about()
	c.logOperation(operationStopped, id, operation, about.Hash, nil)
}

// operation is a running operation.
type operation interface {
	// stop ends the operation, as far as that can be done.
	stop()
	// about is the operation, and its description once it has begun.
	about() (*Operation, request.Description)
}

func (c *conn) add(id string, o operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.operations[id] = o
}

// forget frees the id of an operation that has ended.
func (c *conn) forget(id string, o operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.operations[id] == o {
		delete(c.operations, id)
	}
}

func (c *conn) run(ctx context.Context, a *answer) {
	c.logOperation(operationStarted, a.id, a.operation, "", nil)
	err := guard.Do(c.server.deps.Logger, panicked, func() error { return c.server.deps.Execute(ctx, *a.operation, a) })
	c.forget(a.id, a) // before the client hears that the operation is complete
	if ctx.Err() != nil && a.writer == nil {
		return // the client does not want it any more
	}
	kind, failure := operationCompleted, (*apierror.Error)(nil)
	if err != nil {
		kind, failure = operationFailed, apierror.From(err)
	}
	c.logOperation(kind, a.id, a.operation, a.description().Hash, failure)
	switch {
	case err != nil && a.writer != nil:
		// A part of the message has been sent: only closing the connection tells the client.
		c.server.deps.Logger.Warn("answer was truncated", "error", err)
		_ = c.socket.CloseNow()
		return
	case err != nil:
		err = c.fail(a.id, err)
	default:
		if err = a.end(); err == nil {
			err = c.send(completeMessage(a.id))
		}
	}
	if err != nil {
		c.cancel()
	}
}

// fail ends an operation that has no answer.
func (c *conn) fail(id string, err error) error {
	return c.sendFailure(id, c.protocol.failure(id, apierror.From(err), c.endpoint.FlatErrors, false))
}

// sendFailure sends the message of an operation that failed. In the newer protocol that
// message is the operation's last: its library takes a "complete" behind it for the end of
// one more operation, and closes the connection once it has counted them all as ended.
func (c *conn) sendFailure(id string, message []byte) error {
	if err := c.send(message); err != nil || c.protocol == transport {
		return err
	}
	return c.send(completeMessage(id))
}

// misused tells a client that it violated the protocol, which ends the connection in the newer one.
func (c *conn) misused(id, text string) error {
	c.log(&logEntry{event: eventOperation, text: text, operation: &operationEntry{id: id, kind: operationMisused}})
	if err := c.send(c.protocol.failure(id, apierror.New(apierror.StartFailed, text), c.endpoint.FlatErrors, true)); err != nil {
		return err
	}
	if c.protocol == transport {
		c.close(websocket.StatusNormalClosure, "4400: "+text)
		return nil
	}
	return c.send(completeMessage(id))
}

// answer is the bus.Sink of an operation: it writes one message piece by piece, as the
// answer comes.
type answer struct {
	conn   *conn
	id     string
	cancel context.CancelFunc
	begun  atomic.Bool    // a part of the message has been sent
	writer io.WriteCloser // nil before that

	operation *Operation
	described atomic.Pointer[request.Description] // nil as long as nothing is known
	sent      prometheus.Counter                  // the bytes of the message, set when it begins
}

func (a *answer) about() (*Operation, request.Description) { return a.operation, a.description() }

func (a *answer) description() request.Description {
	if d := a.described.Load(); d != nil {
		return *d
	}
	return request.Description{}
}

func (a *answer) stop() {
	if !a.begun.Load() {
		a.cancel()
	}
}

// Head leaves out response headers, which have no place here.
func (a *answer) Head(m proto.Message) error {
	d := request.Describe(m)
	a.described.Store(&d)
	return nil
}

func (a *answer) Write(p []byte) (int, error) {
	if a.writer == nil {
		a.begun.Store(true)
		w, err := a.conn.socket.Writer(a.conn.ctx, websocket.MessageText)
		if err != nil {
			return 0, err
		}
		a.writer, a.sent = w, a.conn.server.deps.Metrics.sentOf(a.description())
		if err := a.put(a.conn.protocol.dataPrefix(a.id)); err != nil {
			return 0, err
		}
	}
	return len(p), a.put(p)
}

// put writes a piece of the message, and counts it.
func (a *answer) put(p []byte) error {
	n, err := a.writer.Write(p)
	if a.sent != nil {
		a.sent.Add(float64(n))
	}
	return err
}

func (a *answer) end() error {
	if a.writer == nil {
		return nil
	}
	if err := a.put([]byte{'}'}); err != nil {
		return err
	}
	return a.writer.Close()
}
