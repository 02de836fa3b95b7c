package scheduled

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/delivery"
)

// OneOff delivers one-off events. It is safe for concurrent use.
type OneOff struct {
	*admission
	env     metadata.Env
	now     func() time.Time
	metrics *kindMetrics
}

// NewOneOff returns a OneOff.
func NewOneOff(s *Store, env metadata.Env, now func() time.Time, m *Metrics) *OneOff {
	return &OneOff{admission: newAdmission(s, oneOffTable), env: env, now: now, metrics: &m.oneOff}
}

// row is the row of an event, as the delivery carries it.
type row struct {
	ID                string                  `json:"id"`
	Webhook           string                  `json:"webhook_conf"`
	ScheduledTime     time.Time               `json:"scheduled_time"`
	Retry             *metadata.ScheduleRetry `json:"retry_conf"`
	NextRetryAt       *time.Time              `json:"next_retry_at"`
	Payload           json.RawMessage         `json:"payload"`
	Headers           []metadata.Header       `json:"header_conf"`
	CreatedAt         time.Time               `json:"created_at"`
	Comment           *string                 `json:"comment"`
	RequestTransform  json.RawMessage         `json:"request_transform"`
	ResponseTransform json.RawMessage         `json:"response_transform"`
}

// Prepare makes the call of an event. Its variables are resolved now: one that is missing
// makes a failed attempt.
func (o *OneOff) Prepare(d *deliveryv1.Delivery) (*delivery.Attempt, *delivery.Outcome) {
	failed := &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Failed}
	var r row
	if err := json.Unmarshal(d.GetEvent(), &r); err != nil {
		return nil, failed
	}
	t, compileError := definition{r.Webhook, r.Headers, r.Retry, given(r.RequestTransform), given(r.ResponseTransform)}.compile(o.env)
	if o.now().Sub(r.ScheduledTime) > t.tolerance {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Dead}
	}
	created := r.CreatedAt.UTC()
	text, err := metadata.Encode(body{
		ID: r.ID, ScheduledTime: r.ScheduledTime.UTC(), Payload: given(r.Payload), Comment: r.Comment, CreatedAt: &created,
		RequestTransform: given(r.RequestTransform), ResponseTransform: given(r.ResponseTransform),
	})
	if err != nil {
		return nil, failed
	}
	a := &delivery.Attempt{
		EventID: d.GetEventId(), Tries: int(d.GetTries()), Version: recordVersion, Target: &t.Target, Body: text,
		Span: "Scheduled trigger: one-off event", Sent: func(call delivery.Call) { o.metrics.called("", dueAt(r.ScheduledTime, r.NextRetryAt), call) },
		Described: `One-off Scheduled event "` + d.GetEventId() + `"`, Flow: t.Template,
	}
	if compileError != nil {
		outcome := delivery.Unprepared(a, problem(compileError), o.now())
		return nil, &outcome
	}
	return a, nil
}

// problem describes what is missing, in one way for addresses and for headers.
func problem(err error) string {
	message := apierror.From(err).Message
	if name, ok := strings.CutPrefix(message, "environment variable '"); ok {
		message = "Value for environment variables not found: " + strings.TrimSuffix(name, "' not set")
	}
	return "Error creating the request. " + strings.Replace(message, "Value", "The value", 1)
}

// Record writes outcomes.
func (o *OneOff) Record(ctx context.Context, outcomes []delivery.Outcome) error {
	err := o.store.record(ctx, oneOffTable, outcomes)
	if err == nil {
		o.metrics.ended(outcomes)
	}
	return err
}
