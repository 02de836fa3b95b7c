// Package schedule decides when the statements of a PostgreSQL server run, with which others, and on which connection.
//
// There are three policies. A statement runs directly, on a connection of its own (direct.go). Short ones share a round trip
// (share.go, batch.go). Transactions that write wait for each other while many are under way (wait.go). The last two save time on
// some machines only: each has a setting, and is measured otherwise (rule.go, cost.go).
package schedule

import (
	"context"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// Scheduler schedules the statements of one server. Other work takes connections of its pool as it likes.
type Scheduler struct {
	*wire.Pool
	// Reads and Writes share round trips, those of queries and of mutations.
	Reads, Writes *Batcher
	Writers       *Writers
	settings      Settings
}

// Job is a statement to run. Its parts belong to the request: nothing of them is read once the request has ended, but Of.
type Job struct {
	// Text is the statement as a session in UTC gets it, for what it may share.
	Text   *wire.Text
	Values [][]byte
	// Ahead is a command of one row that is sent before it; zero for none.
	Ahead wire.Command
	// Cost is nil for a statement that never shares.
	Cost *Cost
	// Stable reports whether one run can stand for several at the same time with the same parameters: it has no
	// effects, and depends on nothing but what the database stores.
	Stable bool
	Of     Statement
}

// Statement is what a job runs. Other goroutines than its request's use it, also after the request has ended.
type Statement interface {
	// TextFor is the text for the session of a connection.
	TextFor(c *wire.Conn) (*wire.Text, error)
	// Collect appends the answer that a result makes. wire.ErrTooLarge is that of one that isn't kept.
	Collect(c *wire.Conn, r *wire.Result, dst []byte) ([]byte, error)
}

// New makes a scheduler, and its pool, which has no connection yet. It is closed by Close.
func New(e Endpoint, applicationName string) (*Scheduler, error) {
	pool, err := wire.NewPool(e.Endpoint, applicationName)
	if err != nil {
		return nil, err
	}
	s := &Scheduler{
		Pool: pool, settings: e.Settings, Reads: newBatcher(pool, e.Share, false), Writes: newBatcher(pool, e.Share, true),
		Writers: newWriters(e.Wait, func(waits bool) { pool.Meter.Decided(backend.WaitToWrite, waits) }),
	}
	pool.Learned = s.learned
	return s, nil
}

// learned notes what sessions of the server can share.
func (s *Scheduler) learned(c *wire.Conn) {
	share := s.settings.Share != Off && s.Endpoint.Prepare != wire.PrepareNever
	s.Reads.allow(share && c.Direct)
	s.Writes.allow(share && c.PipelinesWrites())
}

// Measure begins to measure a server that isn't used yet.
func (s *Scheduler) Measure(m *backend.PoolMetrics, source string, replica bool) {
	s.Pool.Measure(m, source, replica)
	s.Meter.Decided(backend.WaitToWrite, s.settings.Wait != Off)
}

// Read runs a query and appends its answer to out: in a shared round trip, or by run, on a connection of its own. lost reports that the
// connection was lost; when nothing was handed on yet, the query can run again.
func (s *Scheduler) Read(ctx context.Context, j Job, out *backend.Answer, run func(*wire.Conn) error) (lost bool, err error) {
	outcome, turn, err := s.Reads.Run(ctx, j, out)
	switch outcome {
	case Answered, Left, Refused:
		return false, err
	case Lost:
		return true, nil
	}
	return s.direct(ctx, turn, wire.FreshFor, run)
}
