package scheduled

import (
	"encoding/json"
	"time"

	"queryengine/pkg/metadata"
	"queryengine/pkg/transform"
	"queryengine/services/event-delivery/internal/delivery"
)

// target is a delivery.Target with what only scheduled events have.
type target struct {
	delivery.Target
	tolerance time.Duration
}

// definition is what cron triggers and one-off events have in common.
type definition struct {
	webhook           string
	headers           []metadata.Header
	retry             *metadata.ScheduleRetry
	request, response json.RawMessage
}

// compile resolves variables and transforms. Its result is usable even with an error, which
// is about the variables: it lacks them.
func (d definition) compile(env metadata.Env) (*target, error) {
	retry := d.retry.WithDefaults()
	seconds := func(n *int) time.Duration { return time.Duration(*n) * time.Second }
	t := &target{tolerance: seconds(retry.Tolerance), Target: delivery.Target{
		Template: d.webhook, Timeout: seconds(retry.Timeout), Retries: *retry.Retries, Interval: seconds(retry.Interval),
	}}
	var err error
	if t.Request, err = transform.CompileRequest(d.request); err != nil {
		return t, err
	}
	if t.Response, err = transform.CompileResponse(d.response); err != nil {
		return t, err
	}
	if t.URL, err = metadata.Expand(d.webhook, env); err != nil {
		return t, err
	}
	for i := range d.headers {
		h := &d.headers[i]
		value, err := h.Resolve(env)
		if err != nil {
			return t, err
		}
		t.Headers = append(t.Headers, delivery.NewHeader(*h, value))
	}
	return t, nil
}

// body is the body of a webhook before its transform.
type body struct {
	ID            string     `json:"id"`
	Name          string     `json:"name,omitempty"`
	ScheduledTime time.Time  `json:"scheduled_time"`
	Payload       any        `json:"payload"`
	Comment       *string    `json:"comment,omitempty"`
	CreatedAt     *time.Time `json:"created_at,omitempty"`
	// The definitions of the transforms are part of what they transform.
	RequestTransform  json.RawMessage `json:"request_transform,omitempty"`
	ResponseTransform json.RawMessage `json:"response_transform,omitempty"`
}

// dueAt is when an event, or its retry, was due.
func dueAt(scheduled time.Time, retry *time.Time) time.Time {
	if retry != nil {
		return *retry
	}
	return scheduled
}

// isNull reports whether JSON of a row or a definition isn't there.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// given is raw, nil for null.
func given(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return raw
}
