package apply

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

func (w *work) countEventInvocations(ctx context.Context, kind string, a *metadata.CountEventInvocations) (json.RawMessage, error) {
	if _, _, err := w.eventTrigger(kind, a.Source, a.Name); err != nil {
		return nil, err
	}
	return w.onEventLog(kind, a.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		counts, err := s.CountEventInvocations(ctx, backend.InvocationCountQuery{
			Trigger: a.Name, From: a.From.Time, To: a.To.Time, Interval: a.Interval,
		})
		if err != nil {
			return nil, err
		}
		return counted(&a.CountPeriod, counts)
	})
}

func (w *work) countScheduledInvocations(
	ctx context.Context, _ string, a *metadata.CountScheduledEventInvocations,
) (json.RawMessage, error) {
	if err := w.requireTrigger(a.Type, a.Trigger); err != nil {
		return nil, err
	}
	counts, err := w.Store.CountScheduledInvocations(ctx, a)
	if err != nil {
		return nil, err
	}
	return counted(&a.CountPeriod, counts)
}

// counted is the answer with every interval of the period, also those that nothing was counted in.
func counted(p *metadata.CountPeriod, counts []backend.InvocationCount) (json.RawMessage, error) {
	type count struct {
		At        time.Time `json:"at"`
		Succeeded int64     `json:"succeeded"`
		Failed    int64     `json:"failed"`
	}
	answer := struct {
		From     time.Time `json:"from"`
		To       time.Time `json:"to"`
		Interval int       `json:"interval"`
		Counts   []count   `json:"counts"`
	}{p.From.UTC(), p.To.UTC(), p.Interval, make([]count, p.Intervals())}
	for i := range answer.Counts {
		answer.Counts[i].At = p.Start(i)
	}
	for _, c := range counts {
		if c.Interval < len(answer.Counts) {
			answer.Counts[c.Interval].Succeeded, answer.Counts[c.Interval].Failed = c.Succeeded, c.Failed
		}
	}
	return metadata.Encode(answer)
}
