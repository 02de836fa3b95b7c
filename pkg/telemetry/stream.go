package telemetry

import (
	"context"
	"log/slog"
	"time"

	"queryengine/pkg/logtype"
)

// Stream takes lines of one Type that are made without slog, which would cost too much for
// each request. A nil *Stream takes nothing.
type Stream struct {
	log  *Log
	kind logtype.Type
}

// StreamOf is the Stream of a Type where a logger writes to; nil when the type is off, or the
// logger is none of a Log's.
func StreamOf(l *slog.Logger, t logtype.Type) *Stream {
	h, ok := l.Handler().(*handler)
	if !ok || !h.log.enabled(t) {
		return nil
	}
	return &Stream{log: h.log, kind: t}
}

// Enabled reports whether lines of a level are written.
func (s *Stream) Enabled(level slog.Level) bool { return s != nil && level >= s.log.level }

// Write adds a line, if its level is written. It encodes d before it returns, and before others
// have to wait: a request may take some time to be written down.
func (s *Stream) Write(ctx context.Context, now time.Time, level slog.Level, d Detail) {
	if !s.Enabled(level) {
		return
	}
	encoded := details.get()
	encoded.text = d.AppendDetail(encoded.text)
	s.log.add(ctx, now, level, s.kind, encoded)
	details.put(encoded)
}
