package eventlog

import (
	"context"
	_ "embed"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/wire"
)

// The steps lead from one version of the event log to the next: the first one makes it. Each is
// compatible with servers of the version before: they go on to take and to record events, and refuse to
// change triggers.
var (
	//go:embed 1_event_log.sql
	eventCatalog1 string
	//go:embed 2_event_bell.sql
	eventCatalog2 string
	//go:embed 3_cleanup_lease.sql
	eventCatalog3 string
	//go:embed 4_log_trigger.sql
	eventCatalog4 string
	//go:embed 5_changed_tables.sql
	eventCatalog5 string
	//go:embed 6_event_values.sql
	eventCatalog6 string
	//go:embed 7_event_size.sql
	eventCatalog7 string
	eventCatalog  = []string{eventCatalog1, eventCatalog2, eventCatalog3, eventCatalog4, eventCatalog5, eventCatalog6, eventCatalog7}
)

// eventCatalogLock is the advisory lock of those that bring the log up to date; the number has
// no meaning.
const eventCatalogLock = 7_402_311_900_101

// eventCatalogVersionSQL is the version of the log, no row where there is none.
const (
	hasEventCatalogSQL     = `SELECT to_regclass('engine_catalog.engine_source_catalog_version') IS NOT NULL`
	eventCatalogVersionSQL = `SELECT version FROM engine_catalog.engine_source_catalog_version`
)

// hasEventCatalog reports whether the database has a log of events.
func hasEventCatalog(ctx context.Context, pg *pgconn.PgConn) (bool, error) {
	value, err := oneValue(ctx, pg, hasEventCatalogSQL)
	return value == "t", err
}

// prepareEventCatalog makes the log, or brings it up to date, in the open transaction. Who does
// it at once waits.
func prepareEventCatalog(ctx context.Context, pg *pgconn.PgConn) error {
	if _, err := oneValue(ctx, pg, `SELECT pg_advisory_xact_lock(`+strconv.Itoa(eventCatalogLock)+`)`); err != nil {
		return err
	}
	current, err := eventCatalogVersion(ctx, pg)
	if err != nil || current == len(eventCatalog) {
		return err
	}
	if current > len(eventCatalog) {
		return apierror.Newf(apierror.NotSupported, "the event log of the source has version \"%d\", this server knows up to version %d",
			current, len(eventCatalog))
	}
	for _, sql := range eventCatalog[current:] {
		if err := run(ctx, pg, sql); err != nil {
			return err
		}
	}
	return run(ctx, pg, `INSERT INTO engine_catalog.engine_source_catalog_version (version, upgraded_on)
		VALUES ('`+strconv.Itoa(len(eventCatalog))+`', now())
		ON CONFLICT ((version IS NOT NULL)) DO UPDATE SET version = excluded.version, upgraded_on = excluded.upgraded_on`)
}

// eventCatalogVersion is the version of the log, 0 for none.
func eventCatalogVersion(ctx context.Context, pg *pgconn.PgConn) (int, error) {
	exists, err := hasEventCatalog(ctx, pg)
	if err != nil || !exists {
		return 0, err
	}
	text, err := oneValue(ctx, pg, eventCatalogVersionSQL)
	if err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(text)
	if err != nil {
		return 0, apierror.Newf(apierror.NotSupported, "the event log of the source has no version that this server knows: %q", text)
	}
	return version, nil
}

// EventLogOutdated reports whether the log was made by an older server.
func (l *Log) EventLogOutdated(ctx context.Context) (bool, error) {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer c.Release()
	version, err := eventCatalogVersion(ctx, c.PG)
	return version > 0 && version < len(eventCatalog), err
}

// run runs statements without parameters.
func run(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	return wire.InternalError(ctx, pg.Exec(ctx, sql).Close(), wire.Executed{SQL: sql})
}

// oneValue is the first value that a statement gives, "" for none or NULL.
func oneValue(ctx context.Context, pg *pgconn.PgConn, sql string, args ...[]byte) (value string, err error) {
	err = eachRow(ctx, pg, sql, args, func(row [][]byte) error {
		value = string(row[0])
		return nil
	})
	return value, err
}

// eachRow runs a statement and calls f for its rows, in text form and valid during the call.
func eachRow(ctx context.Context, pg *pgconn.PgConn, sql string, args [][]byte, f func(row [][]byte) error) error {
	reader := pg.ExecParams(ctx, sql, args, nil, nil, nil)
	for reader.NextRow() {
		if err := f(reader.Values()); err != nil {
			_, _ = reader.Close()
			return err
		}
	}
	_, err := reader.Close()
	return wire.InternalError(ctx, err, wire.Executed{SQL: sql, Args: args})
}

// inTransaction calls f in a transaction of the primary that reads committed data.
func (l *Log) inTransaction(ctx context.Context, f func(*pgconn.PgConn) error) error {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release() // closes the connection when the transaction is still open
	if err := run(ctx, c.PG, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); err != nil {
		return err
	}
	if err := f(c.PG); err != nil {
		rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), wire.RollbackGrace)
		defer cancel()
		_ = c.PG.Exec(rollback, "ROLLBACK").Close()
		return err
	}
	return run(ctx, c.PG, wire.Commit)
}
