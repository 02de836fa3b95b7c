package eventlog

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/backend"
)

const (
	whereOld = `WHERE trigger_name = @p1 AND (delivered = 1 OR error = 1) AND locked IS NULL
		AND created_at < DATEADD(second, -CAST(@p2 AS int), SYSUTCDATETIME())`
	// Events that are being written aren't waited for.
	areOld = `FROM engine_catalog.event_log WITH (READPAST) ` + whereOld

	// cleanSQL removes one batch: old events that have an outcome and are not locked. Their invocations
	// go with them, or stay with the name of the trigger.
	cleanSQL = `DECLARE @gone TABLE (id uniqueidentifier NOT NULL);
WITH e AS (SELECT TOP (CAST(@p3 AS int)) * FROM engine_catalog.event_log WITH (ROWLOCK, READPAST) ` + whereOld + ` ORDER BY created_at)
DELETE FROM e OUTPUT DELETED.id INTO @gone;
DELETE FROM engine_catalog.event_invocation_logs WHERE @p4 = N'1' AND event_id IN (SELECT id FROM @gone);
DECLARE @invocations int = @@ROWCOUNT;
UPDATE engine_catalog.event_invocation_logs SET trigger_name = @p1
	WHERE @p4 = N'0' AND trigger_name IS NULL AND event_id IN (SELECT id FROM @gone);
SELECT (SELECT COUNT(*) FROM @gone), @invocations`

	// countOldSQL counts what cleanSQL removes; one event more than are counted tells whether there are others.
	countOldSQL = `SELECT (SELECT COUNT(*) FROM (SELECT TOP (CAST(@p3 AS int) + 1) id ` + areOld + `) AS old),
	(SELECT COUNT(*) FROM engine_catalog.event_invocation_logs AS i WHERE @p4 = N'1' AND i.event_id IN (SELECT TOP (CAST(@p3 AS int)) id ` + areOld + `))`

	plannedSQL = `SELECT trigger_name, COUNT(*), MAX(scheduled_at) FROM engine_catalog.engine_event_log_cleanups
	WHERE status = N'scheduled' AND trigger_name IN (SELECT value COLLATE DATABASE_DEFAULT FROM OPENJSON(@p1)) GROUP BY trigger_name`
	planSQL = `INSERT INTO engine_catalog.engine_event_log_cleanups (trigger_name, scheduled_at, status)
	SELECT @p1, t.planned, N'scheduled' FROM (SELECT CAST(value AS datetimeoffset(7)) AS planned FROM OPENJSON(@p2)) AS t
	WHERE NOT EXISTS (SELECT 1 FROM engine_catalog.engine_event_log_cleanups AS c WITH (UPDLOCK, HOLDLOCK)
		WHERE c.trigger_name = @p1 AND c.scheduled_at = t.planned)`
	// dueSQL takes the newest clean-up of each trigger, and marks older ones as dead.
	dueSQL = `DECLARE @due TABLE (id uniqueidentifier NOT NULL, place bigint NOT NULL);
INSERT INTO @due SELECT id, ROW_NUMBER() OVER (PARTITION BY trigger_name ORDER BY scheduled_at DESC)
	FROM engine_catalog.engine_event_log_cleanups WITH (ROWLOCK, UPDLOCK, READPAST)
	WHERE status = N'scheduled' AND scheduled_at < CAST(@p1 AS datetimeoffset(7))
		AND (taken_at IS NULL OR taken_at < DATEADD(second, -CAST(@p2 AS int), SYSUTCDATETIME()));
UPDATE c SET status = N'dead' FROM engine_catalog.engine_event_log_cleanups AS c JOIN @due AS d ON d.id = c.id WHERE d.place > 1;
UPDATE c SET taken_at = SYSUTCDATETIME() OUTPUT CONVERT(nvarchar(36), INSERTED.id), INSERTED.trigger_name
	FROM engine_catalog.engine_event_log_cleanups AS c JOIN @due AS d ON d.id = c.id WHERE d.place = 1`
	renewCleanupSQL = `UPDATE engine_catalog.engine_event_log_cleanups SET taken_at = SYSUTCDATETIME() WHERE id = CAST(@p1 AS uniqueidentifier)`
	endCleanupSQL   = `UPDATE engine_catalog.engine_event_log_cleanups
	SET status = @p2, deleted_event_logs = CAST(@p3 AS int), deleted_event_invocation_logs = CAST(@p4 AS int) WHERE id = CAST(@p1 AS uniqueidentifier)`
)

// CleanEventLog removes old events of a trigger, batch by batch, until nothing is left to remove or
// goOn returns false.
func (l *Log) CleanEventLog(ctx context.Context, c backend.EventCleanup, goOn func() bool) (backend.EventsCleaned, error) {
	var total backend.EventsCleaned
	if n, err := version(ctx, l.db); err != nil || n == 0 {
		return total, err
	}
	for goOn == nil || goOn() {
		batch, err := l.cleanBatch(ctx, c)
		total.Events += batch.Events
		total.Invocations += batch.Invocations
		if err != nil || batch.Events == 0 {
			return total, err
		}
	}
	return total, nil
}

// CountOldEvents counts what CleanEventLog would remove.
func (l *Log) CountOldEvents(ctx context.Context, c backend.EventCleanup) (found backend.EventsCleaned, more bool, err error) {
	if n, err := version(ctx, l.db); err != nil || n == 0 {
		return found, false, err
	}
	ctx, cancel := bounded(ctx, c.Timeout)
	defer cancel()
	err = l.db.Run(ctx, countOldSQL, ageOf(c, backend.MaxBacklog), func(row [][]byte) error {
		found = backend.EventsCleaned{Events: numberOf(row[0]), Invocations: numberOf(row[1])}
		return nil
	})
	if found.Events > backend.MaxBacklog {
		found.Events, more = backend.MaxBacklog, true
	}
	return found, more, err
}

// ageOf are the arguments of whereOld, how many events are meant, and whether their invocations are.
func ageOf(c backend.EventCleanup, limit int) [][]byte {
	invocations := "0"
	if c.Invocations {
		invocations = "1"
	}
	return [][]byte{[]byte(c.Trigger), seconds(c.OlderThan), number(limit), []byte(invocations)}
}

func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return ctx, func() {}
}

func (l *Log) cleanBatch(ctx context.Context, c backend.EventCleanup) (cleaned backend.EventsCleaned, err error) {
	ctx, cancel := bounded(ctx, c.Timeout)
	defer cancel()
	err = l.db.InTransaction(ctx, func(r Runner) error {
		return r.Run(ctx, cleanSQL, ageOf(c, c.BatchSize), func(row [][]byte) error {
			cleaned = backend.EventsCleaned{Events: numberOf(row[0]), Invocations: numberOf(row[1])}
			return nil
		})
	})
	if err != nil {
		return backend.EventsCleaned{}, err
	}
	return cleaned, nil
}

// PlannedCleanups counts the clean-ups of each trigger that are to come.
func (l *Log) PlannedCleanups(ctx context.Context, triggers []string) (map[string]backend.PlannedCleanups, error) {
	planned := map[string]backend.PlannedCleanups{}
	if n, err := version(ctx, l.db); err != nil || n == 0 {
		return planned, err
	}
	err := l.db.Run(ctx, plannedSQL, [][]byte{texts(triggers)}, func(row [][]byte) error {
		last, err := at(row[2])
		planned[string(row[0])] = backend.PlannedCleanups{Count: int(numberOf(row[1])), Last: last.UTC()}
		return err
	})
	return planned, err
}

// PlanCleanups plans clean-ups; planned ones stay.
func (l *Log) PlanCleanups(ctx context.Context, trigger string, times []time.Time) error {
	list := make([]string, len(times))
	for i, t := range times {
		list[i] = t.UTC().Format(time.RFC3339)
	}
	planned, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return l.db.InTransaction(ctx, func(r Runner) error {
		if err := prepare(ctx, r); err != nil {
			return err
		}
		return r.Run(ctx, planSQL, [][]byte{[]byte(trigger), planned}, nil)
	})
}

// DueCleanups takes the newest clean-up of each trigger that is due, and that no process is running.
// One whose process is silent is due again.
func (l *Log) DueCleanups(ctx context.Context, now time.Time) ([]backend.DueCleanup, error) {
	var due []backend.DueCleanup
	err := l.db.InTransaction(ctx, func(r Runner) error {
		n, err := version(ctx, r)
		if err != nil || n == 0 {
			return err
		}
		values := [][]byte{[]byte(now.UTC().Format("2006-01-02T15:04:05.9999999Z")), seconds(backend.CleanupLease)}
		return r.Run(ctx, dueSQL, values, func(row [][]byte) error {
			due = append(due, backend.DueCleanup{ID: string(row[0]), Trigger: string(row[1])})
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return due, nil
}

// RenewCleanup renews the lease of a clean-up.
func (l *Log) RenewCleanup(ctx context.Context, id string) error {
	return l.db.Run(ctx, renewCleanupSQL, [][]byte{[]byte(id)}, nil)
}

// EndCleanup records what became of a clean-up.
func (l *Log) EndCleanup(ctx context.Context, id, status string, cleaned backend.EventsCleaned) error {
	return l.db.Run(ctx, endCleanupSQL, [][]byte{
		[]byte(id), []byte(status), number(int(cleaned.Events)), number(int(cleaned.Invocations)),
	}, nil)
}
