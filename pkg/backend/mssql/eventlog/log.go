// Package eventlog keeps the log of events of a source in SQL Server itself: its tables, the triggers
// that write the changes of rows to it, and what delivers them: taking events under leases, recording
// what became of them, and cleaning up.
//
// A trigger works on the rows of a statement at once. SQL Server can't call a process that waits, so
// events are found by asking.
package eventlog

import (
	"context"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// Runner runs statements. Parameters are texts, @p1 and so on; NULL for nil. Rows are the texts of their
// values, nil for NULL, and valid during the call.
type Runner interface {
	Run(ctx context.Context, text string, values [][]byte, f func(row [][]byte) error) error
}

// Database is where the log is. Statements that it runs are transactions of their own, which read
// committed data.
type Database interface {
	Runner
	InTransaction(ctx context.Context, f func(Runner) error) error
}

// Log is the log of events of one source.
type Log struct{ db Database }

// New is the log in a database.
func New(db Database) *Log { return &Log{db} }

// catalogVersion is the version of the tables, and of the texts of triggers.
const catalogVersion = 1

// catalogSQL makes the log, one batch after the other. Times are UTC. There are no filtered indexes:
// writers to the tables of users would need the settings of a session that these ask for.
var catalogSQL = []string{
	// Who writes rows has no rights here: the triggers write events as long as the schema has the owner of the table, which
	// dbo is as a rule.
	`IF SCHEMA_ID(N'engine_catalog') IS NULL
	BEGIN
		IF IS_MEMBER(N'db_owner') = 1 EXEC(N'CREATE SCHEMA engine_catalog AUTHORIZATION dbo')
		ELSE EXEC(N'CREATE SCHEMA engine_catalog')
	END`,
	`CREATE TABLE engine_catalog.event_log (
		id uniqueidentifier NOT NULL DEFAULT NEWID() PRIMARY KEY,
		schema_name nvarchar(128) NOT NULL,
		table_name nvarchar(128) NOT NULL,
		trigger_name nvarchar(128) NOT NULL,
		payload nvarchar(max) NOT NULL,
		delivered bit NOT NULL DEFAULT 0,
		error bit NOT NULL DEFAULT 0,
		tries int NOT NULL DEFAULT 0,
		created_at datetimeoffset(7) NOT NULL DEFAULT SYSUTCDATETIME(),
		locked datetimeoffset(7) NULL,
		next_retry_at datetimeoffset(7) NULL,
		archived bit NOT NULL DEFAULT 0,
		sequence bigint IDENTITY(1, 1) NOT NULL,
		order_key nvarchar(400) NULL
	)`,
	`CREATE INDEX event_log_trigger_name_idx ON engine_catalog.event_log (trigger_name, created_at)`,
	`CREATE INDEX event_log_fetch_events ON engine_catalog.event_log (trigger_name, delivered, error, archived, sequence)`,
	`CREATE TABLE engine_catalog.event_invocation_logs (
		id nvarchar(100) NOT NULL PRIMARY KEY,
		trigger_name nvarchar(128) NULL,
		event_id uniqueidentifier NULL,
		status int NULL,
		request nvarchar(max) NULL,
		response nvarchar(max) NULL,
		created_at datetimeoffset(7) NOT NULL DEFAULT SYSUTCDATETIME()
	)`,
	`CREATE INDEX event_invocation_logs_event_id_idx ON engine_catalog.event_invocation_logs (event_id)`,
	`CREATE INDEX event_invocation_logs_trigger_name_idx ON engine_catalog.event_invocation_logs (trigger_name, created_at)`,
	`CREATE TABLE engine_catalog.engine_event_log_cleanups (
		id uniqueidentifier NOT NULL DEFAULT NEWID() PRIMARY KEY,
		trigger_name nvarchar(128) NOT NULL,
		scheduled_at datetimeoffset(7) NOT NULL,
		deleted_event_logs int NULL,
		deleted_event_invocation_logs int NULL,
		status nvarchar(20) NOT NULL,
		taken_at datetimeoffset(7) NULL,
		UNIQUE (trigger_name, scheduled_at)
	)`,
	`CREATE TABLE engine_catalog.engine_source_catalog_version (
		version nvarchar(20) NOT NULL,
		upgraded_on datetimeoffset(7) NOT NULL DEFAULT SYSUTCDATETIME()
	)`,
	`INSERT INTO engine_catalog.engine_source_catalog_version (version) VALUES (N'1')`,
}

const (
	existsSQL  = `SELECT OBJECT_ID(N'engine_catalog.engine_source_catalog_version')`
	versionSQL = `SELECT version FROM engine_catalog.engine_source_catalog_version`
	// lockSQL has transactions that make the log wait for each other, until their transactions end.
	lockSQL = `EXEC sp_getapplock @Resource = N'engine_catalog', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = 30000`
)

// version is the version of the log, 0 for none.
func version(ctx context.Context, r Runner) (int, error) {
	id, err := value(ctx, r, existsSQL)
	if err != nil || id == "" {
		return 0, err
	}
	text, err := value(ctx, r, versionSQL)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > catalogVersion {
		return 0, apierror.Newf(apierror.NotSupported, "the event log of the source has the version %q, which this server doesn't know", text)
	}
	return n, nil
}

// prepare makes the log in the open transaction when it is missing.
func prepare(ctx context.Context, r Runner) error {
	if n, err := version(ctx, r); err != nil || n > 0 {
		return err
	}
	if err := r.Run(ctx, lockSQL, nil, nil); err != nil {
		return err
	}
	// Another one may have made it meanwhile.
	if n, err := version(ctx, r); err != nil || n > 0 {
		return err
	}
	for _, text := range catalogSQL {
		if err := r.Run(ctx, text, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// EventLogOutdated reports whether the log was made by an older server: there is none yet.
func (l *Log) EventLogOutdated(ctx context.Context) (bool, error) {
	n, err := version(ctx, l.db)
	return n > 0 && n < catalogVersion, err
}

// value is the first value that a statement gives, "" for none or NULL.
func value(ctx context.Context, r Runner, text string, values ...[]byte) (found string, err error) {
	err = r.Run(ctx, text, values, func(row [][]byte) error {
		found = string(row[0])
		return nil
	})
	return found, err
}

func number(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// numberOf reads a number of the database.
func numberOf(text []byte) int64 {
	n, _ := strconv.ParseInt(string(text), 10, 64) // it is one
	return n
}

// seconds is the length of a lease.
func seconds(d time.Duration) []byte { return number(int(d / time.Second)) }

// at reads a time of the database.
func at(text []byte) (time.Time, error) { return time.Parse(time.RFC3339Nano, string(text)) }

var (
	_ backend.EventTriggers = (*Log)(nil)
	_ backend.EventLog      = (*Log)(nil)
)
