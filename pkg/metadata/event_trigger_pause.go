package metadata

import (
	"slices"

	"queryengine/pkg/apierror"
)

// EventTriggerTargets name event triggers that are paused or resumed, or whose clean-ups are.
type EventTriggerTargets struct {
	// All sources, or the listed ones, with all their triggers that can be.
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
func (c *EventTriggerTargets) UnmarshalJSON(raw []byte) error {
	*c = EventTriggerTargets{}
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

// PauseEventTriggers are the arguments of pause_event_triggers.
type PauseEventTriggers struct{ EventTriggerTargets }

// Apply marks the triggers as paused: their events are made and not delivered.
func (a *PauseEventTriggers) Apply(v View) (*Result, error) { return a.change(v, nil, pauseTrigger) }

// ResumeEventTriggers are the arguments of resume_event_triggers.
type ResumeEventTriggers struct{ EventTriggerTargets }

// Apply marks the triggers as delivering.
func (a *ResumeEventTriggers) Apply(v View) (*Result, error) { return a.change(v, nil, resumeTrigger) }

// PauseCleanups are the arguments of pause_event_trigger_cleanups.
type PauseCleanups struct{ EventTriggerTargets }

// Apply marks the clean-ups as paused.
func (a *PauseCleanups) Apply(v View) (*Result, error) { return a.change(v, hasCleanup, pauseCleanup) }

// ResumeCleanups are the arguments of resume_event_trigger_cleanups.
type ResumeCleanups struct{ EventTriggerTargets }

// Apply marks the clean-ups as running.
func (a *ResumeCleanups) Apply(v View) (*Result, error) {
	return a.change(v, hasCleanup, resumeCleanup)
}

func pauseTrigger(t *EventTrigger)  { t.Paused = true }
func resumeTrigger(t *EventTrigger) { t.Paused = false }
func pauseCleanup(t *EventTrigger)  { t.Cleanup.Paused = true }
func resumeCleanup(t *EventTrigger) { t.Cleanup.Paused = false }

// hasCleanup fails for a trigger whose events aren't cleaned up by a schedule.
func hasCleanup(t *EventTrigger) error {
	if t.Cleanup == nil {
		return apierror.Newf(apierror.NotExists, "cleanup config does not exist for %s", t.Name)
	}
	return nil
}

// change changes the triggers. A named one that can't be is refused, those of whole sources are left out then.
func (c *EventTriggerTargets) change(v View, can func(*EventTrigger) error, change func(*EventTrigger)) (*Result, error) {
	for _, name := range c.Sources {
		if v.Document.Source(name) == nil {
			return nil, noTargetSource(name)
		}
	}
	targets := c.Triggers
	for _, s := range v.Document.Sources {
		if c.All || slices.Contains(c.Sources, s.Name) {
			targets = append(targets, SourceTriggers{s.Name, s.eventTriggers(can)})
		}
	}
	doc := v.Document
	for _, target := range targets {
		for _, name := range target.Triggers {
			source := doc.Source(target.Source)
			if source == nil {
				return nil, noTargetSource(target.Source)
			}
			table, trigger := source.EventTrigger(name)
			if table == nil {
				return nil, noEventTrigger(name)
			}
			if can != nil {
				if err := can(trigger); err != nil {
					return nil, err
				}
			}
			change(trigger)
			var err error
			if doc, err = doc.withEventTrigger(source, table, trigger); err != nil {
				return nil, err
			}
		}
	}
	return &Result{Document: doc, Verdict: VerdictAny}, nil
}

func noTargetSource(name string) error {
	return apierror.Newf(apierror.NotExists, "source with name %s does not exists", name)
}

// eventTriggers are the names of the source's triggers that can be changed.
func (s *Source) eventTriggers(can func(*EventTrigger) error) []string {
	var names []string
	for _, t := range s.Tables {
		for _, raw := range t.EventTriggers {
			if trigger, err := ParseEventTrigger(raw); err == nil && (can == nil || can(trigger) == nil) {
				names = append(names, trigger.Name)
			}
		}
	}
	return names
}
