package eventlog

import (
	"context"
	"strconv"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

// unfinished is the condition of the partial indexes.
const unfinished = `NOT e.delivered AND NOT e.error AND NOT e.archived`

// inOrder holds an event of an ordered trigger back while an older one of its row has no end.
const inOrder = ` AND (NOT w.ordered OR NOT EXISTS (SELECT FROM engine_catalog.event_log o
	WHERE o.trigger_name = e.trigger_name AND o.order_key = e.order_key AND o.sequence < e.sequence
	AND NOT o.delivered AND NOT o.error AND NOT o.archived))`

// eventBody is the payload of a webhook, except for the attempt.
const eventBody = `json_build_object('id', e.id, 'created_at', e.created_at,
	'table', json_build_object('schema', e.schema_name, 'name', e.table_name),
	'trigger', json_build_object('name', e.trigger_name), 'event', e.payload)`

// arm is one range of the index, read in its order: new events, events whose retry is due, events whose
// lease has run out. The order names every column of the index, or else the database would sort all
// that wait, or read the whole log of the trigger by another index. Rows locked by another process are
// skipped.
func arm(condition, inOrder, room string) string {
	return `SELECT * FROM (SELECT e.id, e.locked IS NOT NULL AS again FROM engine_catalog.event_log e
		WHERE e.trigger_name = w.name AND ` + unfinished + ` AND ` + condition + inOrder + `
		ORDER BY e.locked NULLS FIRST, e.next_retry_at NULLS FIRST, e.created_at
		LIMIT ` + room + ` FOR UPDATE OF e SKIP LOCKED) AS rows`
}

// wasInHand are the arms of events that were taken before. They come before new events in every second
// taking ($6), and after them in the others: neither waits behind a backlog of the other.
func wasInHand(inOrder, room string) string {
	return arm(`e.locked IS NULL AND e.next_retry_at <= now() AT TIME ZONE 'UTC'`, inOrder, room) + ` UNION ALL
			` + arm(`e.locked <= now() - $5::interval`, inOrder, room)
}

// takeEventsSQL takes as many events as the triggers can, takeOrderedSQL where one of them is ordered:
// planning that one takes the database a millisecond more, each time where nothing is prepared.
var (
	takeEventsSQL  = takeSQL("")
	takeOrderedSQL = takeSQL(inOrder)
)

func takeSQL(inOrder string) *wire.Text {
	return &wire.Text{SQL: `WITH due AS MATERIALIZED (
		SELECT taken.id, taken.again FROM unnest($1::text[], $2::int[], $3::bool[]) AS w (name, size, ordered)
		CROSS JOIN LATERAL (SELECT greatest(w.size - count(*), 0) AS room FROM engine_catalog.event_log e
			WHERE e.trigger_name = w.name AND ` + unfinished + ` AND e.locked > now() - $5::interval) AS held
		CROSS JOIN LATERAL (SELECT arms.id, arms.again FROM (
			` + wasInHand(inOrder, `CASE WHEN $6::bool THEN held.room ELSE 0 END`) + ` UNION ALL
			` + arm(`e.locked IS NULL AND e.next_retry_at IS NULL`, inOrder, `held.room`) + ` UNION ALL
			` + wasInHand(inOrder, `CASE WHEN $6::bool THEN 0 ELSE held.room END`) + `
		) AS arms LIMIT held.room) AS taken
		LIMIT $4
	)
	UPDATE engine_catalog.event_log e SET locked = now() FROM due WHERE e.id = due.id
	RETURNING e.id, e.trigger_name, e.tries, due.again, extract(epoch FROM greatest(e.created_at::timestamptz,
		e.next_retry_at AT TIME ZONE 'UTC')), ` + takenBefore + `, ` + eventBody + `, ` + leaseOf}
}

// leaseOf names a lease.
const leaseOf = `to_char(e.locked AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`

// takenBefore is how often a webhook has taken an event. Only what was delivered and is to be delivered
// again has been taken, and has a time for that, as what failed has.
const takenBefore = `CASE WHEN e.next_retry_at IS NULL THEN 0 ELSE (SELECT count(*)
	FROM engine_catalog.event_invocation_logs i WHERE i.event_id = e.id AND i.status < 300) END`

// TakeEvents takes events that are due. It reads committed data, whatever the source's isolation is,
// and commits before it returns.
func (l *Log) TakeEvents(ctx context.Context, wanted []backend.EventDemand, limit int) ([]backend.Event, error) {
	names, sizes, ordered := make([][]byte, len(wanted)), make([][]byte, len(wanted)), make([][]byte, len(wanted))
	text := takeEventsSQL
	for i, w := range wanted {
		if w.Ordered {
			text = takeOrderedSQL
		}
		names[i], sizes[i], ordered[i] = []byte(w.Trigger), intText(w.Size), strconv.AppendBool(nil, w.Ordered)
	}
	return l.eventRows(ctx, text, quote.Array(names), quote.Array(sizes), quote.Array(ordered), intText(limit), leaseText(),
		strconv.AppendBool(nil, l.takings.Add(1)%2 == 0))
}

// claimEventSQL needn't be on disk when it returns: an outcome is written after it, and until that
// is on disk the event is its row's next one.
var claimEventSQL = &wire.Text{SQL: `UPDATE engine_catalog.event_log e
	SET locked = greatest(clock_timestamp(), e.locked + interval '1 microsecond')
	WHERE e.id = $1::text AND ` + leaseOf + ` = $2::text AND ` + unfinished + `
	RETURNING set_config('synchronous_commit', 'off', true)`}

// ClaimEvent makes one of the holders of a lease the one that processes the event.
func (l *Log) ClaimEvent(ctx context.Context, id, lease string) (bool, error) {
	claimed := false
	err := l.committed(ctx, claimEventSQL, [][]byte{[]byte(id), []byte(lease)}, func([][]byte) error {
		claimed = true
		return nil
	})
	return claimed, err
}

var pendingEventsSQL = &wire.Text{SQL: `SELECT e.id, e.trigger_name, e.tries, false, extract(epoch FROM e.created_at::timestamptz), ` + takenBefore + `, ` + eventBody + `, ''
	FROM engine_catalog.event_log e WHERE e.id = ANY ($1::text[]) AND ` + unfinished}

// PendingEvents are those of the ids that have no outcome yet.
func (l *Log) PendingEvents(ctx context.Context, ids []string) ([]backend.Event, error) {
	return l.eventRows(ctx, pendingEventsSQL, textArray(ids))
}

func (l *Log) eventRows(ctx context.Context, text *wire.Text, args ...[]byte) ([]backend.Event, error) {
	var events []backend.Event
	err := l.committed(ctx, text, args, func(row [][]byte) error {
		e := backend.Event{ID: string(row[0]), Trigger: string(row[1]), Again: string(row[3]) == "t", Taken: int(intOf(row[5])), Body: append([]byte{}, row[6]...), Lease: string(row[7])}
		var err error
		if e.Tries, err = strconv.Atoi(string(row[2])); err != nil {
			return err
		}
		seconds, err := strconv.ParseFloat(string(row[4]), 64)
		e.Created = time.UnixMicro(int64(seconds * 1e6))
		events = append(events, e)
		return err
	})
	return events, err
}

var (
	renewEventsSQL = &wire.Text{SQL: `UPDATE engine_catalog.event_log e SET locked = now()
		WHERE e.id = ANY ($1::text[]) AND e.locked IS NOT NULL AND ` + unfinished}
	// Events that are given back may have been published all the same, as those of a batch that was
	// published in part: with a lease that has run out they are checked again before they are
	// delivered.
	releaseEventsSQL = &wire.Text{SQL: `UPDATE engine_catalog.event_log e SET locked = now() - $2::interval
		WHERE e.id = ANY ($1::text[]) AND ` + unfinished}
)

// RenewEvents renews the leases of events in progress.
func (l *Log) RenewEvents(ctx context.Context, ids []string) error {
	return l.committed(ctx, renewEventsSQL, [][]byte{textArray(ids)}, nil)
}

// ReleaseEvents gives events back, at once.
func (l *Log) ReleaseEvents(ctx context.Context, ids []string) error {
	return l.committed(ctx, releaseEventsSQL, [][]byte{textArray(ids), leaseText()}, nil)
}

// recordEventsSQL writes outcomes with their invocations. An event that has an outcome by now keeps it;
// a deleted one leaves no trace. An outcome whose invocation is there was written before, by a writer
// that lost the confirmation: to write it again would take the event from its present owner. The
// invocations come first, because their ids make a concurrent writer wait.
var recordEventsSQL = &wire.Text{SQL: `WITH outcome AS (
		SELECT * FROM unnest($1::text[], $2::int[], $3::timestamptz[], $4::text[], $5::int[], $6::text[], $7::text[])
			AS o (id, state, retry_at, invocation, status, request, response)
	), invocation AS (
		INSERT INTO engine_catalog.event_invocation_logs (id, trigger_name, event_id, status, request, response)
		SELECT o.invocation, e.trigger_name, o.id, o.status, o.request::json, o.response::json
			FROM outcome o JOIN engine_catalog.event_log e ON e.id = o.id WHERE o.invocation IS NOT NULL
		ON CONFLICT (id) DO NOTHING RETURNING id
	)
	UPDATE engine_catalog.event_log e SET
		delivered = e.delivered OR o.state = 0,
		error = e.error OR o.state = 2 AND NOT e.delivered,
		next_retry_at = CASE WHEN o.state = 1 THEN o.retry_at AT TIME ZONE 'UTC' END,
		tries = e.tries + (o.invocation IS NOT NULL)::int, locked = NULL
	FROM outcome o LEFT JOIN invocation i ON i.id = o.invocation
	WHERE e.id = o.id AND (o.invocation IS NULL OR i.id IS NOT NULL)`}

// RecordEvents writes what became of events.
func (l *Log) RecordEvents(ctx context.Context, outcomes []backend.EventOutcome) error {
	columns := make([][][]byte, 7)
	for i := range columns {
		columns[i] = make([][]byte, len(outcomes))
	}
	for i, o := range outcomes {
		columns[0][i], columns[1][i] = []byte(o.ID), intText(int(o.State))
		if o.State == backend.EventWaiting {
			columns[2][i] = o.RetryAt.UTC().AppendFormat(nil, time.RFC3339Nano)
		}
		if o.Invocation != "" {
			columns[3][i], columns[5][i], columns[6][i] = []byte(o.Invocation), o.Request, o.Response
			if o.Status != nil {
				columns[4][i] = intText(*o.Status)
			}
		}
	}
	args := make([][]byte, len(columns))
	for i, c := range columns {
		args[i] = quote.Array(c)
	}
	return l.committed(ctx, recordEventsSQL, args, nil)
}

// indexedOnly are settings of a transaction whose statements are planned once, for all sizes of the
// log: a plan made while the log was short would otherwise read all of it when it is long, until the
// statistics are updated.
const indexedOnly = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
	set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
	CASE WHEN current_setting('plan_cache_mode', true) IS NOT NULL THEN set_config('plan_cache_mode', 'force_generic_plan', true) END`

// committed runs one statement in a transaction of its own that reads committed data, in one round
// trip, and gives its rows to each, which may be nil. Rows mean nothing after an error.
func (l *Log) committed(ctx context.Context, text *wire.Text, values [][]byte, each func(row [][]byte) error) error {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release() // closes the connection when the transaction is still open
	e := wire.Execution{
		Text: text, Values: values, After: []wire.Command{{SQL: wire.Commit}},
		Before: []wire.Command{{SQL: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"}, {SQL: indexedOnly}},
	}
	for attempt := 0; ; attempt++ {
		rows, err := c.EachRow(ctx, e, each)
		if err == nil {
			return nil
		}
		if rows > 0 || !c.Renew(ctx, err, text.SQL, attempt) {
			c.Discard() // with what it has prepared, which may be out of date
			return wire.InternalError(ctx, err, wire.Executed{SQL: text.SQL, Args: values})
		}
		c.Rollback(ctx)
	}
}
