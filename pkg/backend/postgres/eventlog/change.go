package eventlog

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/session"
)

const (
	archiveEventsSQL = `UPDATE engine_catalog.event_log SET archived = true
		WHERE trigger_name = ANY ($1::text[]) AND NOT archived`
	unplanCleanupsSQL = `DELETE FROM engine_catalog.engine_event_log_cleanups
		WHERE trigger_name = ANY ($1::text[]) AND status = 'scheduled'`
	installedEventsSQL = `SELECT name, count(*) FROM unnest($1::text[]) AS name
		JOIN pg_catalog.pg_proc p ON p.proname IN
			('notify_engine_' || name || '_INSERT', 'notify_engine_' || name || '_UPDATE', 'notify_engine_' || name || '_DELETE')
		JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'engine_catalog'
		GROUP BY name`
)

// ChangeEventTriggers does all of the changes or none of them.
func (l *Log) ChangeEventTriggers(ctx context.Context, c backend.EventTriggerChanges) error {
	change := func() error {
		return l.inTransaction(ctx, func(pg *pgconn.PgConn) error { return l.Change(ctx, pg, c) })
	}
	if viaLog(c.Install) {
		return l.withSlot(ctx, change)
	}
	if err := change(); err != nil || len(c.Drop) == 0 {
		return err
	}
	return l.dropIdleSlot(ctx)
}

// Change is ChangeEventTriggers in the open transaction of a connection.
func (l *Log) Change(ctx context.Context, pg *pgconn.PgConn, c backend.EventTriggerChanges) error {
	if c.Empty() {
		return nil
	}
	if len(c.Install) > 0 {
		if err := prepareEventCatalog(ctx, pg); err != nil {
			return err
		}
	} else if version, err := eventCatalogVersion(ctx, pg); err != nil || version == 0 {
		return err
	}
	var statements, ended []string
	for _, name := range slices.Concat(c.Drop, c.Remake) {
		for _, op := range rowOperations {
			statements = append(statements, dropEventFunction(name, op))
		}
	}
	for _, name := range c.Drop {
		statements = append(statements, dropLogFunction(name))
	}
	for _, name := range c.Remake {
		if !slices.ContainsFunc(c.Install, func(t backend.EventTrigger) bool { return t.Name == name }) {
			ended = append(ended, name)
		}
	}
	for i := range c.Install {
		t := &c.Install[i]
		if !t.ViaLog {
			ended = append(ended, t.Name)
			statements = append(statements, eventTriggerSQL(l.types, t, c.StringifyNumeric)...)
			continue
		}
		made, err := l.logTrigger(ctx, pg, t, c.StringifyNumeric)
		if err != nil {
			return err
		}
		statements = append(statements, made...)
	}
	sql := strings.Join(statements, ";\n")
	if err := pg.Exec(ctx, sql).Close(); err != nil {
		return wire.RawError(ctx, err, sql) // the database's objections to a trigger are for the user
	}
	if err := endLogs(ctx, pg, ended, c.Drop); err != nil {
		return err
	}
	if len(c.Drop) > 0 {
		if _, err := oneValue(ctx, pg, archiveEventsSQL, textArray(c.Drop)); err != nil {
			return err
		}
	}
	if gone := slices.Concat(c.Drop, c.Replan); len(gone) > 0 {
		_, err := oneValue(ctx, pg, unplanCleanupsSQL, textArray(gone))
		return err
	}
	return nil
}

// textArray is the text form of an array of texts.
func textArray(list []string) []byte {
	values := make([][]byte, len(list))
	for i, s := range list {
		values[i] = []byte(s)
	}
	return quote.Array(values)
}

// InstalledEventTriggers are those of the names that have a function, with how many they have.
func (l *Log) InstalledEventTriggers(ctx context.Context, names []string) (map[string]int, error) {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	installed := map[string]int{}
	count := func(row [][]byte) error {
		installed[string(row[0])] += int(intOf(row[1]))
		return nil
	}
	if err := eachRow(ctx, c.PG, installedEventsSQL, [][]byte{textArray(names)}, count); err != nil {
		return nil, err
	}
	if version, err := eventCatalogVersion(ctx, c.PG); err != nil || version < logVersion {
		return installed, err
	}
	return installed, eachRow(ctx, c.PG, installedLogSQL, [][]byte{textArray(names)}, count)
}

const invokeEventSQL = `SELECT engine_catalog.insert_event_log($1, $2, $3, 'MANUAL', json_build_object('old', NULL, 'new', $4::json))`

// InvokeEventTrigger writes an event that no row has made.
func (l *Log) InvokeEventTrigger(ctx context.Context, e backend.ManualEvent) (id string, err error) {
	err = l.inTransaction(ctx, func(pg *pgconn.PgConn) error {
		if err := prepareEventCatalog(ctx, pg); err != nil { // a trigger that is only manual has installed nothing
			return err
		}
		if err := announceTo(ctx, pg, e.Session); err != nil {
			return err
		}
		var err error
		id, err = oneValue(ctx, pg, invokeEventSQL, []byte(e.Table.Schema), []byte(e.Table.Name), []byte(e.Trigger), e.Payload)
		return err
	})
	return id, err
}

func announceTo(ctx context.Context, pg *pgconn.PgConn, user *session.Session) error {
	c, ok := wire.Announce(ctx, user, true)
	if !ok {
		return nil
	}
	_, err := oneValue(ctx, pg, c.SQL, c.Values...)
	return err
}

const (
	lockEventSQL = `SELECT coalesce(locked > now() - $2::interval, false) FROM engine_catalog.event_log WHERE id = $1 FOR UPDATE`
	// The time of a retry distinguishes redelivered events from new ones.
	redeliverSQL = `UPDATE engine_catalog.event_log SET delivered = false, error = false, tries = 0,
		next_retry_at = now() AT TIME ZONE 'UTC' WHERE id = $1`
	notifySQL = `SELECT pg_catalog.pg_notify('` + eventsChannel + `', '')`
)

// RedeliverEvent makes an event as if it had never been tried.
func (l *Log) RedeliverEvent(ctx context.Context, id string) error {
	return l.inTransaction(ctx, func(pg *pgconn.PgConn) error {
		exists, err := hasEventCatalog(ctx, pg)
		if err != nil {
			return err
		}
		busy := ""
		if exists {
			if busy, err = oneValue(ctx, pg, lockEventSQL, []byte(id), leaseText()); err != nil {
				return err
			}
		}
		switch busy {
		case "":
			return apierror.New(apierror.NotExists, "event not found")
		case "t":
			return apierror.New(apierror.Busy, "event is already being processed")
		}
		if _, err := oneValue(ctx, pg, redeliverSQL, []byte(id)); err != nil {
			return err
		}
		_, err = oneValue(ctx, pg, notifySQL)
		return err
	})
}

func leaseText() []byte { return []byte(backend.EventLease.String()) }
