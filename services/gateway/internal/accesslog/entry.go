package accesslog

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/jsonscan"
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

// Entry is what is known of a request at its end.
type Entry struct {
	Time      time.Time // of the end
	RequestID string
	Request   *http.Request
	Status    int
	// Encoding is how the answer's body was packed, "" when it was not.
	Encoding string
	// Variables are the session variables, nil before authentication.
	Variables map[string]string
	Mode      Mode
	// Query is the GraphQL request, or the type of a metadata request, as JSON; nil to
	// leave it out.
	Query []byte
	// Sent and Size are the bytes of the answer's body, as sent and before compression.
	Sent, Size int64
	// Read and Executed are how long the request was read and worked on.
	Read, Executed time.Duration
	// Error is why the request failed, nil when it did not.
	Error *apierror.Error
}

func (e *Entry) level() slog.Level {
	if e.Error != nil {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// ClientIP is the address that the request says it comes from, or its peer's.
func ClientIP(r *http.Request) string {
	for _, name := range [...]string{"X-Real-Ip", "X-Forwarded-For"} {
		if v := r.Header[name]; len(v) > 0 {
			return v[0]
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

func appendStart(b []byte, now time.Time, level slog.Level) []byte {
	b = append(b, `{"timestamp":"`...)
	b = now.AppendFormat(b, "2006-01-02T15:04:05.000-0700")
	b = append(b, `","level":"`...)
	switch {
	case level >= slog.LevelError:
		b = append(b, "error"...)
	case level >= slog.LevelWarn:
		b = append(b, "warn"...)
	default:
		b = append(b, "info"...)
	}
	return append(b, `","type":"http-log","detail":`...)
}

func (e *Entry) append(b []byte) []byte {
	b = appendStart(b, e.Time, e.level())
	b = append(b, `{"request_id":`...)
	b = jsonscan.AppendString(b, e.RequestID)
	b = append(b, `,"http_info":{"status":`...)
	b = strconv.AppendInt(b, int64(e.Status), 10)
	b = append(b, `,"method":`...)
	b = jsonscan.AppendString(b, e.Request.Method)
	b = append(b, `,"ip":`...)
	b = jsonscan.AppendString(b, ClientIP(e.Request))
	b = append(b, `,"url":`...)
	b = jsonscan.AppendString(b, e.Request.URL.Path)
	b = append(b, `,"http_version":`...)
	b = jsonscan.AppendString(b, e.Request.Proto)
	b = append(b, `,"content_encoding":`...)
	if e.Encoding != "" {
		b = jsonscan.AppendString(b, e.Encoding)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `},"operation":{"request_id":`...)
	b = jsonscan.AppendString(b, e.RequestID)
	if e.Variables != nil {
		b = append(b, `,"user_vars":`...)
		b = appendVariables(b, e.Variables)
	}
	b = append(b, `,"request_mode":`...)
	b = jsonscan.AppendString(b, string(e.Mode))
	b = append(b, `,"query":`...)
	if e.Query != nil {
		b = append(b, e.Query...)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"response_size":`...)
	b = strconv.AppendInt(b, e.Sent, 10)
	b = append(b, `,"uncompressed_response_size":`...)
	b = strconv.AppendInt(b, e.Size, 10)
	b = append(b, `,"request_read_time":`...)
	b = strconv.AppendFloat(b, e.Read.Seconds(), 'g', -1, 64)
	b = append(b, `,"query_execution_time":`...)
	b = strconv.AppendFloat(b, e.Executed.Seconds(), 'g', -1, 64)
	if e.Error != nil {
		b = appendError(b, e.Error)
	}
	return append(b, "}}}\n"...)
}

func appendError(b []byte, e *apierror.Error) []byte {
	b = append(b, `,"error":{"path":`...)
	b = jsonscan.AppendString(b, e.Path)
	b = append(b, `,"error":`...)
	b = jsonscan.AppendString(b, e.Message)
	b = append(b, `,"code":`...)
	b = jsonscan.AppendString(b, string(e.Code))
	if e.Internal != nil {
		b = append(append(b, `,"internal":`...), e.InternalJSON()...)
	}
	return append(b, '}')
}

func appendVariables(b []byte, variables map[string]string) []byte {
	b = append(b, '{')
	for name, value := range variables {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = jsonscan.AppendString(b, name)
		b = append(b, ':')
		b = jsonscan.AppendString(b, value)
	}
	return append(b, '}')
}
