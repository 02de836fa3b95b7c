// Package apierror is the one error type of Query Engine: what a client may see of a
// fault, from where it is found to the edge that encodes it.
//
// It knows the codes and paths of the wire format and nothing of HTTP or GraphQL; the two
// encoders live in the gateway.
package apierror

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"queryengine/pkg/jsontext"
)

// Code is the machine-readable kind of an error, spelt as clients see it.
type Code string

// The codes of the wire format.
const (
	AccessDenied          Code = "access-denied"
	AlreadyExists         Code = "already-exists"
	AlreadyTracked        Code = "already-tracked"
	AlreadyUntracked      Code = "already-untracked"
	BadRequest            Code = "bad-request"
	BigQueryError         Code = "bigquery-error"
	BatchLimitExceeded    Code = "batch-limit-exceeded"
	Busy                  Code = "busy"
	BytesLimitExceeded    Code = "bytes-limit-exceeded"
	CoercionError         Code = "coercion-error"
	ConcurrentUpdate      Code = "concurrent-update"
	Conflict              Code = "conflict"
	ConstraintError       Code = "constraint-error"
	ConstraintViolation   Code = "constraint-violation"
	CyclicDependency      Code = "cyclic-dependency"
	DataException         Code = "data-exception"
	DepthLimitExceeded    Code = "depth-limit-exceeded"
	DependencyError       Code = "dependency-error"
	InvalidConfiguration  Code = "invalid-configuration"
	InvalidHeaders        Code = "invalid-headers"
	InvalidJSON           Code = "invalid-json"
	InvalidJWT            Code = "invalid-jwt"
	InvalidParams         Code = "invalid-params"
	JWTInvalidClaims      Code = "jwt-invalid-claims"
	JWTMissingRoleClaims  Code = "jwt-missing-role-claims"
	MethodNotAllowed      Code = "method-not-allowed"
	MSSQLError            Code = "mssql-error"
	NodeLimitExceeded     Code = "node-limit-exceeded"
	NotExists             Code = "not-exists"
	NotFound              Code = "not-found"
	NotInEffect           Code = "not-in-effect"
	NotSupported          Code = "not-supported"
	ParseFailed           Code = "parse-failed"
	PermissionDenied      Code = "permission-denied"
	PermissionError       Code = "permission-error"
	PostgresError         Code = "postgres-error"
	PostgresMaxConns      Code = "postgres-max-connections-error"
	RateLimitExceeded     Code = "rate-limit-exceeded"
	RemoteSchemaConflicts Code = "remote-schema-conflicts"
	RemoteSchemaError     Code = "remote-schema-error"
	SQLiteError           Code = "sqlite-error"
	StartFailed           Code = "start-failed"
	TimeLimitExceeded     Code = "time-limit-exceeded"
	Timeout               Code = "timeout"
	Unexpected            Code = "unexpected"
	UnexpectedPayload     Code = "unexpected-payload"
	ValidationFailed      Code = "validation-failed"
)

// Error is a fault as a client may see it.
type Error struct {
	Code    Code
	Path    string // JSON path from "$"
	Message string
	// Status is the HTTP status on endpoints that keep it.
	Status int
	// Internal is detail for those allowed to see it; nil for none. It must encode to JSON.
	Internal any
	// RetryAfter is how many seconds a client should wait before it tries again, 0 if unspecified.
	RetryAfter int
	// Extensions, when set, are what GraphQL clients get instead of path, code and internal
	// part: a JSON object of an action's handler.
	Extensions json.RawMessage
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Code, e.Path, e.Message)
}

// New returns an Error at "$" with the status that belongs to code.
func New(code Code, message string) *Error {
	return &Error{Code: code, Path: "$", Message: message, Status: statusOf(code)}
}

// Newf is New with a formatted message.
func Newf(code Code, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// WithInternal returns a copy of e that carries detail.
func (e *Error) WithInternal(detail any) *Error {
	c := *e
	c.Internal = detail
	return &c
}

// WithStatus returns a copy of e with another HTTP status.
func (e *Error) WithStatus(status int) *Error {
	c := *e
	c.Status = status
	return &c
}

// InternalJSON is Internal as JSON text, nil for none.
func (e *Error) InternalJSON() json.RawMessage {
	switch v := e.Internal.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return v
	}
	b, err := json.Marshal(e.Internal)
	if err != nil {
		b, _ = json.Marshal(fmt.Sprint(e.Internal))
	}
	return b
}

// How many bytes of a message and of a path are reported: names of a request are in them, and it
// may give megabytes of them.
const (
	maxMessage = 64 << 10
	maxPath    = 16 << 10
)

// From turns any error into an *Error: itself when it is one, with a text that is too long to be
// told cut off, else an unexpected one whose text is only in Internal.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e.cut()
	}
	return &Error{Code: Unexpected, Path: "$", Message: "internal error", Status: http.StatusInternalServerError, Internal: err.Error()}
}

// cut is e, or a copy of it with the beginnings of a message and a path that are too long.
func (e *Error) cut() *Error {
	if len(e.Message) <= maxMessage && len(e.Path) <= maxPath {
		return e
	}
	const more = "..."
	c := *e
	if len(c.Message) > maxMessage {
		c.Message = jsontext.Cut(c.Message, maxMessage-len(more)) + more
	}
	if len(c.Path) > maxPath {
		c.Path = jsontext.Cut(c.Path, maxPath-len(more)) + more
	}
	return &c
}

// At puts steps (string keys, int indices) in front of the path of err while it unwinds;
// nil stays nil.
func At(err error, steps ...any) error {
	if err == nil {
		return nil
	}
	c := *From(err)
	c.Path = "$" + Path(steps...) + strings.TrimPrefix(c.Path, "$")
	return &c
}

// Path spells steps as the tail of a JSON path: `.name`, `[0]`, `["my-key"]`.
func Path(steps ...any) string {
	var b strings.Builder
	for _, s := range steps {
		switch v := s.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(v) + "]")
		case string:
			if isIdentifier(v) {
				b.WriteString("." + v)
			} else {
				b.WriteString("[" + strconv.Quote(v) + "]")
			}
		default:
			fmt.Fprintf(&b, "[%q]", fmt.Sprint(v))
		}
	}
	return b.String()
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func statusOf(code Code) int {
	switch code {
	case AccessDenied, InvalidJWT:
		return http.StatusUnauthorized
	case Conflict:
		return http.StatusConflict
	case MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case Unexpected, PostgresError, PostgresMaxConns, SQLiteError, MSSQLError, BigQueryError, StartFailed:
		return http.StatusInternalServerError
	case Busy, NotInEffect:
		return http.StatusServiceUnavailable
	case Timeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusBadRequest
}
