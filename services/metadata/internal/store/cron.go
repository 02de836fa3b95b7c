package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// CronChange describes the planned events of a cron trigger that was added, changed or removed: events
// without an attempt are deleted, then Times are planned.
type CronChange struct {
	Trigger string
	Times   []time.Time
}

const (
	forgetCronSQL = `DELETE FROM engine_catalog.engine_cron_events
		WHERE trigger_name = $1 AND scheduled_time > $2 AND tries = 0 AND status = 'scheduled'`
	planCronSQL = `INSERT INTO engine_catalog.engine_cron_events (trigger_name, scheduled_time)
		SELECT $1, unnest($2::timestamptz[]) ON CONFLICT DO NOTHING`
)

// PlanCron changes planned events together with the document. now is the time that Times
// were computed from.
func (t *Tx) PlanCron(ctx context.Context, changes []CronChange, now time.Time) error {
	if len(changes) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	for _, c := range changes {
		b.Queue(forgetCronSQL, c.Trigger, now)
		if len(c.Times) > 0 {
			b.Queue(planCronSQL, c.Trigger, c.Times)
		}
	}
	return failure(t.tx.SendBatch(ctx, b).Close())
}
