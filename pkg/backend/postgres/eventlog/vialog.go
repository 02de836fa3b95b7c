package eventlog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

// Publication is that of the tables whose events are made from the log. It shows partitions as the table
// that has the trigger, whatever has become of them when they are read.
const Publication = "engine_events"

// logVersion is the version of the log of events from which on triggers may be read from the database's.
const logVersion = 4

// leastVersion is the first version of the server whose publications do that.
const leastVersion = 130_000

// LogFunction is the name of the function that makes the events of a trigger from changes that were read in
// the log, and returns how many it has made. Its parameters are arrays: the operations, the rows before and after as texts or NULL, and
// the times.
func LogFunction(trigger string) string { return "log_engine_" + trigger }

// logFunctionTypes are the parameters of a LogFunction.
const logFunctionTypes = "(text[], text[], text[], timestamptz[])"

// rowFunction is the name of the function that completes the text of a row from the log.
func rowFunction(trigger string) string { return "row_engine_" + trigger }

func dropLogFunction(trigger string) string {
	return "DROP FUNCTION IF EXISTS engine_catalog." + quote.Name(LogFunction(trigger)) + logFunctionTypes +
		", engine_catalog." + quote.Name(rowFunction(trigger)) + "(text)"
}

// logTriggerSQL are the statements that install a trigger whose events are made from the log. The lock
// makes them happen between transactions that write to the table, so that the triggers of the other way
// and the log meet without a gap and without an overlap.
func logTriggerSQL(types Types, t *backend.EventTrigger, generated map[string]string, stringify bool) []string {
	table := quote.Qualified(t.Table.Name)
	statements := []string{"LOCK TABLE " + table + " IN SHARE ROW EXCLUSIVE MODE"}
	var ops [][]byte
	for _, op := range rowOperations {
		statements = append(statements, dropEventFunction(t.Name, op))
		if eventOperation(t, op) != nil {
			ops = append(ops, []byte(op))
		}
	}
	return append(statements,
		rowFunctionSQL(t, generated),
		logFunctionSQL(types, t, len(generated) > 0, stringify),
		"DO "+quote.Literal("BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid"+
			" WHERE p.pubname = '"+Publication+"' AND r.prrelid = "+quote.Literal(table)+"::pg_catalog.regclass) THEN"+
			" ALTER PUBLICATION "+Publication+" ADD TABLE ONLY "+table+"; END IF; END"),
		"INSERT INTO engine_catalog.log_trigger (trigger_name, relation, operations, on_replication) VALUES ("+
			quote.Literal(t.Name)+", "+quote.Literal(table)+"::pg_catalog.regclass, "+quote.Literal(string(quote.Array(ops)))+", "+
			strconv.FormatBool(t.OnReplication)+")")
}

// rowFunctionSQL makes the rowFunction of a trigger on a table with generated columns, which the log hasn't got: it adds them. Its result
// is a text, too, as a function that has the type of the table keeps it from being dropped.
func rowFunctionSQL(t *backend.EventTrigger, generated map[string]string) string {
	function := "engine_catalog." + quote.Name(rowFunction(t.Name))
	if len(generated) == 0 {
		return "DROP FUNCTION IF EXISTS " + function + "(text)"
	}
	table := quote.Qualified(t.Table.Name)
	body := []string{"DECLARE r " + table + " := $1::" + table + "; BEGIN"}
	for _, c := range t.Table.Columns {
		if expression := generated[c.Name]; expression != "" {
			body = append(body, "r."+quote.Name(c.Name)+" := (SELECT "+expression+" FROM (SELECT r.*) AS generating);")
		}
	}
	return "CREATE OR REPLACE FUNCTION " + function + "(text) RETURNS text LANGUAGE plpgsql STRICT AS " +
		quote.Literal(strings.Join(append(body, "RETURN r::text; END"), "\n"))
}

// logFunctionSQL makes the LogFunction of a trigger: what its triggers would do with OLD and NEW, as one statement for
// all changes, in their order. A row that isn't known counts as changed.
func logFunctionSQL(types Types, t *backend.EventTrigger, generated, stringify bool) string {
	const before, after = "(c.before)", "(c.after)"
	row := func(text string) string {
		if generated {
			text = "engine_catalog." + quote.Name(rowFunction(t.Name)) + "(" + text + ")"
		}
		return text + "::" + quote.Qualified(t.Table.Name)
	}
	var payload, key, wanted string
	for _, op := range rowOperations {
		o := eventOperation(t, op)
		if o == nil {
			continue
		}
		when := " WHEN " + quote.Literal(op) + " THEN "
		shown := func(row, text string) string {
			return "CASE WHEN " + text + " IS NULL THEN 'null' ELSE " + payloadSQL(types, row, t.Table, o.Payload, stringify) + "::text END"
		}
		payload += when + "engine_catalog.event_payload(" + quote.Literal(op) + `, '{"old":' || ` + shown(before, "c.old") +
			` || ',"new":' || ` + shown(after, "c.new") + ` || '}')`
		switch op {
		case opInsert:
			key += when + orderKeySQL(t, after)
		case opUpdate: // without the row before, its key hasn't changed
			key += when + "CASE WHEN c.old IS NULL THEN " + orderKeySQL(t, after) + " ELSE " + orderKeySQL(t, before) + " END"
		default:
			key += when + orderKeySQL(t, before)
		}
		changed := "true"
		if op == opUpdate {
			changed = "c.old IS NULL OR " + changedSQL(types, t.Table, o.Columns, before, after)
		}
		wanted += when + changed
	}
	if key = "CASE c.op" + key + " END"; !t.Ordered {
		key = "NULL"
	}
	// A row is read once, whatever number of its columns is used.
	changes := "SELECT u.op, u.old, u.new, u.at, " + row("u.old") + " AS before, " + row("u.new") + " AS after" +
		" FROM unnest($1, $2, $3, $4) AS u(op, old, new, at) OFFSET 0"
	body := "DECLARE made bigint; BEGIN\n" +
		"INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, order_key, created_at) SELECT " +
		strings.Join([]string{
			"engine_catalog.new_event_id()", quote.Literal(t.Table.Name.Schema), quote.Literal(t.Table.Name.Name), quote.Literal(t.Name),
			"CASE c.op" + payload + " END", key, "c.at",
		}, ", ") + "\nFROM (" + changes + ") AS c\nWHERE CASE c.op" + wanted + " END;\nGET DIAGNOSTICS made = ROW_COUNT; RETURN made; END"
	return "CREATE OR REPLACE FUNCTION engine_catalog." + quote.Name(LogFunction(t.Name)) + logFunctionTypes +
		" RETURNS bigint LANGUAGE plpgsql AS " + quote.Literal(body)
}

const (
	// lastSQL are the last rows of each trigger.
	lastSQL = `(SELECT DISTINCT ON (trigger_name) * FROM engine_catalog.log_trigger ORDER BY trigger_name, id DESC) AS l`
	// endLogSQL ends the reading of the log for those of the triggers for which it is read.
	endLogSQL = `INSERT INTO engine_catalog.log_trigger (trigger_name, archive)
		SELECT trigger_name, $2::bool FROM ` + lastSQL + ` WHERE trigger_name = ANY ($1::text[]) AND relation IS NOT NULL RETURNING id`
	// installedLogSQL are those of the triggers whose events are made from the log, with their operations.
	installedLogSQL = `SELECT l.trigger_name, cardinality(l.operations) FROM ` + lastSQL + `
		JOIN pg_catalog.pg_publication_rel r ON r.prrelid = l.relation
		JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid AND p.pubname = '` + Publication + `'
		WHERE l.trigger_name = ANY ($1::text[]) AND to_regprocedure(format('engine_catalog.%I` + logFunctionTypes + `', 'log_engine_' || l.trigger_name)) IS NOT NULL`
	// unpublishedSQL are the tables that no trigger has any more.
	unpublishedSQL = `SELECT string_agg(format('ONLY %I.%I', s.nspname, c.relname), ', ') FROM pg_catalog.pg_publication p
		JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
		JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
		WHERE p.pubname = '` + Publication + `' AND c.oid <> 'engine_catalog.log_trigger'::regclass
			AND c.oid NOT IN (SELECT relation FROM ` + lastSQL + ` WHERE relation IS NOT NULL)`
	// generatedSQL are the generated columns of a table, which the log hasn't got.
	generatedSQL = `SELECT a.attname, pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1::regclass AND a.attgenerated <> '' AND NOT a.attisdropped`
	// obstaclesSQL are what keeps the events of a table from being made from the log: partitions whose old
	// rows ($2: whole ones are needed) aren't in it, and publications of other parts of the same table.
	obstaclesSQL = `SELECT format('%I.%I', s.nspname, c.relname),
		(c.relkind <> 'p' AND CASE WHEN $2::bool THEN c.relreplident <> 'f' ELSE c.relreplident <> 'f' AND NOT EXISTS (
			SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid
				AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END) END)::text,
		(c.oid <> $1::regclass AND EXISTS (SELECT FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
			WHERE p.pubname = '` + Publication + `' AND r.prrelid = c.oid))::text
		FROM (SELECT relid FROM pg_partition_tree($1::regclass) UNION SELECT relid FROM pg_partition_ancestors($1::regclass)
			UNION SELECT $1::regclass) AS f
		JOIN pg_catalog.pg_class c ON c.oid = f.relid JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace ORDER BY 1`
)

// logTrigger checks that a trigger's events can be made from the log, and returns what installs it.
func (l *Log) logTrigger(ctx context.Context, pg *pgconn.PgConn, t *backend.EventTrigger, stringify bool) ([]string, error) {
	version, err := oneValue(ctx, pg, `SELECT current_setting('server_version_num')`)
	if err != nil {
		return nil, err
	}
	if n, _ := strconv.Atoi(version); n < leastVersion {
		return nil, refused(t, "PostgreSQL 13 is needed for events from the log")
	}
	table := []byte(quote.Qualified(t.Table.Name))
	whole := t.Update != nil || t.Delete != nil
	var unfit, elsewhere []string
	err = eachRow(ctx, pg, obstaclesSQL, [][]byte{table, strconv.AppendBool(nil, whole)}, func(row [][]byte) error {
		if string(row[1]) == "true" {
			unfit = append(unfit, "ALTER TABLE "+string(row[0])+" REPLICA IDENTITY FULL")
		}
		if string(row[2]) == "true" {
			elsewhere = append(elsewhere, string(row[0]))
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(unfit) > 0 && whole:
		return nil, refused(t, "the log has rows as they were before an update or a delete only after: "+strings.Join(unfit, "; "))
	case len(unfit) > 0:
		return nil, refused(t, "a table without a primary key can be read from the log only after: "+strings.Join(unfit, "; "))
	case len(elsewhere) > 0:
		return nil, refused(t, "the log is read for another part of the same partitioned table already: "+strings.Join(elsewhere, ", "))
	}
	generated := map[string]string{}
	if err := eachRow(ctx, pg, generatedSQL, [][]byte{table}, func(row [][]byte) error {
		generated[string(row[0])] = string(row[1])
		return nil
	}); err != nil {
		return nil, err
	}
	return logTriggerSQL(l.types, t, generated, stringify), nil
}

func refused(t *backend.EventTrigger, why string) error {
	return apierror.Newf(apierror.NotSupported, "event trigger %q: %s", t.Name, why)
}

// endLogs ends the reading of the log for triggers: for ended, what is in the log up to here is still read,
// and of dropped nothing is wanted any more. Tables that no client reads then leave the publication.
func endLogs(ctx context.Context, pg *pgconn.PgConn, ended, dropped []string) error {
	if len(ended)+len(dropped) == 0 {
		return nil
	}
	if version, err := eventCatalogVersion(ctx, pg); err != nil || version < logVersion {
		return err
	}
	changed := false
	for _, end := range []struct {
		names   []string
		archive bool
	}{{ended, false}, {dropped, true}} {
		id, err := oneValue(ctx, pg, endLogSQL, textArray(end.names), strconv.AppendBool(nil, end.archive))
		if err != nil {
			return err
		}
		changed = changed || id != ""
	}
	if !changed {
		return nil
	}
	tables, err := oneValue(ctx, pg, unpublishedSQL)
	if err != nil || tables == "" {
		return err
	}
	sql := "ALTER PUBLICATION " + Publication + " DROP TABLE " + tables
	return wire.RawError(ctx, pg.Exec(ctx, sql).Close(), sql)
}

// viaLog reports whether one of the triggers is read from the log.
func viaLog(list []backend.EventTrigger) bool {
	return slices.ContainsFunc(list, func(t backend.EventTrigger) bool { return t.ViaLog })
}
