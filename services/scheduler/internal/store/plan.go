package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/cron"
	"queryengine/pkg/metadata"
)

// plannedTicks is how many ticks of a trigger are kept planned.
const plannedTicks = 100

const (
	// inForceSQL keeps the metadata from changing until the transaction is over.
	inForceSQL = `SELECT resource_version FROM engine_catalog.metadata_version FOR SHARE`
	// waitingSQL counts the planned ticks of each trigger, and finds the last tick that
	// there ever was.
	waitingSQL = `SELECT trigger_name, count(*) FILTER (WHERE status = 'scheduled' AND tries = 0),
			max(scheduled_time) FILTER (WHERE status = 'scheduled' AND tries = 0), max(scheduled_time)
		FROM engine_catalog.engine_cron_events WHERE trigger_name = ANY ($1) GROUP BY trigger_name`
	insertSQL = `INSERT INTO engine_catalog.engine_cron_events (trigger_name, scheduled_time)
		SELECT $1, unnest($2::timestamptz[]) ON CONFLICT DO NOTHING`
)

// waiting is what is planned of a trigger.
type waiting struct {
	count int
	// last is the last tick that is planned, nil for none; ever the last of all.
	last, ever *time.Time
}

// Plan makes sure that the next ticks of every trigger of the document are in the table.
// It does nothing when version isn't in force any more: the next one will come.
func (s *Store) Plan(ctx context.Context, doc *metadata.Document, version int64, now time.Time) (done bool, err error) {
	schedules := make(map[string]cron.Schedule, len(doc.CronTriggers))
	names := make([]string, 0, len(doc.CronTriggers))
	for _, raw := range doc.CronTriggers {
		t, err := metadata.ParseCronTrigger(raw)
		if err != nil {
			return false, err
		}
		if schedules[t.Name], err = cron.Parse(t.Schedule); err != nil {
			return false, err
		}
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
		done = true
		return plan(ctx, tx, names, schedules, now)
	})
	return done, err
}

func plan(ctx context.Context, tx pgx.Tx, names []string, schedules map[string]cron.Schedule, now time.Time) error {
	rows, err := tx.Query(ctx, waitingSQL, names)
	if err != nil {
		return err
	}
	known := map[string]waiting{}
	var name string
	var w waiting
	if _, err := pgx.ForEachRow(rows, []any{&name, &w.count, &w.last, &w.ever}, func() error {
		known[name] = w
		w = waiting{}
		return nil
	}); err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, name := range names {
		if known[name].count >= plannedTicks {
			continue
		}
		if times := schedules[name].NextN(known[name].start(now), plannedTicks); len(times) > 0 {
			b.Queue(insertSQL, name, times)
		}
	}
	return tx.SendBatch(ctx, b).Close()
}

// start is the time after which ticks are planned. When none is left, it is not before the
// last tick that there was: after a clock has gone back, no tick comes again.
func (w waiting) start(now time.Time) time.Time {
	switch {
	case w.last != nil:
		return *w.last
	case w.ever != nil && w.ever.After(now):
		return *w.ever
	}
	return now
}
