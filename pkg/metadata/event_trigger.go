package metadata

import (
	"encoding/json"
	"regexp"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/cron"
)

// EventTrigger sends changes of a table's rows to a webhook.
type EventTrigger struct {
	Name       string          `json:"name" meta:"required"`
	Definition EventDefinition `json:"definition" meta:"required"`
	Retry      EventRetry      `json:"retry_conf"`
	// Webhook is an address, in which {{NAME}} is a variable of the environment, or a NATS
	// subject after "nats://".
	Webhook           *string         `json:"webhook,omitempty"`
	WebhookFromEnv    *string         `json:"webhook_from_env,omitempty"`
	Headers           []Header        `json:"headers,omitempty"`
	RequestTransform  json.RawMessage `json:"request_transform,omitempty"`
	ResponseTransform json.RawMessage `json:"response_transform,omitempty"`
	Cleanup           *EventCleanup   `json:"cleanup_config,omitempty"`
	// OnReplication lets the trigger fire for rows that logical replication applies.
	OnReplication bool `json:"trigger_on_replication,omitempty"`
	// OrderByKey delivers the events of one row one after the other, in the order of their
	// commits. It is this project's own.
	OrderByKey bool `json:"order_by_key,omitempty"`
	// Via is how the changes are found: "" by triggers in the database, ViaLog by its log. It is this
	// project's own.
	Via string `json:"via,omitempty"`
	// Paused events are made and not delivered. It is this project's own.
	Paused bool `json:"paused,omitempty"`
}

// The ways by which changes are found; viaTrigger is the one that isn't written.
const (
	ViaLog     = "log"
	viaTrigger = "trigger"
)

// EventDefinition selects the changes that are events.
type EventDefinition struct {
	EnableManual bool         `json:"enable_manual"`
	Insert       *EventChange `json:"insert,omitempty"`
	Update       *EventChange `json:"update,omitempty"`
	Delete       *EventChange `json:"delete,omitempty"`
}

// EventChange is one kind of change.
type EventChange struct {
	// Columns are those whose change counts; for inserts and deletes every one does.
	Columns EventColumns `json:"columns" meta:"required"`
	// Payload are the columns that are sent, nil for all.
	Payload *EventColumns `json:"payload,omitempty"`
}

func (c *EventChange) check() error {
	if !c.Columns.All && len(c.Columns.Names) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "found empty column specification"), "columns")
	}
	if c.Payload != nil && !c.Payload.All && len(c.Payload.Names) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "found empty payload specification"), "payload")
	}
	return nil
}

// EventColumns is a list of columns, or all ("*").
type EventColumns struct{ Columns }

// UnmarshalJSON reads the list, or "*".
func (c *EventColumns) UnmarshalJSON(raw []byte) error {
	if JSONType(raw) == "String" && string(raw) != `"*"` {
		return apierror.New(apierror.ParseFailed, "only * or [] allowed")
	}
	return c.Columns.UnmarshalJSON(raw)
}

// EventRetry configures how often an event is tried; times are in seconds.
type EventRetry struct {
	Retries  int `json:"num_retries" meta:"required"`
	Interval int `json:"interval_sec" meta:"required"`
	Timeout  int `json:"timeout_sec"`
}

// The defaults of retry_conf.
const (
	defaultEventInterval = 10
	defaultEventTimeout  = 60
)

func (r *EventRetry) check() error {
	if r.Timeout == 0 {
		r.Timeout = defaultEventTimeout
	}
	return firstError(notNegative("num_retries", r.Retries), notNegative("interval_sec", r.Interval), notNegative("timeout_sec", r.Timeout))
}

// notNegative refuses a number under a key.
func notNegative(key string, n int) error {
	if n >= 0 {
		return nil
	}
	return apierror.At(apierror.Newf(apierror.ParseFailed, "%s cannot be a negative value", key), key)
}

// EventCleanup configures when the logs of old events are deleted.
type EventCleanup struct {
	Schedule  string `json:"schedule" meta:"required"`
	BatchSize int    `json:"batch_size"`
	// OlderThan is the age in hours.
	OlderThan   int  `json:"clear_older_than" meta:"required"`
	Timeout     int  `json:"timeout"` // of a batch, s
	Invocations bool `json:"clean_invocation_logs"`
	Paused      bool `json:"paused"`
}

// The defaults of a clean-up.
const (
	defaultCleanupBatch   = 10_000
	defaultCleanupTimeout = 60
)

func (c *EventCleanup) check() error {
	if _, err := cron.Parse(c.Schedule); err != nil {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "parsing cron expression failed, %s", err), "schedule")
	}
	c.BatchSize = positiveOr(c.BatchSize, defaultCleanupBatch)
	c.Timeout = positiveOr(c.Timeout, defaultCleanupTimeout)
	return nil
}

func positiveOr(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// eventTriggerName is what a name looks like; longer ones don't fit into the names of the
// functions that the database has for them.
var eventTriggerName = regexp.MustCompile(`^[A-Za-z]+[A-Za-z0-9_-]*$`)

const maxEventTriggerName = 42

// UnmarshalJSON reads a trigger of a document.
func (t *EventTrigger) UnmarshalJSON(raw []byte) error {
	type fields EventTrigger
	f := fields{Retry: EventRetry{Interval: defaultEventInterval, Timeout: defaultEventTimeout}}
	if err := decode(raw, &f); err != nil {
		return err
	}
	*t = EventTrigger(f)
	return t.check()
}

func (t *EventTrigger) check() error {
	d := &t.Definition
	switch {
	case t.Webhook != nil && t.WebhookFromEnv != nil:
		return apierror.New(apierror.ParseFailed, "only one of webhook or webhook_from_env should be given")
	case t.Webhook == nil && t.WebhookFromEnv == nil:
		return apierror.New(apierror.ParseFailed, "must provide webhook or webhook_from_env")
	case d.Insert == nil && d.Update == nil && d.Delete == nil && !d.EnableManual:
		return apierror.New(apierror.ParseFailed, "atleast one amongst insert/update/delete/enable_manual spec must be provided")
	}
	switch t.Via {
	case viaTrigger:
		t.Via = ""
	case "", ViaLog:
	default:
		return apierror.At(apierror.Newf(apierror.ParseFailed, "via must be %q or %q", viaTrigger, ViaLog), "via")
	}
	t.RequestTransform, t.ResponseTransform = omitEmpty(t.RequestTransform), omitEmpty(t.ResponseTransform)
	return checkTransforms(t.RequestTransform, t.ResponseTransform)
}

// checkName is for new triggers; imported documents may have other names.
func (t *EventTrigger) checkName() error {
	var err error
	switch {
	case len(t.Name) > maxEventTriggerName:
		err = apierror.Newf(apierror.ParseFailed, "event trigger name can be at most %d characters", maxEventTriggerName)
	case !eventTriggerName.MatchString(t.Name):
		err = apierror.New(apierror.ParseFailed, "only alphanumeric and underscore and hyphens allowed for name")
	}
	return apierror.At(err, "name")
}

// ParseEventTrigger reads a trigger of a document.
func ParseEventTrigger(raw json.RawMessage) (*EventTrigger, error) {
	t := &EventTrigger{}
	return t, decode(raw, t)
}

// Address is where the events go.
func (t *EventTrigger) Address(env Env) (string, error) {
	if t.WebhookFromEnv != nil {
		return Variable(*t.WebhookFromEnv, env)
	}
	return Expand(*t.Webhook, env)
}

// Resolve fails when the trigger needs variables of the environment that aren't there.
func (t *EventTrigger) Resolve(env Env) error {
	if _, err := t.Address(env); err != nil {
		return err
	}
	for i := range t.Headers {
		if _, err := t.Headers[i].Resolve(env); err != nil {
			return err
		}
	}
	return nil
}

// Columns are the columns that the trigger names.
func (t *EventTrigger) Columns() []string {
	var names []string
	for _, c := range []*EventChange{t.Definition.Insert, t.Definition.Update, t.Definition.Delete} {
		if c == nil {
			continue
		}
		names = append(names, c.Columns.Names...)
		if c.Payload != nil {
			names = append(names, c.Payload.Names...)
		}
	}
	return names
}

// normaliseEventTriggers brings the triggers of a table into one form and order.
func (t *Table) normaliseEventTriggers() error {
	for i, raw := range t.EventTriggers {
		trigger, err := ParseEventTrigger(raw)
		if err == nil {
			t.EventTriggers[i], err = Encode(trigger)
		}
		if err != nil {
			return apierror.At(err, "event_triggers", i)
		}
	}
	t.EventTriggers = sortedBy(t.EventTriggers, "name")
	return nil
}

// EventTrigger is the trigger of that name and its table, nil for none.
func (s *Source) EventTrigger(name string) (*Table, *EventTrigger) {
	for _, t := range s.Tables {
		if raw := find(t.EventTriggers, rawName, name); raw != nil {
			if trigger, err := ParseEventTrigger(raw); err == nil {
				return t, trigger
			}
		}
	}
	return nil, nil
}

// EventTriggerID names an event trigger among the objects of the document.
func EventTriggerID(source string, table catalog.Name, name string) ObjectID {
	return ObjectID{Kind: ObjectEventTrigger, Source: source, Table: table, Name: name}
}
