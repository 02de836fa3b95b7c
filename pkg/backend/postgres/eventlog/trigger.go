package eventlog

import (
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
)

// The operations of a row, as names of functions and TG_OP have them.
const (
	opInsert = "INSERT"
	opUpdate = "UPDATE"
	opDelete = "DELETE"
)

var rowOperations = []string{opInsert, opUpdate, opDelete}

// eventFunction is the name of the function, and of the trigger, of one operation. Names of
// triggers are short enough for it to fit.
func eventFunction(trigger, op string) string { return "notify_engine_" + trigger + "_" + op }

// dropEventFunction removes the function of an operation with the trigger that calls it.
func dropEventFunction(trigger, op string) string {
	return "DROP FUNCTION IF EXISTS engine_catalog." + quote.Name(eventFunction(trigger, op)) + "() CASCADE"
}

// eventTriggerSQL are the statements that install a trigger, and remove the operations that it
// hasn't got.
func eventTriggerSQL(types Types, t *backend.EventTrigger, stringify bool) []string {
	var statements []string
	for _, op := range rowOperations {
		o := eventOperation(t, op)
		if o == nil {
			statements = append(statements, dropEventFunction(t.Name, op))
			continue
		}
		statements = append(statements, eventFunctionSQL(types, t, op, o, stringify), attachSQL(t, op))
	}
	return statements
}

// attachSQL attaches the function of an operation. A trigger that exists but belongs to another
// function, or none of ours, is left alone. A trigger that is as it should be isn't touched: that would
// wait for writers to the table, and later ones would wait behind it.
func attachSQL(t *backend.EventTrigger, op string) string {
	name, table := eventFunction(t.Name, op), quote.Qualified(t.Table.Name)
	enabled, enable := "O", " ENABLE TRIGGER "
	if t.OnReplication {
		enabled, enable = "A", " ENABLE ALWAYS TRIGGER "
	}
	there := "EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgname = " + quote.Literal(name) +
		" AND tgrelid = " + quote.Literal(table) + "::pg_catalog.regclass"
	return "DO " + quote.Literal("BEGIN IF NOT "+there+") THEN CREATE TRIGGER "+quote.Name(name)+" AFTER "+op+" ON "+table+
		" FOR EACH ROW EXECUTE PROCEDURE engine_catalog."+quote.Name(name)+"(); END IF;\n"+
		"IF NOT "+there+" AND tgenabled = "+quote.Literal(enabled)+") THEN ALTER TABLE "+table+enable+quote.Name(name)+"; END IF; END")
}

func eventOperation(t *backend.EventTrigger, op string) *backend.EventOperation {
	switch op {
	case opInsert:
		return t.Insert
	case opUpdate:
		return t.Update
	}
	return t.Delete
}

// eventFunctionSQL makes the function that writes the events of an operation. It never fails who writes to the table: when the
// table has changed since, so that its columns aren't there or can't be compared, the events are of what is there. It contains what
// insert_event_log would do, because the call would be a quarter of its time. Functions of sources with
// an older log are recreated, so that a change of this text needs a version of the log.
func eventFunctionSQL(types Types, t *backend.EventTrigger, op string, o *backend.EventOperation, stringify bool) string {
	fits := func(old, new string) (payload, key, changed string) {
		return rowsPayload(op, old, new, func(row string) string { return payloadSQL(types, row, t.Table, o.Payload, stringify) }),
			orderKeySQL(t, keyRow(op, old, new)), changedSQL(types, t.Table, o.Columns, old, new)
	}
	write := writeSQL(t, op, fits)
	if t.Table.ID != "" {
		payload, key, changed := fits("(c.before)", "(c.after)")
		expressions := payload + ", " + key
		if op == opUpdate {
			expressions += ", " + changed
		}
		write = "IF engine_catalog.table_fits(" + quote.Literal(t.Table.ID) + ", " + quote.Literal(expressions) + ") THEN\n" + write + "\nELSE\n" +
			writeSQL(t, op, func(old, new string) (payload, key, changed string) {
				return rowsPayload(op, old, new, func(row string) string { return anyPayloadSQL(types, row, t.Table, o.Payload, stringify) }),
					anyOrderKeySQL(t, keyRow(op, old, new)), anyChangedSQL(o.Columns, old, new)
			}) + "\nEND IF;"
	}
	return "CREATE OR REPLACE FUNCTION engine_catalog." + quote.Name(eventFunction(t.Name, op)) +
		"() RETURNS trigger LANGUAGE plpgsql AS " + quote.Literal("BEGIN "+write+" RETURN NULL; END")
}

// writeSQL writes an event, by expressions for its payload, its order, and whether there is one.
func writeSQL(t *backend.EventTrigger, op string, of func(old, new string) (payload, key, changed string)) string {
	payload, key, changed := of("OLD", "NEW")
	values := []string{
		"engine_catalog.new_event_id()", quote.Literal(t.Table.Name.Schema), quote.Literal(t.Table.Name.Name), quote.Literal(t.Name),
		"engine_catalog.event_payload(" + quote.Literal(op) + ", " + payload + ")", key,
	}
	write := "INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, order_key) SELECT " +
		strings.Join(values, ", ") + " WHERE " + planOf(t.Table) + ";\n" + ringBell
	if op == opUpdate {
		write = "IF " + planOf(t.Table) + " AND (" + changed + ") THEN " + write + " END IF;"
	}
	return write
}

// rowsPayload is the text of the rows of an event.
func rowsPayload(op, old, new string, shown func(row string) string) string {
	before, after := "null", "null"
	if op != opInsert {
		before = "' || " + shown(old) + "::text || '"
	}
	if op != opDelete {
		after = "' || " + shown(new) + "::text || '"
	}
	return `'{"old":` + before + `,"new":` + after + `}'`
}

// keyRow is the row whose key counts.
func keyRow(op, old, new string) string {
	if op == opInsert {
		return new
	}
	return old
}

// anyPayloadSQL is payloadSQL for a table that has changed so that it is no longer possible: columns that are missing are null.
func anyPayloadSQL(types Types, row string, t *catalog.Table, names []string, stringify bool) string {
	if names == nil {
		return anyRow(row)
	}
	var all, texts []string
	for _, c := range columnsOf(t, names) {
		all = append(all, quote.Literal(c.Name))
		if stringify && types.Shown("", c.Type, true) != types.Shown("", c.Type, false) {
			texts = append(texts, quote.Literal(c.Name))
		}
	}
	value := anyRow(row) + " -> c"
	if len(texts) > 0 {
		value = "CASE WHEN c IN (" + strings.Join(texts, ", ") + ") AND jsonb_typeof(" + value + ") = 'number' THEN to_jsonb(" + anyRow(row) + " ->> c) ELSE " + value + " END"
	}
	return "(SELECT jsonb_object_agg(c, " + value + ") FROM unnest(ARRAY[" + strings.Join(all, ", ") + "]::text[]) AS c)"
}

// anyRow is a row as JSON that an event can hold.
func anyRow(row string) string { return "engine_catalog.event_row(" + row + ")::jsonb" }

// anyChangedSQL is changedSQL for such a table.
func anyChangedSQL(names []string, old, new string) string {
	if names == nil {
		return old + " *<> " + new
	}
	literals := make([]string, len(names))
	for i, name := range names {
		literals[i] = quote.Literal(name)
	}
	return "EXISTS (SELECT FROM unnest(ARRAY[" + strings.Join(literals, ", ") + "]::text[]) AS c WHERE " + anyRow(old) + " -> c IS DISTINCT FROM " + anyRow(new) + " -> c)"
}

// anyOrderKeySQL is orderKeySQL for such a table.
func anyOrderKeySQL(t *backend.EventTrigger, row string) string {
	return orderKey(t, func(column string) string { return anyRow(row) + " -> " + quote.Literal(column) })
}

// planOf is true, and has the plan that it is in depend on a table. A session keeps the plans of PL/pgSQL with the types that
// columns of OLD and NEW have had, and fails when these change; a plan that mentions the table is made again. By its number
// the table is found under any name, and a number that leads nowhere does no harm.
func planOf(t *catalog.Table) string {
	if t.ID == "" {
		return "true"
	}
	return quote.Literal(t.ID) + "::pg_catalog.regclass IS NOT NULL"
}

// orderKeySQL is the key of a row, NULL when no order is required. A table without a primary key has
// one order for all of its rows. An update that changes the key counts as one of the old key.
func orderKeySQL(t *backend.EventTrigger, row string) string {
	return orderKey(t, func(column string) string { return row + "." + quote.Name(column) })
}

func orderKey(t *backend.EventTrigger, value func(column string) string) string {
	if !t.Ordered {
		return "NULL"
	}
	if t.Table.PrimaryKey == nil {
		return "''"
	}
	keys := make([]string, len(t.Table.PrimaryKey.Columns))
	for i, c := range t.Table.PrimaryKey.Columns {
		keys[i] = value(c)
	}
	return "json_build_array(" + strings.Join(keys, ", ") + ")::text"
}

// columnsOf are the named columns of a table, all for nil.
func columnsOf(t *catalog.Table, names []string) []*catalog.Column {
	if names == nil {
		return t.Columns
	}
	var columns []*catalog.Column
	for _, c := range t.Columns {
		if slices.Contains(names, c.Name) {
			columns = append(columns, c)
		}
	}
	return columns
}

// payloadSQL is the JSON of a row. Where all columns are shown as they are it isn't bound to the
// columns that the table has now.
func payloadSQL(types Types, row string, t *catalog.Table, names []string, stringify bool) string {
	special := func(c *catalog.Column) bool { return types.Shown("", c.Type, stringify) != "" }
	switch {
	case names != nil || slices.ContainsFunc(t.Columns, special):
	case slices.ContainsFunc(t.Columns, func(c *catalog.Column) bool { return types.MayFail(c.Type) }):
		return "engine_catalog.event_row(" + row + ")"
	default:
		return "row_to_json(" + row + ")"
	}
	var items []string
	for _, c := range columnsOf(t, names) {
		value := row + "." + quote.Name(c.Name)
		if shown := types.Shown(value, c.Type, stringify); shown != "" {
			value = shown
		} else if types.MayFail(c.Type) {
			value = "engine_catalog.event_value(" + value + ")"
		}
		items = append(items, value+" AS "+quote.Name(c.Name))
	}
	return "row_to_json((SELECT e FROM (SELECT " + strings.Join(items, ", ") + ") AS e))"
}

// changedSQL reports whether an update has changed one of the columns of a row.
func changedSQL(types Types, t *catalog.Table, names []string, old, new string) string {
	columns := columnsOf(t, names)
	if names == nil && !slices.ContainsFunc(columns, func(c *catalog.Column) bool { return !types.HasEquality(c.Type) }) {
		return old + " IS DISTINCT FROM " + new
	}
	conditions := make([]string, len(columns))
	for i, c := range columns {
		before, after := old+"."+quote.Name(c.Name), new+"."+quote.Name(c.Name)
		if !types.HasEquality(c.Type) {
			before, after = before+"::text", after+"::text"
		}
		conditions[i] = before + " IS DISTINCT FROM " + after
	}
	return strings.Join(conditions, " OR ")
}
