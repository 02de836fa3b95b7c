package mssql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	mssql "github.com/microsoft/go-mssqldb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
)

// executed describes the statement that failed.
type executed struct {
	SQL string
	// Session is that of the request, nil for the engine's own statements.
	Session *session.Session
}

// detail is the internal part of a statement's error.
type detail struct {
	Query string       `json:"query"`
	Error *errorDetail `json:"error,omitempty"`

	number int32
}

type errorDetail struct {
	Message string `json:"message"`
	Number  int32  `json:"number"`
}

// Detail is the message of the database, for operators.
func (d detail) Detail() string {
	if d.Error == nil {
		return ""
	}
	return fmt.Sprintf("%s (%d)", d.Error.Message, d.Error.Number)
}

// The errors of transactions that were in each other's way.
const (
	errorDeadlock         = 1205
	errorSnapshotConflict = 3960
	errorSnapshotSchema   = 3961
	errorLockTimeout      = 1222
)

// Conflict is what backend.ConflictOf asks.
func (d detail) Conflict() backend.Conflict {
	switch d.number {
	case errorDeadlock:
		return backend.Deadlock
	case errorSnapshotConflict, errorSnapshotSchema:
		return backend.Serialization
	}
	return backend.NoConflict
}

// queryError turns the error of a statement that a client's operation became into what the client may
// see: an *apierror.Error, or an error that wraps context.Canceled when the caller is gone.
func queryError(ctx context.Context, err error, e executed) error {
	return statementError(ctx, err, e, func(found mssql.Error) *apierror.Error {
		c, known := classOf(found.Number)
		if !known || c.text == textSyntax {
			return nil
		}
		return c.error(found, e)
	})
}

// rawError is queryError for the text of run_sql, which an administrator has written: its faults are
// shown as they are.
func rawError(ctx context.Context, err error, text string) error {
	e := executed{SQL: text}
	return statementError(ctx, err, e, func(found mssql.Error) *apierror.Error {
		c, known := classOf(found.Number)
		if !known {
			c = class{apierror.BadRequest, textSyntax, ""}
		}
		failed := c.error(found, e).WithInternal(detail{Query: text, number: found.Number})
		return failed.WithStatus(http.StatusBadRequest)
	})
}

// statementError maps what isn't the statement's fault, and leaves the rest to known; when that doesn't
// know the error either, it is an unexpected one.
func statementError(ctx context.Context, err error, e executed, known func(mssql.Error) *apierror.Error) error {
	if err == nil {
		return nil
	}
	if own := (callerError{}); errors.As(err, &own) {
		return own.error
	}
	if found := (*apierror.Error)(nil); errors.As(err, &found) {
		return err
	}
	found, said := faultOf(err)
	switch {
	case ctx.Err() != nil && !said:
		return contextError(ctx)
	case !said && lost(err):
		return connectionError(err)
	case !said:
		return apierror.New(apierror.Unexpected, "database query error").WithInternal(err.Error())
	case found.Number == errorLockTimeout:
		return busyError("the rows are locked by another transaction", detailOf(found, e))
	case exhausted[found.Number]:
		return busyError("the database has no resources left for the statement", detailOf(found, e))
	}
	if known := known(found); known != nil {
		return known
	}
	return apierror.New(apierror.Unexpected, "database query error").WithInternal(detailOf(found, e))
}

// lost reports whether an error is that of the connection.
func lost(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(net.Error)) || errors.As(err, new(mssql.StreamError)) || errors.As(err, new(mssql.ServerError))
}

// faultOf is what the database said. Of several errors it is the one that tells the cause: SQL Server
// says afterwards that the statement has been terminated, and a deadlock ends whatever it finds.
func faultOf(err error) (mssql.Error, bool) {
	var found mssql.Error
	if !errors.As(err, &found) {
		return found, false
	}
	for _, e := range found.All {
		if e.Number == errorDeadlock || e.Number == errorSnapshotConflict {
			return e, true
		}
	}
	for _, e := range found.All {
		if _, known := classOf(e.Number); known {
			return e, true
		}
	}
	if len(found.All) > 0 {
		return found.All[0], true
	}
	return found, true
}

func detailOf(found mssql.Error, e executed) detail {
	return detail{Query: e.SQL, Error: &errorDetail{Message: found.Message, Number: found.Number}, number: found.Number}
}

// callerError is an error of who gets the rows, not of the database.
type callerError struct{ error }

func caller(err error) error {
	if err == nil {
		return nil
	}
	return callerError{err}
}

// connectionError reports that there is no connection, or that it was lost.
func connectionError(err error) error {
	internal := any(err.Error())
	var refused mssql.Error
	if errors.As(err, &refused) {
		internal = detailOf(refused, executed{}).Error
	}
	return apierror.New(apierror.MSSQLError, "connection error").WithInternal(internal)
}

// busyError reports that others hold what the statement needs.
func busyError(message string, internal any) error {
	e := apierror.New(apierror.Busy, message).WithInternal(internal)
	e.RetryAfter = 1
	return e
}

// contextError is the reason why ctx ended a statement: a deadline is reported to the client, a
// cancellation has no receiver.
func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return apierror.New(apierror.Timeout, "the database did not answer within the time limit")
	}
	return fmt.Errorf("statement canceled: %w: %w", ctx.Err(), context.Cause(ctx))
}
