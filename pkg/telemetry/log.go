package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
)

// Type is the kind of a log line, which can be switched on and off on its own.
type Type string

// The kinds of log lines.
const (
	LogStartup   Type = "startup"
	LogHTTP      Type = "http-log"
	LogWebhook   Type = "webhook-log"
	LogWebSocket Type = "websocket-log"
	LogJWK       Type = "jwk-refresh-log"
	LogQuery     Type = "query-log"
	LogExecution Type = "execution-log"
	LogPoller    Type = "livequery-poller-log"

	LogValidateInput Type = "validate-input-log"
	LogActionHandler Type = "action-handler-log"
)

// typeKey is the attribute that carries the Type of a line.
const typeKey = "type"

// NewLogger returns a logger that writes one JSON object a line. level is debug, info, warn
// or error; lines of a Type outside of types are left out, lines without one are not.
func NewLogger(w io.Writer, level string, types []string, service string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	h := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l})
	return slog.New(&typedHandler{Handler: h, types: types}).With("service", service), nil
}

// Of returns a logger whose lines are of one Type.
func Of(l *slog.Logger, t Type) *slog.Logger { return l.With(typeKey, string(t)) }

// Discard is a logger that writes nothing.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// typedHandler leaves out lines of types that are switched off. The type is known when the
// logger is made, so a line that is left out costs nothing.
type typedHandler struct {
	slog.Handler
	types []string
	off   bool
}

func (h *typedHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return !h.off && h.Handler.Enabled(ctx, l)
}

func (h *typedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := &typedHandler{Handler: h.Handler.WithAttrs(attrs), types: h.types, off: h.off}
	for _, a := range attrs {
		if a.Key == typeKey {
			c.off = !slices.Contains(h.types, a.Value.String())
		}
	}
	return c
}

func (h *typedHandler) WithGroup(name string) slog.Handler {
	return &typedHandler{Handler: h.Handler.WithGroup(name), types: h.types, off: h.off}
}
