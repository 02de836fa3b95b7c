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

// eventFunctionSQL makes the function that writes the events of an operation. It contains what
// insert_event_log would do, because the call would be a quarter of its time. Functions of sources with
// an older log are recreated, so that a change of this text needs a version of the log.
func eventFunctionSQL(types Types, t *backend.EventTrigger, op string, o *backend.EventOperation, stringify bool) string {
	before, after := "null", "null"
	if op != opInsert {
		before = "' || " + payloadSQL(types, "OLD", t.Table, o.Payload, stringify) + "::text || '"
	}
	if op != opDelete {
		after = "' || " + payloadSQL(types, "NEW", t.Table, o.Payload, stringify) + "::text || '"
	}
	row := "OLD"
	if op == opInsert {
		row = "NEW"
	}
	values := []string{
		"engine_catalog.new_event_id()", quote.Literal(t.Table.Name.Schema), quote.Literal(t.Table.Name.Name), quote.Literal(t.Name),
		`engine_catalog.event_payload(` + quote.Literal(op) + `, '{"old":` + before + `,"new":` + after + `}')`, orderKeySQL(t, row),
	}
	write := "INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, order_key) VALUES (" +
		strings.Join(values, ", ") + ");\n" + ringBell
	if op == opUpdate {
		write = "IF " + changedSQL(types, t.Table, o.Columns, "OLD", "NEW") + " THEN " + write + " END IF;"
	}
	return "CREATE OR REPLACE FUNCTION engine_catalog." + quote.Name(eventFunction(t.Name, op)) +
		"() RETURNS trigger LANGUAGE plpgsql AS " + quote.Literal("BEGIN "+write+" RETURN NULL; END")
}

// orderKeySQL is the key of a row, NULL when no order is required. A table without a primary key has
// one order for all of its rows. An update that changes the key counts as one of the old key.
func orderKeySQL(t *backend.EventTrigger, row string) string {
	if !t.Ordered {
		return "NULL"
	}
	if t.Table.PrimaryKey == nil {
		return "''"
	}
	keys := make([]string, len(t.Table.PrimaryKey.Columns))
	for i, c := range t.Table.PrimaryKey.Columns {
		keys[i] = row + "." + quote.Name(c)
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
	if names == nil && !slices.ContainsFunc(t.Columns, special) {
		return "row_to_json(" + row + ")"
	}
	var items []string
	for _, c := range columnsOf(t, names) {
		value := row + "." + quote.Name(c.Name)
		if shown := types.Shown(value, c.Type, stringify); shown != "" {
			value = shown
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
