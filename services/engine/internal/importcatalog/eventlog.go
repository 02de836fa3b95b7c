package importcatalog

import "strings"

// EventLogFound is the SQL that tells, of a source, whether the other engine's event log is there,
// whether ours is, the time, and the triggers by which the other engine still writes its log.
const EventLogFound = `SELECT to_regclass('hdb_catalog.event_log') IS NOT NULL, to_regclass('engine_catalog.event_log') IS NOT NULL,
  to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
  (SELECT count(*) FROM pg_catalog.pg_trigger WHERE NOT tgisinternal AND tgname LIKE 'notify\_hdb\_%')`

// EventLogCopy is the SQL that copies the event log of a source, up to a time, with the calls of
// its events. Its last statement tells how many events there were, and how many were taken. Events
// in delivery are due again.
func EventLogCopy(until string) string {
	const kept = "id, schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at, next_retry_at, archived"
	until = "'" + strings.ReplaceAll(until, "'", "''") + "'::timestamp"
	return `WITH found AS (SELECT * FROM hdb_catalog.event_log WHERE created_at <= ` + until + `),
taken AS (INSERT INTO engine_catalog.event_log (` + kept + `) SELECT ` + kept + ` FROM found ORDER BY created_at, id ON CONFLICT DO NOTHING RETURNING id),
calls AS (INSERT INTO engine_catalog.event_invocation_logs (id, trigger_name, event_id, status, request, response, created_at)
  SELECT l.id, f.trigger_name, l.event_id, l.status, l.request::json, l.response::json, l.created_at
  FROM hdb_catalog.event_invocation_logs l JOIN found f ON f.id = l.event_id ON CONFLICT DO NOTHING RETURNING id)
SELECT (SELECT count(*) FROM found), (SELECT count(*) FROM taken)`
}

// EventLogCount is the SQL that tells what EventLogCopy would do.
func EventLogCount(until string) string {
	until = "'" + strings.ReplaceAll(until, "'", "''") + "'::timestamp"
	return `SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM engine_catalog.event_log e WHERE e.id = f.id))
FROM hdb_catalog.event_log f WHERE created_at <= ` + until
}
