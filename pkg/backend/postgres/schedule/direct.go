package schedule

import (
	"context"
	"time"

	"queryengine/pkg/backend/postgres/wire"
)

// askAlways has the server asked whether an idle connection still works.
const askAlways = -1

// ReadAgain runs a query by run whose connection was lost: what dropped one connection may have dropped all of them.
func (s *Scheduler) ReadAgain(ctx context.Context, run func(*wire.Conn) error) error {
	_, err := s.direct(ctx, Ticket{}, askAlways, run)
	return err
}

// direct calls run with a connection that was trusted for a time.
func (s *Scheduler) direct(ctx context.Context, turn Ticket, trusted time.Duration, run func(*wire.Conn) error) (lost bool, err error) {
	defer turn.End()
	c, err := s.AcquireTrusting(ctx, trusted)
	if err != nil {
		return false, err
	}
	defer c.Release()
	err = run(c)
	return err != nil && c.PG.IsClosed(), err
}

// AcquireToWrite is Acquire for a transaction that writes, which may have to wait for others. The connection has to be
// released before the turn is ended.
func (s *Scheduler) AcquireToWrite(ctx context.Context) (*wire.Conn, WriteTicket, error) {
	defer s.Meter.Waited(time.Now())
	turn := s.Writers.Enter(ctx)
	c, err := s.AcquireUnmetered(ctx, wire.FreshFor)
	if err != nil {
		turn.End()
	}
	return c, turn, err
}
