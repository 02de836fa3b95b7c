package mssql

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/session"
)

// Mutate opens a transaction that writes, runs f in it, and commits when f returns nil. A statement that
// failed, or a check that didn't hold, rolls everything back, whatever f returns. A transaction that its
// snapshot was in the way of is done again; one that the database has chosen to end a deadlock with is
// done again by the executor, as for all kinds.
func (s *Source) Mutate(ctx context.Context, _ *session.Session, f func(backend.Tx) error) error {
	for conflicts := 0; ; {
		err := s.mutateOnce(ctx, f)
		if conflicts == maxConflicts || backend.ConflictOf(err) != backend.Serialization {
			return err
		}
		conflicts++
		if !lifecycle.Sleep(ctx, rand.N(min(time.Millisecond<<min(conflicts, 8), maxPause))) {
			return err
		}
	}
}

const (
	// maxConflicts is how often a transaction is done again whose snapshot had been written to.
	maxConflicts = 10
	// maxPause bounds the pause before that.
	maxPause = 100 * time.Millisecond
)

func (s *Source) mutateOnce(ctx context.Context, f func(backend.Tx) error) error {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return c.inTransaction(ctx, func() error {
		t := &tx{c: c}
		if err := f(t); err != nil {
			return err
		}
		return t.failed
	})
}

// inTransaction calls f in a transaction with the isolation of the source, and commits when f returns
// nil. It rolls back also when the caller is gone.
func (c *conn) inTransaction(ctx context.Context, f func() error) error {
	return c.inTransactionAt(ctx, c.pool.endpoint.Isolation, f)
}

// inTransactionAt is inTransaction with an isolation level.
func (c *conn) inTransactionAt(ctx context.Context, level sql.IsolationLevel, f func() error) error {
	// The end of its context would roll a transaction back while one of its statements runs, and would
	// keep it from being rolled back in order: it has one of its own.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	begun, err := c.BeginTx(own, &sql.TxOptions{Isolation: level})
	if !stop() {
		c.discarded = true
		return contextError(ctx)
	}
	if err != nil {
		return queryError(ctx, err, executed{SQL: "BEGIN TRANSACTION"})
	}
	if err := f(); err != nil {
		timer := time.AfterFunc(rollbackTimeout, cancel)
		defer timer.Stop()
		// The server may have rolled back already, and says so.
		if err := begun.Rollback(); err != nil && !errors.As(err, new(mssql.Error)) {
			c.discarded = true
		}
		return err
	}
	stop = context.AfterFunc(ctx, cancel)
	defer stop()
	if err = begun.Commit(); err != nil {
		c.discarded = true
	}
	return queryError(ctx, err, executed{SQL: "COMMIT TRANSACTION"})
}

// rollbackTimeout bounds how long it may take to roll back.
const rollbackTimeout = 5 * time.Second

// abort has the first statement of a batch that fails end the batch and the transaction.
const abort = "SET XACT_ABORT ON;\n"

// tx is an open transaction.
type tx struct {
	c      *conn
	failed error
}

// Query implements backend.Tx.
func (t *tx) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	stmt, values, err := t.resolved(st, &a)
	if err != nil {
		return err
	}
	return t.fail(t.c.query(ctx, abort+stmt.textFor(a.RequestID), stmt, &a, values, out))
}

// Exec implements backend.Tx.
func (t *tx) Exec(ctx context.Context, st backend.Statement, a backend.Args, f func(row [][]byte) error) error {
	stmt, values, err := t.resolved(st, &a)
	if err != nil {
		return err
	}
	w := answer.Writer{Format: format{}}
	_, err = t.c.rowsOf(ctx, stmt.reply.first(), abort+stmt.textFor(a.RequestID), values, func(row answer.Cells) error {
		switch stmt.reply.kind {
		case replyMutation:
			if !stmt.reply.holds(row) {
				return backend.CheckFailed()
			}
			handed := stmt.reply.handed.Of(&w, row)
			if w.Err != nil {
				return w.Err
			}
			return caller(f(handed))
		case replyCount:
			n, err := countOf(row)
			for ; n > 0 && err == nil; n-- {
				err = caller(f(nil))
			}
			return err
		case replyList, replyOne:
		}
		return errors.New("only mutations hand out rows")
	})
	return t.fail(queryError(ctx, err, executed{SQL: stmt.text, Session: a.Session}))
}

// Defer runs the statement at once.
func (t *tx) Defer(ctx context.Context, d backend.Deferred) error {
	row := d.Row
	if row == nil {
		row = func([][]byte) error { return nil }
	}
	err := t.Exec(ctx, d.Statement, d.Args, row)
	if err != nil && d.Failed != nil {
		return d.Failed(err)
	}
	return err
}

// Flush implements backend.Tx.
func (t *tx) Flush(context.Context) error { return t.failed }

func (t *tx) resolved(st backend.Statement, a *backend.Args) (*statement, [][]byte, error) {
	if t.failed != nil {
		return nil, nil, t.failed
	}
	stmt, err := statementOf(st)
	if err != nil {
		return nil, nil, err
	}
	values, err := stmt.values(a)
	return stmt, values, err
}

// fail keeps the first fault: nothing is committed after it.
func (t *tx) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}
