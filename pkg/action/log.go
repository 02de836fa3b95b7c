package action

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/transform"
)

// HideBodies leaves bodies out of lines: they may hold values of variables that are masked,
// under other names.
func (c *Client) HideBodies() { c.bodiesHidden = true }

// Redact leaves bodies, values of headers and messages of faults out of lines.
func (c *Client) Redact() { c.bodiesHidden, c.redacted = true, true }

// value is a header's value as lines show it.
func (c *Client) value(name, value string) string {
	if c.redacted {
		return telemetry.Redacted
	}
	return telemetry.Redact(name, value)
}

// log writes a line about a call.
func (c *Caller) log(ctx context.Context, e *exchange, call transform.Call, r *egress.Response, err error, took time.Duration) {
	if !c.logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	d := &e.handler.action.Meta.Definition
	kind := d.Type
	if d.Type == metadata.ActionMutation {
		kind += "-" + d.Kind
	}
	shown := c.shown(e)
	attributes := []slog.Attr{
		slog.Any("request", shown), slog.Int("request_size", len(e.payload)),
		slog.String("action_name", e.handler.action.Meta.Name), slog.String("action_type", kind), slog.Duration("time", took),
	}
	if e.transformed != nil {
		attributes = append(attributes, slog.Any("transformed_request", shown.transformed), slog.Int("transformed_request_size", len(call.Body)))
	}
	if err != nil {
		var failed *egress.Error
		if errors.As(err, &failed) {
			text := failed.Error()
			if c.redacted {
				text = telemetry.Redacted
			}
			attributes = append(attributes, slog.String("error", text))
		}
	} else {
		attributes = append(attributes, slog.Int("status", r.Status), slog.Int("response_size", len(r.Body)),
			slog.Any("response_headers", c.shownHeaders(r.Header)))
	}
	c.logger.LogAttrs(ctx, slog.LevelInfo, "", attributes...)
}

// logged is a request as lines show it.
type logged struct {
	URL         string            `json:"url"`
	Headers     []metadata.Header `json:"headers"`
	Body        json.RawMessage   `json:"body"`
	transformed any
}

func (c *Caller) shown(e *exchange) logged {
	d := e.describe()
	shown := logged{d.URL, d.Headers, d.Body, d.Transformed}
	for i := range shown.Headers {
		if h := &shown.Headers[i]; h.Value != nil {
			value := c.value(h.Name, *h.Value)
			h.Value = &value
		}
	}
	if c.bodiesHidden {
		shown.Body, shown.transformed = json.RawMessage("null"), nil
	}
	return shown
}

func (c *Client) shownHeaders(header http.Header) []metadata.Header {
	list := []metadata.Header{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, metadata.Header{Name: name, Value: new(c.value(name, value))})
		}
	}
	return list
}
