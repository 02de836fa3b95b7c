package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"queryengine/pkg/backend"
)

const (
	defaultMaxConnections = 50
	defaultIdleTimeout    = 3 * time.Minute
	// cancelGrace is how long a canceled statement has to end in the server before its
	// connection is given up.
	cancelGrace = 5 * time.Second
	// freshFor is how long an idle connection is trusted without asking the server.
	freshFor = time.Second
	// aliveWithin is how long such a connection has to answer.
	aliveWithin = 3 * time.Second
	// sweepEvery is how often idle connections are looked at.
	sweepEvery = 10 * time.Second
)

// pool is a bounded set of connections to one server.
//
// It stands on puddle, as pgxpool does, and not on pgxpool: the query path speaks to
// pgconn and keeps its own statements per connection, so pgx.Conn with its type map and
// caches would only be memory that each connection costs.
type pool struct {
	endpoint Endpoint
	name     string
	conns    *puddle.Pool[*conn]
	stop     chan struct{}
	stopped  sync.Once
	meter    *backend.PoolMeter // nil for none
	// noJIT is set when the server does not let connections switch its JIT off.
	noJIT atomic.Bool
	// plansFixed is set when the address sets how prepared statements are planned.
	plansFixed atomic.Bool
	// mixes is set when a pooler turns out to share the sessions of the server between clients.
	mixes atomic.Bool
	// generation distinguishes the texts of prepared statements from outdated ones that a pooler keeps.
	generation atomic.Int32
}

// conn is one connection. It belongs to one user between acquire and release.
type conn struct {
	pg       *pgconn.PgConn
	resource *puddle.Resource[*conn]
	pool     *pool
	// statements and writer belong to the query path.
	statements preparedCache
	writer     rowWriter
	// direct reports whether there is no pooler between us and the session of the server.
	direct bool
	// implicit reports whether a transaction without BEGIN is one as the source wants it.
	implicit bool
	// plain reports whether nothing is prepared until the connection is released.
	plain bool
	// discarded connections are closed when they are released: their session isn't clean.
	discarded bool
}

func newPool(e Endpoint, applicationName string) (*pool, error) {
	if e.URL == nil {
		return nil, errors.New("a source needs an address")
	}
	if e.MaxConnections <= 0 {
		e.MaxConnections = defaultMaxConnections
	}
	if e.IdleTimeout <= 0 {
		e.IdleTimeout = defaultIdleTimeout
	}
	p := &pool{endpoint: e, name: applicationName, stop: make(chan struct{})}
	conns, err := puddle.NewPool(&puddle.Config[*conn]{
		Constructor: p.connect,
		Destructor:  closeConn,
		MaxSize:     int32(min(e.MaxConnections, 1<<15)),
	})
	if err != nil {
		return nil, err
	}
	p.conns = conns
	go p.sweep()
	return p, nil
}

// acquire takes a connection that works, as far as that can be known.
func (p *pool) acquire(ctx context.Context) (*conn, error) { return p.acquireTrusting(ctx, freshFor) }

// acquireTrusting is acquire with the time that an idle connection is trusted without asking the
// server.
func (p *pool) acquireTrusting(ctx context.Context, idleFor time.Duration) (*conn, error) {
	defer p.meter.Waited(time.Now())
	if c := p.idle(idleFor); c != nil {
		return c, nil
	}
	wait := ctx
	if p.endpoint.PoolTimeout > 0 {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, p.endpoint.PoolTimeout)
		defer cancel()
	}
	for {
		r, err := p.conns.Acquire(wait)
		if err != nil {
			if wait.Err() != nil && ctx.Err() == nil {
				return nil, poolTimeout()
			}
			return nil, connectError(ctx, err)
		}
		c := r.Value()
		c.resource = r
		if r.IdleDuration() > idleFor && !c.alive(wait) {
			// The server closed it in the meantime; another one may be alive.
			r.Destroy()
			continue
		}
		return c, nil
	}
}

// ended is a context in which no connection is opened.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// idle takes a connection that needn't be waited for, which takes no timer; nil when there is none
// that was in use within a time.
func (p *pool) idle(within time.Duration) *conn {
	r, err := p.conns.TryAcquire(ended)
	if err != nil {
		return nil
	}
	if r.IdleDuration() > within {
		r.ReleaseUnused()
		return nil
	}
	c := r.Value()
	c.resource = r
	return c
}

// alive asks the server.
func (c *conn) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, aliveWithin)
	defer cancel()
	return c.pg.Ping(ctx) == nil
}

// release returns the connection. One with an open transaction, a broken one and one past
// its lifetime are closed.
func (c *conn) release() {
	c.plain = false
	lifetime := c.pool.endpoint.Lifetime
	switch {
	case c.discarded, c.pg.IsClosed(), c.pg.IsBusy(), c.pg.TxStatus() != 'I',
		lifetime > 0 && time.Since(c.resource.CreationTime()) > lifetime:
		c.resource.Destroy()
	default:
		c.resource.Release()
	}
}

// discard makes release close the connection.
func (c *conn) discard() { c.discarded = true }

// connect opens a connection. A failed attempt is repeated as often as the source is configured for,
// unless the server's refusal is permanent.
func (p *pool) connect(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	for attempt := 0; attempt <= p.endpoint.Retries; attempt++ {
		var pg *pgconn.PgConn
		began := time.Now()
		pg, err = p.dial(ctx)
		p.meter.Opened(began, err)
		if err == nil {
			return p.newConn(ctx, pg), nil
		}
		if ctx.Err() != nil || refused(err) {
			break
		}
	}
	return nil, err
}

// newConn asks for the server's process, and its default for transactions. A pooler gives its clients
// numbers of its own instead of the process of the server; it may change the session at any time.
func (p *pool) newConn(ctx context.Context, pg *pgconn.PgConn) *conn {
	c := &conn{pg: pg, pool: p, writer: newRowWriter()}
	const sql = `SELECT pg_backend_pid(), current_setting('default_transaction_isolation') = 'read committed'
		AND NOT current_setting('default_transaction_read_only')::boolean`
	r := pg.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		return c
	}
	c.direct = string(r.Rows[0][0]) == strconv.FormatUint(uint64(pg.PID()), 10)
	c.implicit = c.direct && p.endpoint.Prepare != PrepareNever && string(r.Rows[0][1]) == "t" &&
		p.endpoint.Isolation.sql() == ReadCommitted.sql()
	return c
}

// sweep closes connections that were idle for too long, until the pool is closed.
func (p *pool) sweep() {
	tick := time.NewTicker(min(sweepEvery, p.endpoint.IdleTimeout))
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		for _, r := range p.conns.AcquireAllIdle() {
			if r.IdleDuration() > p.endpoint.IdleTimeout {
				r.Destroy()
			} else {
				r.ReleaseUnused()
			}
		}
	}
}

func (p *pool) close() {
	p.stopped.Do(func() { close(p.stop) })
	p.conns.Close()
	p.meter.Leave()
}

func closeConn(c *conn) {
	c.pool.meter.Closed()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.pg.Close(ctx) // closes the session; the socket is closed in any case
}
