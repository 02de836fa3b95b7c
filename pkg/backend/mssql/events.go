package mssql

import (
	"context"
	"database/sql"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/mssql/eventlog"
)

// eventDatabase is the primary of a source as the log of events uses it.
type eventDatabase struct{ pool *pool }

// Run implements eventlog.Runner.
func (d eventDatabase) Run(ctx context.Context, text string, values [][]byte, f func(row [][]byte) error) error {
	c, err := d.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return eventRunner{c}.Run(ctx, text, values, f)
}

// InTransaction implements eventlog.Database.
func (d eventDatabase) InTransaction(ctx context.Context, f func(eventlog.Runner) error) error {
	c, err := d.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return c.inTransactionAt(ctx, sql.LevelReadCommitted, func() error { return f(eventRunner{c}) })
}

// eventRunner is a connection as the log of events uses it.
type eventRunner struct{ c *conn }

// Run implements eventlog.Runner. What the database objects to is for administrators: they write
// triggers.
func (r eventRunner) Run(ctx context.Context, text string, values [][]byte, f func(row [][]byte) error) error {
	_, err := r.c.rows(ctx, text, values, func(row answer.Cells) error {
		if f == nil {
			return nil
		}
		return caller(f(row.Values))
	})
	return rawError(ctx, err, text)
}
