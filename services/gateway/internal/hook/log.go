package hook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
)

// log writes the line of a call. What the webhook answered is left out, since it may repeat
// what it was sent; so are the parameters of its address.
func (h *Hook) log(ctx context.Context, level slog.Level, r *http.Request, answer *http.Response, fault error, message string) {
	if !h.logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.Any("status_code", nil), slog.String("url", shown(r.URL)), slog.String("method", r.Method),
		slog.Any("http_error", nil), slog.Any("response", nil), slog.Any("message", nil),
	}
	if answer != nil {
		attrs[0] = slog.Int("status_code", answer.StatusCode)
	}
	if fault != nil {
		var e *url.Error
		if errors.As(fault, &e) {
			fault = e.Err
		}
		attrs[3] = slog.String("http_error", fault.Error())
	}
	if message != "" {
		attrs[5] = slog.String("message", message)
	}
	h.logger.LogAttrs(ctx, level, "", attrs...)
}

// shown is an address without what may be secret in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
