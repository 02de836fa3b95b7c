package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/cron"
)

// CronTrigger calls a webhook on a schedule.
type CronTrigger struct {
	Name string `json:"name" meta:"required,nonempty"`
	// Webhook is an address, in which {{NAME}} is a variable of the environment.
	Webhook           string          `json:"webhook" meta:"required"`
	Schedule          string          `json:"schedule" meta:"required"`
	IncludeInMetadata bool            `json:"include_in_metadata" meta:"required"`
	Payload           json.RawMessage `json:"payload,omitempty"`
	Retry             *ScheduleRetry  `json:"retry_conf,omitempty"`
	Headers           []Header        `json:"headers,omitempty"`
	Comment           *string         `json:"comment,omitempty"`
	RequestTransform  json.RawMessage `json:"request_transform,omitempty"`
	ResponseTransform json.RawMessage `json:"response_transform,omitempty"`
	// Paused triggers have no ticks, and nothing of them is delivered. It is this project's own.
	Paused bool `json:"paused,omitempty"`
}

// ScheduleRetry configures how often and how late a scheduled event is delivered; in seconds.
type ScheduleRetry struct {
	Retries   *int `json:"num_retries"`
	Interval  *int `json:"retry_interval_seconds"`
	Timeout   *int `json:"timeout_seconds"`
	Tolerance *int `json:"tolerance_seconds"`
}

func (r *ScheduleRetry) check() error {
	if r.Retries != nil && *r.Retries < 0 {
		return apierror.New(apierror.ParseFailed, "num_retries cannot be a negative value")
	}
	for _, d := range []struct {
		key   string
		value *int
	}{{"retry_interval_seconds", r.Interval}, {"timeout_seconds", r.Timeout}, {"tolerance_seconds", r.Tolerance}} {
		if d.value != nil && *d.value < 0 {
			return apierror.At(apierror.Newf(apierror.ParseFailed, "%s cannot be a negative value", d.key), d.key)
		}
	}
	*r = r.WithDefaults()
	return nil
}

// The defaults of ScheduleRetry.
const (
	defaultScheduleInterval  = 10
	defaultScheduleTimeout   = 60
	defaultScheduleTolerance = 6 * 60 * 60
)

// WithDefaults is r with every field set; r may be nil.
func (r *ScheduleRetry) WithDefaults() ScheduleRetry {
	full := ScheduleRetry{
		Retries: new(int), Interval: new(defaultScheduleInterval),
		Timeout: new(defaultScheduleTimeout), Tolerance: new(defaultScheduleTolerance),
	}
	if r == nil {
		return full
	}
	for _, p := range []struct{ to, from **int }{
		{&full.Retries, &r.Retries}, {&full.Interval, &r.Interval}, {&full.Timeout, &r.Timeout}, {&full.Tolerance, &r.Tolerance},
	} {
		if *p.from != nil {
			*p.to = *p.from
		}
	}
	return full
}

// isDefault expects every field to be set.
func (r *ScheduleRetry) isDefault() bool {
	return *r.Retries == 0 && *r.Interval == defaultScheduleInterval &&
		*r.Timeout == defaultScheduleTimeout && *r.Tolerance == defaultScheduleTolerance
}

func (t *CronTrigger) check() error {
	if _, err := cron.Parse(t.Schedule); err != nil {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "parsing cron expression failed, %s", err), "schedule")
	}
	if t.Retry != nil && t.Retry.isDefault() {
		t.Retry = nil
	}
	return checkTransforms(t.RequestTransform, t.ResponseTransform)
}

// ID names the trigger among the objects of the document.
func (t *CronTrigger) ID() ObjectID { return ObjectID{Kind: ObjectCronTrigger, Name: t.Name} }

// ParseCronTrigger reads a trigger of a document.
func ParseCronTrigger(raw json.RawMessage) (*CronTrigger, error) {
	t := &CronTrigger{}
	return t, decode(raw, t)
}

// Problem is why the trigger can't be used, "" for nothing: variables that aren't there.
func (t *CronTrigger) Problem(env Env) string {
	_, err := Expand(t.Webhook, env)
	for i := range t.Headers {
		if err == nil {
			_, err = t.Headers[i].Resolve(env)
		}
	}
	if err != nil {
		return apierror.From(err).Message
	}
	return ""
}

// normaliseCronTriggers brings the triggers of an imported document into one form.
func (d *Document) normaliseCronTriggers() error {
	for i, raw := range d.CronTriggers {
		t, err := ParseCronTrigger(raw)
		if err == nil {
			d.CronTriggers[i], err = Encode(t)
		}
		if err != nil {
			return apierror.At(err, "cron_triggers", i)
		}
	}
	return nil
}

func noCronTrigger(name string) error {
	return apierror.Newf(apierror.NotExists, "cron trigger with name: %s does not exist", name)
}

// RequireCronTrigger fails when there is no trigger of that name.
func (d *Document) RequireCronTrigger(name string) error {
	if find(d.CronTriggers, rawName, name) == nil {
		return noCronTrigger(name)
	}
	return nil
}

// PausedCronTriggers are the names of those that are paused.
func (d *Document) PausedCronTriggers() []string {
	names := []string{}
	for _, raw := range d.CronTriggers {
		if Key(raw, "paused") == "true" {
			names = append(names, Key(raw, "name"))
		}
	}
	return names
}

// CreateCronTrigger are the arguments of create_cron_trigger.
type CreateCronTrigger struct {
	CronTrigger
	Replace bool `json:"replace"`
	// keepsPaused is set where paused isn't given: a trigger that is replaced stays as it is.
	keepsPaused bool
}

// UnmarshalJSON reads the arguments.
func (a *CreateCronTrigger) UnmarshalJSON(raw []byte) error {
	var f struct {
		CronTrigger
		Replace bool  `json:"replace"`
		Given   *bool `json:"paused"`
	}
	if err := decode(raw, &f); err != nil {
		return err
	}
	*a = CreateCronTrigger{f.CronTrigger, f.Replace, f.Given == nil}
	return nil
}

// Apply adds the trigger, or replaces the one of its name.
func (a *CreateCronTrigger) Apply(v View) (*Result, error) {
	before := find(v.Document.CronTriggers, rawName, a.Name)
	exists := before != nil
	switch {
	case exists && !a.Replace:
		return nil, apierror.Newf(apierror.AlreadyExists, "cron trigger with name: %s already exists", a.Name)
	case !exists && a.Replace:
		return nil, noCronTrigger(a.Name)
	}
	trigger := a.CronTrigger
	if a.keepsPaused && exists {
		old, err := ParseCronTrigger(before)
		if err != nil {
			return nil, err
		}
		trigger.Paused = old.Paused
	}
	raw, err := Encode(&trigger)
	if err != nil {
		return nil, err
	}
	doc := *v.Document
	doc.CronTriggers = inserted(doc.CronTriggers, raw, rawName)
	return &Result{Document: &doc, Objects: []ObjectID{a.ID()}}, nil
}

// DeleteCronTrigger are the arguments of delete_cron_trigger.
type DeleteCronTrigger struct {
	Name string `json:"name" meta:"required,nonempty"`
}

// Apply removes the trigger.
func (a *DeleteCronTrigger) Apply(v View) (*Result, error) {
	if err := v.Document.RequireCronTrigger(a.Name); err != nil {
		return nil, err
	}
	return &Result{
		Document: v.Document.Without(ObjectID{Kind: ObjectCronTrigger, Name: a.Name}), Verdict: VerdictAny,
	}, nil
}

// CronTriggerTargets name cron triggers.
type CronTriggerTargets struct {
	All   bool
	Names []string
}

// UnmarshalJSON reads a list, or "*".
func (c *CronTriggerTargets) UnmarshalJSON(raw []byte) error {
	*c = CronTriggerTargets{}
	var args struct {
		Triggers json.RawMessage `json:"cron_triggers" meta:"required"`
	}
	if err := decode(raw, &args); err != nil {
		return err
	}
	switch {
	case string(args.Triggers) == `"*"`:
		c.All = true
		return nil
	case JSONType(args.Triggers) != "Array":
		return apierror.At(apierror.New(apierror.ParseFailed, "cron triggers can be * or a list of their names"), "cron_triggers")
	}
	if err := decode(args.Triggers, &c.Names); err != nil {
		return apierror.At(err, "cron_triggers")
	}
	if len(c.Names) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "cron trigger list should have at least one name"), "cron_triggers")
	}
	return nil
}

func (c *CronTriggerTargets) setPaused(v View, paused bool) (*Result, error) {
	for i, name := range c.Names {
		if err := v.Document.RequireCronTrigger(name); err != nil {
			return nil, apierror.At(err, "cron_triggers", i)
		}
	}
	doc := *v.Document
	doc.CronTriggers = slices.Clone(doc.CronTriggers)
	for i, raw := range doc.CronTriggers {
		t, err := ParseCronTrigger(raw)
		if err != nil {
			return nil, err
		}
		if !c.All && !slices.Contains(c.Names, t.Name) {
			continue
		}
		t.Paused = paused
		if doc.CronTriggers[i], err = Encode(t); err != nil {
			return nil, err
		}
	}
	return &Result{Document: &doc, Verdict: VerdictAny}, nil
}

// PauseCronTriggers are the arguments of pause_cron_triggers.
type PauseCronTriggers struct{ CronTriggerTargets }

// Apply marks the triggers as paused.
func (a *PauseCronTriggers) Apply(v View) (*Result, error) { return a.setPaused(v, true) }

// ResumeCronTriggers are the arguments of resume_cron_triggers.
type ResumeCronTriggers struct{ CronTriggerTargets }

// Apply marks the triggers as running.
func (a *ResumeCronTriggers) Apply(v View) (*Result, error) { return a.setPaused(v, false) }

// GetCronTriggers is get_cron_triggers.
type GetCronTriggers struct{}

// Answer lists all triggers, those too that an export doesn't show.
func (a *GetCronTriggers) Answer(v View) (json.RawMessage, error) {
	type shown struct {
		CronTrigger
		Retry   ScheduleRetry `json:"retry_conf"`
		Headers []Header      `json:"headers"`
	}
	list := make([]shown, 0, len(v.Document.CronTriggers))
	for _, raw := range v.Document.CronTriggers {
		t, err := ParseCronTrigger(raw)
		if err != nil {
			return nil, err
		}
		list = append(list, shown{*t, t.Retry.WithDefaults(), append([]Header{}, t.Headers...)})
	}
	return Encode(map[string]any{"cron_triggers": list})
}
