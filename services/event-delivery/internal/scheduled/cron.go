package scheduled

import (
	"context"
	"encoding/json"
	"maps"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/metadata"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/delivery"
)

const (
	// recordVersion is the version of the invocation records of scheduled events.
	recordVersion = "1"
	// unknownDelay is when an event is tried again whose trigger this process doesn't know.
	unknownDelay = time.Minute
)

// Cron delivers the events of cron triggers. It is safe for concurrent use.
type Cron struct {
	*admission
	env     metadata.Env
	now     func() time.Time
	metrics *kindMetrics
	// pausedMetric has the paused triggers.
	pausedMetric *prometheus.GaugeVec
	triggers     atomic.Pointer[map[string]*cronTrigger]
}

// cronTrigger is a trigger, ready to be used.
type cronTrigger struct {
	*metadata.CronTrigger
	raw    string
	target *target
}

// NewCron returns a Cron that knows no triggers yet.
func NewCron(s *Store, env metadata.Env, now func() time.Time, m *Metrics) *Cron {
	c := &Cron{admission: newAdmission(s, cronTable), env: env, now: now, metrics: &m.cron, pausedMetric: m.paused}
	c.triggers.Store(&map[string]*cronTrigger{})
	return c
}

// SetTriggers takes the triggers of a document over. Those that are as they were are kept,
// those that lack their variables can't be used.
func (c *Cron) SetTriggers(list []json.RawMessage) {
	before := *c.triggers.Load()
	after := make(map[string]*cronTrigger, len(list))
	gone := maps.Clone(before)
	for _, raw := range list {
		delete(gone, metadata.Key(raw, "name"))
		if old := before[metadata.Key(raw, "name")]; old != nil && old.raw == string(raw) {
			after[old.Name] = old
			continue
		}
		t, err := metadata.ParseCronTrigger(raw)
		if err != nil {
			continue // the metadata service reports it
		}
		d := definition{t.Webhook, t.Headers, t.Retry, t.RequestTransform, t.ResponseTransform}
		if compiled, err := d.compile(c.env); err == nil {
			after[t.Name] = &cronTrigger{t, string(raw), compiled}
		}
	}
	c.triggers.Store(&after)
	for name := range gone {
		c.metrics.forget(name)
	}
	c.pausedMetric.Reset()
	for name, t := range after {
		if t.Paused {
			c.pausedMetric.WithLabelValues(name).Set(1)
		}
	}
}

// paused reports whether the events of a trigger are to wait.
func (c *Cron) paused(trigger string) bool {
	t := (*c.triggers.Load())[trigger]
	return t != nil && t.Paused
}

// Prepare makes the call of a tick.
func (c *Cron) Prepare(d *deliveryv1.Delivery) (*delivery.Attempt, *delivery.Outcome) {
	t := (*c.triggers.Load())[d.GetTrigger()]
	if t == nil {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Waiting, RetryAt: c.now().Add(unknownDelay)}
	}
	if t.Paused {
		return nil, delivery.Withheld(d.GetEventId(), c.now())
	}
	var event struct {
		ScheduledTime time.Time  `json:"scheduled_time"`
		NextRetryAt   *time.Time `json:"next_retry_at"`
	}
	if err := json.Unmarshal(d.GetEvent(), &event); err != nil {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Failed}
	}
	if c.now().Sub(event.ScheduledTime) > t.target.tolerance {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Dead}
	}
	text, err := metadata.Encode(body{
		ID: d.GetEventId(), Name: t.Name, ScheduledTime: event.ScheduledTime.UTC(), Payload: given(t.Payload), Comment: t.Comment,
		RequestTransform: t.RequestTransform, ResponseTransform: t.ResponseTransform,
	})
	if err != nil {
		return nil, &delivery.Outcome{EventID: d.GetEventId(), State: delivery.Failed}
	}
	return &delivery.Attempt{
		EventID: d.GetEventId(), Tries: int(d.GetTries()), Version: recordVersion, Target: &t.target.Target, Body: text,
		Span: "Scheduled trigger: " + t.Name, Paused: func() bool { return c.paused(t.Name) }, Sent: func(call delivery.Call) {
			c.metrics.called(t.Name, dueAt(event.ScheduledTime, event.NextRetryAt), call)
		},
		Described: `Cron Scheduled event "` + d.GetEventId() + `" of cron trigger "` + t.Name + `"`,
	}, nil
}

// Record writes outcomes.
func (c *Cron) Record(ctx context.Context, outcomes []delivery.Outcome) error {
	err := c.store.record(ctx, cronTable, outcomes)
	if err == nil {
		c.metrics.ended(outcomes)
	}
	return err
}
