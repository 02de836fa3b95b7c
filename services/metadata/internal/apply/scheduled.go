package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/cron"
	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/store"
)

// plannedTicks is how many ticks of a cron trigger are planned at once.
const plannedTicks = 100

// scheduledStep is an operation on scheduled events, which are no part of the document.
type scheduledStep struct{ args any }

func (scheduledStep) modifies() bool  { return false }
func (scheduledStep) adminOnly() bool { return true }

// scheduledArgs are the empty arguments of an operation on scheduled events, nil for
// another operation. The deprecated endpoint has only the first of them.
func scheduledArgs(api metadata.API, name string) any {
	if name == "create_scheduled_event" {
		return &metadata.CreateScheduledEvent{}
	}
	if api != metadata.APIMetadata {
		return nil
	}
	switch name {
	case "delete_scheduled_event":
		return &metadata.DeleteScheduledEvent{}
	case "get_scheduled_events":
		return &metadata.GetScheduledEvents{}
	case "get_scheduled_event_invocations":
		return &metadata.GetScheduledEventInvocations{}
	}
	return nil
}

func (w *work) scheduled(ctx context.Context, s scheduledStep) (json.RawMessage, error) {
	switch args := s.args.(type) {
	case *metadata.CreateScheduledEvent:
		id, err := w.Store.AddScheduled(ctx, args)
		if err != nil {
			return nil, err
		}
		return metadata.Encode(struct {
			Message string `json:"message"`
			ID      string `json:"event_id"`
		}{"success", id})
	case *metadata.DeleteScheduledEvent:
		return success, w.Store.DeleteScheduled(ctx, args)
	case *metadata.GetScheduledEvents:
		if err := w.requireTrigger(args.Type, args.Trigger); err != nil {
			return nil, err
		}
		return listed("events")(w.Store.ScheduledEvents(ctx, args))
	case *metadata.GetScheduledEventInvocations:
		if err := w.requireTrigger(args.Type, args.Trigger); err != nil {
			return nil, err
		}
		return listed("invocations")(w.Store.ScheduledInvocations(ctx, args))
	}
	return nil, apierror.Newf(apierror.Unexpected, "unknown operation %T", s.args)
}

func (w *work) requireTrigger(t metadata.ScheduledType, name *string) error {
	if t != metadata.ScheduledCron || name == nil {
		return nil
	}
	return w.current.Document.RequireCronTrigger(*name)
}

// listed returns what makes the answer of a listing, under that key.
func listed(key string) func(list any, count int, err error) (json.RawMessage, error) {
	return func(list any, count int, err error) (json.RawMessage, error) {
		if err != nil {
			return nil, err
		}
		answer := map[string]any{key: list}
		if count >= 0 {
			answer["count"] = count
		}
		return metadata.Encode(answer)
	}
}

// cronChanges are the changes of planned events that a change of the document asks for.
func cronChanges(before, after *metadata.Document, now time.Time) ([]store.CronChange, error) {
	old := make(map[string]string, len(before.CronTriggers))
	for _, raw := range before.CronTriggers {
		old[metadata.Key(raw, "name")] = string(raw)
	}
	var changes []store.CronChange
	for _, raw := range after.CronTriggers {
		name := metadata.Key(raw, "name")
		unchanged := old[name] == string(raw)
		delete(old, name)
		if unchanged {
			continue
		}
		t, err := metadata.ParseCronTrigger(raw)
		if err != nil {
			return nil, err
		}
		schedule, err := cron.Parse(t.Schedule)
		if err != nil {
			return nil, err
		}
		changes = append(changes, store.CronChange{Trigger: name, Times: schedule.NextN(now, plannedTicks)})
	}
	for _, gone := range slices.Sorted(maps.Keys(old)) {
		changes = append(changes, store.CronChange{Trigger: gone})
	}
	return changes, nil
}
