package eventreader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/backend/postgres/wire"
)

const (
	// ahead is how many messages of the log are read ahead of what is written.
	ahead = 256
	// closeWithin bounds the end of a connection.
	closeWithin = time.Second
)

// Make implements backend.LogEvents for the database that a pool leads to.
func Make(ctx context.Context, pool *wire.Pool, on backend.EventProgress) error {
	pg, err := pool.DialQuiet(ctx)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		_ = pg.Close(closing) // what isn't committed is read again
	}()
	w := newWriter(pg, on)
	at, err := w.load(ctx)
	if err != nil || !at.needed {
		return err
	}
	if !at.readable {
		if at, err = w.renew(ctx, at); err != nil {
			return err
		}
	}
	if at.unbounded {
		on.Logger.WarnContext(ctx, "the server keeps its log for event triggers without a bound: set max_slot_wal_keep_size", "slot", at.slot)
	}
	for idle := len(w.triggers) == 0; ; idle = true {
		if idle {
			if dropped, err := eventlog.DropIdleSlot(ctx, pg); err != nil || dropped {
				return err
			}
		}
		if err := w.follow(ctx, pool, at.slot); !errors.Is(err, errIdle) {
			return err
		}
	}
}

// renew makes a slot anew whose log is gone.
func (w *writer) renew(ctx context.Context, before place) (place, error) {
	end, err := eventlog.RenewSlot(ctx, w.pg)
	if err != nil {
		return before, err
	}
	w.on.Missed()
	w.on.Logger.ErrorContext(ctx, "the log of the database is gone from where events were made last: changes in between make no events",
		"slot", before.slot, "from", w.position.String(), "to", end.String())
	return w.load(ctx)
}

// follow reads the log until ctx ends, the connection is lost, or the last trigger ends (errIdle).
func (w *writer) follow(ctx context.Context, pool *wire.Pool, slot string) error {
	connection, err := pool.DialReplication(ctx)
	if err != nil {
		return fmt.Errorf("the log can't be read: %w", err)
	}
	stream, err := walreader.Resume(ctx, connection, slot, eventlog.Publication)
	if err != nil {
		return err
	}
	defer stream.Close()
	w.on.Began()
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages := make(chan message, ahead)
	var reading sync.WaitGroup
	reading.Go(func() { cancel(stream.Read(within, &sink{ctx: within, to: messages})) })
	cancel(w.write(within, messages, stream.Confirm))
	reading.Wait()
	return context.Cause(within)
}

// message is one of the messages of the stream; of its fields one is set.
type message struct {
	begin    *pgoutput.Begin
	origin   bool
	relation *pgoutput.Relation
	table    uint32
	row      []byte
	commit   *pgoutput.Commit
}

// sink passes messages on to a writer.
type sink struct {
	ctx context.Context //nolint:containedctx // that of the stream, which a Sink doesn't get
	to  chan<- message
}

func (s *sink) pass(m message) error {
	select {
	case s.to <- m:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Begin implements walreader.Sink.
func (s *sink) Begin(b pgoutput.Begin) error { return s.pass(message{begin: &b}) }

// Origin implements walreader.Sink.
func (s *sink) Origin(pgoutput.Origin) error { return s.pass(message{origin: true}) }

// Relation implements walreader.Sink.
func (s *sink) Relation(r *pgoutput.Relation) error { return s.pass(message{relation: r}) }

// Row implements walreader.Sink.
func (s *sink) Row(table uint32, row []byte) error {
	return s.pass(message{table: table, row: append([]byte{}, row...)})
}

// Truncate implements walreader.Sink: as in triggers of rows, it makes no events.
func (s *sink) Truncate([]uint32) error { return nil }

// Commit implements walreader.Sink.
func (s *sink) Commit(c pgoutput.Commit) error { return s.pass(message{commit: &c}) }

// run runs statements without parameters.
func run(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	_, err := pg.Exec(ctx, sql).ReadAll()
	return err
}

// query runs a statement, of which all values are text.
func query(ctx context.Context, pg *pgconn.PgConn, sql string, args ...[]byte) ([][][]byte, error) {
	r := pg.ExecParams(ctx, sql, args, nil, nil, nil).Read()
	return r.Rows, r.Err
}
