package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

const addScheduledSQL = `INSERT INTO engine_catalog.engine_scheduled_events
	(webhook_conf, scheduled_time, retry_conf, payload, header_conf, comment, request_transform, response_transform)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`

// AddScheduled stores a one-off event and returns its id.
func (s *Store) AddScheduled(ctx context.Context, e *metadata.CreateScheduledEvent) (id string, err error) {
	var values [3]json.RawMessage
	for i, v := range []any{e.Webhook, e.Retry.WithDefaults(), append([]metadata.Header{}, e.Headers...)} {
		if values[i], err = metadata.Encode(v); err != nil {
			return "", err
		}
	}
	err = s.pool.QueryRow(ctx, addScheduledSQL, values[0], e.At.Time, values[1], nullable(e.Payload), values[2],
		e.Comment, nullable(e.RequestTransform), nullable(e.ResponseTransform)).Scan(&id)
	return id, failure(err)
}

// nullable is SQL's NULL for JSON that isn't there.
func nullable(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// scheduledTables are the tables of one kind of events.
type scheduledTables struct{ events, invocations string }

func tablesOf(t metadata.ScheduledType) scheduledTables {
	if t == metadata.ScheduledCron {
		return scheduledTables{"engine_catalog.engine_cron_events", "engine_catalog.engine_cron_event_invocation_logs"}
	}
	return scheduledTables{"engine_catalog.engine_scheduled_events", "engine_catalog.engine_scheduled_event_invocation_logs"}
}

// DeleteScheduled removes an event with its invocations. One that isn't there is no error.
func (s *Store) DeleteScheduled(ctx context.Context, a *metadata.DeleteScheduledEvent) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM `+tablesOf(a.Type).events+` WHERE id = $1`, a.ID)
	return failure(err)
}

// CronEvent is an event of a cron trigger, as the API shows it.
type CronEvent struct {
	ID            string     `json:"id"`
	Trigger       string     `json:"trigger_name"`
	ScheduledTime time.Time  `json:"scheduled_time"`
	Status        string     `json:"status"`
	Tries         int        `json:"tries"`
	CreatedAt     time.Time  `json:"created_at"`
	NextRetryAt   *time.Time `json:"next_retry_at"`
}

// OneOffEvent is a one-off event, as the API shows it.
type OneOffEvent struct {
	ID                string          `json:"id"`
	Webhook           json.RawMessage `json:"webhook_conf"`
	ScheduledTime     time.Time       `json:"scheduled_time"`
	Retry             json.RawMessage `json:"retry_conf"`
	Payload           json.RawMessage `json:"payload"`
	Headers           json.RawMessage `json:"header_conf"`
	Status            string          `json:"status"`
	Tries             int             `json:"tries"`
	CreatedAt         time.Time       `json:"created_at"`
	NextRetryAt       *time.Time      `json:"next_retry_at"`
	Comment           *string         `json:"comment"`
	RequestTransform  json.RawMessage `json:"request_transform"`
	ResponseTransform json.RawMessage `json:"response_transform"`
}

// Invocation is one call of a webhook, as the API shows it.
type Invocation struct {
	ID        string          `json:"id"`
	EventID   string          `json:"event_id"`
	Status    *int            `json:"status"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
	CreatedAt time.Time       `json:"created_at"`
}

const (
	cronColumns   = "e.id, e.trigger_name, e.scheduled_time, e.status, e.tries, e.created_at, e.next_retry_at"
	oneOffColumns = "e.id, e.webhook_conf, e.scheduled_time, e.retry_conf, e.payload, e.header_conf, e.status, e.tries, " +
		"e.created_at, e.next_retry_at, e.comment, e.request_transform, e.response_transform"
	invocationColumns = "i.id, i.event_id, i.status, i.request, i.response, i.created_at"
)

// ScheduledEvents reads the events that are requested: a []CronEvent or []OneOffEvent. The
// count is -1 where it isn't asked for.
func (s *Store) ScheduledEvents(ctx context.Context, a *metadata.GetScheduledEvents) (events any, count int, err error) {
	l := listing{from: tablesOf(a.Type).events + " e", page: a.Page, order: orderOf(a)}
	if a.Type == metadata.ScheduledCron {
		l.filter("e.trigger_name = ", *a.Trigger)
		l.states(a.Status)
		return list[CronEvent](ctx, s, cronColumns, &l)
	}
	l.states(a.Status)
	return list[OneOffEvent](ctx, s, oneOffColumns, &l)
}

// orderOf spells the order in SQL; the words were checked when they were read.
func orderOf(a *metadata.GetScheduledEvents) string {
	var keys []string
	for _, o := range a.OrderBy {
		if o.Column == "trigger_name" && a.Type != metadata.ScheduledCron {
			continue // one-off events have none
		}
		key := "e." + o.Column
		if o.Type != nil {
			key += " " + *o.Type
		}
		if o.Nulls != nil {
			key += " nulls " + *o.Nulls
		}
		keys = append(keys, key)
	}
	return strings.Join(append(keys, "e.scheduled_time", "e.id"), ", ")
}

// ScheduledInvocations reads the invocations that are requested, the newest first.
func (s *Store) ScheduledInvocations(
	ctx context.Context, a *metadata.GetScheduledEventInvocations,
) (invocations any, count int, err error) {
	tables := tablesOf(a.Type)
	l := listing{
		from: tables.invocations + " i JOIN " + tables.events + " e ON e.id = i.event_id",
		page: a.Page, order: "i.created_at DESC, i.id",
	}
	if a.EventID != nil {
		l.filter("i.event_id = ", *a.EventID)
	}
	if a.Trigger != nil && a.Type == metadata.ScheduledCron {
		l.filter("e.trigger_name = ", *a.Trigger)
	}
	l.states(a.Status)
	return list[Invocation](ctx, s, invocationColumns, &l)
}

// CountScheduledInvocations counts invocations by intervals of a period.
func (s *Store) CountScheduledInvocations(
	ctx context.Context, a *metadata.CountScheduledEventInvocations,
) ([]backend.InvocationCount, error) {
	tables := tablesOf(a.Type)
	arguments := []any{a.From.Time, a.To.Time, a.Interval}
	ofTrigger := ""
	if a.Type == metadata.ScheduledCron {
		arguments = append(arguments, *a.Trigger)
		ofTrigger = " AND e.trigger_name = $4"
	}
	found, err := s.pool.Query(ctx, `SELECT floor(extract(epoch FROM i.created_at - $1::timestamptz) / $3::bigint)::bigint,
		count(*) FILTER (WHERE i.status BETWEEN 200 AND 299), count(*) FILTER (WHERE i.status BETWEEN 200 AND 299 IS NOT TRUE)
		FROM `+tables.invocations+` i JOIN `+tables.events+` e ON e.id = i.event_id
		WHERE i.created_at >= $1::timestamptz AND i.created_at < $2::timestamptz`+ofTrigger+` GROUP BY 1 ORDER BY 1`, arguments...)
	if err != nil {
		return nil, failure(err)
	}
	counts, err := pgx.CollectRows(found, pgx.RowToStructByPos[backend.InvocationCount])
	return counts, failure(err)
}

// ScheduledBacklog is what of a kind of scheduled events is due and hasn't ended; Oldest is when the first of them was due.
type ScheduledBacklog struct {
	Paused            bool
	Pending, InFlight int64
	Oldest            time.Time
}

// ScheduledBacklogs count the events of a kind that are due, those of paused triggers apart.
func (s *Store) ScheduledBacklogs(ctx context.Context, kind metadata.ScheduledType, paused []string) ([]ScheduledBacklog, error) {
	trigger := "NULL::text"
	if kind == metadata.ScheduledCron {
		trigger = "trigger_name"
	}
	found, err := s.pool.Query(ctx, `SELECT coalesce(e.trigger = ANY ($2::text[]), false), count(*) FILTER (WHERE e.status = 'scheduled'), count(*) FILTER (WHERE e.status = 'locked'), min(e.due)
		FROM ((SELECT `+trigger+` AS trigger, status, coalesce(next_retry_at, scheduled_time) AS due FROM `+tablesOf(kind).events+`
				WHERE status = 'scheduled' AND coalesce(next_retry_at, scheduled_time) <= now() LIMIT $1)
			UNION ALL (SELECT `+trigger+`, status, scheduled_time FROM `+tablesOf(kind).events+` WHERE status = 'locked' LIMIT $1)) AS e
		GROUP BY 1 ORDER BY 1`, backend.MaxBacklog, paused)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(found, pgx.RowToStructByPos[ScheduledBacklog])
	return list, failure(err)
}

// PlannedEvents counts the events of a cron trigger that have no end yet.
type PlannedEvents struct {
	Trigger string
	Count   int64
}

// PlannedCronEvents count the events of triggers that have no end yet, of those that have any.
func (s *Store) PlannedCronEvents(ctx context.Context, triggers []string) ([]PlannedEvents, error) {
	found, err := s.pool.Query(ctx, `SELECT trigger_name, count(*) FROM engine_catalog.engine_cron_events
		WHERE trigger_name = ANY ($1::text[]) AND status IN ('scheduled', 'locked') GROUP BY 1 ORDER BY 1`, triggers)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(found, pgx.RowToStructByPos[PlannedEvents])
	return list, failure(err)
}

// listing is a part of a table, in an order.
type listing struct {
	from, order string
	conditions  []string
	arguments   []any
	page        metadata.Page
}

// filter adds a condition that ends in a value.
func (l *listing) filter(condition string, value any) {
	l.arguments = append(l.arguments, value)
	l.conditions = append(l.conditions, fmt.Sprintf("%s$%d", condition, len(l.arguments)))
}

func (l *listing) states(states []string) {
	if len(states) > 0 {
		l.arguments = append(l.arguments, states)
		l.conditions = append(l.conditions, fmt.Sprintf("e.status = ANY ($%d::text[])", len(l.arguments)))
	}
}

func list[T any](ctx context.Context, s *Store, columns string, l *listing) (rows []T, count int, err error) {
	from := " FROM " + l.from
	if len(l.conditions) > 0 {
		from += " WHERE " + strings.Join(l.conditions, " AND ")
	}
	count = -1
	if l.page.Count {
		if err := s.pool.QueryRow(ctx, "SELECT count(*)"+from, l.arguments...).Scan(&count); err != nil {
			return nil, 0, failure(err)
		}
	}
	sql := "SELECT " + columns + from + " ORDER BY " + l.order
	if l.page.Limit != nil {
		sql += fmt.Sprintf(" LIMIT %d", *l.page.Limit)
	}
	if l.page.Offset != nil {
		sql += fmt.Sprintf(" OFFSET %d", *l.page.Offset)
	}
	found, err := s.pool.Query(ctx, sql, l.arguments...)
	if err != nil {
		return nil, 0, failure(err)
	}
	rows, err = pgx.CollectRows(found, pgx.RowToStructByPos[T])
	return rows, count, failure(err)
}
