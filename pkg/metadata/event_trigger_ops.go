package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// CreateEventTrigger are the arguments of create_event_trigger.
type CreateEventTrigger struct {
	Source  string
	Table   catalog.Name
	Replace bool
	Trigger EventTrigger
	// Paused is nil where it isn't given: a new trigger isn't paused then, one that is replaced stays as it is.
	Paused *bool
}

// eventTriggerPlace is the part of the arguments that says where a trigger is.
type eventTriggerPlace struct {
	Source  string       `json:"source" meta:"default=default"`
	Table   catalog.Name `json:"table" meta:"required"`
	Replace bool         `json:"replace"`
}

// eventTriggerArguments is the part of the arguments that says what a trigger is.
type eventTriggerArguments struct {
	Name              string          `json:"name" meta:"required"`
	EnableManual      bool            `json:"enable_manual"`
	Insert            *EventChange    `json:"insert"`
	Update            *EventChange    `json:"update"`
	Delete            *EventChange    `json:"delete"`
	Retry             *EventRetry     `json:"retry_conf"`
	Webhook           *string         `json:"webhook"`
	WebhookFromEnv    *string         `json:"webhook_from_env"`
	Headers           []Header        `json:"headers"`
	RequestTransform  json.RawMessage `json:"request_transform"`
	ResponseTransform json.RawMessage `json:"response_transform"`
	Cleanup           *EventCleanup   `json:"cleanup_config"`
	OnReplication     bool            `json:"trigger_on_replication"`
	OrderByKey        bool            `json:"order_by_key"`
	Via               string          `json:"via"`
	Paused            *bool           `json:"paused"`
}

// UnmarshalJSON reads the arguments, in which the definition of the trigger isn't apart.
func (a *CreateEventTrigger) UnmarshalJSON(raw []byte) error {
	var place eventTriggerPlace
	if err := decode(raw, &place); err != nil {
		return err
	}
	var t eventTriggerArguments
	if err := decode(raw, &t); err != nil {
		return err
	}
	a.Source, a.Table, a.Replace, a.Paused = place.Source, place.Table, place.Replace, t.Paused
	a.Trigger = EventTrigger{
		Name:       t.Name,
		Definition: EventDefinition{EnableManual: t.EnableManual, Insert: t.Insert, Update: t.Update, Delete: t.Delete},
		Retry:      EventRetry{Interval: defaultEventInterval, Timeout: defaultEventTimeout},
		Webhook:    t.Webhook, WebhookFromEnv: t.WebhookFromEnv, Headers: t.Headers,
		RequestTransform: t.RequestTransform, ResponseTransform: t.ResponseTransform,
		Cleanup: t.Cleanup, OnReplication: t.OnReplication, OrderByKey: t.OrderByKey, Via: t.Via,
	}
	if t.Retry != nil {
		a.Trigger.Retry = *t.Retry
	}
	if err := a.Trigger.checkName(); err != nil {
		return err
	}
	return a.Trigger.check()
}

// Apply adds the trigger, or replaces the one of its name.
func (a *CreateEventTrigger) Apply(v View) (*Result, error) {
	source, table, err := v.table(a.Source, a.Table)
	if err != nil {
		return nil, err
	}
	holder, before := source.EventTrigger(a.Trigger.Name)
	switch {
	case holder != nil && !a.Replace:
		return nil, apierror.Newf(apierror.AlreadyExists, "Event trigger with name %q already exists", a.Trigger.Name)
	case holder == nil && a.Replace:
		return nil, noEventTrigger(a.Trigger.Name)
	case holder != nil && holder != table:
		return nil, apierror.New(apierror.NotSupported, "cannot replace table or schema for trigger")
	}
	for _, column := range a.Trigger.Columns() {
		if !v.Schema.IsColumn(a.Source, a.Table, column) {
			return nil, apierror.Newf(apierror.NotExists, "column %q does not exist", column)
		}
	}
	trigger := a.Trigger
	trigger.Paused = a.Paused != nil && *a.Paused || a.Paused == nil && before != nil && before.Paused
	doc, err := v.Document.withEventTrigger(source, table, &trigger)
	if err != nil {
		return nil, err
	}
	return &Result{
		Document: doc,
		Objects:  []ObjectID{EventTriggerID(a.Source, a.Table, a.Trigger.Name)},
	}, nil
}

// withEventTrigger is the document with the trigger on a table, instead of the one of its name.
func (d *Document) withEventTrigger(source *Source, table *Table, t *EventTrigger) (*Document, error) {
	raw, err := Encode(t)
	if err != nil {
		return nil, err
	}
	changed := *table
	changed.EventTriggers = inserted(table.EventTriggers, raw, rawName)
	return d.withTable(source, &changed), nil
}

func noEventTrigger(name string) error {
	return apierror.Newf(apierror.NotExists, "event trigger %q does not exist", name)
}

// DeleteEventTrigger are the arguments of delete_event_trigger.
type DeleteEventTrigger struct {
	Source string `json:"source" meta:"default=default"`
	Name   string `json:"name" meta:"required"`
}

// Apply removes the trigger.
func (a *DeleteEventTrigger) Apply(v View) (*Result, error) {
	source, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	table, _ := source.EventTrigger(a.Name)
	if table == nil {
		return nil, noEventTrigger(a.Name)
	}
	return &Result{Document: v.Document.Without(EventTriggerID(a.Source, table.Table, a.Name)), Verdict: VerdictAny}, nil
}
