package mssql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/mssql/eventlog"
)

// Source is an open source. It is safe for concurrent use.
type Source struct {
	*eventlog.Log
	primary *pool
	// readers answer queries, in turn: the replicas, or the primary where there are none.
	readers []*pool
	turn    atomic.Uint64
}

// Open opens a source; connections are made when they are needed.
func Open(o Options) *Source {
	primary := newPool(o.Primary)
	s := &Source{Log: eventlog.New(eventDatabase{primary}), primary: primary}
	for _, e := range o.Replicas {
		s.readers = append(s.readers, newPool(e))
	}
	if len(s.readers) == 0 {
		s.readers = []*pool{s.primary}
	}
	return s
}

// reader is the pool that runs the next query.
func (s *Source) reader() *pool {
	if len(s.readers) == 1 {
		return s.readers[0]
	}
	return s.readers[s.turn.Add(1)%uint64(len(s.readers))]
}

// Close closes all connections, and waits for statements that the servers have begun.
func (s *Source) Close() {
	for _, p := range s.readers {
		p.close()
	}
	s.primary.close()
}

// Ping runs a trivial statement on the primary.
func (s *Source) Ping(ctx context.Context) error {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return c.exec(ctx, "SELECT 1")
}

// pool is a bounded number of connections to one server.
type pool struct {
	db       *sql.DB
	endpoint Endpoint
	meter    *backend.PoolMeter // nil for none
}

func newPool(e Endpoint) *pool {
	p := &pool{endpoint: e}
	p.db = sql.OpenDB(connector{p})
	p.db.SetMaxOpenConns(e.Connections)
	if e.IdleTimeout > 0 {
		p.db.SetMaxIdleConns(e.Connections)
		p.db.SetConnMaxIdleTime(e.IdleTimeout)
	} else {
		p.db.SetMaxIdleConns(-1)
	}
	return p
}

func (p *pool) close() {
	_ = p.db.Close()
	p.meter.Leave()
}

// conn is one connection, for one goroutine at a time.
type conn struct {
	*sql.Conn
	pool *pool
	// discarded connections are closed and not used again.
	discarded bool
}

// acquire takes a connection. A caller waits for the time-out of the pool at most.
func (p *pool) acquire(ctx context.Context) (*conn, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	defer p.meter.Waited(time.Now())
	waiting, cancel := context.WithTimeoutCause(ctx, p.endpoint.PoolTimeout, errPoolTimeout)
	defer cancel()
	c, err := p.db.Conn(waiting)
	switch {
	case err == nil:
		return &conn{Conn: c, pool: p}, nil
	case ctx.Err() != nil:
		return nil, contextError(ctx)
	case errors.Is(context.Cause(waiting), errPoolTimeout) && p.db.Stats().InUse >= p.endpoint.Connections:
		return nil, poolTimeout()
	}
	return nil, connectionError(err)
}

var errPoolTimeout = errors.New("no connection was free for too long")

// poolTimeout reports that all connections were in use for too long.
func poolTimeout() error {
	e := apierror.New(apierror.Busy, "timed out waiting for a free connection to the database")
	e.RetryAfter = 1
	return e
}

// release gives the connection back.
func (c *conn) release() {
	if c.discarded {
		_ = c.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = c.Close()
}

// exec runs a batch without parameters whose rows no client reads.
func (c *conn) exec(ctx context.Context, text string) error {
	_, err := c.ExecContext(ctx, text)
	return queryError(ctx, err, executed{SQL: text})
}
