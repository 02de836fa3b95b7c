package wire

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// ListenCheck is how often a quiet connection is asked whether it is alive.
const ListenCheck = 15 * time.Second

// DialListener makes a connection of its own that calls heard for every notification of a channel,
// while it is read.
func (p *Pool) DialListener(ctx context.Context, channel string, heard func(payload string)) (*pgconn.PgConn, error) {
	pg, err := p.dialWith(ctx, func(c *pgconn.Config) {
		c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard(n.Payload) }
		// To stop waiting is nothing that the server has to be told.
		c.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: pg.Conn()}
		}
	})
	if err != nil {
		return nil, ConnectError(ctx, err)
	}
	if _, err := pg.Exec(ctx, "LISTEN "+channel).ReadAll(); err != nil {
		_ = pg.Close(context.WithoutCancel(ctx)) // nothing is in it
		return nil, InternalError(ctx, err, Executed{SQL: "LISTEN"})
	}
	return pg, nil
}

// Listen calls ready when it listens to a channel, and heard for every notification, on a
// connection of its own, until that is lost or ctx ends.
func (p *Pool) Listen(ctx context.Context, channel string, ready func(), heard func(payload string)) error {
	pg, err := p.DialListener(ctx, channel, heard)
	if err != nil {
		return err
	}
	defer func() { _ = pg.Close(context.WithoutCancel(ctx)) }() // nothing is in it
	ready()
	for {
		wait, cancel := context.WithTimeout(ctx, ListenCheck)
		err := pg.WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case pg.IsClosed():
			return ConnectError(ctx, err)
		default:
			check, cancel := context.WithTimeout(ctx, AliveWithin)
			err := pg.Ping(check)
			cancel()
			if err != nil {
				return ConnectError(ctx, err)
			}
		}
	}
}
