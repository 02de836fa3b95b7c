package eventlog

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/backend"
)

const (
	unfinished = `delivered = 0 AND error = 0 AND archived = 0`

	// takeSQL takes events of one trigger: as many as it may have in progress besides its current ones.
	// What is due for longest comes first, new or tried before. Rows that others have locked are passed
	// over. The lease is set to a time that every clock of the server gives once, so that it names the
	// taking.
	takeSQL = `DECLARE @now datetimeoffset(7) = SYSUTCDATETIME();
DECLARE @late datetimeoffset(7) = DATEADD(second, -CAST(@p3 AS int), @now);
DECLARE @room int = (SELECT CASE WHEN h.room < 0 THEN 0 WHEN h.room > CAST(@p4 AS int) THEN CAST(@p4 AS int) ELSE h.room END
	FROM (SELECT CAST(@p2 AS int) - COUNT(*) AS room FROM engine_catalog.event_log
		WHERE trigger_name = @p1 AND ` + unfinished + ` AND locked > @late) AS h);
WITH e AS (SELECT TOP (@room) * FROM engine_catalog.event_log AS e WITH (ROWLOCK, UPDLOCK, READPAST)
	WHERE e.trigger_name = @p1 AND ` + unfinished + ` AND (e.locked IS NULL OR e.locked <= @late)
		AND (e.next_retry_at IS NULL OR e.next_retry_at <= @now)`
	// takeOrderedSQL holds an event back while an older one of its row has no end.
	inOrder = ` AND (e.order_key IS NULL OR NOT EXISTS (SELECT 1 FROM engine_catalog.event_log AS o
		WHERE o.trigger_name = e.trigger_name AND o.order_key = e.order_key AND o.sequence < e.sequence
			AND o.delivered = 0 AND o.error = 0 AND o.archived = 0))`
	takeEnd = ` ORDER BY COALESCE(e.next_retry_at, e.created_at), e.sequence)
UPDATE e SET locked = @now OUTPUT CONVERT(nvarchar(36), INSERTED.id), INSERTED.trigger_name, INSERTED.tries,
	CASE WHEN DELETED.locked IS NULL THEN 0 ELSE 1 END, INSERTED.created_at, INSERTED.next_retry_at,
	INSERTED.schema_name, INSERTED.table_name, INSERTED.payload, INSERTED.locked`

	pendingSQL = `SELECT CONVERT(nvarchar(36), id), trigger_name, tries, 0, created_at, next_retry_at, schema_name, table_name, payload, NULL
	FROM engine_catalog.event_log WHERE ` + unfinished + ` AND id IN (SELECT CAST(value AS uniqueidentifier) FROM OPENJSON(@p1))`

	// takenBeforeSQL counts how often a webhook has taken events that are delivered again on demand.
	takenBeforeSQL = `SELECT CONVERT(nvarchar(36), event_id), COUNT(*) FROM engine_catalog.event_invocation_logs
	WHERE status < 300 AND event_id IN (SELECT CAST(value AS uniqueidentifier) FROM OPENJSON(@p1)) GROUP BY event_id`

	// claimSQL changes the lease, so that a second caller with the old one finds nothing.
	claimSQL = `UPDATE engine_catalog.event_log
	SET locked = CASE WHEN SYSUTCDATETIME() > locked THEN SYSUTCDATETIME() ELSE DATEADD(nanosecond, 100, locked) END
	OUTPUT 1 WHERE id = CAST(@p1 AS uniqueidentifier) AND locked = CAST(@p2 AS datetimeoffset(7)) AND ` + unfinished

	renewSQL = `UPDATE engine_catalog.event_log SET locked = SYSUTCDATETIME()
	WHERE locked IS NOT NULL AND ` + unfinished + ` AND id IN (SELECT CAST(value AS uniqueidentifier) FROM OPENJSON(@p1))`

	// Events that are given back have a lease that has run out: they may have been published all the
	// same, and are checked again before they are delivered.
	releaseSQL = `UPDATE engine_catalog.event_log SET locked = DATEADD(second, -CAST(@p2 AS int), SYSUTCDATETIME())
	WHERE ` + unfinished + ` AND id IN (SELECT CAST(value AS uniqueidentifier) FROM OPENJSON(@p1))`
)

// TakeEvents takes events that are due, trigger by trigger.
func (l *Log) TakeEvents(ctx context.Context, wanted []backend.EventDemand, limit int) ([]backend.Event, error) {
	var events []backend.Event
	if n, err := version(ctx, l.db); err != nil || n == 0 {
		return nil, err
	}
	for _, w := range wanted {
		if len(events) >= limit {
			break
		}
		text := takeSQL
		if w.Ordered {
			text += inOrder
		}
		taken, err := l.events(ctx, text+takeEnd, []byte(w.Trigger), number(w.Size), seconds(backend.EventLease), number(limit-len(events)))
		events = append(events, taken...)
		if err != nil {
			// What was taken before is due again when its lease has run out.
			return events, err
		}
	}
	return events, l.countTaken(ctx, events)
}

// ClaimEvent makes one of the holders of a lease the one that processes the event.
func (l *Log) ClaimEvent(ctx context.Context, id, lease string) (bool, error) {
	if !idForm.MatchString(id) {
		return false, nil
	}
	claimed, err := value(ctx, l.db, claimSQL, []byte(id), []byte(lease))
	return claimed != "", err
}

// PendingEvents are the events of the ids without an outcome.
func (l *Log) PendingEvents(ctx context.Context, ids []string) ([]backend.Event, error) {
	events, err := l.events(ctx, pendingSQL, texts(valid(ids)))
	if err != nil {
		return nil, err
	}
	return events, l.countTaken(ctx, events)
}

// valid are those texts that are ids.
func valid(ids []string) []string {
	list := []string{}
	for _, id := range ids {
		if idForm.MatchString(id) {
			list = append(list, id)
		}
	}
	return list
}

// body is what a webhook gets, except for the attempt.
type body struct {
	ID        string          `json:"id"`
	CreatedAt string          `json:"created_at"`
	Table     table           `json:"table"`
	Trigger   trigger         `json:"trigger"`
	Event     json.RawMessage `json:"event"`
}

type table struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

type trigger struct {
	Name string `json:"name"`
}

// events runs a statement that gives events. Those that were redelivered, or have failed before, are
// marked by Taken -1 until they are counted.
func (l *Log) events(ctx context.Context, text string, values ...[]byte) ([]backend.Event, error) {
	var events []backend.Event
	err := l.db.Run(ctx, text, values, func(row [][]byte) error {
		created, err := at(row[4])
		if err != nil {
			return err
		}
		e := backend.Event{
			ID: string(row[0]), Trigger: string(row[1]), Tries: int(numberOf(row[2])), Again: string(row[3]) == "1",
			Created: created, Lease: string(row[9]),
		}
		if row[5] != nil {
			e.Taken = -1
			due, err := at(row[5])
			if err != nil {
				return err
			}
			if due.After(created) {
				e.Created = due
			}
		}
		e.Body, err = json.Marshal(body{
			ID: e.ID, CreatedAt: created.UTC().Format(time.RFC3339Nano), Table: table{string(row[6]), string(row[7])},
			Trigger: trigger{e.Trigger}, Event: append(json.RawMessage{}, row[8]...),
		})
		events = append(events, e)
		return err
	})
	return events, err
}

// countTaken counts how often a webhook has taken the events that have a time to be delivered again.
func (l *Log) countTaken(ctx context.Context, events []backend.Event) error {
	var again []string
	for _, e := range events {
		if e.Taken < 0 {
			again = append(again, e.ID)
		}
	}
	if len(again) == 0 {
		return nil
	}
	counts := map[string]int{}
	err := l.db.Run(ctx, takenBeforeSQL, [][]byte{texts(again)}, func(row [][]byte) error {
		counts[string(row[0])] = int(numberOf(row[1]))
		return nil
	})
	for i := range events {
		if events[i].Taken < 0 {
			events[i].Taken = counts[events[i].ID]
		}
	}
	return err
}

// RenewEvents renews the leases of events in progress.
func (l *Log) RenewEvents(ctx context.Context, ids []string) error {
	return l.db.Run(ctx, renewSQL, [][]byte{texts(valid(ids))}, nil)
}

// ReleaseEvents gives events back, at once.
func (l *Log) ReleaseEvents(ctx context.Context, ids []string) error {
	return l.db.Run(ctx, releaseSQL, [][]byte{texts(valid(ids)), seconds(backend.EventLease)}, nil)
}

// recordSQL writes outcomes with their invocations. An event that has an outcome by now keeps it; a
// deleted one leaves no trace. An outcome whose invocation is there was written before, by a writer that
// lost the confirmation: to write it again would take the event from its present owner.
const recordSQL = `DECLARE @outcome TABLE (id uniqueidentifier NOT NULL, state int NOT NULL, retry_at datetimeoffset(7) NULL,
	invocation nvarchar(100) COLLATE DATABASE_DEFAULT NULL, status int NULL, request nvarchar(max) NULL, response nvarchar(max) NULL);
DECLARE @made TABLE (id nvarchar(100) COLLATE DATABASE_DEFAULT NOT NULL);
INSERT INTO @outcome SELECT id, state, retry_at, invocation, status, request, response FROM OPENJSON(@p1) WITH (
	id uniqueidentifier '$.id', state int '$.state', retry_at datetimeoffset(7) '$.retry_at', invocation nvarchar(100) '$.invocation',
	status int '$.status', request nvarchar(max) '$.request', response nvarchar(max) '$.response');
INSERT INTO engine_catalog.event_invocation_logs (id, trigger_name, event_id, status, request, response)
	OUTPUT INSERTED.id INTO @made
	SELECT o.invocation, e.trigger_name, o.id, o.status, o.request, o.response
	FROM @outcome AS o JOIN engine_catalog.event_log AS e ON e.id = o.id
	WHERE o.invocation IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM engine_catalog.event_invocation_logs AS i WITH (UPDLOCK, HOLDLOCK) WHERE i.id = o.invocation);
UPDATE e SET
	delivered = CASE WHEN o.state = 0 THEN 1 ELSE e.delivered END,
	error = CASE WHEN o.state = 2 AND e.delivered = 0 THEN 1 ELSE e.error END,
	next_retry_at = CASE WHEN o.state = 1 THEN o.retry_at END,
	tries = e.tries + CASE WHEN o.invocation IS NULL THEN 0 ELSE 1 END, locked = NULL
FROM engine_catalog.event_log AS e JOIN @outcome AS o ON o.id = e.id LEFT JOIN @made AS m ON m.id = o.invocation
WHERE o.invocation IS NULL OR m.id IS NOT NULL`

// outcome is an outcome as recordSQL reads it.
type outcome struct {
	ID         string  `json:"id"`
	State      int     `json:"state"`
	RetryAt    *string `json:"retry_at"`
	Invocation *string `json:"invocation"`
	Status     *int    `json:"status"`
	Request    *string `json:"request"`
	Response   *string `json:"response"`
}

// RecordEvents writes what became of events.
func (l *Log) RecordEvents(ctx context.Context, outcomes []backend.EventOutcome) error {
	list := []outcome{}
	for _, o := range outcomes {
		if !idForm.MatchString(o.ID) {
			continue
		}
		row := outcome{ID: o.ID, State: int(o.State)}
		if o.State == backend.EventWaiting {
			at := o.RetryAt.UTC().Format("2006-01-02T15:04:05.9999999Z")
			row.RetryAt = &at
		}
		if o.Invocation != "" {
			row.Invocation, row.Status, row.Request, row.Response = &o.Invocation, o.Status, text(o.Request), text(o.Response)
		}
		list = append(list, row)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return l.db.InTransaction(ctx, func(r Runner) error { return r.Run(ctx, recordSQL, [][]byte{raw}, nil) })
}

// text is a JSON as a text, nil for none.
func text(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	s := string(raw)
	return &s
}

// OpenEventBell returns a bell that never rings: nothing in SQL Server tells a process of a commit, so
// events are requested.
func (l *Log) OpenEventBell(context.Context) (backend.EventBell, error) { return silence{}, nil }

type silence struct{}

func (silence) Arm(context.Context) (bool, error) { return false, nil }
func (silence) Disarm(context.Context) error      { return nil }
func (silence) Close()                            {}

// Wait waits until ctx ends.
func (silence) Wait(ctx context.Context) (bool, error) {
	<-ctx.Done()
	return false, nil
}
