package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// PublishBatch is how many events of a kind are published at once.
const PublishBatch = 500

// Tables of events. Both have the columns that are used here.
const (
	cronTable   = "engine_catalog.engine_cron_events"
	oneOffTable = "engine_catalog.engine_scheduled_events"
)

// lockLimit is when a locked event is published again, whatever happened to it: a worker may take half
// an hour for one attempt.
const lockLimit = 35 * time.Minute

// Republish frees the events that are locked but were published to another stream than this
// one, which was lost then with all that it held, or that are locked for too long.
func (s *Store) Republish(ctx context.Context, stream string) error {
	return s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var before string
		err := tx.QueryRow(ctx, `SELECT stream FROM engine_catalog.scheduler_lease WHERE holder = $1 FOR UPDATE`, s.holder).Scan(&before)
		if err != nil {
			return err
		}
		limit := lockLimit
		if before != stream {
			limit = 0
		}
		for _, table := range []string{cronTable, oneOffTable} {
			_, err := tx.Exec(ctx, `UPDATE `+table+` SET status = 'scheduled', locked_at = NULL
				WHERE status = 'locked' AND locked_at <= now() - $1::interval`, limit)
			if err != nil {
				return err
			}
		}
		if before == stream {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE engine_catalog.scheduler_lease SET stream = $1 WHERE holder = $2`, stream, s.holder)
		return err
	})
}

// due are the conditions of an event that is to be delivered, and the order in which events are taken.
// Rows locked by another process are skipped.
const due = `status = 'scheduled' AND coalesce(next_retry_at, scheduled_time) <= $1`

const taken = ` ORDER BY coalesce(next_retry_at, scheduled_time) LIMIT $2 FOR UPDATE SKIP LOCKED`

const (
	dueCronSQL = `SELECT id, trigger_name, tries, next_retry_at, json_build_object('scheduled_time', scheduled_time, 'next_retry_at', next_retry_at)
		FROM ` + cronTable + ` WHERE ` + due + ` AND trigger_name = ANY ($3)` + taken
	dueOneOffSQL = `SELECT id, '', tries, next_retry_at, row_to_json(e) FROM ` + oneOffTable + ` e WHERE ` + due + taken
)

// Publish publishes the events of the document of that version that are due at now, at most PublishBatch of each kind, and
// returns how many there were of the larger one. An event is published before it is marked
// as locked: when the mark is lost, it is published again under the same id.
func (s *Store) Publish(
	ctx context.Context, doc *metadata.Document, version int64, now time.Time,
	publish func(context.Context, []bus.Outgoing) error,
) (int, error) {
	names := make([]string, 0, len(doc.CronTriggers))
	for _, raw := range doc.CronTriggers {
		if metadata.Key(raw, "paused") != "true" {
			names = append(names, metadata.Key(raw, "name"))
		}
	}
	most := 0
	for _, kind := range []struct {
		kind       deliveryv1.Kind
		table, sql string
		arguments  []any
	}{
		{deliveryv1.Kind_KIND_CRON, cronTable, dueCronSQL, []any{now, PublishBatch, names}},
		{deliveryv1.Kind_KIND_ONE_OFF, oneOffTable, dueOneOffSQL, []any{now, PublishBatch}},
	} {
		err := s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
			list, err := outgoing(ctx, tx, kind.kind, kind.sql, kind.arguments)
			if err != nil || len(list) == 0 {
				return err
			}
			most = max(most, len(list))
			for _, o := range list {
				o.Delivery.MetadataVersion = version
			}
			if err := publish(ctx, list); err != nil {
				return err
			}
			ids := make([]string, len(list))
			for i, o := range list {
				ids[i] = o.Delivery.GetEventId()
			}
			_, err = tx.Exec(ctx, `UPDATE `+kind.table+` SET status = 'locked', locked_at = now() WHERE id = ANY ($1)`, ids)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return most, nil
}

func outgoing(ctx context.Context, tx pgx.Tx, kind deliveryv1.Kind, sql string, arguments []any) ([]bus.Outgoing, error) {
	rows, err := tx.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (bus.Outgoing, error) {
		d := &deliveryv1.Delivery{Kind: kind}
		var retry *time.Time
		var event json.RawMessage
		err := row.Scan(&d.EventId, &d.Trigger, &d.Tries, &retry, &event)
		d.Event = event
		return bus.Outgoing{ID: attemptID(d, retry), Delivery: d}, err
	})
}

// attemptID names one attempt. What was released for later has another time to be tried at.
func attemptID(d *deliveryv1.Delivery, retry *time.Time) string {
	at := int64(0)
	if retry != nil {
		at = retry.UnixMicro()
	}
	return fmt.Sprintf("%s:%d:%d", d.GetEventId(), d.GetTries(), at)
}
