package websocket

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/querylog"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/accesslog"
)

// Logging configures the lines about connections, of type websocket-log.
type Logging struct {
	// Stream is nil when nothing is logged.
	Stream *telemetry.Stream
	// Queries shows requests of operations that succeed, too.
	Queries bool
	Masked  querylog.Mask
}

// The events of lines.
const (
	eventAccepted  = "accepted"
	eventRejected  = "rejected"
	eventFault     = "conn_err"
	eventOperation = "operation"
	eventClosed    = "closed"
)

// The types of the event operation.
const (
	operationStarted   = "started"
	operationMisused   = "proto_err"
	operationFailed    = "query_err"
	operationCompleted = "completed"
	operationStopped   = "stopped"
)

// logEntry is a line. It is a telemetry.Detail.
type logEntry struct {
	socket  string
	session *session.Session // nil before authentication
	expires time.Time
	message string
	event   string
	// text or failure is the detail of an event that is none of an operation.
	text    string
	failure *apierror.Error

	operation *operationEntry
}

// operationEntry is the detail of the event operation.
type operationEntry struct {
	id      string
	kind    string
	request *Operation // nil without one
	hash    string
	shown   bool // with the query
	masked  querylog.Mask
}

// level is that of the line.
func (e *logEntry) level() slog.Level {
	if e.event == eventRejected || e.event == eventFault ||
		e.operation != nil && (e.operation.kind == operationMisused || e.operation.kind == operationFailed) {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// AppendDetail implements telemetry.Detail.
func (e *logEntry) AppendDetail(b []byte) []byte {
	b = append(b, `{"user_vars":`...)
	if e.session == nil {
		b = append(b, "null"...)
	} else {
		b = accesslog.AppendVariables(b, e.session.Variables)
	}
	b = jsontext.AppendString(append(b, `,"connection_info":{"websocket_id":`...), e.socket)
	b = append(b, `,"token_expiry":`...)
	if e.expires.IsZero() {
		b = append(b, "null"...)
	} else {
		b = append(e.expires.UTC().AppendFormat(append(b, '"'), time.RFC3339), '"')
	}
	b = appendNullable(append(b, `,"msg":`...), e.message)
	b = jsontext.AppendString(append(b, `},"event":{"type":`...), e.event)
	switch {
	case e.operation != nil:
		b = e.operation.append(append(b, `,"detail":`...), e.failure, e.text)
	case e.failure != nil:
		b = accesslog.AppendError(append(b, `,"detail":`...), e.failure)
	case e.text != "":
		b = jsontext.AppendString(append(b, `,"detail":`...), e.text)
	}
	return append(b, "}}"...)
}

func (o *operationEntry) append(b []byte, failure *apierror.Error, text string) []byte {
	b = jsontext.AppendString(append(b, `{"operation_id":`...), jsontext.Cut(o.id, longest))
	var r Operation
	if o.request != nil {
		r = *o.request
	}
	b = appendNullable(append(b, `,"request_id":`...), r.RequestID)
	b = appendNullable(append(b, `,"operation_name":`...), r.Request.OperationName)
	b = jsontext.AppendString(append(b, `,"operation_type":{"type":`...), o.kind)
	switch {
	case failure != nil:
		b = accesslog.AppendError(append(b, `,"detail":`...), failure)
	case text != "":
		b = jsontext.AppendString(append(b, `,"detail":`...), text)
	}
	b = append(b, `},"query":`...)
	if o.shown && o.request != nil {
		b = o.masked.AppendRequest(b, r.Request.OperationName, r.Request.Query, r.Request.Variables)
	} else {
		b = append(b, "null"...)
	}
	b = appendNullable(append(b, `,"parameterized_query_hash":`...), o.hash)
	return append(b, '}')
}

// longest is how many bytes are shown of a text that a client chose.
const longest = 1 << 10

func appendNullable(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return jsontext.AppendString(b, jsontext.Cut(s, longest))
}

func (l *Logging) write(e *logEntry) {
	l.Stream.Write(context.Background(), time.Now(), e.level(), e)
}

// Reject logs that a connection was refused before it was opened.
func (l *Logging) Reject(e *apierror.Error) {
	if l.Stream != nil {
		l.write(&logEntry{socket: uuid.NewString(), event: eventRejected, failure: e})
	}
}

// log writes a line about the connection.
func (c *conn) log(e *logEntry) {
	l := &c.server.deps.Logging
	if l.Stream == nil {
		return
	}
	c.mu.Lock()
	e.socket, e.session, e.expires = c.id, c.session, c.expires
	c.mu.Unlock()
	l.write(e)
}

// logOperation writes a line about an operation; o is nil without one.
func (c *conn) logOperation(kind, id string, o *Operation, hash string, failure *apierror.Error) {
	l := &c.server.deps.Logging
	if l.Stream == nil {
		return
	}
	c.log(&logEntry{event: eventOperation, failure: failure, operation: &operationEntry{
		id: id, kind: kind, request: o, hash: hash, masked: l.Masked, shown: l.Queries || kind == operationFailed,
	}})
}
