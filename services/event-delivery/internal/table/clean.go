package table

import (
	"context"
	"maps"
	"slices"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/cron"
	"queryengine/pkg/lifecycle"
)

const (
	// cleanEvery is how often clean-ups are planned and looked for.
	cleanEvery = time.Minute
	// fewestPlanned is when clean-ups are planned, mostPlanned how many.
	fewestPlanned = 5
	mostPlanned   = 50
)

// clean plans the clean-ups of the source's triggers and makes those that are due.
func (s *source) clean(ctx context.Context) {
	for {
		if err := s.cleanOnce(ctx); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "the event logs of a source can't be cleaned up at present", "source", s.meta.Name, "error", err)
		}
		if !lifecycle.Sleep(ctx, cleanEvery) {
			return
		}
	}
}

// cleanOnce does it once. A source without a trigger that wants it isn't asked.
func (s *source) cleanOnce(ctx context.Context) error {
	triggers := s.known()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(triggers)) {
		if triggers[name].Cleanup != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	planned, err := s.log.PlannedCleanups(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.plan(ctx, triggers[name], planned[name]); err != nil {
			return err
		}
	}
	due, err := s.log.DueCleanups(ctx, s.Now())
	for _, d := range due {
		if err == nil {
			err = s.cleanTrigger(ctx, d)
		}
	}
	return err
}

func (s *source) plan(ctx context.Context, t *trigger, planned backend.PlannedCleanups) error {
	if planned.Count >= fewestPlanned {
		return nil
	}
	schedule, err := cron.Parse(t.Cleanup.Schedule)
	if err != nil {
		return err
	}
	after := s.Now()
	if planned.Last.After(after) {
		after = planned.Last
	}
	return s.log.PlanCleanups(ctx, t.Name, schedule.NextN(after, mostPlanned))
}

// cleanTrigger makes a clean-up. What fails leaves its events to the next one.
func (s *source) cleanTrigger(ctx context.Context, d backend.DueCleanup) error {
	t := s.known()[d.Trigger]
	switch {
	case t == nil || t.Cleanup == nil:
		return s.log.EndCleanup(ctx, d.ID, "dead", backend.EventsCleaned{})
	case t.Cleanup.Paused:
		return s.log.EndCleanup(ctx, d.ID, "paused", backend.EventsCleaned{})
	}
	cleaned, err := s.log.CleanEventLog(ctx, backend.EventCleanup{
		Trigger: d.Trigger, OlderThan: time.Duration(t.Cleanup.OlderThan) * time.Hour, BatchSize: t.Cleanup.BatchSize,
		Timeout: time.Duration(t.Cleanup.Timeout) * time.Second, Invocations: t.Cleanup.Invocations,
	}, func() bool {
		now := s.known()[d.Trigger]
		return now != nil && now.Cleanup != nil && !now.Cleanup.Paused
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "a clean-up of events has ended early", "source", s.meta.Name, "trigger", d.Trigger, "error", err)
	}
	return s.log.EndCleanup(ctx, d.ID, "completed", cleaned)
}
