package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/logtype"
)

// typeKey is the attribute that carries the Type of a logger.
const typeKey = "type"

// Of returns a logger whose lines are of one Type. Their detail are the attributes alone, and
// the message if there is one.
func Of(l *slog.Logger, t logtype.Type) *slog.Logger { return l.With(slog.Any(typeKey, t)) }

// Discard is a logger that writes nothing.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// requestIDKey is the key of WithRequestID.
type requestIDKey struct{}

// WithRequestID gives the lines about the work in ctx the id of the client's request.
func WithRequestID(ctx context.Context, id string) context.Context {
	if id == "" {
		return ctx
	}
	return context.WithValue(ctx, requestIDKey{}, id)
}

// handler makes lines of the records of slog. The type is known when the logger is made, so
// a line of one that is off costs nothing.
type handler struct {
	log     *Log
	kind    logtype.Type
	off     bool
	service string
	attrs   []byte // encoded members
	open    int    // groups that attrs has opened
}

func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return !h.off && level >= h.log.level
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append([]byte(nil), h.attrs...)
	for _, a := range attrs {
		if t, ok := a.Value.Any().(logtype.Type); ok && a.Key == typeKey {
			c.kind, c.off = t, !h.log.enabled(t)
			continue
		}
		c.attrs = appendAttr(c.attrs, a)
	}
	return &c
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	c := *h
	c.attrs = append(jsontext.AppendString(appendComma(append([]byte(nil), h.attrs...)), name), ":{"...)
	c.open++
	return &c
}

// details are buffers for the details of lines.
var details = detailPool{sync.Pool{New: func() any { return new(detail) }}}

type detailPool struct{ sync.Pool }

// get gives an empty one.
func (p *detailPool) get() *detail {
	d, _ := p.Get().(*detail)
	d.text = d.text[:0]
	return d
}

// put returns a buffer that is no longer used.
func (p *detailPool) put(d *detail) {
	if cap(d.text) <= keepLines {
		p.Put(d)
	}
}

// detail is the encoded detail of a line.
type detail struct{ text []byte }

func (d *detail) AppendDetail(b []byte) []byte { return append(b, d.text...) }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	d := details.get()
	d.text = h.append(ctx, d.text, &r)
	now := r.Time
	if now.IsZero() {
		now = time.Now()
	}
	h.log.add(ctx, now, r.Level, h.kind, d)
	details.put(d)
	return nil
}

func (h *handler) append(ctx context.Context, b []byte, r *slog.Record) []byte {
	b = append(b, '{')
	if h.kind == logtype.Unstructured {
		b = jsontext.AppendString(append(b, `"service":`...), h.service)
	}
	if r.Message != "" {
		b = jsontext.AppendString(append(appendComma(b), `"message":`...), r.Message)
	}
	if id, ok := ctx.Value(requestIDKey{}).(string); ok && h.kind == logtype.Unstructured {
		b = jsontext.AppendString(append(appendComma(b), `"request_id":`...), id)
	}
	if len(h.attrs) > 0 {
		b = append(appendComma(b), h.attrs...)
	}
	r.Attrs(func(a slog.Attr) bool {
		b = appendAttr(b, a)
		return true
	})
	for range h.open + 1 {
		b = append(b, '}')
	}
	return b
}
