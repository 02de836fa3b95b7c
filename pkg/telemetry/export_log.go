package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/trace"
)

// sendTo returns a tee that makes records of lines: what is sent is what is written, in the
// trace that it belongs to.
func sendTo(logger log.Logger) func(Line) {
	return func(l Line) {
		var r log.Record
		r.SetTimestamp(l.Time)
		r.SetObservedTimestamp(l.Time)
		r.SetSeverity(severity(l.Level))
		r.SetSeverityText(l.Level.String())
		r.SetBody(attribute.StringValue(string(l.Detail)))
		r.AddAttributes(attribute.String("type", string(l.Type)))
		logger.Emit(trace.ContextWithSpanContext(context.Background(), l.Span), r)
	}
}

func severity(l slog.Level) log.Severity {
	switch {
	case l < slog.LevelInfo:
		return log.SeverityDebug
	case l < slog.LevelWarn:
		return log.SeverityInfo
	case l < slog.LevelError:
		return log.SeverityWarn
	default:
		return log.SeverityError
	}
}
