package delivery

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/egress"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/logtype"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/transform"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// callLog writes a line for each call of a webhook.
type callLog struct {
	events, scheduled *telemetry.Stream
	// redacted are the kinds whose lines show no values.
	redacted Redacted
	// failures is the level of calls that fail.
	failures slog.Level
}

// Redacted are the kinds of triggers whose log lines show neither values of headers, nor answers, nor messages of faults.
type Redacted struct{ Events, Scheduled bool }

func newCallLog(l *slog.Logger, failuresAreErrors bool, redacted Redacted) callLog {
	out := callLog{redacted: redacted,
		events: telemetry.StreamOf(l, logtype.EventTrigger), scheduled: telemetry.StreamOf(l, logtype.ScheduledTrigger),
		failures: slog.LevelInfo,
	}
	if failuresAreErrors {
		out.failures = slog.LevelError
	}
	return out
}

// made is a call of a webhook. It is the telemetry.Detail of its line.
type made struct {
	attempt *Attempt
	call    transform.Call
	answer  *egress.Response // nil when there was none
	err     error
	// redacted leaves values out.
	redacted bool
}

// value is a value as the line shows it.
func (m *made) value(s string) string {
	if m.redacted {
		return telemetry.Redacted
	}
	return s
}

// write writes the line of a call; err is why there was no answer.
func (l *callLog) write(ctx context.Context, w *Worker, m *made) {
	level := slog.LevelInfo
	if m.err != nil || m.answer.Status >= http.StatusMultipleChoices {
		level = l.failures
	}
	stream := l.scheduled
	m.redacted = l.redacted.Scheduled
	if m.attempt.Kind == deliveryv1.Kind_KIND_TABLE_EVENT {
		stream, m.redacted = l.events, l.redacted.Events
	}
	stream.Write(ctx, w.now(), level, m)
}

func (m *made) AppendDetail(b []byte) []byte {
	a := m.attempt
	b = jsontext.AppendString(append(b, `{"event_id":`...), a.EventID)
	if a.Name != "" {
		b = jsontext.AppendString(append(b, `,"event_name":`...), a.Name)
	}
	b = append(b, `,"request":{`...)
	if a.Target.Request == nil {
		b = append(b, `"original_request":`...)
	} else {
		b = append(b, `"transformed_request":`...)
	}
	b = jsontext.AppendString(append(b, `{"url":`...), a.Target.Template)
	b = jsontext.AppendString(append(b, `,"method":`...), m.call.Method)
	b = append(b, `,"headers":[`...)
	for i, h := range m.call.Headers {
		b = appendHeader(b, i, h.Name, m.value(shownValue(a.Target, h)))
	}
	b = strconv.AppendInt(append(b, `]},"request_size":`...), int64(len(a.Body)), 10)
	if a.Target.Request != nil {
		b = strconv.AppendInt(append(b, `,"transformed_request_size":`...), int64(len(m.call.Body)), 10)
	}
	b = append(b, `},"response":{`...)
	if m.answer == nil {
		b = m.appendFault(b)
	} else {
		b = strconv.AppendInt(append(b, `"status":`...), int64(m.answer.Status), 10)
		b = append(b, `,"headers":[`...)
		i := 0
		for name, values := range m.answer.Header {
			for _, value := range values {
				b = appendHeader(b, i, name, m.value(telemetry.Redact(name, value)))
				i++
			}
		}
		b = querylog.AppendText(append(b, `],"body":`...), m.value(string(m.answer.Body)))
		b = strconv.AppendInt(append(b, `,"size":`...), int64(len(m.answer.Body)), 10)
	}
	return append(b, "}}"...)
}

// appendFault describes why there was no answer, without the address, which may hold secrets.
func (m *made) appendFault(b []byte) []byte {
	kind := "http_exception"
	var fault *egress.Error
	if errors.As(m.err, &fault) {
		kind = fault.Type()
	}
	b = jsontext.AppendString(append(b, `"status":null,"type":`...), kind)
	return jsontext.AppendString(append(b, `,"message":`...), m.value(m.err.Error()))
}

func appendHeader(b []byte, i int, name, value string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = jsontext.AppendString(append(b, `{"name":`...), name)
	b = jsontext.AppendString(append(b, `,"value":`...), value)
	return append(b, '}')
}

// shownValue is a header's value as lines show it: never one that comes from a variable.
func shownValue(t *Target, h transform.Header) string {
	i := slices.IndexFunc(t.Headers, func(c Header) bool { return strings.EqualFold(c.Name, h.Name) && c.Value == h.Value })
	if i >= 0 {
		switch c := t.Headers[i]; {
		case c.FromEnv != "":
			return "<from_env: " + c.FromEnv + ">"
		case c.Template != "":
			return telemetry.Redact(h.Name, c.Template)
		}
	}
	return telemetry.Redact(h.Name, h.Value)
}
