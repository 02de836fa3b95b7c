package websocket

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/services/gateway/internal/request"
)

const (
	// maxBatches is how many batches of a stream may wait to be written.
	maxBatches = 8
	// small is the size up to which a message is put together before it is written.
	small = 32 << 10
)

// subscribe begins a subscription; the caller has taken a slot for that.
func (c *conn) subscribe(id string, o Operation) {
	sub := &clientSubscription{conn: c, id: id, operation: &o}
	var ctx context.Context
	ctx, sub.cancel = context.WithCancel(c.ctx)
	c.add(id, sub)
	c.running.Go(func() {
		defer func() { <-c.slots }()
		var err error
		if c.out.admit() {
			var s Subscription
			c.logOperation(operationStarted, id, &o, "", nil)
			err = guard.Do(c.server.deps.Logger, panicked, func() (err error) {
				s, err = c.server.deps.Subscribe(ctx, o, sub)
				return err
			})
			if err == nil {
				sub.started(s)
				return
			}
			c.out.release()
		} else {
			err = apierror.Newf(apierror.StartFailed, "the connection has too many subscriptions: at most %d are allowed", c.out.most)
		}
		if sub.stopped() || ctx.Err() != nil {
			return
		}
		sub.End(apierror.From(err))
	})
}

// note is something to tell a client.
type note struct {
	data []byte // a response document
	err  *apierror.Error
	end  bool
	at   time.Time
}

// clientSubscription is a subscription of a client. It is the live.Receiver.
type clientSubscription struct {
	conn   *conn
	id     string
	cancel context.CancelFunc

	operation *Operation

	// These belong to the mu of the connection's outbox.
	subscription Subscription
	// sent counts the bytes of messages, nil until the operation is known; uncounted are the bytes
	// until then.
	sent      prometheus.Counter
	uncounted int
	over      bool
	pending   []note
	queued    bool
	// full reports whether a batch was refused.
	full bool
}

// outbox is what waits to be written for the subscriptions of a connection.
type outbox struct {
	mu            sync.Mutex
	subscriptions int // that have begun
	most          int // that may, 0 for no bound
	ready         []*clientSubscription
	writing       bool
}

func (o *outbox) admit() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.most > 0 && o.subscriptions >= o.most {
		return false
	}
	o.subscriptions++
	return true
}

func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.subscriptions--
}

// started notes the subscription, which may have been stopped in the meantime.
func (sub *clientSubscription) started(s Subscription) {
	o, sent := &sub.conn.out, sub.conn.server.deps.Metrics.sentOf(s.Description())
	o.mu.Lock()
	sub.subscription, sub.sent = s, sent
	if sent != nil {
		sent.Add(float64(sub.uncounted))
		sub.uncounted = 0
	}
	over, resume := sub.over, sub.full && !sub.queued
	sub.full = sub.full && !resume
	o.mu.Unlock()
	switch {
	case over:
		s.Close()
		o.release()
	case resume:
		s.Resume()
	}
}

func (sub *clientSubscription) stopped() bool {
	sub.conn.out.mu.Lock()
	defer sub.conn.out.mu.Unlock()
	return sub.over
}

// stop ends the subscription; nothing more is written of it.
func (sub *clientSubscription) stop() {
	o := &sub.conn.out
	o.mu.Lock()
	over, s := sub.over, sub.subscription
	sub.over, sub.pending = true, nil
	o.mu.Unlock()
	sub.cancel()
	if !over && s != nil {
		s.Close()
		o.release()
	}
}

// Data implements live.Receiver. A newer result of a live query takes the place of one that
// still waits.
func (sub *clientSubscription) Data(document []byte, stream bool) bool {
	o := &sub.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	n := note{data: document, at: time.Now()}
	switch last := len(sub.pending) - 1; {
	case sub.over:
	case stream && last+1 >= maxBatches:
		sub.full = true
		sub.conn.server.deps.Metrics.paused()
		return false
	case !stream && last >= 0:
		sub.pending[last] = n
		sub.conn.server.deps.Metrics.skipped()
	default:
		sub.push(n)
	}
	return true
}

// Fail implements live.Receiver.
func (sub *clientSubscription) Fail(e *apierror.Error) {
	o := &sub.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(sub.pending) - 1; last >= 0 && sub.pending[last].err != nil {
		sub.pending = sub.pending[:last]
	}
	if !sub.over {
		sub.push(note{err: e, at: time.Now()})
	}
}

// End implements live.Receiver.
func (sub *clientSubscription) End(e *apierror.Error) {
	o := &sub.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if !sub.over {
		sub.push(note{err: e, end: true, at: time.Now()})
	}
}

// push adds a note, and has it written. The caller holds mu of the outbox.
func (sub *clientSubscription) push(n note) {
	sub.pending = append(sub.pending, n)
	o := &sub.conn.out
	if !sub.queued {
		sub.queued = true
		o.ready = append(o.ready, sub)
	}
	if !o.writing {
		o.writing = true
		go sub.conn.write()
	}
}

// write writes notes until there are none. Each subscription in turn gets one of its own
// written.
func (c *conn) write() {
	var buffer []byte
	for {
		sub, n, resume := c.out.next()
		if sub == nil {
			return
		}
		err := guard.Do(c.server.deps.Logger, panicked, func() (err error) {
			if resume != nil {
				resume.Resume()
			}
			buffer, err = sub.write(&n, buffer)
			return err
		})
		if err != nil {
			c.cancel()
		}
	}
}

// write writes a note; the buffer is for small ones.
func (sub *clientSubscription) write(n *note, buffer []byte) ([]byte, error) {
	c := sub.conn
	c.server.deps.Metrics.waited(time.Since(n.at))
	switch {
	case n.end:
		return buffer, sub.finish(n.err)
	case n.err != nil:
		return buffer, c.sendOf(sub.count, c.protocol.fault(sub.id, n.err))
	case len(n.data) <= small:
		buffer = append(append(buffer[:0], c.protocol.dataPrefix(sub.id)...), n.data...)
		buffer = append(buffer, '}')
		return buffer, c.sendOf(sub.count, buffer)
	default:
		return buffer, c.sendLarge(sub, c.protocol.dataPrefix(sub.id), n.data)
	}
}

// next takes the next note; a nil subscription means that there is none, and that the caller no longer
// is the writer. resume is a stream that can continue.
func (o *outbox) next() (sub *clientSubscription, n note, resume Subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.ready) > 0 {
		sub = o.ready[0]
		o.ready = o.ready[1:]
		if len(sub.pending) == 0 {
			sub.queued = false
			continue
		}
		n = sub.pending[0]
		sub.pending = sub.pending[1:]
		if len(sub.pending) > 0 {
			o.ready = append(o.ready, sub)
		} else {
			sub.pending, sub.queued = nil, false
			if sub.full && sub.subscription != nil {
				sub.full, resume = false, sub.subscription
			}
		}
		return sub, n, resume
	}
	o.ready, o.writing = nil, false
	return nil, n, nil
}

// about is the operation, and its description once it has started.
func (sub *clientSubscription) about() (*Operation, request.Description) {
	sub.conn.out.mu.Lock()
	s := sub.subscription
	sub.conn.out.mu.Unlock()
	if s == nil {
		return sub.operation, request.Description{}
	}
	return sub.operation, s.Description()
}

// count counts a message that was written; those that come before it is known what the operation
// is are counted with it later on.
func (sub *clientSubscription) count(bytes int, took time.Duration) {
	m := sub.conn.server.deps.Metrics
	if m == nil {
		return
	}
	o := &sub.conn.out
	o.mu.Lock()
	sent := sub.sent
	if sent == nil {
		sub.uncounted += bytes
	}
	o.mu.Unlock()
	m.wrote(sent, bytes, took)
}

// finish tells the client that the subscription has ended.
func (sub *clientSubscription) finish(e *apierror.Error) error {
	c := sub.conn
	kind := operationCompleted
	if e != nil {
		kind = operationFailed
	}
	operation, about := sub.about()
	c.logOperation(kind, sub.id, operation, about.Hash, e)
	c.forget(sub.id, sub) // before the client hears that the id is free
	sub.stop()
	if e != nil {
		return c.sendFailure(sub.id, c.protocol.refusal(sub.id, e, c.endpoint.FlatErrors))
	}
	return c.send(completeMessage(sub.id))
}

// sendLarge writes a message in pieces.
func (c *conn) sendLarge(sub *clientSubscription, prefix, data []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, writeTimeout)
	defer cancel()
	started := time.Now()
	w, err := c.socket.Writer(ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for _, p := range [][]byte{prefix, data, {'}'}} {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	err = w.Close()
	sub.count(len(prefix)+len(data)+1, time.Since(started))
	return err
}
