package wire

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

// The defaults of an Endpoint, and the times that a pool grants.
const (
	DefaultMaxConnections = 50
	DefaultIdleTimeout    = 3 * time.Minute
	// CancelGrace is how long a canceled statement has to end in the server before its
	// connection is given up.
	CancelGrace = 5 * time.Second
	// FreshFor is how long an idle connection is trusted without asking the server.
	FreshFor = time.Second
	// AliveWithin is how long such a connection has to answer.
	AliveWithin = 3 * time.Second
	// RollbackGrace is how long a rollback may take after the request that failed.
	RollbackGrace = 5 * time.Second
	// sweepEvery is how often idle connections are looked at.
	sweepEvery = 10 * time.Second
)

// Pool is a bounded set of connections to one server.
//
// It stands on puddle, as pgxpool does, and not on pgxpool: the query path speaks to
// pgconn and keeps its own statements per connection, so pgx.Conn with its type map and
// caches would only be memory that each connection costs.
type Pool struct {
	Endpoint Endpoint
	name     string
	Conns    *puddle.Pool[*Conn]
	stop     chan struct{}
	stopped  sync.Once
	Meter    *backend.PoolMeter // nil for none
	// noSettings is set when the server, or a pooler, refuses the settings of our connections.
	noSettings atomic.Bool
	// Mixes is set when a pooler turns out to share the sessions of the server between clients.
	Mixes atomic.Bool
	// generation distinguishes the texts of prepared statements from outdated ones that a pooler keeps.
	generation atomic.Int32
	faults     faults
	// Learned is called with each new session, and when one was replaced; nil for nothing. It is set before the first one is opened.
	Learned func(*Conn)
}

// Conn is one connection. It belongs to one user between Acquire and Release.
type Conn struct {
	PG         *pgconn.PgConn
	resource   *puddle.Resource[*Conn]
	Pool       *Pool
	statements preparedCache
	// Kept is what the user of the connections keeps with each of them.
	Kept any
	// Direct reports whether there is no pooler between us and the session of the server.
	Direct bool
	// Implicit reports whether a transaction without BEGIN is one as the source wants it.
	Implicit bool
	// Suspends reports whether the server goes on with another statement when one was requested some of its rows, as
	// PostgreSQL does. Others that speak its protocol may not.
	Suspends bool
	// commitsAtOnce reports whether commits wait neither for the disk nor for other servers.
	commitsAtOnce bool
	// plain reports whether nothing is prepared until the connection is released, renewed whether what the session
	// had cached is gone since it was acquired.
	plain, renewed bool
	// discarded connections are closed when they are released: their session isn't clean.
	discarded bool
}

// NewPool makes a pool that has no connection yet. It is closed by Close.
func NewPool(e Endpoint, applicationName string) (*Pool, error) {
	if e.URL == nil {
		return nil, errors.New("a source needs an address")
	}
	if e.MaxConnections <= 0 {
		e.MaxConnections = DefaultMaxConnections
	}
	if e.IdleTimeout <= 0 {
		e.IdleTimeout = DefaultIdleTimeout
	}
	p := &Pool{Endpoint: e, name: applicationName, stop: make(chan struct{})}
	conns, err := puddle.NewPool(&puddle.Config[*Conn]{
		Constructor: p.connect,
		Destructor:  closeConn,
		MaxSize:     int32(min(e.MaxConnections, 1<<15)),
	})
	if err != nil {
		return nil, err
	}
	p.Conns = conns
	go p.sweep()
	return p, nil
}

// Acquire takes a connection that works, as far as that can be known.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) { return p.AcquireTrusting(ctx, FreshFor) }

// AcquireTrusting is Acquire with the time that an idle connection is trusted without asking the
// server.
func (p *Pool) AcquireTrusting(ctx context.Context, idleFor time.Duration) (*Conn, error) {
	defer p.Meter.Waited(time.Now())
	return p.AcquireUnmetered(ctx, idleFor)
}

// AcquireUnmetered is AcquireTrusting for callers that measure the wait themselves.
func (p *Pool) AcquireUnmetered(ctx context.Context, idleFor time.Duration) (*Conn, error) {
	if c := p.idle(idleFor); c != nil {
		return c, nil
	}
	wait := ctx
	if p.Endpoint.PoolTimeout > 0 {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, p.Endpoint.PoolTimeout)
		defer cancel()
	}
	for {
		r, err := p.Conns.Acquire(wait)
		if err != nil {
			if wait.Err() != nil && ctx.Err() == nil {
				return nil, poolTimeout()
			}
			return nil, ConnectError(ctx, err)
		}
		c := r.Value()
		c.resource = r
		if r.IdleDuration() > idleFor && !c.Alive(wait) {
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
func (p *Pool) idle(within time.Duration) *Conn {
	r, err := p.Conns.TryAcquire(ended)
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

// Alive asks the server.
func (c *Conn) Alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, AliveWithin)
	defer cancel()
	return c.PG.Ping(ctx) == nil
}

// Release returns the connection. One with an open transaction, a broken one and one past
// its lifetime are closed.
func (c *Conn) Release() {
	c.plain, c.renewed = false, false
	lifetime := c.Pool.Endpoint.Lifetime
	switch {
	case c.discarded, c.PG.IsClosed(), c.PG.IsBusy(), c.PG.TxStatus() != 'I',
		lifetime > 0 && time.Since(c.resource.CreationTime()) > lifetime:
		c.resource.Destroy()
	default:
		c.resource.Release()
	}
}

// Discard makes Release close the connection.
func (c *Conn) Discard() { c.discarded = true }

// connect opens a connection. A failed attempt is repeated as often as the source is configured for,
// unless the server's refusal is permanent.
func (p *Pool) connect(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	for attempt := 0; attempt <= p.Endpoint.Retries; attempt++ {
		var pg *pgconn.PgConn
		if pg, err = p.dialMetered(ctx); err == nil {
			c := &Conn{PG: pg, Pool: p}
			c.learn(ctx)
			return c, nil
		}
		if ctx.Err() != nil || refused(err) {
			break
		}
	}
	return nil, err
}

func (p *Pool) dialMetered(ctx context.Context) (*pgconn.PgConn, error) {
	began := time.Now()
	pg, err := p.dial(ctx)
	p.Meter.Opened(began, err)
	return pg, err
}

// learn asks for the server's process, its default for transactions, and what it is. A pooler gives its clients
// numbers of its own instead of the process of the server; it may change the session at any time.
func (c *Conn) learn(ctx context.Context) {
	p, pg := c.Pool, c.PG
	const sql = `SELECT pg_backend_pid(), current_setting('default_transaction_isolation') = 'read committed'
		AND NOT current_setting('default_transaction_read_only')::boolean, version() LIKE 'PostgreSQL %',
		current_setting('synchronous_commit', true) = 'off'
		OR current_setting('fsync', true) = 'off' AND current_setting('synchronous_standby_names', true) = ''`
	r := pg.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		return
	}
	c.Suspends = string(r.Rows[0][2]) == "t"
	c.Direct = string(r.Rows[0][0]) == strconv.FormatUint(uint64(pg.PID()), 10)
	c.Implicit = c.Direct && p.Endpoint.Prepare != PrepareNever && string(r.Rows[0][1]) == "t" &&
		p.Endpoint.Isolation.SQL() == ReadCommitted.SQL()
	c.commitsAtOnce = string(r.Rows[0][3]) == "t"
	if p.Learned != nil {
		p.Learned(c)
	}
}

// Pipelines reports whether independent statements of reads may share a round trip of the connection now. What a pooler makes of
// several transactions in one round trip is up to the pooler.
func (c *Conn) Pipelines() bool { return c.Direct && c.preparing() }

// PipelinesWrites reports whether writes may share round trips of the connection. Commits that wait for the disk would do so
// one after the other, and many sessions do them at once; besides, one that waits for another server must not be cancelled.
func (c *Conn) PipelinesWrites() bool { return c.Implicit && c.Suspends && c.commitsAtOnce }

// sweep closes connections that were idle for too long, until the pool is closed.
func (p *Pool) sweep() {
	tick := time.NewTicker(min(sweepEvery, p.Endpoint.IdleTimeout))
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		for _, r := range p.Conns.AcquireAllIdle() {
			if r.IdleDuration() > p.Endpoint.IdleTimeout {
				r.Destroy()
			} else {
				r.ReleaseUnused()
			}
		}
	}
}

// Close closes all connections, after those in use were released.
func (p *Pool) Close() {
	p.stopped.Do(func() { close(p.stop) })
	p.Conns.Close()
	p.Meter.Leave()
}

func closeConn(c *Conn) {
	c.Pool.Meter.Closed()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.PG.Close(ctx) // closes the session; the socket is closed in any case
}

// Idle is the status of a connection that is in no transaction.
const Idle = 'I'

// UTC reports whether the session's time zone is UTC, by one of its usual names.
func (c *Conn) UTC() bool {
	switch c.PG.ParameterStatus("TimeZone") {
	case "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT", "Universal", "Etc/Universal":
		return true
	}
	return false
}

// Rollback ends a transaction also when the caller is gone. A connection that can't do it
// is closed, which has the same effect.
func (c *Conn) Rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if c.PG.IsClosed() || c.PG.TxStatus() == Idle {
		return
	}
	if _, err := c.PG.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close(); err != nil {
		c.Discard()
	}
}

// InSnapshot calls read in a transaction that reads, and sees one state of the server.
func (p *Pool) InSnapshot(ctx context.Context, read func(*pgconn.PgConn) error) error {
	c, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if err := c.PG.Exec(ctx, begin).Close(); err != nil {
		return InternalError(ctx, err, Executed{SQL: begin})
	}
	if err := read(c.PG); err != nil {
		return err // Release closes the connection with its transaction
	}
	return InternalError(ctx, c.PG.Exec(ctx, "COMMIT").Close(), Executed{SQL: "COMMIT"})
}
