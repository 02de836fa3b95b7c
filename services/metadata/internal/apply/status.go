package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
	"queryengine/pkg/status"
)

// statusBodies are the operations on what runs.
var statusBodies = []served{
	serve((*work).status),
}

const (
	// backlogPatience bounds the questions to databases, which all run at once.
	backlogPatience = time.Second
	// maxBacklogs bounds the triggers that are listed.
	maxBacklogs = 200
)

// status asks all services how they are, and the databases what has still to be delivered. What doesn't answer in time
// delays the answer by a second.
func (w *work) status(ctx context.Context, _ string, _ *metadata.GetStatus) (json.RawMessage, error) {
	answer := status.Answer{MetadataVersion: w.current.Version, OperationBounds: status.OperationBounds, Sources: []status.Database{}}
	health := w.SourceHealth()
	for _, s := range w.current.Document.Sources {
		one := status.Database{Name: s.Name, Kind: s.Kind, Inconsistent: w.current.SourceErrors[s.Name]}
		if report, checked := health[s.Name]; checked {
			var err error
			if one.Health, err = json.Marshal(report); err != nil {
				return nil, err
			}
		}
		answer.Sources = append(answer.Sources, one)
	}
	var asking guard.WaitGroup
	asking.Go(func() { answer.Backlogs, answer.BacklogError = w.backlogs(ctx, answer.Sources) })
	asking.Go(func() { w.reach(ctx, answer.Sources) })
	var err error
	answer.Instances, err = w.Statuses(ctx)
	asking.Wait()
	if err != nil {
		return nil, err
	}
	answer.At = time.Now().UTC()
	return metadata.Encode(answer)
}

// reach finds out which sources don't answer, of those of which nothing else tells. What has no server, or charges for
// being queried, has no event log either, and is left out.
func (w *work) reach(ctx context.Context, sources []status.Database) {
	ctx, cancel := context.WithTimeout(ctx, backlogPatience)
	defer cancel()
	var asking guard.WaitGroup
	for i, s := range w.current.Document.Sources {
		if len(s.HealthCheck) > 0 || hasEventTriggers(s) || sources[i].Inconsistent != "" {
			continue
		}
		asking.Go(func() {
			source, err := w.Sources.Use(s)
			if err != nil {
				sources[i].Unreachable = apierror.From(err).Message
				return
			}
			defer source.Release()
			if _, ok := source.Source.(backend.EventTriggers); !ok {
				return
			}
			_, err = source.RunSQL(ctx, backend.RawSQL{SQL: "SELECT 1", ReadOnly: true})
			switch {
			case err == nil:
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				sources[i].Unreachable = fmt.Sprintf("it did not answer within %s", backlogPatience)
			default:
				sources[i].Unreachable = apierror.From(err).Message
			}
		})
	}
	asking.Wait()
}

func hasEventTriggers(s *metadata.Source) bool {
	return slices.ContainsFunc(s.Tables, func(t *metadata.Table) bool { return len(t.EventTriggers) > 0 })
}

// backlogs are what has still to be delivered, the oldest first. Sources whose logs can't be read get the reason; fault is
// why scheduled events can't be counted.
func (w *work) backlogs(ctx context.Context, sources []status.Database) (list []status.Backlog, fault string) {
	ctx, cancel := context.WithTimeout(ctx, backlogPatience)
	defer cancel()
	var asking guard.WaitGroup
	var mu sync.Mutex
	list = []status.Backlog{}
	add := func(b status.Backlog) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, b)
	}
	for i, s := range w.current.Document.Sources {
		if !hasEventTriggers(s) {
			continue
		}
		asking.Go(func() {
			found, err := w.eventBacklogs(ctx, s)
			if err != nil {
				sources[i].BacklogError = apierror.From(err).Message
			}
			for _, b := range found {
				_, t := s.EventTrigger(b.Trigger)
				add(status.Backlog{Paused: t != nil && t.Paused, Kind: "event", Source: s.Name, Trigger: b.Trigger, Pending: b.Pending, InFlight: b.InFlight, Oldest: b.Oldest})
			}
		})
	}
	for _, kind := range []metadata.ScheduledType{metadata.ScheduledCron, metadata.ScheduledOneOff} {
		asking.Go(func() {
			found, err := w.Store.ScheduledBacklogs(ctx, kind, w.current.Document.PausedCronTriggers())
			if err != nil {
				w.Logger.WarnContext(ctx, "scheduled events can't be counted", "error", err)
				mu.Lock()
				fault = apierror.From(err).Message
				mu.Unlock()
			}
			for _, b := range found {
				add(status.Backlog{Kind: string(kind), Pending: b.Pending, InFlight: b.InFlight, Oldest: b.Oldest.UTC(), Paused: b.Paused})
			}
		})
	}
	asking.Wait()
	slices.SortFunc(list, func(a, b status.Backlog) int {
		return cmp.Or(a.Oldest.Compare(b.Oldest), strings.Compare(a.Source, b.Source), strings.Compare(a.Trigger, b.Trigger))
	})
	return list[:min(len(list), maxBacklogs)], fault
}

func (w *work) eventBacklogs(ctx context.Context, m *metadata.Source) ([]backend.EventBacklog, error) {
	s, release, err := w.eventTriggersOf(m)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.EventBacklogs(ctx)
}
