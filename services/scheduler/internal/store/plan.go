package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/cron"
	"queryengine/pkg/metadata"
)

const (
	// plannedTicks is how many ticks of a trigger are kept planned ahead.
	plannedTicks = 100
	// missedTicks bounds how many ticks of a trigger are made up for at a time.
	missedTicks = 5000
)

const (
	// inForceSQL keeps the metadata from changing until the transaction is over.
	inForceSQL = `SELECT resource_version FROM engine_catalog.metadata_version FOR SHARE`
	// waitingSQL counts the planned ticks of each trigger that are after $2, and finds the last
	// planned one, and the last tick that there ever was.
	waitingSQL = `SELECT trigger_name, count(*) FILTER (WHERE status = 'scheduled' AND tries = 0 AND scheduled_time > $2),
			max(scheduled_time) FILTER (WHERE status = 'scheduled' AND tries = 0), max(scheduled_time)
		FROM engine_catalog.engine_cron_events WHERE trigger_name = ANY ($1) GROUP BY trigger_name`
	insertSQL = `INSERT INTO engine_catalog.engine_cron_events (trigger_name, scheduled_time)
		SELECT $1, unnest($2::timestamptz[]) ON CONFLICT DO NOTHING`
)

// planned is a trigger whose ticks are planned.
type planned struct {
	schedule cron.Schedule
	// tolerance is how late a tick may be.
	tolerance time.Duration
}

// waiting is the planned events of a trigger.
type waiting struct {
	// ahead counts the planned ticks that aren't due yet.
	ahead int
	// last is the last tick that is planned, nil for none; ever the last of all.
	last, ever *time.Time
}

// Plan plans ticks of every trigger of the document that isn't paused: those that were missed and aren't too late,
// and the next ones. It is done when the next ones of all triggers are in the table; when more
// than missedTicks were missed that takes several calls, between which ticks are published. It
// does nothing when version isn't in effect any more: the next one will come.
func (s *Store) Plan(ctx context.Context, doc *metadata.Document, version int64, now time.Time) (done bool, err error) {
	triggers := make(map[string]planned, len(doc.CronTriggers))
	names := make([]string, 0, len(doc.CronTriggers))
	for _, raw := range doc.CronTriggers {
		t, err := metadata.ParseCronTrigger(raw)
		if err != nil {
			return false, err
		}
		if t.Paused {
			continue
		}
		schedule, err := cron.Parse(t.Schedule)
		if err != nil {
			return false, err
		}
		triggers[t.Name] = planned{schedule, time.Duration(*t.Retry.WithDefaults().Tolerance) * time.Second}
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return true, nil
	}
	err = s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var inForce int64
		if err := tx.QueryRow(ctx, inForceSQL).Scan(&inForce); err != nil || inForce != version {
			return err
		}
		var err error
		done, err = plan(ctx, tx, names, triggers, now)
		return err
	})
	return done, err
}

func plan(ctx context.Context, tx pgx.Tx, names []string, triggers map[string]planned, now time.Time) (done bool, err error) {
	rows, err := tx.Query(ctx, waitingSQL, names, now)
	if err != nil {
		return false, err
	}
	known := map[string]waiting{}
	var name string
	var w waiting
	if _, err := pgx.ForEachRow(rows, []any{&name, &w.ahead, &w.last, &w.ever}, func() error {
		known[name] = w
		w = waiting{}
		return nil
	}); err != nil {
		return false, err
	}
	done = true
	b := &pgx.Batch{}
	for _, name := range names {
		w := known[name]
		if w.ahead >= plannedTicks {
			continue
		}
		times, all := triggers[name].ticks(w, now)
		done = done && all
		if len(times) > 0 {
			b.Queue(insertSQL, name, times)
		}
	}
	return done, tx.SendBatch(ctx, b).Close()
}

// ticks returns the ticks to plan in addition to w: up to missedTicks that are due already and, when
// those are all, the next plannedTicks.
func (p planned) ticks(w waiting, now time.Time) (times []time.Time, all bool) {
	after := w.start(now, p.tolerance)
	for ahead := 0; ahead < plannedTicks; {
		next, ok := p.schedule.Next(after)
		if !ok {
			break
		}
		if next.After(now) {
			ahead++
		} else if len(times) == missedTicks {
			return times, false
		}
		times, after = append(times, next), next
	}
	return times, true
}

// start is the time after which ticks are planned: that of the last planned one, or, when none is
// left, that of the last tick that there was, so that after a clock has gone back no tick comes
// again. After a pause those are made up for that aren't too late by now.
func (w waiting) start(now time.Time, tolerance time.Duration) time.Time {
	last := w.last
	if last == nil {
		last = w.ever
	}
	if last == nil {
		return now
	}
	if earliest := now.Add(-tolerance); last.Before(earliest) {
		return earliest
	}
	return *last
}
