package metadata

import (
	"encoding/json"
	"slices"
	"time"

	"queryengine/pkg/apierror"
)

// Planned events are kept outside of the document. The arguments of their operations are read here; the
// service runs them.

// ScheduledType is a kind of scheduled events.
type ScheduledType string

// The kinds of scheduled events.
const (
	ScheduledCron   ScheduledType = "cron"
	ScheduledOneOff ScheduledType = "one_off"
)

// UnmarshalJSON reads one of the two names.
func (t *ScheduledType) UnmarshalJSON(raw []byte) error {
	var text string
	if err := decode(raw, &text); err != nil {
		return err
	}
	*t = ScheduledType(text)
	if *t != ScheduledCron && *t != ScheduledOneOff {
		return apierror.Newf(apierror.ParseFailed, "expected cron or one_off, but found %s", text)
	}
	return nil
}

// CreateScheduledEvent are the arguments of create_scheduled_event.
type CreateScheduledEvent struct {
	Webhook           string          `json:"webhook" meta:"required"`
	At                Timestamp       `json:"schedule_at" meta:"required"`
	Payload           json.RawMessage `json:"payload"`
	Headers           []Header        `json:"headers"`
	Retry             *ScheduleRetry  `json:"retry_conf"`
	Comment           *string         `json:"comment"`
	RequestTransform  json.RawMessage `json:"request_transform"`
	ResponseTransform json.RawMessage `json:"response_transform"`
}

func (a *CreateScheduledEvent) check() error {
	return checkTransforms(a.RequestTransform, a.ResponseTransform)
}

// Timestamp is a point in time with its zone.
type Timestamp struct{ time.Time }

// timestampLayouts are the accepted layouts; a fraction of a second may follow the seconds.
var timestampLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00",
}

// UnmarshalJSON reads an ISO 8601 time.
func (t *Timestamp) UnmarshalJSON(raw []byte) error {
	var text string
	if err := decode(raw, &text); err != nil {
		return err
	}
	for _, layout := range timestampLayouts {
		if parsed, err := time.Parse(layout, text); err == nil {
			t.Time = parsed.UTC()
			return nil
		}
	}
	return apierror.Newf(apierror.ParseFailed, "parsing UTCTime failed, %q is no time with a zone, such as 2015-03-01T02:00:00Z", text)
}

// DeleteScheduledEvent are the arguments of delete_scheduled_event.
type DeleteScheduledEvent struct {
	Type ScheduledType `json:"type" meta:"required"`
	ID   string        `json:"event_id" meta:"required"`
}

// Page is the part of a list that is requested.
type Page struct {
	Limit  *int `json:"limit"`
	Offset *int `json:"offset"`
	// Count asks for the length of the whole list.
	Count bool `json:"get_rows_count"`
}

func (p *Page) checkPage() error {
	for key, n := range map[string]*int{"limit": p.Limit, "offset": p.Offset} {
		if n != nil && *n < 0 {
			return apierror.At(apierror.New(apierror.ParseFailed, "unexpected negative value"), key)
		}
	}
	return nil
}

// scheduledStates are the states of scheduled events.
var scheduledStates = []string{"scheduled", "locked", "delivered", "error", "dead"}

func checkStates(states []string) error {
	for i, s := range states {
		if !slices.Contains(scheduledStates, s) {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "unexpected status: %s", s), "status", i)
		}
	}
	return nil
}

// GetScheduledEvents are the arguments of get_scheduled_events.
type GetScheduledEvents struct {
	Type    ScheduledType    `json:"type" meta:"required"`
	Trigger *string          `json:"trigger_name"`
	Status  []string         `json:"status"`
	OrderBy []ScheduledOrder `json:"order_by"`
	Page
}

func (a *GetScheduledEvents) check() error {
	if a.Type == ScheduledCron && a.Trigger == nil {
		return missingKey("trigger_name")
	}
	if err := checkStates(a.Status); err != nil {
		return err
	}
	return a.checkPage()
}

// ScheduledOrder is one key that events are sorted by.
type ScheduledOrder struct {
	Column string  `json:"column" meta:"required"`
	Type   *string `json:"type"`  // asc or desc
	Nulls  *string `json:"nulls"` // first or last
}

var scheduledColumns = []string{"id", "trigger_name", "scheduled_time", "status", "tries", "created_at", "next_retry_at"}

func (o *ScheduledOrder) check() error {
	oneOf := func(key string, value *string, allowed ...string) error {
		if value == nil || slices.Contains(allowed, *value) {
			return nil
		}
		return apierror.At(apierror.Newf(apierror.ParseFailed, "unexpected %s: %s", key, *value), key)
	}
	if err := oneOf("column", &o.Column, scheduledColumns...); err != nil {
		return err
	}
	if err := oneOf("type", o.Type, "asc", "desc"); err != nil {
		return err
	}
	return oneOf("nulls", o.Nulls, "first", "last")
}

// GetScheduledEventInvocations are the arguments of get_scheduled_event_invocations.
type GetScheduledEventInvocations struct {
	Type    ScheduledType `json:"type" meta:"required"`
	Trigger *string       `json:"trigger_name"`
	EventID *string       `json:"event_id"`
	Status  []string      `json:"status"`
	Page
}

func (a *GetScheduledEventInvocations) check() error {
	if a.Type == ScheduledCron && a.Trigger == nil && a.EventID == nil {
		return missingKey("trigger_name")
	}
	if err := checkStates(a.Status); err != nil {
		return err
	}
	return a.checkPage()
}
