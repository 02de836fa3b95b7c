package wire

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A session of the server caches what it has read of the catalog, and not all of it is renewed when the
// catalog changes. PL/pgSQL keeps the row type of a record that it assigns to, the types of variables
// that were declared with %TYPE, and the identity of types that were dropped and created again; a role's
// or a database's settings are those of the session's start. What fails for that works in a new session.
//
// Such errors look like those of a function that is really broken. So the statement runs again once, in a
// new session; when that one raises the error, too, it is a fault of the database, and for some time the
// statement's errors of this kind are what they seem to be.

// plansDiscarded has the server drop all plans of the session, also those of PL/pgSQL, in the transaction
// that needs others.
var plansDiscarded = Command{SQL: "DISCARD PLANS", Once: true}

// suspect is the SQLSTATE of an error that the state of a session can cause; empty for others.
func suspect(err error, sql string) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || len(pg.Code) != 5 || pg.Routine == "exec_stmt_raise" || pg.Code == stateNoPrivilege {
		return ""
	}
	if pg.Code == stateUndefinedTable && pg.Where == "" && qualifiedAt(sql, int(pg.Position)) {
		return "" // no session has it
	}
	switch pg.Code[:2] {
	case "42", "0A", "XX", "26":
		return pg.Code
	case "22": // a variable has another type than the column that it was declared for
		if strings.Contains(pg.Where, "PL/pgSQL") {
			return pg.Code
		}
	}
	return ""
}

// qualifiedAt reports whether the name at a position, which counts characters from 1, has its schema, in quotes as all names that we
// write.
func qualifiedAt(sql string, position int) bool {
	for at := range sql {
		if position--; position == 0 {
			return qualifiedName.MatchString(sql[at:])
		}
	}
	return false
}

var qualifiedName = regexp.MustCompile(`^"([^"]|"")*"\."`)

// renewSession replaces the session when its state may be why a statement failed. Behind a pooler we don't
// choose it: there the statement runs again without what the server has planned and we have prepared.
func (c *Conn) renewSession(ctx context.Context, err error, sql string) bool {
	state := suspect(err, sql)
	if state == "" {
		return false
	}
	if c.renewed {
		c.Pool.faults.add(fault{sql, state}, time.Now())
		return false
	}
	if c.Pool.faults.has(fault{sql, state}, time.Now()) {
		return false
	}
	c.renewed = true
	if !c.Direct {
		c.plain = true
		if strings.HasPrefix(state, "XX") {
			c.Pool.generation.Add(1) // the pooler's own prepared statements may be outdated
		}
		return true
	}
	closing, cancel := context.WithTimeout(ctx, time.Second)
	_ = c.PG.Close(closing)
	cancel()
	pg, err := c.Pool.dialMetered(ctx)
	if err != nil {
		return false
	}
	c.Pool.Meter.Closed() // the one before
	c.PG, c.statements = pg, preparedCache{}
	c.learn(ctx)
	return true
}

// Stale reports whether a statement of a pipeline has to run again because of the session.
func (c *Conn) Stale(err error, sql string) bool {
	if outdated(err) {
		return true
	}
	state := suspect(err, sql)
	return state != "" && !c.Pool.faults.has(fault{sql, state}, time.Now())
}

// fault is a statement with the kind of its error.
type fault struct{ sql, state string }

// How long a fault is remembered, and how many are: these bound the sessions that are made because of statements that fail in
// every one.
const (
	faultFor  = 10 * time.Second
	maxFaults = 128
)

// faults are errors that new sessions have raised.
type faults struct {
	mu    sync.Mutex
	until map[fault]time.Time
}

// has reports whether an error is one of the database, as far as is known: with too many faults, all are.
func (f *faults) has(of fault, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.until) >= maxFaults {
		for k, until := range f.until {
			if now.After(until) {
				delete(f.until, k)
			}
		}
	}
	return len(f.until) >= maxFaults || now.Before(f.until[of])
}

func (f *faults) add(of fault, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil {
		f.until = map[fault]time.Time{}
	}
	f.until[of] = now.Add(faultFor)
}
