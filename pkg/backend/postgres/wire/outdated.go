package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxAttempts is how often an operation is tried whose prepared statements turn out to be different
// from what the connection knows: as it is, with statements that are prepared again, and without
// prepared statements, which works whatever is between us and the server.
const maxAttempts = 3

// newName is a new name for a prepared statement. It is derived from the text: where a pooler gives one
// session of the server to several of ours, a name must not mean another client's statement.
func (p *preparedCache) newName(sql string) string {
	p.names++
	sum := sha256.Sum256([]byte(sql))
	return "engine_" + hex.EncodeToString(sum[:16]) + "_" + strconv.Itoa(p.names)
}

// sent is the text by which a statement is prepared. Poolers that keep prepared statements for
// their clients know them by their texts, the outdated ones, too.
func (p *Pool) sent(sql string) string {
	if n := p.generation.Load(); n > 0 {
		return sql + " /* " + strconv.Itoa(int(n)) + " */"
	}
	return sql
}

// preparing reports whether the connection prepares statements.
func (c *Conn) preparing() bool {
	return !c.plain && c.Pool.Endpoint.Prepare != PrepareNever && !c.Pool.Mixes.Load()
}

// outdated reports whether a prepared statement no longer fits: the types of its result changed, it was
// discarded, or another session made it.
func outdated(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "0A000" && pg.Routine == "RevalidateCachedQuery" || foreign(err)
}

// foreign reports whether the server's session has other prepared statements than it should have.
func foreign(err error) bool {
	s := State(err)
	return s == stateNoStatement || s == stateStatementExists
}

// Renew prepares for doing something again that failed because of what the session keeps: a prepared
// statement of the connection is outdated, or what the server has cached in the session may be. Nothing
// has come of it, and a transaction that it was in has to begin again. sql is the statement; attempt
// counts from 0. It is false when err is something else, or the last word.
func (c *Conn) Renew(ctx context.Context, err error, sql string, attempt int) bool {
	if c.PG.IsClosed() {
		return false
	}
	if !outdated(err) || attempt+1 >= maxAttempts {
		return c.renewSession(ctx, err, sql)
	}
	c.forget(ctx, err, sql)
	if attempt+2 == maxAttempts {
		c.plain = true
		if !c.Direct && !foreign(err) {
			// It was prepared a moment ago: the error doesn't come from the server.
			c.Pool.generation.Add(1)
		}
	}
	return true
}

// forget drops a statement that the server has under an outdated form; why is its error. The
// message for it is understood in a failed transaction, too. A server that doesn't have it at
// all may have none of the others either.
func (c *Conn) forget(ctx context.Context, why error, sql string) {
	if foreign(why) {
		c.statements = preparedCache{names: c.statements.names}
		if !c.Direct && c.Pool.Endpoint.Prepare == PrepareUnlessPooled {
			c.Pool.mixed(why)
		}
		return
	}
	p := c.statements.remove(sql)
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if c.PG.Deallocate(ctx, p.name) != nil {
		c.Discard()
	}
}

// Revise drops what the session keeps that may be why a statement of a pipeline failed; why is its error.
func (c *Conn) Revise(ctx context.Context, why error, sql string) {
	if outdated(why) {
		c.forget(ctx, why, sql)
	} else {
		c.Discard()
	}
}

// mixed notes that a pooler shares sessions between clients: from now on nothing is prepared.
func (p *Pool) mixed(why error) {
	if p.Mixes.CompareAndSwap(false, true) {
		p.Meter.Mixed(why)
	}
}
