package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// listenCheck is how often a quiet connection is asked whether it is alive.
const listenCheck = 15 * time.Second

// dialListener makes a connection of its own that calls heard for every notification of a channel,
// while it is read.
func (p *pool) dialListener(ctx context.Context, channel string, heard func(payload string)) (*pgconn.PgConn, error) {
	pg, err := p.dialWith(ctx, func(c *pgconn.Config) {
		c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard(n.Payload) }
		// To stop waiting is nothing that the server has to be told.
		c.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: pg.Conn()}
		}
	})
	if err != nil {
		return nil, connectError(ctx, err)
	}
	if _, err := pg.Exec(ctx, "LISTEN "+channel).ReadAll(); err != nil {
		_ = pg.Close(context.WithoutCancel(ctx)) // nothing is in it
		return nil, internalError(ctx, err, executed{SQL: "LISTEN"})
	}
	return pg, nil
}

// listen calls ready when it listens to a channel, and heard for every notification, on a
// connection of its own, until that is lost or ctx ends.
func (p *pool) listen(ctx context.Context, channel string, ready func(), heard func(payload string)) error {
	pg, err := p.dialListener(ctx, channel, heard)
	if err != nil {
		return err
	}
	defer func() { _ = pg.Close(context.WithoutCancel(ctx)) }() // nothing is in it
	ready()
	for {
		wait, cancel := context.WithTimeout(ctx, listenCheck)
		err := pg.WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case pg.IsClosed():
			return connectError(ctx, err)
		default:
			check, cancel := context.WithTimeout(ctx, aliveWithin)
			err := pg.Ping(check)
			cancel()
			if err != nil {
				return connectError(ctx, err)
			}
		}
	}
}
