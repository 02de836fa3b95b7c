package eventlog

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// Times without a zone are shown as UTC, as clients expect of them.
const (
	eventSQL = `json_build_object('id', e.id, 'schema_name', e.schema_name, 'table_name', e.table_name,
		'trigger_name', e.trigger_name, 'payload', e.payload, 'delivered', e.delivered, 'error', e.error, 'tries', e.tries,
		'created_at', to_json(e.created_at)#>>'{}' || 'Z', 'locked', to_json(e.locked AT TIME ZONE 'UTC')#>>'{}' || 'Z',
		'next_retry_at', to_json(e.next_retry_at)#>>'{}' || 'Z', 'archived', e.archived)`
	invocationSQL = `json_build_object('id', i.id, 'trigger_name', i.trigger_name, 'event_id', i.event_id,
		'http_status', i.status, 'request', i.request, 'response', i.response, 'created_at', to_json(i.created_at)#>>'{}' || 'Z')`

	eventsSQL = `SELECT coalesce(json_agg(page.event), '[]') FROM (SELECT ` + eventSQL + ` AS event
		FROM engine_catalog.event_log e WHERE e.trigger_name = $1 AND CASE $4
			WHEN 'pending' THEN NOT e.delivered AND NOT e.error AND NOT e.archived
			WHEN 'processed' THEN (e.delivered OR e.error) AND NOT e.archived
			WHEN 'delivered' THEN e.delivered AND NOT e.archived
			WHEN 'failed' THEN e.error AND NOT e.delivered AND NOT e.archived
			ELSE true END
		ORDER BY e.created_at DESC, e.sequence DESC LIMIT $2::bigint OFFSET $3::bigint) AS page`
	eventInvocationsSQL = `SELECT coalesce(json_agg(page.invocation), '[]') FROM (SELECT ` + invocationSQL + ` AS invocation
		FROM engine_catalog.event_invocation_logs i WHERE i.trigger_name = $1
		ORDER BY i.created_at DESC, i.id LIMIT $2::bigint OFFSET $3::bigint) AS page`
	eventByIDSQL = `SELECT json_build_object('event', ` + eventSQL + `, 'invocations',
		(SELECT coalesce(json_agg(page.invocation), '[]') FROM (SELECT ` + invocationSQL + ` AS invocation
		FROM engine_catalog.event_invocation_logs i WHERE i.event_id = e.id
		ORDER BY i.created_at DESC, i.id LIMIT $2::bigint OFFSET $3::bigint) AS page))
		FROM engine_catalog.event_log e WHERE e.id = $1`

	countInvocationsSQL = `SELECT floor(extract(epoch FROM i.created_at - $2::timestamp) / $4::bigint)::bigint,
		count(*) FILTER (WHERE i.status BETWEEN 200 AND 299), count(*) FILTER (WHERE i.status BETWEEN 200 AND 299 IS NOT TRUE)
		FROM engine_catalog.event_invocation_logs i
		WHERE i.trigger_name = $1 AND i.created_at >= $2::timestamp AND i.created_at < $3::timestamp GROUP BY 1 ORDER BY 1`

	backlogsSQL = `SELECT e.trigger_name, count(*) FILTER (WHERE e.locked IS NULL), count(e.locked),
		(extract(epoch FROM min(e.created_at)) * 1000000)::bigint
		FROM (SELECT trigger_name, locked, created_at FROM engine_catalog.event_log
			WHERE NOT delivered AND NOT error AND NOT archived LIMIT $1::bigint) AS e GROUP BY 1 ORDER BY 1`
)

func intText(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// Events of a trigger, the newest first.
func (l *Log) Events(ctx context.Context, q backend.EventQuery) (json.RawMessage, error) {
	return l.readLog(ctx, `[]`, eventsSQL, []byte(q.Trigger), intText(q.Limit), intText(q.Offset), []byte(q.Status))
}

// EventInvocations of a trigger, the newest first.
func (l *Log) EventInvocations(ctx context.Context, q backend.EventQuery) (json.RawMessage, error) {
	return l.readLog(ctx, `[]`, eventInvocationsSQL, []byte(q.Trigger), intText(q.Limit), intText(q.Offset))
}

// EventByID is an event with its invocations.
func (l *Log) EventByID(ctx context.Context, id string, limit, offset int) (json.RawMessage, error) {
	found, err := l.readLog(ctx, "", eventByIDSQL, []byte(id), intText(limit), intText(offset))
	if err == nil && len(found) == 0 {
		return nil, apierror.Newf(apierror.NotExists, "event id %s does not exist", id)
	}
	return found, err
}

// CountEventInvocations counts the invocations of a trigger by intervals.
func (l *Log) CountEventInvocations(ctx context.Context, q backend.InvocationCountQuery) ([]backend.InvocationCount, error) {
	const layout = "2006-01-02 15:04:05.999999"
	var counts []backend.InvocationCount
	args := [][]byte{
		[]byte(q.Trigger), q.From.UTC().AppendFormat(nil, layout), q.To.UTC().AppendFormat(nil, layout), intText(q.Interval),
	}
	err := l.pool.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		if exists, err := hasEventCatalog(ctx, pg); err != nil || !exists {
			return err
		}
		return eachRow(ctx, pg, countInvocationsSQL, args, func(row [][]byte) error {
			var n [3]int64
			for i := range n {
				var err error
				if n[i], err = strconv.ParseInt(string(row[i]), 10, 64); err != nil {
					return err
				}
			}
			counts = append(counts, backend.InvocationCount{Interval: int(n[0]), Succeeded: n[1], Failed: n[2]})
			return nil
		})
	})
	return counts, err
}

// EventBacklogs are what each trigger has still to deliver.
func (l *Log) EventBacklogs(ctx context.Context) ([]backend.EventBacklog, error) {
	var list []backend.EventBacklog
	err := l.pool.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		if exists, err := hasEventCatalog(ctx, pg); err != nil || !exists {
			return err
		}
		return eachRow(ctx, pg, backlogsSQL, [][]byte{intText(backend.MaxBacklog)}, func(row [][]byte) error {
			var n [3]int64
			for i := range n {
				var err error
				if n[i], err = strconv.ParseInt(string(row[i+1]), 10, 64); err != nil {
					return err
				}
			}
			list = append(list, backend.EventBacklog{Trigger: string(row[0]), Pending: n[0], InFlight: n[1], Oldest: time.UnixMicro(n[2]).UTC()})
			return nil
		})
	})
	return list, err
}

// readLog runs a statement that gives one JSON; without a log there is only what none gives.
func (l *Log) readLog(ctx context.Context, none, sql string, args ...[]byte) (json.RawMessage, error) {
	answer := none
	err := l.pool.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		exists, err := hasEventCatalog(ctx, pg)
		if err == nil && exists {
			answer, err = oneValue(ctx, pg, sql, args...)
		}
		return err
	})
	return json.RawMessage(answer), err
}
