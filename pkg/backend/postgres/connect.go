package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

// Options configure how a source is reached.
type Options struct {
	Primary schedule.Endpoint
	// Replicas answer queries instead of the primary, chosen at random.
	Replicas []schedule.Endpoint
	// ApplicationName names our connections in pg_stat_activity, unless the address does.
	ApplicationName string
	// ChangeFeed is how changes of tables are reported; empty for not at all.
	ChangeFeed string
	// Session is what each transaction of a request sets, nil for nothing.
	Session *SessionSettings
}

// Server is an open source of any flavour of PostgreSQL. Connections are made when they are needed.
type Server struct {
	primary    *schedule.Scheduler
	replicas   []*schedule.Scheduler
	changeFeed string
	session    *sessionSettings
	// distributed databases tell which nodes their tables are on.
	distributed bool
	// noTriggers is set where the catalogue has no definitions of triggers.
	noTriggers bool
	// log is nil where the flavour has no event triggers.
	log *eventlog.Log
}

// Source is a Server whose tables can have event triggers.
type Source struct {
	*Server
	*eventlog.Log
}

// Open checks the options and returns a source that has no connection yet: a server that
// is down is found by Ping or by the first statement.
func Open(_ context.Context, o Options) (*Source, error) {
	s, err := openServer(o, Server{})
	if err != nil {
		return nil, err
	}
	s.log = eventlog.New(s.primary.Pool, eventTypes{})
	return &Source{Server: s, Log: s.log}, nil
}

// openServer is Open for a flavor without event triggers, which has set what differs in s.
func openServer(o Options, s Server) (*Server, error) {
	o.Primary.Distributed = s.distributed
	primary, err := schedule.New(o.Primary, o.ApplicationName)
	if err != nil {
		return nil, err
	}
	s.primary, s.changeFeed, s.session = primary, o.ChangeFeed, newSessionSettings(o.Session)
	for i, e := range o.Replicas {
		e.Distributed = s.distributed
		replica, err := schedule.New(e, o.ApplicationName)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("read replica %d: %w", i, err)
		}
		s.replicas = append(s.replicas, replica)
	}
	return &s, nil
}

// Close closes all connections, after those in use were returned.
func (s *Server) Close() {
	s.primary.Close()
	for _, r := range s.replicas {
		r.Close()
	}
}

// Ping runs a trivial statement on the primary.
func (s *Server) Ping(ctx context.Context) error {
	c, err := s.primary.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return wire.InternalError(ctx, c.PG.Ping(ctx), wire.Executed{SQL: "-- ping"})
}

// reader is the server for statements that only read.
func (s *Server) reader() *schedule.Scheduler {
	if len(s.replicas) == 0 {
		return s.primary
	}
	return s.replicas[rand.IntN(len(s.replicas))]
}

// Measure implements backend.Measurable.
func (s *Server) Measure(m *backend.PoolMetrics, name string) {
	s.primary.Measure(m, name, false)
	for _, r := range s.replicas {
		r.Measure(m, name, true)
	}
}

// A Source is requested its events under these names.
var (
	_ backend.EventTriggers = (*Source)(nil)
	_ backend.EventLog      = (*Source)(nil)
	_ backend.LogEvents     = (*Source)(nil)
)
