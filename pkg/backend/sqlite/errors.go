package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// executed describes the statement that failed.
type executed struct {
	SQL    string
	Values []value
}

// detail is the internal part of a statement's error.
type detail struct {
	Statement string      `json:"statement"`
	Error     errorDetail `json:"error"`
	Arguments []any       `json:"arguments"`

	code sqlite.ResultCode
}

type errorDetail struct {
	Message    string `json:"message"`
	StatusCode string `json:"status_code"`
}

// Detail is the message of the database, for operators.
func (d detail) Detail() string { return d.Error.Message + " (" + d.Error.StatusCode + ")" }

// Conflict is what backend.ConflictOf asks.
func (d detail) Conflict() backend.Conflict {
	if d.code == sqlite.ResultBusySnapshot {
		return backend.Serialization
	}
	return backend.NoConflict
}

// queryError turns the error of a statement that a client's operation became into what the client may
// see: an *apierror.Error, or an error that wraps context.Canceled when the caller is gone.
func queryError(ctx context.Context, err error, e executed) error {
	return statementError(ctx, err, e, dataError)
}

// rawError is queryError for the text of run_sql.
func rawError(ctx context.Context, err error, sql string) error {
	e := executed{SQL: sql}
	return statementError(ctx, err, e, func(sqlite.ResultCode, string) *apierror.Error {
		return apierror.New(apierror.SQLiteError, "query execution failed").WithStatus(http.StatusBadRequest).WithInternal(detailOf(err, e))
	})
}

// statementError maps what isn't the statement's fault, and leaves the rest to known; when that doesn't
// know the error either, it is an unexpected one.
func statementError(ctx context.Context, err error, e executed, known func(code sqlite.ResultCode, message string) *apierror.Error) error {
	if err == nil {
		return nil
	}
	if own := (callerError{}); errors.As(err, &own) {
		return own.error
	}
	if found := (*apierror.Error)(nil); errors.As(err, &found) {
		return err
	}
	code := codeOf(err)
	switch {
	case ctx.Err() != nil && (code == sqlite.ResultInterrupt || errors.Is(err, ctx.Err())):
		return contextError(ctx)
	case code.ToPrimary() == sqlite.ResultBusy:
		return busyError(detailOf(err, e))
	}
	if known := known(code, messageOf(err)); known != nil {
		return known
	}
	return apierror.New(apierror.Unexpected, "database query error").WithInternal(detailOf(err, e))
}

// callerError is an error of who gets the rows, not of the database.
type callerError struct{ error }

func caller(err error) error {
	if err == nil {
		return nil
	}
	return callerError{err}
}

// dataError maps the errors that blame the data; nil for all others.
func dataError(code sqlite.ResultCode, message string) *apierror.Error {
	switch code {
	case sqlite.ResultConstraintNotNull:
		return apierror.New(apierror.ConstraintViolation, "Not-NULL violation. "+message)
	case sqlite.ResultConstraintTrigger:
		// RAISE of a trigger: the message is its author's.
		return apierror.New(apierror.ConstraintViolation, message)
	case sqlite.ResultConstraintForeignKey:
		return apierror.New(apierror.ConstraintViolation, "Foreign key violation. "+message)
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintRowID:
		return apierror.New(apierror.ConstraintViolation, "Uniqueness violation. "+message)
	case sqlite.ResultConstraintCheck:
		return apierror.New(apierror.PermissionError, "Check constraint violation. "+message)
	case sqlite.ResultMismatch, sqlite.ResultTooBig:
		return apierror.New(apierror.DataException, message)
	}
	switch {
	case code.ToPrimary() == sqlite.ResultConstraint:
		// A value of another type than that of a column of a STRICT table is one of these.
		return apierror.New(apierror.DataException, message)
	case message == "integer overflow", strings.HasPrefix(message, "malformed JSON"):
		return apierror.New(apierror.DataException, message)
	case strings.HasPrefix(message, "ON CONFLICT clause does not match"):
		return apierror.New(apierror.ConstraintError, "there is no unique or exclusion constraint on target column(s)")
	}
	return nil
}

// openError is the error of a file that could not be opened.
func openError(err error) error {
	why := messageOf(err)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		why = missing.Err.Error()
	}
	return apierror.New(apierror.SQLiteError, "connection error").WithInternal(why)
}

// busyError reports that another process was writing to the file for too long.
func busyError(internal any) error {
	e := apierror.New(apierror.Busy, "the database is locked by another process").WithInternal(internal)
	e.RetryAfter = 1
	return e
}

// poolTimeout reports that all connections were in use for too long.
func poolTimeout() error {
	e := apierror.New(apierror.Busy, "timed out waiting for a free connection to the database")
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

func codeOf(err error) sqlite.ResultCode {
	if errors.As(err, new(deniedError)) {
		return sqlite.ResultAuth
	}
	return sqlite.ErrCode(err)
}

// messageOf is what the database says, without what the driver puts in front of it.
func messageOf(err error) string {
	if denied := (deniedError{}); errors.As(err, &denied) {
		return denied.why
	}
	text := err.Error()
	general := codeOf(err).Message() + ": "
	if i := strings.Index(text, general); i >= 0 {
		return text[i+len(general):]
	}
	for _, prefix := range []string{"sqlite: step: ", "sqlite: prepare: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

func detailOf(err error, e executed) detail {
	code := codeOf(err)
	d := detail{
		Statement: e.SQL, Arguments: make([]any, len(e.Values)), code: code,
		Error: errorDetail{Message: messageOf(err), StatusCode: code.String()},
	}
	for i := range e.Values {
		d.Arguments[i] = e.Values[i].shown()
	}
	return d
}

// shown is a value for people to read.
func (v *value) shown() any {
	switch v.class {
	case classInteger:
		return v.integer
	case classReal:
		return string(appendReal(nil, v.real))
	case classText:
		return string(v.text)
	case classBlob:
		return fmt.Sprintf("x'%x'", v.text)
	}
	return nil
}
