package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Isolation is the level at which transactions of a source run.
type Isolation string

// The levels, as metadata spells them.
const (
	ReadCommitted  Isolation = "read-committed"
	RepeatableRead Isolation = "repeatable-read"
	Serializable   Isolation = "serializable"
)

// sql is the level as SQL spells it.
func (i Isolation) sql() string {
	switch i {
	case RepeatableRead:
		return "REPEATABLE READ"
	case Serializable:
		return "SERIALIZABLE"
	}
	return "READ COMMITTED"
}

// Options configure how a source is reached.
type Options struct {
	Primary Endpoint
	// Replicas answer queries in place of the primary, chosen at random.
	Replicas []Endpoint
	// ApplicationName names our connections in pg_stat_activity, unless the address does.
	ApplicationName string
	// Changes notifies of changes of tables, by triggers that are made where they are needed.
	Changes bool
}

// Endpoint is one server of a source and the bounds of its pool. Zero values are the
// defaults, except where said.
type Endpoint struct {
	// URL gives the address; it is asked for each new connection, so that a rotated secret
	// is picked up.
	URL func() (string, error)
	TLS *TLS
	// MaxConnections is 50 when it isn't given.
	MaxConnections int
	// IdleTimeout closes a connection that was idle for that long; 3 minutes.
	IdleTimeout time.Duration
	// Lifetime closes a connection of that age when it is returned; 0 is unlimited.
	Lifetime time.Duration
	// PoolTimeout is how long to wait for a free connection; 0 is as long as the caller does.
	PoolTimeout time.Duration
	// Retries is how often a failed attempt to connect is repeated.
	Retries   int
	Isolation Isolation
	// SerializationRetries is how often a transaction is done again that could not be
	// serialised with others.
	SerializationRetries int
	Prepare              Prepare
}

// Prepare is whether connections keep statements prepared.
type Prepare uint8

const (
	// PrepareUnlessPooled does so until a pooler turns out to mix sessions.
	PrepareUnlessPooled Prepare = iota
	// PrepareAlways does so whatever is in between.
	PrepareAlways
	// PrepareNever has each statement parsed by each run.
	PrepareNever
)

// Source is an open PostgreSQL source. Connections are made when they are needed.
type Source struct {
	primary  *pool
	replicas []*pool
	changes  bool
	// takings counts the takings of events, which serve new ones first in turns.
	takings atomic.Uint64
}

// Open checks the options and returns a source that has no connection yet: a server that
// is down is found by Ping or by the first statement.
func Open(_ context.Context, o Options) (*Source, error) {
	primary, err := newPool(o.Primary, o.ApplicationName)
	if err != nil {
		return nil, err
	}
	s := &Source{primary: primary, changes: o.Changes}
	for i, e := range o.Replicas {
		replica, err := newPool(e, o.ApplicationName)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("read replica %d: %w", i, err)
		}
		s.replicas = append(s.replicas, replica)
	}
	return s, nil
}

// Close closes all connections, after those in use were returned.
func (s *Source) Close() {
	s.primary.close()
	for _, r := range s.replicas {
		r.close()
	}
}

// Ping runs a trivial statement on the primary.
func (s *Source) Ping(ctx context.Context) error {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return internalError(ctx, c.pg.Ping(ctx), executed{SQL: "-- ping"})
}

// reader is the pool for statements that only read.
func (s *Source) reader() *pool {
	if len(s.replicas) == 0 {
		return s.primary
	}
	return s.replicas[rand.IntN(len(s.replicas))]
}
