package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// CreateEventTrigger are the arguments of create_event_trigger.
type CreateEventTrigger struct {
	Source  string
	Table   catalog.Name
	Replace bool
	Trigger EventTrigger
}

// UnmarshalJSON reads the arguments, in which the definition of the trigger isn't apart.
func (a *CreateEventTrigger) UnmarshalJSON(raw []byte) error {
	var place struct {
		Source  string       `json:"source" meta:"default=default"`
		Table   catalog.Name `json:"table" meta:"required"`
		Replace bool         `json:"replace"`
	}
	if err := decode(raw, &place); err != nil {
		return err
	}
	var t struct {
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
	}
	if err := decode(raw, &t); err != nil {
		return err
	}
	a.Source, a.Table, a.Replace = place.Source, place.Table, place.Replace
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
	holder, _ := source.EventTrigger(a.Trigger.Name)
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
	raw, err := Encode(&a.Trigger)
	if err != nil {
		return nil, err
	}
	changed := *table
	changed.EventTriggers = inserted(table.EventTriggers, raw, rawName)
	return &Result{
		Document: v.Document.withTable(source, &changed),
		Objects:  []ObjectID{EventTriggerID(a.Source, a.Table, a.Trigger.Name)},
	}, nil
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

// CleanupTargets name the event triggers whose clean-ups are paused or resumed.
type CleanupTargets struct {
	// All sources, or the listed ones, with all their triggers that have a clean-up.
	All     bool
	Sources []string
	// Triggers name single ones.
	Triggers []SourceTriggers
}

// SourceTriggers are event triggers of one source.
type SourceTriggers struct {
	Source   string   `json:"source_name" meta:"default=default"`
	Triggers []string `json:"event_triggers" meta:"required"`
}

// UnmarshalJSON reads one of the forms.
func (c *CleanupTargets) UnmarshalJSON(raw []byte) error {
	*c = CleanupTargets{}
	fields, err := object(raw)
	if err != nil {
		return err
	}
	if sources, ok := fields["sources"]; ok {
		switch JSONType(sources) {
		case "String":
			if string(sources) != `"*"` {
				return apierror.New(apierror.ParseFailed, "source can be * or a list of source names")
			}
			c.All = true
			return nil
		case "Array":
			if err := decode(sources, &c.Sources); err != nil {
				return apierror.At(err, "sources")
			}
			if len(c.Sources) == 0 {
				return apierror.New(apierror.ParseFailed, "source name list should have atleast one value")
			}
			return nil
		}
		return apierror.New(apierror.ParseFailed, "source can be * or a list of source names")
	}
	var list struct {
		Triggers []SourceTriggers `json:"event_triggers" meta:"required"`
	}
	if err := decode(raw, &list); err != nil {
		return err
	}
	if len(list.Triggers) == 0 {
		return apierror.New(apierror.ParseFailed, "qualifier list should have atleast one value")
	}
	c.Triggers = list.Triggers
	return nil
}

// PauseCleanups are the arguments of pause_event_trigger_cleanups.
type PauseCleanups struct{ CleanupTargets }

// Apply marks the clean-ups as paused.
func (a *PauseCleanups) Apply(v View) (*Result, error) { return a.setPaused(v, true) }

// ResumeCleanups are the arguments of resume_event_trigger_cleanups.
type ResumeCleanups struct{ CleanupTargets }

// Apply marks the clean-ups as running.
func (a *ResumeCleanups) Apply(v View) (*Result, error) { return a.setPaused(v, false) }

func (c *CleanupTargets) setPaused(v View, paused bool) (*Result, error) {
	doc := v.Document
	for _, s := range v.Document.Sources {
		if c.All || slices.Contains(c.Sources, s.Name) {
			c.Triggers = append(c.Triggers, SourceTriggers{s.Name, s.cleaned()})
		}
	}
	for _, name := range c.Sources {
		if v.Document.Source(name) == nil {
			return nil, noCleanupSource(name)
		}
	}
	for _, target := range c.Triggers {
		for _, name := range target.Triggers {
			source := doc.Source(target.Source)
			if source == nil {
				return nil, noCleanupSource(target.Source)
			}
			table, trigger := source.EventTrigger(name)
			switch {
			case table == nil:
				return nil, noEventTrigger(name)
			case trigger.Cleanup == nil:
				return nil, apierror.Newf(apierror.NotExists, "cleanup config does not exist for %s", name)
			}
			trigger.Cleanup.Paused = paused
			raw, err := Encode(trigger)
			if err != nil {
				return nil, err
			}
			changed := *table
			changed.EventTriggers = inserted(table.EventTriggers, raw, rawName)
			doc = doc.withTable(source, &changed)
		}
	}
	return &Result{Document: doc, Verdict: VerdictAny}, nil
}

func noCleanupSource(name string) error {
	return apierror.Newf(apierror.NotExists, "source with name %s does not exists", name)
}

// cleaned are the names of the triggers that have a clean-up.
func (s *Source) cleaned() []string {
	var names []string
	for _, t := range s.Tables {
		for _, raw := range t.EventTriggers {
			if trigger, err := ParseEventTrigger(raw); err == nil && trigger.Cleanup != nil {
				names = append(names, trigger.Name)
			}
		}
	}
	return names
}
