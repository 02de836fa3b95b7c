package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// cleanBatch is how many rows of a log are removed at once.
const cleanBatch = 1000

// logs are the tables of finished events and calls, each with the column that its age counts from. The
// records of calls go with their events.
var logs = []struct {
	table, ended, at string
	scheduled        bool
}{
	{cronTable, `status IN ('delivered', 'error', 'dead')`, "scheduled_time", true},
	{oneOffTable, `status IN ('delivered', 'error', 'dead')`, "greatest(scheduled_time, created_at)", true},
	{"engine_catalog.engine_action_log", `status IN ('completed', 'error')`, "coalesce(response_received_at, created_at)", false},
}

// Ages are how old the logs may become, 0 for any age.
type Ages struct {
	// Scheduled is for events of cron triggers and for one-off events, Actions for asynchronous calls
	// of actions.
	Scheduled, Actions time.Duration
}

// Clean removes some of what ended longer ago than the ages say, and reports whether that was all.
func (s *Store) Clean(ctx context.Context, ages Ages, now time.Time) (done bool, err error) {
	done = true
	for _, l := range logs {
		age := ages.Actions
		if l.scheduled {
			age = ages.Scheduled
		}
		if age == 0 {
			continue
		}
		err := s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `DELETE FROM `+l.table+` WHERE id IN (SELECT id FROM `+l.table+`
				WHERE `+l.ended+` AND `+l.at+` < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`, now.Add(-age), cleanBatch)
			done = done && tag.RowsAffected() < cleanBatch
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return done, nil
}
