package sqlite

import (
	"context"
	"errors"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/session"
)

// Mutate opens a transaction that writes, runs f in it, and commits when f returns nil. It holds the
// lock of the file from its beginning, so it conflicts with no other. A statement that failed, or a
// check that didn't hold, rolls everything back, whatever f returns.
func (s *Source) Mutate(ctx context.Context, _ *session.Session, f func(backend.Tx) error) error {
	if s.options.ReadOnly {
		return apierror.New(apierror.NotSupported, "the source is read-only")
	}
	c, err := s.write.acquire(ctx)
	if err != nil {
		return err
	}
	written := map[string]bool(nil)
	err = func() error {
		defer s.write.release(c)
		if err := c.exec(ctx, sqlBegin); err != nil {
			return err
		}
		defer c.rollback()
		c.guard.taken()
		t := &tx{c: c}
		err := f(t)
		if err == nil {
			err = t.failed
		}
		if err != nil {
			return err
		}
		if err := c.exec(ctx, "COMMIT"); err != nil {
			return err
		}
		written = c.guard.taken()
		return nil
	}()
	s.changes.tell(written)
	return err
}

const sqlBegin = "BEGIN IMMEDIATE"

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
	return t.fail(t.c.query(ctx, stmt, &a, values, out))
}

// Exec implements backend.Tx.
func (t *tx) Exec(ctx context.Context, st backend.Statement, a backend.Args, f func(row [][]byte) error) error {
	stmt, values, err := t.resolved(st, &a)
	if err != nil {
		return err
	}
	if stmt.reply.kind != replyMutation {
		return errors.New("only mutations hand out rows")
	}
	text, err := t.c.textOf(ctx, stmt, a.RequestID)
	if err != nil {
		return t.fail(queryError(ctx, err, executed{SQL: stmt.text}))
	}
	t.c.writer.Reset()
	rows := int64(0)
	affected, err := t.c.rows(ctx, text, values, func(row answer.Cells) error {
		rows++
		if !stmt.reply.holds(row) {
			return backend.CheckFailed()
		}
		handed := stmt.reply.handed.Of(&t.c.writer, row)
		if t.c.writer.Err != nil {
			return t.c.writer.Err
		}
		return caller(f(handed))
	})
	for ; err == nil && rows < affected; rows++ {
		err = caller(f(nil))
	}
	return t.fail(queryError(ctx, err, executed{SQL: stmt.text, Values: values}))
}

// Defer runs the statement at once: there is no round trip to save.
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

func (t *tx) resolved(st backend.Statement, a *backend.Args) (*statement, []value, error) {
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
