package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// SQLSTATEs with a meaning of their own.
const (
	stateRestrict             = "23001"
	stateNotNull              = "23502"
	stateForeignKey           = "23503"
	stateUnique               = "23505"
	stateCheck                = "23514"
	stateCheckOption          = "44000"
	stateExclusion            = "23P01"
	stateInvalidEscape        = "22025"
	stateUndefinedObject      = "42704"
	stateInvalidParameter     = "22023"
	stateInvalidColumnRef     = "42P10"
	stateNoPrivilege          = "42501"
	stateUndefinedTable       = "42P01"
	StateReadOnly             = "25006"
	stateNoStatement          = "26000"
	stateStatementExists      = "42P05"
	stateSerializationFailure = "40001"
	stateDeadlock             = "40P01"
	stateTooManyConnections   = "53300"
	StateQueryCanceled        = "57014"
	stateNotSupported         = "0A000"
	stateInternal             = "XX000"
)

// serializationFailure is the text of a conflict that is no fault of the client's statement.
const serializationFailure = "serialization failure due to concurrent update"

// Executed describes the statement that failed.
type Executed struct {
	SQL      string
	Args     [][]byte // nil is NULL
	Prepared bool
	// Distributed is that of its Endpoint.
	Distributed bool
}

// Detail is the internal part of a statement's error, in the order of the wire format.
type Detail struct {
	Statement string      `json:"statement"`
	Prepared  bool        `json:"prepared"`
	Error     errorDetail `json:"error"`
	Arguments []*string   `json:"arguments"`
}

// Detail is the server's message, for operators.
func (d Detail) Detail() string { return d.Error.Message + " (" + d.Error.StatusCode + ")" }

// Conflict is what backend.ConflictOf asks.
func (d Detail) Conflict() backend.Conflict {
	switch {
	case d.Error.StatusCode == stateDeadlock:
		return backend.Deadlock
	case strings.HasPrefix(d.Error.StatusCode, "40"):
		return backend.Serialization
	}
	return backend.NoConflict
}

type errorDetail struct {
	ExecStatus  string  `json:"exec_status"`
	Hint        *string `json:"hint"`
	Message     string  `json:"message"`
	StatusCode  string  `json:"status_code"`
	Description *string `json:"description"`
}

// QueryError turns the error of a statement that a client's operation became into what the
// client may see: an *apierror.Error, or an error that wraps context.Canceled when the
// caller is gone.
func QueryError(ctx context.Context, err error, e Executed) error {
	return StatementError(ctx, err, e, func(pg *pgconn.PgError) *apierror.Error {
		if pg.Code == stateSerializationFailure && e.SQL == Commit {
			return apierror.New(apierror.ConcurrentUpdate, serializationFailure).WithInternal(DetailOf(pg, e))
		}
		if e.Distributed {
			return distributedError(pg, e)
		}
		return dataError(pg)
	})
}

// distributedError is dataError where tables have parts with names of their own, and where the server refuses what it can't do over nodes.
func distributedError(pg *pgconn.PgError, e Executed) *apierror.Error {
	if refusedByCitus(pg) {
		return apierror.New(apierror.NotSupported, pg.Message).WithInternal(DetailOf(pg, e))
	}
	whole := *pg
	whole.Message = partName.ReplaceAllString(pg.Message, `${1}"`)
	return dataError(&whole)
}

// refusedByCitus reports whether Citus doesn't do what a statement asks for. Not all of its refusals have the code for that.
func refusedByCitus(pg *pgconn.PgError) bool {
	switch pg.Code {
	case stateNotSupported:
		return true
	case stateInternal: // it names a setting, or what to change; or it has no such aggregate over nodes, as max of arrays
		return pg.Hint != "" || strings.HasPrefix(pg.Message, "no matching oid for function")
	case stateUndefinedTable: // it sent a statement with a local table to a worker
		return strings.HasPrefix(pg.Where, "while executing command on ")
	}
	return false
}

// partName finds the names of parts, and of their constraints: those of the table with a number behind it, which is 102008 at least.
var partName = regexp.MustCompile(`("[^"]+)_1[0-9]{5,}"`)

// InternalError is queryError for statements of our own, such as those of introspection:
// only a serialization failure is the client's business.
func InternalError(ctx context.Context, err error, e Executed) error {
	return StatementError(ctx, err, e, func(pg *pgconn.PgError) *apierror.Error {
		switch {
		case pg.Code == stateSerializationFailure:
			return apierror.New(apierror.ConcurrentUpdate, serializationFailure)
		case strings.HasPrefix(pg.Code, "40"):
			return apierror.New(apierror.ConcurrentUpdate, pg.Message)
		}
		return nil
	})
}

// RawError is queryError for the text of run_sql.
func RawError(ctx context.Context, err error, sql string) error {
	e := Executed{SQL: sql}
	return StatementError(ctx, err, e, func(pg *pgconn.PgError) *apierror.Error {
		return apierror.New(apierror.PostgresError, "query execution failed").
			WithStatus(http.StatusBadRequest).WithInternal(DetailOf(pg, e))
	})
}

// StatementError maps what isn't the statement's fault, and leaves the rest to known; when
// that doesn't know the error either, it is an unexpected one.
func StatementError(ctx context.Context, err error, e Executed, known func(*pgconn.PgError) *apierror.Error) error {
	if err == nil {
		return nil
	}
	if found := (*apierror.Error)(nil); errors.As(err, &found) {
		return err
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return ConnectError(ctx, err)
	}
	if pg.Code == StateQueryCanceled && ctx.Err() != nil {
		return contextError(ctx)
	}
	if unavailable(pg) {
		return ConnectError(ctx, err)
	}
	if known := known(pg); known != nil {
		return known
	}
	return apierror.New(apierror.Unexpected, "database query error").WithInternal(DetailOf(pg, e))
}

// dataError maps the states that blame the data; nil for all others.
func dataError(pg *pgconn.PgError) *apierror.Error {
	switch pg.Code {
	case stateRestrict:
		return apierror.New(apierror.ConstraintViolation, "Can not delete or update due to data being referred. "+pg.Message)
	case stateNotNull:
		return apierror.New(apierror.ConstraintViolation, "Not-NULL violation. "+pg.Message)
	case stateForeignKey:
		return apierror.New(apierror.ConstraintViolation, "Foreign key violation. "+pg.Message)
	case stateUnique:
		return apierror.New(apierror.ConstraintViolation, "Uniqueness violation. "+pg.Message)
	case stateCheck:
		return apierror.New(apierror.PermissionError, "Check constraint violation. "+pg.Message)
	case stateCheckOption: // of a view
		return apierror.New(apierror.PermissionError, "Check constraint violation. "+pg.Message)
	case stateExclusion:
		return apierror.New(apierror.ConstraintViolation, "Exclusion violation. "+pg.Message)
	case stateInvalidEscape:
		return apierror.New(apierror.BadRequest, pg.Message)
	case stateUndefinedObject:
		return apierror.New(apierror.ConstraintError, pg.Message)
	case stateInvalidColumnRef:
		return apierror.New(apierror.ConstraintError, "there is no unique or exclusion constraint on target column(s)")
	}
	switch {
	case (pg.Code == stateNoPrivilege || pg.Code == stateInvalidParameter) && pg.Routine == routineOfSettings && pg.Where == "":
		return apierror.New(apierror.InvalidConfiguration, "the source's connection can't take the database role of this request")
	case pg.Code == stateNoPrivilege && pg.Routine == routineOfChecks:
		return apierror.New(apierror.PermissionError, "Policy violation. "+pg.Message)
	case strings.HasPrefix(pg.Code, "23"):
		return apierror.New(apierror.ConstraintViolation, pg.Message)
	case strings.HasPrefix(pg.Code, "22"):
		return apierror.New(apierror.DataException, pg.Message)
	}
	return nil
}

// The server's routines that refuse a value of a setting, which of those that a request sets is its role, and a row that a policy doesn't let
// through. Messages have a language, and names of roles have any characters.
const (
	routineOfSettings = "call_string_check_hook"
	routineOfChecks   = "ExecWithCheckOptions"
)

// ConnectError is the error of a connection that could not be made or broke. Its internal
// part is the driver's text, which names host, user and database but never a password.
func ConnectError(ctx context.Context, err error) error {
	if found := (*apierror.Error)(nil); errors.As(err, &found) {
		return err
	}
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == stateTooManyConnections {
		return apierror.New(apierror.PostgresMaxConns, "max connections reached on postgres").WithInternal(pg.Message)
	}
	return apierror.New(apierror.PostgresError, "connection error").WithInternal(err.Error())
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

// unavailable reports whether the server, and not the statement, is why err happened: it shuts
// down, starts up, or ended our session.
func unavailable(pg *pgconn.PgError) bool {
	return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P") || pg.Code == stateTooManyConnections
}

// State is the SQLSTATE of an error, empty for one that isn't the server's.
func State(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// refused reports whether to repeat the attempt to connect is of no use: the password, the
// database or the right is missing.
func refused(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	return strings.HasPrefix(pg.Code, "28") || strings.HasPrefix(pg.Code, "3D") || strings.HasPrefix(pg.Code, "42")
}

// DetailOf is the detail of the server's error of a statement.
func DetailOf(pg *pgconn.PgError, e Executed) Detail {
	d := Detail{
		Statement: e.SQL,
		Prepared:  e.Prepared,
		Arguments: make([]*string, len(e.Args)),
		Error: errorDetail{
			ExecStatus:  "FatalError",
			Hint:        optional(pg.Hint),
			Message:     pg.Message,
			StatusCode:  pg.Code,
			Description: optional(pg.Detail),
		},
	}
	for i, a := range e.Args {
		if a != nil {
			text := string(a)
			d.Arguments[i] = &text
		}
	}
	return d
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
