// Package accesslog makes the lines of the type http-log: what came of a request.
package accesslog

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/querylog"
	"queryengine/services/gateway/internal/request"
)

// Mode is the kind of a request.
type Mode string

// The kinds of requests.
const (
	ModeSingle     Mode = "single"
	ModeBatched    Mode = "batched"
	ModeNonGraphQL Mode = "non-graphql"
	ModeError      Mode = "error"
)

// Entry is what is logged of a request at its end. It is the telemetry.Detail of its line.
type Entry struct {
	RequestID string
	Request   *http.Request
	Status    int
	// Encoding is how the answer's body was packed, "" when it was not.
	Encoding string
	// Variables are the session variables, nil before authentication.
	Variables map[string]string
	Mode      Mode
	// Query is logged as the query, Raw is the body when that could not be read.
	Query Query
	Raw   []byte
	// Sent and Size are the bytes of the answer's body, as sent and before compression.
	Sent, Size int64
	// Read and Executed are how long the request was read and worked on.
	Read, Executed time.Duration
	// Hash is the parameterized query hash of a single operation, "" for an unknown one.
	Hash string
	// Batch are the operations of a batch.
	Batch []Operation
	// Error is why the request failed, nil when it did not.
	Error *apierror.Error
}

// Operation is one operation of a batch.
type Operation struct {
	Query    Query
	Size     int64
	Executed time.Duration
	Hash     string
	Error    *apierror.Error
}

// Query is what a line shows of a request; the zero value shows null.
type Query struct {
	// GraphQL is a GraphQL request, shown under Mask.
	GraphQL *request.GraphQL
	Mask    querylog.Mask
	// JSON is anything else.
	JSON []byte
}

// Level is that of the line.
func (e *Entry) Level() slog.Level {
	if e.Error != nil {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// What a line shows at most of texts that clients choose: bytes of an address, of a path, of a
// session variable, and of all of them.
const (
	maxAddress   = 256
	maxURL       = 4 << 10
	maxVariable  = 1 << 10
	maxVariables = 8 << 10
)

// ClientIP is the address that the request claims to come from, or its peer's.
func ClientIP(r *http.Request) string {
	for _, name := range [...]string{"X-Real-Ip", "X-Forwarded-For"} {
		if v := r.Header[name]; len(v) > 0 {
			return jsontext.Cut(v[0], maxAddress)
		}
	}
	host := r.RemoteAddr
	for i := len(host) - 1; i >= 0; i-- {
		if host[i] == ':' {
			return host[:i]
		}
	}
	return host
}

// AppendDetail implements telemetry.Detail.
func (e *Entry) AppendDetail(b []byte) []byte {
	b = append(b, `{"request_id":`...)
	b = jsontext.AppendString(b, e.RequestID)
	b = append(b, `,"http_info":{"status":`...)
	b = strconv.AppendInt(b, int64(e.Status), 10)
	b = append(b, `,"method":`...)
	b = jsontext.AppendString(b, e.Request.Method)
	b = append(b, `,"ip":`...)
	b = jsontext.AppendString(b, ClientIP(e.Request))
	b = append(b, `,"url":`...)
	b = jsontext.AppendString(b, jsontext.Cut(e.Request.URL.Path, maxURL))
	b = append(b, `,"http_version":`...)
	b = jsontext.AppendString(b, e.Request.Proto)
	b = append(b, `,"content_encoding":`...)
	if e.Encoding != "" {
		b = jsontext.AppendString(b, e.Encoding)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `},"operation":{"request_id":`...)
	b = jsontext.AppendString(b, e.RequestID)
	if e.Variables != nil {
		b = append(b, `,"user_vars":`...)
		b = AppendVariables(b, e.Variables)
	}
	b = append(b, `,"request_mode":`...)
	b = jsontext.AppendString(b, string(e.Mode))
	b = append(b, `,"query":`...)
	if e.Mode == ModeBatched {
		b = append(b, "null"...) // each of batched_operations has its own
	} else {
		b = e.Query.append(b)
	}
	if e.Raw != nil {
		b = querylog.AppendText(append(b, `,"raw_query":`...), string(e.Raw))
	}
	b = append(b, `,"response_size":`...)
	b = strconv.AppendInt(b, e.Sent, 10)
	b = append(b, `,"uncompressed_response_size":`...)
	b = strconv.AppendInt(b, e.Size, 10)
	b = append(b, `,"request_read_time":`...)
	b = appendSeconds(b, e.Read)
	b = append(b, `,"query_execution_time":`...)
	b = appendSeconds(b, e.Executed)
	b = e.appendHash(b)
	if e.Error != nil {
		b = AppendError(append(b, `,"error":`...), e.Error)
	}
	b = append(b, '}')
	if e.Mode == ModeBatched {
		b = e.appendBatch(append(b, `,"batched_operations":[`...))
		b = append(b, ']')
	}
	return append(b, '}')
}

func (e *Entry) appendHash(b []byte) []byte {
	if e.Mode != ModeBatched {
		if e.Hash == "" {
			return b
		}
		return jsontext.AppendString(append(b, `,"parameterized_query_hash":`...), e.Hash)
	}
	b = append(b, `,"parameterized_query_hash":[`...)
	first := true
	for i := range e.Batch {
		if e.Batch[i].Hash == "" {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = jsontext.AppendString(b, e.Batch[i].Hash)
	}
	return append(b, ']')
}

func (e *Entry) appendBatch(b []byte) []byte {
	for i := range e.Batch {
		o := &e.Batch[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = o.Query.append(append(b, `{"query":`...))
		if o.Error != nil {
			b = AppendError(append(b, `,"error":`...), o.Error)
			b = append(b, '}')
			continue
		}
		b = append(b, `,"response_size":`...)
		b = strconv.AppendInt(b, o.Size, 10)
		b = append(b, `,"query_execution_time":`...)
		b = appendSeconds(b, o.Executed)
		if o.Hash != "" {
			b = jsontext.AppendString(append(b, `,"parameterized_query_hash":`...), o.Hash)
		}
		b = append(b, '}')
	}
	return b
}

func (q *Query) append(b []byte) []byte {
	switch {
	case q.GraphQL != nil:
		return q.Mask.AppendRequest(b, q.GraphQL.OperationName, q.GraphQL.Query, q.GraphQL.Variables)
	case q.JSON != nil:
		return querylog.AppendOneLine(b, q.JSON)
	}
	return append(b, "null"...)
}

func appendSeconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, d.Seconds(), 'f', -1, 64)
}

// AppendError appends an error as lines show it.
func AppendError(b []byte, e *apierror.Error) []byte {
	b = append(b, `{"path":`...)
	b = jsontext.AppendString(b, e.Path)
	b = append(b, `,"error":`...)
	b = jsontext.AppendString(b, e.Message)
	b = append(b, `,"code":`...)
	b = jsontext.AppendString(b, string(e.Code))
	if e.Internal != nil {
		b = querylog.AppendOneLine(append(b, `,"internal":`...), e.InternalJSON())
	}
	return append(b, '}')
}

// AppendVariables appends session variables as an object, as many as fit.
func AppendVariables(b []byte, variables map[string]string) []byte {
	b = append(b, '{')
	room := maxVariables
	for name, value := range variables {
		name, value = jsontext.Cut(name, maxVariable), jsontext.Cut(value, maxVariable)
		if room -= len(name) + len(value); room < 0 {
			name, value = "...", "[CUT OFF]"
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, name)
		b = append(b, ':')
		b = jsontext.AppendString(b, value)
		if room < 0 {
			break
		}
	}
	return append(b, '}')
}
