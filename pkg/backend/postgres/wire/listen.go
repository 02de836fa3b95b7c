package wire

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// ListenCheck is how often a quiet connection is polled to see whether it is alive.
const ListenCheck = 15 * time.Second

// DialQuiet makes a connection of its own, outside of the pool. The end of a context ends what waits for
// the server and doesn't cancel it there.
func (p *Pool) DialQuiet(ctx context.Context) (*pgconn.PgConn, error) {
	return p.dialQuiet(ctx, func(*pgconn.Config) {})
}

// canonicalTexts are the settings by which the server writes values: whatever the database and the user have, the
// same value is the same text in every log that is read.
const canonicalTexts = `SET datestyle = 'ISO, MDY'; SET timezone = 'UTC'; SET intervalstyle = 'postgres'; SET extra_float_digits = 3; SET bytea_output = 'hex'`

// DialReplication makes a connection of its own on which the server's log can be read, with dates in ISO
// format and in UTC. The error is the driver's, which says what the server misses.
func (p *Pool) DialReplication(ctx context.Context) (*pgconn.PgConn, error) {
	pg, err := p.dialWith(ctx, func(c *pgconn.Config) { c.RuntimeParams["replication"] = "database" })
	if err != nil {
		return nil, err
	}
	// They are no parameters of the connection, as poolers refuse some of them there.
	if _, err := pg.Exec(ctx, canonicalTexts).ReadAll(); err != nil {
		_ = pg.Close(context.WithoutCancel(ctx)) // nothing is in it
		return nil, err
	}
	return pg, nil
}

func (p *Pool) dialQuiet(ctx context.Context, change func(*pgconn.Config)) (*pgconn.PgConn, error) {
	pg, err := p.dialWith(ctx, func(c *pgconn.Config) {
		// The server needn't know that the wait ends.
		c.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: pg.Conn()}
		}
		change(c)
	})
	if err != nil {
		return nil, ConnectError(ctx, err)
	}
	return pg, nil
}

// DialListener makes a connection of its own that calls heard for every notification of a channel,
// while it is read.
func (p *Pool) DialListener(ctx context.Context, channel string, heard func(payload string)) (*pgconn.PgConn, error) {
	pg, err := p.dialQuiet(ctx, func(c *pgconn.Config) {
		c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard(n.Payload) }
	})
	if err != nil {
		return nil, err
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
