package mssqltest

import (
	"context"
	"regexp"
	"strings"

	"queryengine/pkg/backend/mssql/tdstest"
)

// Statements of the log of events and triggers of tables are translated by their texts. A trigger becomes one of
// statements with transition tables, and its function has its name.

// eventTexts are statements of which nothing else is left in PostgreSQL, by what they begin with.
var eventTexts = []struct{ of, text string }{
	{"IF SCHEMA_ID(N'engine_catalog')", `CREATE SCHEMA IF NOT EXISTS engine_catalog`},
	{"SELECT OBJECT_ID(N'engine_catalog.", `SELECT to_regclass('engine_catalog.engine_source_catalog_version')::oid::int8`},
	{"EXEC sp_getapplock", `SELECT pg_advisory_xact_lock(1)`},
	{"SELECT s.name, t.name FROM sys.triggers", `SELECT n.nspname::text, t.tgname::text FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE t.tgname::text IN (SELECT * FROM jsonb_array_elements_text(@p1::jsonb))`},
	{"DECLARE @outcome TABLE", `WITH outcome AS (
			SELECT * FROM jsonb_to_recordset(@p1::jsonb) AS o(id uuid, state int, retry_at timestamptz, invocation text, status int, request text, response text)
		), made AS (
			INSERT INTO engine_catalog.event_invocation_logs (id, trigger_name, event_id, status, request, response)
			SELECT o.invocation, e.trigger_name, o.id, o.status, o.request, o.response FROM outcome AS o JOIN engine_catalog.event_log AS e ON e.id = o.id
			WHERE o.invocation IS NOT NULL ON CONFLICT DO NOTHING RETURNING id
		)
		UPDATE engine_catalog.event_log AS e SET delivered = CASE WHEN o.state = 0 THEN 1 ELSE e.delivered END,
			error = CASE WHEN o.state = 2 AND e.delivered = 0 THEN 1 ELSE e.error END, next_retry_at = CASE WHEN o.state = 1 THEN o.retry_at END,
			tries = e.tries + CASE WHEN o.invocation IS NULL THEN 0 ELSE 1 END, locked = NULL
		FROM outcome AS o LEFT JOIN made AS m ON m.id = o.invocation WHERE e.id = o.id AND (o.invocation IS NULL OR m.id IS NOT NULL)`},
	{"DECLARE @gone TABLE", `WITH e AS (
			SELECT id FROM engine_catalog.event_log WHERE trigger_name = @p1 AND (delivered = 1 OR error = 1) AND locked IS NULL
				AND created_at < now() - make_interval(secs => @p2::int) ORDER BY created_at LIMIT @p3::int FOR UPDATE SKIP LOCKED
		), gone AS (DELETE FROM engine_catalog.event_log USING e WHERE event_log.id = e.id RETURNING e.id
		), cleaned AS (DELETE FROM engine_catalog.event_invocation_logs WHERE @p4 = '1' AND event_id IN (SELECT id FROM gone) RETURNING 1
		), kept AS (UPDATE engine_catalog.event_invocation_logs SET trigger_name = @p1 WHERE @p4 = '0' AND trigger_name IS NULL AND event_id IN (SELECT id FROM gone))
		SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM cleaned)`},
	{"SELECT (SELECT COUNT(*) FROM (SELECT TOP", `WITH e AS (
			SELECT id FROM engine_catalog.event_log WHERE trigger_name = @p1 AND (delivered = 1 OR error = 1) AND locked IS NULL
				AND created_at < now() - make_interval(secs => @p2::int) LIMIT @p3::int + 1
		) SELECT (SELECT count(*) FROM e), (SELECT count(*) FROM engine_catalog.event_invocation_logs WHERE @p4 = '1' AND event_id IN (SELECT id FROM e LIMIT @p3::int))`},
	{"DECLARE @due TABLE", `WITH locked AS (
			SELECT id, trigger_name, scheduled_at FROM engine_catalog.engine_event_log_cleanups WHERE status = 'scheduled' AND scheduled_at < @p1::timestamptz
				AND (taken_at IS NULL OR taken_at < now() - make_interval(secs => @p2::int)) FOR UPDATE SKIP LOCKED
		), due AS (SELECT id, row_number() OVER (PARTITION BY trigger_name ORDER BY scheduled_at DESC) AS place FROM locked)
		UPDATE engine_catalog.engine_event_log_cleanups AS c SET status = CASE d.place WHEN 1 THEN c.status ELSE 'dead' END, taken_at = now()
		FROM due AS d WHERE d.id = c.id RETURNING CASE d.place WHEN 1 THEN upper(c.id::text) END, c.trigger_name`},
}

// taking is the statement that takes events: the condition of one that keeps the order of rows, and the rest.
const taking = `WITH late AS (SELECT clock_timestamp() AS now, clock_timestamp() - make_interval(secs => @p3::int) AS late), e AS (
	SELECT e.id, e.locked AS before, l.now FROM engine_catalog.event_log AS e, late AS l WHERE e.trigger_name = @p1 AND delivered = 0 AND error = 0 AND archived = 0
		AND (e.locked IS NULL OR e.locked <= l.late) AND (e.next_retry_at IS NULL OR e.next_retry_at <= l.now)<ordered>
	ORDER BY COALESCE(e.next_retry_at, e.created_at), e.sequence
	LIMIT least(@p4::int, greatest(0, @p2::int - (SELECT count(*) FROM engine_catalog.event_log AS h, late WHERE h.trigger_name = @p1 AND h.delivered = 0
		AND h.error = 0 AND h.archived = 0 AND h.locked > late.late)))
	FOR UPDATE OF e SKIP LOCKED
) UPDATE engine_catalog.event_log AS t SET locked = e.now FROM e WHERE t.id = e.id RETURNING upper(t.id::text), t.trigger_name, t.tries,
	CASE WHEN e.before IS NULL THEN 0 ELSE 1 END, t.created_at, t.next_retry_at, t.schema_name, t.table_name, t.payload, t.locked`

// eventWords are differences of the other statements.
var eventWords = []struct {
	of *regexp.Regexp
	to string
}{
	{regexp.MustCompile(` WITH \([A-Z, ]+\)`), ""},
	{regexp.MustCompile(` COLLATE DATABASE_DEFAULT`), ""},
	{regexp.MustCompile(`CONVERT\(nvarchar\(36\), ([\w.]+)\)`), "upper($1::text)"},
	{regexp.MustCompile(`DATEADD\(second, -CAST\((@p\d) AS int\), SYSUTCDATETIME\(\)\)`), "(clock_timestamp() - make_interval(secs => $1::int))"},
	{regexp.MustCompile(`DATEADD\(nanosecond, 100, locked\)`), "locked + interval '1 microsecond'"},
	{regexp.MustCompile(`SYSUTCDATETIME\(\)`), "clock_timestamp()"},
	{regexp.MustCompile(`NEWID\(\)`), "gen_random_uuid()"},
	{regexp.MustCompile(`uniqueidentifier`), "uuid"},
	{regexp.MustCompile(`datetimeoffset\(7\)`), "timestamptz"},
	{regexp.MustCompile(`nvarchar\(\w+\)`), "text"},
	{regexp.MustCompile(`\bbit\b`), "smallint"},
	{regexp.MustCompile(`bigint IDENTITY\(1, 1\) NOT NULL`), "bigint GENERATED ALWAYS AS IDENTITY"},
	{regexp.MustCompile(`FROM OPENJSON\((@p\d)\)`), "FROM jsonb_array_elements_text($1::jsonb) AS value"},
	{regexp.MustCompile(`(?s)DECLARE @take bigint = (.*?), @skip bigint = .*?;\n`), ""},
	{regexp.MustCompile(`@take`), "(@p2::bigint)"},
	{regexp.MustCompile(`@skip`), "(@p3::bigint)"},
	{regexp.MustCompile(`N'`), "'"},
	// What a statement gives back stands at its end.
	{regexp.MustCompile(`(?s)OUTPUT 1 (WHERE .*)`), "$1 RETURNING 1"},
	{regexp.MustCompile(`(?s)OUTPUT upper\(INSERTED\.id::text\) (VALUES .*)`), "$1 RETURNING upper(id::text)"},
}

var (
	ofEvents       = regexp.MustCompile(`engine_catalog\.|^SELECT s\.name, t\.name FROM sys\.triggers|^DROP TRIGGER |^IF SCHEMA_ID|^EXEC sp_getapplock`)
	droppedTrigger = regexp.MustCompile(`^DROP TRIGGER \[(\w+)\]\.\[(\w+)\]$`)
	createdTrigger = regexp.MustCompile(`(?s)^CREATE TRIGGER (\[\w+\]\.\[\w+\]) ON (\[\w+\]\.\[\w+\]) AFTER (INSERT|UPDATE|DELETE)(?: NOT FOR REPLICATION)? AS\nBEGIN\nSET NOCOUNT ON;\n(.*);\nEND$`)
	parameter      = regexp.MustCompile(`@p(\d)`)
)

// eventStatement is a statement of the log of events as one of PostgreSQL; "" for any other.
func eventStatement(text string) string {
	if !ofEvents.MatchString(text) {
		return ""
	}
	return parameter.ReplaceAllString(eventSQL(text), "($$$1::text)")
}

func eventSQL(text string) string {
	for _, s := range eventTexts {
		if strings.HasPrefix(text, s.of) {
			return s.text
		}
	}
	if strings.HasPrefix(text, "DECLARE @now ") {
		ordered := ""
		if strings.Contains(text, "order_key") {
			ordered = ` AND (e.order_key IS NULL OR NOT EXISTS (SELECT 1 FROM engine_catalog.event_log AS o WHERE o.trigger_name = e.trigger_name
				AND o.order_key = e.order_key AND o.sequence < e.sequence AND o.delivered = 0 AND o.error = 0 AND o.archived = 0))`
		}
		return strings.Replace(taking, "<ordered>", ordered, 1)
	}
	if m := droppedTrigger.FindStringSubmatch(text); m != nil {
		return `DROP FUNCTION "` + m[1] + `"."` + m[2] + `"() CASCADE`
	}
	if m := createdTrigger.FindStringSubmatch(text); m != nil {
		return trigger(m[1], m[2], m[3], m[4])
	}
	for _, w := range eventWords {
		text = w.of.ReplaceAllString(text, w.to)
	}
	return text
}

// trigger makes a trigger, whose body is a statement over INSERTED and DELETED.
func trigger(name, table, op, body string) string {
	nodes, _ := parseTSQL(body)
	insert := 0
	for !nodes[insert].is("select") {
		insert++
	}
	rows := map[string]string{"INSERT": "NEW TABLE AS inserted", "UPDATE": "NEW TABLE AS inserted OLD TABLE AS deleted", "DELETE": "OLD TABLE AS deleted"}
	function, on := spell(parsed(name)), spell(parsed(table))
	return "CREATE FUNCTION " + function + "() RETURNS trigger LANGUAGE plpgsql AS $trigger$ BEGIN " +
		spell(nodes[:insert]) + spell(selects(joined(nodes[insert:]))) + "; RETURN NULL; END $trigger$; " +
		"CREATE TRIGGER " + spell(parsed(name)[2:]) + " AFTER " + op + " ON " + on + " REFERENCING " + rows[op] +
		" FOR EACH STATEMENT EXECUTE FUNCTION " + function + "()"
}

func parsed(text string) []node {
	nodes, _ := parseTSQL(text)
	return nodes
}

// joined has || between texts, and takes texts for what is compared as bytes.
func joined(nodes []node) []node {
	list := make([]node, len(nodes))
	for i, n := range nodes {
		switch {
		case n.is("+"):
			n = word("||")
		case n.is("varbinary"):
			n = word("nvarchar")
		case n.group != nil:
			n.group = joined(n.group)
		}
		list[i] = n
	}
	return list
}

// event runs a statement of the log of events.
func (s *session) event(ctx context.Context, text string, r tdstest.Request) tdstest.Result {
	if strings.HasPrefix(text, "CREATE FUNCTION") { // and its trigger
		if err := s.exec(ctx, text); err != nil {
			return tdstest.Result{Err: fault(err)}
		}
		return tdstest.Result{}
	}
	own, values := ownParameters(text, r.Params)
	return s.run(ctx, own, values)
}
