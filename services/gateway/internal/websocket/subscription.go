package websocket

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/apierror"
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
	f := &feed{conn: c, id: id, operation: &o}
	var ctx context.Context
	ctx, f.cancel = context.WithCancel(c.ctx)
	c.add(id, f)
	c.running.Go(func() {
		defer func() { <-c.slots }()
		var err error
		if c.out.admit() {
			var s Subscription
			c.logOperation(operationStarted, id, &o, "", nil)
			if s, err = c.server.deps.Subscribe(ctx, o, f); err == nil {
				f.started(s)
				return
			}
			c.out.release()
		} else {
			err = apierror.Newf(apierror.StartFailed, "the connection has too many subscriptions: at most %d are allowed", c.out.most)
		}
		if f.stopped() || ctx.Err() != nil {
			return
		}
		f.End(apierror.From(err))
	})
}

// note is something to tell a client.
type note struct {
	data []byte // a response document
	err  *apierror.Error
	end  bool
	at   time.Time
}

// feed is a subscription of a client. It is the live.Receiver.
type feed struct {
	conn   *conn
	id     string
	cancel context.CancelFunc

	operation *Operation

	// These belong to the mu of the connection's outbox.
	subscription Subscription
	// sent counts the bytes of messages, nil until the operation is known; uncounted are those until then.
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
	ready         []*feed
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
func (f *feed) started(s Subscription) {
	o, sent := &f.conn.out, f.conn.server.deps.Metrics.sentOf(s.Description())
	o.mu.Lock()
	f.subscription, f.sent = s, sent
	if sent != nil {
		sent.Add(float64(f.uncounted))
		f.uncounted = 0
	}
	over, resume := f.over, f.full && !f.queued
	f.full = f.full && !resume
	o.mu.Unlock()
	switch {
	case over:
		s.Close()
		o.release()
	case resume:
		s.Resume()
	}
}

func (f *feed) stopped() bool {
	f.conn.out.mu.Lock()
	defer f.conn.out.mu.Unlock()
	return f.over
}

// stop ends the subscription; nothing more is written of it.
func (f *feed) stop() {
	o := &f.conn.out
	o.mu.Lock()
	over, s := f.over, f.subscription
	f.over, f.pending = true, nil
	o.mu.Unlock()
	f.cancel()
	if !over && s != nil {
		s.Close()
		o.release()
	}
}

// Data implements live.Receiver. A newer result of a live query takes the place of one that
// still waits.
func (f *feed) Data(document []byte, stream bool) bool {
	o := &f.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	n := note{data: document, at: time.Now()}
	switch last := len(f.pending) - 1; {
	case f.over:
	case stream && last+1 >= maxBatches:
		f.full = true
		f.conn.server.deps.Metrics.paused()
		return false
	case !stream && last >= 0:
		f.pending[last] = n
		f.conn.server.deps.Metrics.skipped()
	default:
		f.push(n)
	}
	return true
}

// Fail implements live.Receiver.
func (f *feed) Fail(e *apierror.Error) {
	o := &f.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(f.pending) - 1; last >= 0 && f.pending[last].err != nil {
		f.pending = f.pending[:last]
	}
	if !f.over {
		f.push(note{err: e, at: time.Now()})
	}
}

// End implements live.Receiver.
func (f *feed) End(e *apierror.Error) {
	o := &f.conn.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if !f.over {
		f.push(note{err: e, end: true, at: time.Now()})
	}
}

// push adds a note, and has it written. The caller holds mu of the outbox.
func (f *feed) push(n note) {
	f.pending = append(f.pending, n)
	o := &f.conn.out
	if !f.queued {
		f.queued = true
		o.ready = append(o.ready, f)
	}
	if !o.writing {
		o.writing = true
		go f.conn.write()
	}
}

// write writes notes until there are none. Each subscription in turn gets one of its own
// written.
func (c *conn) write() {
	var buffer []byte
	for {
		f, n, resume := c.out.next()
		if f == nil {
			return
		}
		if resume != nil {
			resume.Resume()
		}
		c.server.deps.Metrics.waited(time.Since(n.at))
		var err error
		switch {
		case n.end:
			err = f.finish(n.err)
		case n.err != nil:
			err = c.sendOf(f.count, c.protocol.fault(f.id, n.err))
		case len(n.data) <= small:
			buffer = append(append(buffer[:0], c.protocol.dataPrefix(f.id)...), n.data...)
			buffer = append(buffer, '}')
			err = c.sendOf(f.count, buffer)
		default:
			err = c.sendLarge(f, c.protocol.dataPrefix(f.id), n.data)
		}
		if err != nil {
			c.cancel()
		}
	}
}

// next takes the next note; a feed of nil says that there is none, and that the caller is the
// writer no more. resume is a stream that has room again.
func (o *outbox) next() (f *feed, n note, resume Subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.ready) > 0 {
		f = o.ready[0]
		o.ready = o.ready[1:]
		if len(f.pending) == 0 {
			f.queued = false
			continue
		}
		n = f.pending[0]
		f.pending = f.pending[1:]
		if len(f.pending) > 0 {
			o.ready = append(o.ready, f)
		} else {
			f.pending, f.queued = nil, false
			if f.full && f.subscription != nil {
				f.full, resume = false, f.subscription
			}
		}
		return f, n, resume
	}
	o.ready, o.writing = nil, false
	return nil, n, nil
}

// about is the operation, and what is known of it once it has started.
func (f *feed) about() (*Operation, request.Description) {
	f.conn.out.mu.Lock()
	s := f.subscription
	f.conn.out.mu.Unlock()
	if s == nil {
		return f.operation, request.Description{}
	}
	return f.operation, s.Description()
}

// count counts a message that was written; those that come before it is known what the operation
// is are counted with it later on.
func (f *feed) count(bytes int, took time.Duration) {
	m := f.conn.server.deps.Metrics
	if m == nil {
		return
	}
	o := &f.conn.out
	o.mu.Lock()
	sent := f.sent
	if sent == nil {
		f.uncounted += bytes
	}
	o.mu.Unlock()
	m.wrote(sent, bytes, took)
}

// finish tells that the subscription has ended.
func (f *feed) finish(e *apierror.Error) error {
	c := f.conn
	kind := operationCompleted
	if e != nil {
		kind = operationFailed
	}
	operation, about := f.about()
	c.logOperation(kind, f.id, operation, about.Hash, e)
	c.forget(f.id, f) // before the client hears that the id is free
	f.stop()
	if e != nil {
		return c.sendFailure(f.id, c.protocol.refusal(f.id, e, c.endpoint.FlatErrors))
	}
	return c.send(completeMessage(f.id))
}

// sendLarge writes a message in pieces.
func (c *conn) sendLarge(f *feed, prefix, data []byte) error {
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
	f.count(len(prefix)+len(data)+1, time.Since(started))
	return err
}
