package eventreader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/backend/postgres/wire"
)

// closeWithin bounds the end of a connection.
const closeWithin = time.Second

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
	if !at.readable { // or what was read of the place was older than what was read of the slot
		if at, err = w.load(ctx); err != nil || !at.needed {
			return err
		}
	}
	if !at.readable {
		if at, err = w.renew(ctx, at); err != nil {
			return err
		}
	}
	if at.unbounded {
		on.Logger.WarnContext(ctx, "replication slot retains WAL without a limit: set max_slot_wal_keep_size", "slot", at.slot)
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

// renew makes a slot again whose log is gone.
func (w *writer) renew(ctx context.Context, before place) (place, error) {
	end, err := eventlog.RenewSlot(ctx, w.pg)
	if err != nil {
		return before, err
	}
	w.on.Missed()
	w.on.Logger.ErrorContext(ctx, "WAL needed to resume events was removed; changes in between make no events",
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
	return stream.ReadAhead(ctx, func(ctx context.Context, batches <-chan []walreader.Message) error {
		return w.write(ctx, log{batches, walreader.NewPace(stream), stream.Confirm})
	})
}

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
