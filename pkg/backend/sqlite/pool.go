package sqlite

import (
	"context"
	"sync"
	"time"

	"queryengine/pkg/apierror"
)

// Source is an open file. It is safe for concurrent use.
type Source struct {
	options Options
	// write is the connection that writes, read are those that read.
	write, read *pool
	changes     *changes
}

// Open opens a source; the file is opened when it is used.
func Open(o Options) *Source {
	s := &Source{options: o}
	s.write = newPool(1, o.PoolTimeout, func(ctx context.Context) (*conn, error) { return dial(ctx, &s.options, o.ReadOnly) })
	s.read = newPool(o.Readers, o.PoolTimeout, func(ctx context.Context) (*conn, error) {
		if !o.ReadOnly {
			// Only a connection that may write can make a file, and the log of one.
			if err := s.prepareFile(ctx); err != nil {
				return nil, err
			}
		}
		return dial(ctx, &s.options, true)
	})
	s.changes = newChanges(s)
	return s
}

// prepareFile has the connection that writes opened once.
func (s *Source) prepareFile(ctx context.Context) error {
	if s.write.opened() {
		return nil
	}
	c, err := s.write.acquire(ctx)
	if err != nil {
		return err
	}
	s.write.release(c)
	return nil
}

// Close closes the connections, and waits for those that are in use.
func (s *Source) Close() {
	s.read.close()
	s.write.close()
}

// Ping runs a trivial statement.
func (s *Source) Ping(ctx context.Context) error {
	c, err := s.read.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.read.release(c)
	return c.exec(ctx, "SELECT count(*) FROM sqlite_schema")
}

// pool is a bounded number of connections, opened when there is work for them.
type pool struct {
	dial    func(context.Context) (*conn, error)
	timeout time.Duration
	// slots has a place for each connection in use.
	slots chan struct{}

	mu     sync.Mutex
	idle   []*conn
	dialed bool
	closed bool
}

func newPool(size int, timeout time.Duration, dial func(context.Context) (*conn, error)) *pool {
	return &pool{dial: dial, timeout: timeout, slots: make(chan struct{}, size)}
}

// acquire takes a connection. A caller waits for the time-out of the pool at most.
func (p *pool) acquire(ctx context.Context) (*conn, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	select {
	case p.slots <- struct{}{}:
	default:
		timer := time.NewTimer(p.timeout)
		defer timer.Stop()
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, contextError(ctx)
		case <-timer.C:
			return nil, poolTimeout()
		}
	}
	c, err := p.take(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return c, nil
}

// tryAcquire takes a connection unless all are in use; then it is nil.
func (p *pool) tryAcquire(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		return nil, nil
	}
	c, err := p.take(ctx)
	if err != nil {
		<-p.slots
	}
	return c, err
}

// take needs a slot.
func (p *pool) take(ctx context.Context) (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, apierror.New(apierror.SQLiteError, "connection error").WithInternal("the source is closed")
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := p.dial(ctx)
	if err == nil {
		p.mu.Lock()
		p.dialed = true
		p.mu.Unlock()
	}
	return c, err
}

// opened reports whether a connection was ever opened.
func (p *pool) opened() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialed
}

// release gives a connection back.
func (p *pool) release(c *conn) {
	c.guard.mode = guardOwn
	p.mu.Lock()
	keep := !c.discarded && !p.closed
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.close()
	}
	<-p.slots
}

// close closes all connections, and waits for those in use.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
}
