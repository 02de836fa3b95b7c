package eventlog

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/wire"
)

// slotLock is the advisory lock of those that make or drop the slot: shared while triggers are installed
// that need it, exclusive to drop it. The number has no meaning.
const slotLock = 7_402_311_900_104

const (
	// slotWithin bounds making a slot, which waits for the transactions that run.
	slotWithin = "60s"
	// dropWithin bounds the attempts to drop a slot that is being read.
	dropWithin = 5 * time.Second
	dropEvery  = 100 * time.Millisecond
)

const (
	// SlotSQL is the name of the slot as an expression: a server has the slots of all its databases in common.
	SlotSQL = `(SELECT 'engine_events_' || oid FROM pg_catalog.pg_database WHERE datname = current_database())`

	createPublicationSQL = `DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = '` + Publication + `') THEN
		CREATE PUBLICATION ` + Publication + ` FOR TABLE engine_catalog.log_trigger
			WITH (publish = 'insert, update, delete', publish_via_partition_root = true);
	END IF; END $$`
	// readableSQL reports whether there is a slot with a position in it, and the log from there on.
	readableSQL = `SELECT FROM engine_catalog.log_position p JOIN pg_catalog.pg_replication_slots s ON s.slot_name = p.slot
		WHERE p.slot = ` + SlotSQL + ` AND s.wal_status IS DISTINCT FROM 'lost'`
	dropSlotSQL = `SELECT pg_drop_replication_slot(slot_name) FROM pg_catalog.pg_replication_slots WHERE slot_name = ` + SlotSQL
	// createSlotSQL makes the slot; standby servers get it where they can.
	createSlotSQL = `SELECT lsn FROM pg_create_logical_replication_slot(` + SlotSQL + `, 'pgoutput')`
	failoverSQL   = `SELECT lsn FROM pg_create_logical_replication_slot(` + SlotSQL + `, 'pgoutput', failover => true)`
	// failoverVersion is the first version of the server that has that.
	failoverVersion = 170_000
	// beginSQL begins at a new slot, before which all triggers were installed that are now.
	beginSQL = `WITH seen AS (UPDATE engine_catalog.log_trigger SET seen = true WHERE NOT seen)
		INSERT INTO engine_catalog.log_position (slot, lsn) VALUES (` + SlotSQL + `, $1)
		ON CONFLICT ((slot IS NOT NULL)) DO UPDATE SET slot = excluded.slot, lsn = excluded.lsn`
	// idleSQL reports whether no trigger needs what is in the log.
	idleSQL = `SELECT (NOT EXISTS (SELECT FROM ` + lastSQL + ` WHERE relation IS NOT NULL OR NOT seen AND NOT archive))::text`
	// stopReaderSQL ends the reader of the slot, if there is one.
	stopReaderSQL = `SELECT pg_terminate_backend(active_pid) FROM pg_catalog.pg_replication_slots
		WHERE slot_name = ` + SlotSQL + ` AND active_pid IS NOT NULL`
)

// errNotIdle reports that a slot is needed.
var errNotIdle = errors.New("the slot is in use")

// withSlot calls f while there is a slot that can't be dropped.
func (l *Log) withSlot(ctx context.Context, f func() error) error {
	pg, err := l.pool.DialQuiet(ctx)
	if err != nil {
		return err
	}
	defer closeQuietly(ctx, pg) // and give up the lock
	if _, err := oneValue(ctx, pg, `SELECT pg_advisory_lock_shared($1)`, intText(slotLock)); err != nil {
		return err
	}
	if err := run(ctx, pg, "BEGIN"); err != nil {
		return err
	}
	if err := prepareEventCatalog(ctx, pg); err != nil {
		return err
	}
	// The publication comes first: a slot from before it could never be read with it.
	if err := runForUser(ctx, pg, createPublicationSQL); err != nil {
		return err
	}
	if err := run(ctx, pg, wire.Commit); err != nil {
		return err
	}
	readable, err := hasRow(ctx, pg, readableSQL)
	if err != nil {
		return err
	}
	if !readable {
		if _, err := createSlot(ctx, pg); err != nil {
			return err
		}
	}
	return f()
}

// createSlot makes the slot again, and begins to read there. It needs the slotLock.
func createSlot(ctx context.Context, pg *pgconn.PgConn) (at pgoutput.LSN, err error) {
	if err := runForUser(ctx, pg, dropSlotSQL); err != nil {
		return 0, err
	}
	version, err := oneValue(ctx, pg, `SELECT current_setting('server_version_num')`)
	if err != nil {
		return 0, err
	}
	create := createSlotSQL
	if intOf([]byte(version)) >= failoverVersion {
		create = failoverSQL
	}
	if err := run(ctx, pg, "BEGIN; SET LOCAL statement_timeout = '"+slotWithin+"'"); err != nil {
		return 0, err
	}
	r := pg.ExecParams(ctx, create, nil, nil, nil, nil).Read()
	if r.Err != nil {
		_ = run(ctx, pg, "ROLLBACK")
		if e := (*pgconn.PgError)(nil); errors.As(r.Err, &e) && ctx.Err() == nil {
			return 0, apierror.Newf(apierror.NotSupported, "the log of the database can't be read for event triggers: %s", e.Message)
		}
		return 0, wire.InternalError(ctx, r.Err, wire.Executed{SQL: create})
	}
	if err := run(ctx, pg, wire.Commit); err != nil {
		return 0, err
	}
	if at, err = pgoutput.ParseLSN(string(r.Rows[0][0])); err != nil {
		return 0, err
	}
	_, err = oneValue(ctx, pg, beginSQL, []byte(at.String()))
	return at, err
}

// RenewSlot makes the slot again whose log is gone, and returns where the changes end that were missed.
func RenewSlot(ctx context.Context, pg *pgconn.PgConn) (at pgoutput.LSN, err error) {
	err = locked(ctx, pg, func() error {
		if err := runForUser(ctx, pg, createPublicationSQL); err != nil {
			return err
		}
		at, err = createSlot(ctx, pg)
		return err
	})
	return at, err
}

// DropIdleSlot drops the slot when no trigger needs it, and reports whether it did. Who still reads
// with it is stopped.
func DropIdleSlot(ctx context.Context, pg *pgconn.PgConn) (dropped bool, err error) {
	within, cancel := context.WithTimeout(ctx, dropWithin)
	defer cancel()
	for {
		err := locked(ctx, pg, func() error { return dropIdle(ctx, pg) })
		if err == nil || errors.Is(err, errNotIdle) {
			return err == nil, nil
		}
		timer := time.NewTimer(dropEvery)
		select {
		case <-timer.C: // the server takes a moment to notice that it isn't read any more
		case <-within.Done():
			timer.Stop()
			return false, err
		}
	}
}

func dropIdle(ctx context.Context, pg *pgconn.PgConn) error {
	idle, err := oneValue(ctx, pg, idleSQL)
	if err != nil {
		return err
	}
	if idle != "true" {
		return errNotIdle
	}
	for _, sql := range []string{stopReaderSQL, dropSlotSQL} {
		if _, err := oneValue(ctx, pg, sql); err != nil {
			return err
		}
	}
	return run(ctx, pg, `DELETE FROM engine_catalog.log_position; DELETE FROM engine_catalog.log_trigger`)
}

// locked calls f with the slotLock.
func locked(ctx context.Context, pg *pgconn.PgConn, f func() error) error {
	if _, err := oneValue(ctx, pg, `SELECT pg_advisory_lock($1)`, intText(slotLock)); err != nil {
		return err
	}
	err := f()
	_, unlocking := oneValue(context.WithoutCancel(ctx), pg, `SELECT pg_advisory_unlock($1)`, intText(slotLock))
	return errors.Join(err, unlocking)
}

// dropIdleSlot is DropIdleSlot where triggers may be read from the log: the source may not be followed any
// more by who reads.
func (l *Log) dropIdleSlot(ctx context.Context) error {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if version, err := eventCatalogVersion(ctx, c.PG); err != nil || version < logVersion {
		return err
	}
	if there, err := hasRow(ctx, c.PG, `SELECT FROM engine_catalog.log_position`); err != nil || !there {
		return err
	}
	_, err = DropIdleSlot(ctx, c.PG)
	return err
}

func closeQuietly(ctx context.Context, pg *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = pg.Close(ctx) // the socket is closed in any case
}

// runForUser runs a statement whose objections are for the user.
func runForUser(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	return wire.RawError(ctx, pg.Exec(ctx, sql).Close(), sql)
}

func hasRow(ctx context.Context, pg *pgconn.PgConn, sql string) (bool, error) {
	found := false
	err := eachRow(ctx, pg, sql, nil, func([][]byte) error {
		found = true
		return nil
	})
	return found, err
}
