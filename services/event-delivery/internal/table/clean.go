package table

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/cron"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
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
		err := guard.Do(s.Logger, "panic in a clean-up", func() error { return s.cleanOnce(ctx) })
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "event logs of a source can't be cleaned up; retrying later", "source", s.meta.Name, "error", err)
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
	for _, name := range names { // what keeps one trigger from its clean-ups doesn't matter to the others
		err = errors.Join(err, s.plan(ctx, triggers[name], planned[name]))
	}
	due, failed := s.log.DueCleanups(ctx, s.Now())
	err = errors.Join(err, failed)
	for _, d := range due {
		err = errors.Join(err, s.cleanTrigger(ctx, d))
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

// cleanTrigger makes a clean-up, and records what became of it unless this process stops. What fails
// leaves its events to the next one.
func (s *source) cleanTrigger(ctx context.Context, d backend.DueCleanup) error {
	status, cleaned := "completed", backend.EventsCleaned{}
	switch c := s.cleanupOf(d.Trigger); {
	case c == nil:
		status = "dead"
	case c.Paused:
		status = "paused"
	default:
		var err error
		cleaned, err = s.log.CleanEventLog(ctx, backend.EventCleanup{
			Trigger: d.Trigger, OlderThan: time.Duration(c.OlderThan) * time.Hour, BatchSize: c.BatchSize,
			Timeout: time.Duration(c.Timeout) * time.Second, Invocations: c.Invocations,
		}, func() bool {
			if err := s.log.RenewCleanup(ctx, d.ID); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "event clean-up can't be locked; retrying", "source", s.meta.Name, "trigger", d.Trigger, "error", err)
			}
			now := s.cleanupOf(d.Trigger)
			return now != nil && !now.Paused
		})
		if ctx.Err() != nil {
			return ctx.Err() // another process goes on with it
		}
		if err != nil {
			s.Logger.WarnContext(ctx, "event clean-up ended early", "source", s.meta.Name, "trigger", d.Trigger, "error", err)
		}
		s.Metrics.cleaned(s.meta.Name, d.Trigger, cleaned, err != nil)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordPatience)
	defer cancel()
	return s.log.EndCleanup(ctx, d.ID, status, cleaned)
}

// cleanupOf is the current configuration in the metadata, nil for a trigger that isn't cleaned up.
func (s *source) cleanupOf(trigger string) *metadata.EventCleanup {
	if t := s.known()[trigger]; t != nil {
		return t.Cleanup
	}
	return nil
}
