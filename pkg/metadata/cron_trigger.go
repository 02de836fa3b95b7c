package metadata

import (
	"encoding/json"

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

// CreateCronTrigger are the arguments of create_cron_trigger.
type CreateCronTrigger struct {
	CronTrigger
	Replace bool `json:"replace"`
}

// Apply adds the trigger, or replaces the one of its name.
func (a *CreateCronTrigger) Apply(v View) (*Result, error) {
	exists := find(v.Document.CronTriggers, rawName, a.Name) != nil
	switch {
	case exists && !a.Replace:
		return nil, apierror.Newf(apierror.AlreadyExists, "cron trigger with name: %s already exists", a.Name)
	case !exists && a.Replace:
		return nil, noCronTrigger(a.Name)
	}
	raw, err := Encode(&a.CronTrigger)
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
