package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"queryengine/pkg/cron"
	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/store"
)

// scheduledBodies are the operations on scheduled events.
var scheduledBodies = []served{
	serve((*work).createScheduledEvent),
	serve((*work).deleteScheduledEvent),
	serve((*work).listScheduledEvents),
	serve((*work).listScheduledInvocations),
	serve((*work).countScheduledInvocations),
}

// plannedTicks is how many ticks of a cron trigger are planned at once.
const plannedTicks = 100

func (w *work) createScheduledEvent(ctx context.Context, _ string, a *metadata.CreateScheduledEvent) (json.RawMessage, error) {
	id, err := w.Store.AddScheduled(ctx, a)
	if err != nil {
		return nil, err
	}
	return metadata.Encode(struct {
		Message string `json:"message"`
		ID      string `json:"event_id"`
	}{"success", id})
}

func (w *work) deleteScheduledEvent(ctx context.Context, _ string, a *metadata.DeleteScheduledEvent) (json.RawMessage, error) {
	return success, w.Store.DeleteScheduled(ctx, a)
}

func (w *work) listScheduledEvents(ctx context.Context, _ string, a *metadata.GetScheduledEvents) (json.RawMessage, error) {
	if err := w.requireTrigger(a.Type, a.Trigger); err != nil {
		return nil, err
	}
	return listed("events")(w.Store.ScheduledEvents(ctx, a))
}

func (w *work) listScheduledInvocations(
	ctx context.Context, _ string, a *metadata.GetScheduledEventInvocations,
) (json.RawMessage, error) {
	if err := w.requireTrigger(a.Type, a.Trigger); err != nil {
		return nil, err
	}
	return listed("invocations")(w.Store.ScheduledInvocations(ctx, a))
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
		change := store.CronChange{Trigger: name}
		if !t.Paused {
			change.Times = schedule.NextN(now, plannedTicks)
		}
		changes = append(changes, change)
	}
	for _, gone := range slices.Sorted(maps.Keys(old)) {
		changes = append(changes, store.CronChange{Trigger: gone})
	}
	return changes, nil
}
