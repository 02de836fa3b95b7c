package eventlog

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

// cleanEventsSQL removes one batch: old events that have an outcome and are not locked. Their
// invocations go with them, or stay with the name of the trigger.
const (
	areOld = `FROM engine_catalog.event_log e
		WHERE e.trigger_name = $1 AND (e.delivered OR e.error) AND e.locked IS NULL AND e.created_at < now() - $2::interval`
	oldEvents = `WITH old AS MATERIALIZED (SELECT e.id ` + areOld + `
		ORDER BY e.created_at LIMIT $3 FOR UPDATE SKIP LOCKED), `
	cleanEventsSQL = oldEvents + `kept AS (UPDATE engine_catalog.event_invocation_logs i SET trigger_name = $1
			FROM old WHERE i.event_id = old.id AND i.trigger_name IS DISTINCT FROM $1),
		gone AS (DELETE FROM engine_catalog.event_log e USING old WHERE e.id = old.id RETURNING 1)
		SELECT count(*), 0 FROM gone`
	cleanEventsAndInvocationsSQL = oldEvents + `invocations AS (DELETE FROM engine_catalog.event_invocation_logs i
			USING old WHERE i.event_id = old.id RETURNING 1),
		gone AS (DELETE FROM engine_catalog.event_log e USING old WHERE e.id = old.id RETURNING 1)
		SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM invocations)`
	// One event more than are counted tells whether there are others.
	countOldEventsSQL = `WITH old AS MATERIALIZED (SELECT e.id ` + areOld + ` LIMIT $3::bigint + 1)
		SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM engine_catalog.event_invocation_logs i
			WHERE $4::bool AND i.event_id IN (SELECT id FROM old LIMIT $3::bigint))`
)

// CountOldEvents counts what CleanEventLog would remove.
func (l *Log) CountOldEvents(ctx context.Context, c backend.EventCleanup) (found backend.EventsCleaned, more bool, err error) {
	err = l.pool.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		if exists, err := hasEventCatalog(ctx, pg); err != nil || !exists {
			return err
		}
		if err := boundStatements(ctx, pg, c.Timeout); err != nil {
			return err
		}
		args := append(ageOf(c), intText(backend.MaxBacklog), strconv.AppendBool(nil, c.Invocations))
		return eachRow(ctx, pg, countOldEventsSQL, args, func(row [][]byte) error {
			found = backend.EventsCleaned{Events: intOf(row[0]), Invocations: intOf(row[1])}
			return nil
		})
	})
	if found.Events > backend.MaxBacklog {
		found.Events, more = backend.MaxBacklog, true
	}
	return found, more, err
}

// CleanEventLog removes old events of a trigger, batch by batch, until nothing is left to remove or
// goOn returns false.
func (l *Log) CleanEventLog(ctx context.Context, c backend.EventCleanup, goOn func() bool) (backend.EventsCleaned, error) {
	var total backend.EventsCleaned
	for goOn == nil || goOn() {
		var batch backend.EventsCleaned
		err := l.inTransaction(ctx, func(pg *pgconn.PgConn) error {
			exists, err := hasEventCatalog(ctx, pg)
			if err == nil && exists {
				batch, err = cleanBatch(ctx, pg, c)
			}
			return err
		})
		total.Events += batch.Events
		total.Invocations += batch.Invocations
		if err != nil || batch.Events == 0 {
			return total, err
		}
	}
	return total, nil
}

func cleanBatch(ctx context.Context, pg *pgconn.PgConn, c backend.EventCleanup) (cleaned backend.EventsCleaned, err error) {
	if err := boundStatements(ctx, pg, c.Timeout); err != nil {
		return cleaned, err
	}
	sql := cleanEventsSQL
	if c.Invocations {
		sql = cleanEventsAndInvocationsSQL
	}
	err = eachRow(ctx, pg, sql, append(ageOf(c), intText(c.BatchSize)), func(row [][]byte) error {
		cleaned = backend.EventsCleaned{Events: intOf(row[0]), Invocations: intOf(row[1])}
		return nil
	})
	return cleaned, err
}

// boundStatements bounds each statement of a transaction.
func boundStatements(ctx context.Context, pg *pgconn.PgConn, d time.Duration) error {
	return run(ctx, pg, "SET LOCAL statement_timeout = "+strconv.FormatInt(d.Milliseconds(), 10))
}

// ageOf are the first two arguments of areOld.
func ageOf(c backend.EventCleanup) [][]byte {
	return [][]byte{[]byte(c.Trigger), append(intText(int(c.OlderThan/time.Second)), " seconds"...)}
}

// intOf reads a count of the database.
func intOf(text []byte) int64 {
	n, _ := strconv.ParseInt(string(text), 10, 64) // it is one
	return n
}

const (
	plannedCleanupsSQL = `SELECT trigger_name, count(*), extract(epoch FROM max(scheduled_at))::bigint
		FROM engine_catalog.engine_event_log_cleanups WHERE status = 'scheduled' AND trigger_name = ANY ($1::text[]) GROUP BY 1`
	planCleanupsSQL = `INSERT INTO engine_catalog.engine_event_log_cleanups (trigger_name, scheduled_at, status)
		SELECT $1, at AT TIME ZONE 'UTC', 'scheduled' FROM unnest($2::timestamptz[]) AS at ON CONFLICT DO NOTHING`
	dueCleanupsSQL = `WITH due AS MATERIALIZED (SELECT id, trigger_name, scheduled_at FROM engine_catalog.engine_event_log_cleanups
			WHERE status = 'scheduled' AND scheduled_at < $1::timestamptz AT TIME ZONE 'UTC'
				AND (taken_at IS NULL OR taken_at < now() - $2::interval) FOR UPDATE SKIP LOCKED),
		newest AS (SELECT DISTINCT ON (trigger_name) id, trigger_name FROM due ORDER BY trigger_name, scheduled_at DESC),
		late AS (UPDATE engine_catalog.engine_event_log_cleanups c SET status = 'dead'
			FROM due WHERE c.id = due.id AND due.id NOT IN (SELECT id FROM newest))
		UPDATE engine_catalog.engine_event_log_cleanups c SET taken_at = now()
			FROM newest WHERE c.id = newest.id RETURNING c.id, c.trigger_name`
	renewCleanupSQL = `UPDATE engine_catalog.engine_event_log_cleanups SET taken_at = now() WHERE id = $1`
	endCleanupSQL   = `UPDATE engine_catalog.engine_event_log_cleanups
		SET status = $2, deleted_event_logs = $3, deleted_event_invocation_logs = $4 WHERE id = $1`
)

// PlannedCleanups counts the clean-ups of each trigger that are to come.
func (l *Log) PlannedCleanups(ctx context.Context, triggers []string) (map[string]backend.PlannedCleanups, error) {
	planned := map[string]backend.PlannedCleanups{}
	err := l.committed(ctx, &wire.Text{SQL: plannedCleanupsSQL, Once: true}, [][]byte{textArray(triggers)}, func(row [][]byte) error {
		planned[string(row[0])] = backend.PlannedCleanups{Count: int(intOf(row[1])), Last: time.Unix(intOf(row[2]), 0).UTC()}
		return nil
	})
	return planned, err
}

// PlanCleanups plans clean-ups; those that are planned stay.
func (l *Log) PlanCleanups(ctx context.Context, trigger string, times []time.Time) error {
	values := make([][]byte, len(times))
	for i, t := range times {
		values[i] = t.UTC().AppendFormat(nil, time.RFC3339)
	}
	return l.committed(ctx, &wire.Text{SQL: planCleanupsSQL, Once: true}, [][]byte{[]byte(trigger), quote.Array(values)}, nil)
}

// DueCleanups takes the newest clean-up of each trigger that is due, and that no process is running.
// One whose process is silent is due again.
func (l *Log) DueCleanups(ctx context.Context, now time.Time) ([]backend.DueCleanup, error) {
	var due []backend.DueCleanup
	err := l.committed(ctx, &wire.Text{SQL: dueCleanupsSQL, Once: true}, [][]byte{
		now.UTC().AppendFormat(nil, time.RFC3339Nano), []byte(backend.CleanupLease.String()),
	}, func(row [][]byte) error {
		due = append(due, backend.DueCleanup{ID: string(row[0]), Trigger: string(row[1])})
		return nil
	})
	return due, err
}

// RenewCleanup renews the lease of a clean-up.
func (l *Log) RenewCleanup(ctx context.Context, id string) error {
	return l.committed(ctx, &wire.Text{SQL: renewCleanupSQL, Once: true}, [][]byte{[]byte(id)}, nil)
}

// EndCleanup records what became of a clean-up.
func (l *Log) EndCleanup(ctx context.Context, id, status string, cleaned backend.EventsCleaned) error {
	return l.committed(ctx, &wire.Text{SQL: endCleanupSQL, Once: true}, [][]byte{
		[]byte(id), []byte(status), intText(int(cleaned.Events)), intText(int(cleaned.Invocations)),
	}, nil)
}
