package eventlog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// The operations of a row.
const (
	opInsert = "INSERT"
	opUpdate = "UPDATE"
	opDelete = "DELETE"
)

var operations = []string{opInsert, opUpdate, opDelete}

func operationOf(t *backend.EventTrigger, op string) *backend.EventOperation {
	switch op {
	case opInsert:
		return t.Insert
	case opUpdate:
		return t.Update
	}
	return t.Delete
}

// triggerName is the name of the trigger of an operation, in the schema of its table.
func triggerName(trigger, op string) string { return "notify_engine_" + trigger + "_" + op }

func name(s string) string { return "[" + strings.ReplaceAll(s, "]", "]]") + "]" }

func literal(s string) string { return "N'" + strings.ReplaceAll(s, "'", "''") + "'" }

// check refuses what the triggers of SQL Server can't do.
func check(t *backend.EventTrigger) error {
	if t.ViaLog {
		return apierror.Newf(apierror.NotSupported, "event trigger %q: events are made from the log of PostgreSQL only", t.Name)
	}
	for _, c := range t.Table.Columns {
		if c.Type.Name == "geometry" || c.Type.Name == "geography" {
			return apierror.New(apierror.NotSupported,
				"Event triggers for MS-SQL sources are not supported on tables having Geometry or Geography column types")
		}
	}
	if t.Update != nil && t.Table.PrimaryKey == nil {
		return apierror.New(apierror.NotSupported, "Update event triggers for MS-SQL sources are only supported on tables with primary keys")
	}
	return nil
}

// triggerSQL makes the trigger of an operation.
func triggerSQL(t *backend.EventTrigger, op string, o *backend.EventOperation) string {
	before, after, from, where := "N'null'", "N'null'", "", ""
	switch op {
	case opInsert:
		after, from = rowJSON("i", t.Table, o.Payload), "INSERTED AS i"
	case opDelete:
		before, from = rowJSON("d", t.Table, o.Payload), "DELETED AS d"
	default:
		after = rowJSON("i", t.Table, o.Payload)
		// The row of a key that was changed isn't known any more.
		gone := "d." + name(t.Table.PrimaryKey.Columns[0]) + " IS NULL"
		before = "CASE WHEN " + gone + " THEN N'null' ELSE " + rowJSON("d", t.Table, o.Payload) + " END"
		from = "INSERTED AS i LEFT JOIN DELETED AS d ON " + pairs("i", "d", t.Table.PrimaryKey.Columns)
		where = " WHERE " + changed(t.Table, o.Columns, gone)
	}
	columns := "schema_name, table_name, trigger_name, payload"
	values := []string{
		literal(t.Table.Name.Schema), literal(t.Table.Name.Name), literal(t.Name),
		`N'{"op":"` + op + `","data":{"old":' + ` + before + ` + N',"new":' + ` + after + ` + N'},"session_variables":null,"trace_context":null}'`,
	}
	if t.Ordered {
		columns += ", order_key"
		values = append(values, orderKey(t, op))
	}
	replication := ""
	if !t.OnReplication {
		replication = " NOT FOR REPLICATION"
	}
	return "CREATE TRIGGER " + name(t.Table.Name.Schema) + "." + name(triggerName(t.Name, op)) + " ON " +
		name(t.Table.Name.Schema) + "." + name(t.Table.Name.Name) + " AFTER " + op + replication + " AS\nBEGIN\nSET NOCOUNT ON;\n" +
		"INSERT INTO engine_catalog.event_log (" + columns + ")\nSELECT " + strings.Join(values, ", ") + "\nFROM " + from + where + ";\nEND"
}

// pairs compares the columns of two rows.
func pairs(a, b string, columns []string) string {
	conditions := make([]string, len(columns))
	for i, c := range columns {
		conditions[i] = a + "." + name(c) + " = " + b + "." + name(c)
	}
	return strings.Join(conditions, " AND ")
}

// listed are the named columns of a table, all for nil.
func listed(t *catalog.Table, names []string) []*catalog.Column {
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

// rowJSON is the JSON of a row. FOR JSON takes a point in a name for an object around the member, and fails where
// another column has that object's name, so members of such names are spelled by the text.
func rowJSON(row string, t *catalog.Table, names []string) string {
	var plain, members, objects []string
	for _, c := range listed(t, names) {
		value := shown(row+"."+name(c.Name), c.Type.Name)
		if !strings.Contains(c.Name, ".") {
			plain = append(plain, value+" AS "+name(c.Name))
			continue
		}
		key, _ := json.Marshal(c.Name) // texts have a JSON
		object := "c" + strconv.Itoa(len(objects))
		members = append(members, literal(string(key)+":")+" + "+inside(object, `{"v":`))
		objects = append(objects, "(SELECT "+forJSON([]string{value + " AS [v]"})+" AS j) AS "+object)
	}
	switch {
	case len(members) == 0 && len(plain) == 0:
		return "N'{}'"
	case len(members) == 0:
		return forJSON(plain)
	case len(plain) > 0:
		members = append(members, inside("r", "{"))
		objects = append(objects, "(SELECT "+forJSON(plain)+" AS j) AS r")
	}
	return "(SELECT N'{' + " + strings.Join(members, " + N',' + ") + " + N'}' FROM " + strings.Join(objects, " CROSS JOIN ") + ")"
}

// forJSON is one object of the items, as text.
func forJSON(items []string) string {
	return "(SELECT " + strings.Join(items, ", ") + " FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER)"
}

// inside is the JSON of an object that a relation has as j, without what it begins with and the brace at its end.
func inside(relation, begin string) string {
	j, n := relation+".j", len(begin)
	return fmt.Sprintf("SUBSTRING(%s, %d, LEN(%s) - %d)", j, n+1, j, n+1)
}

// shown is a value as the JSON of a row takes it.
func shown(value, typeName string) string {
	switch typeName {
	case "hierarchyid", "xml", "sql_variant":
		return "CAST(" + value + " AS nvarchar(max))"
	}
	return value
}

// changed reports whether an update has changed one of the columns. NULL equals NULL here, and texts are
// compared by their bytes, whatever their collation takes for equal.
func changed(t *catalog.Table, names []string, gone string) string {
	var before, after []string
	key := false
	for _, c := range listed(t, names) {
		before, after = append(before, compared("d."+name(c.Name), c.Type.Name)), append(after, compared("i."+name(c.Name), c.Type.Name))
		key = key || slices.Contains(t.PrimaryKey.Columns, c.Name)
	}
	if len(before) == 0 {
		return "1 = 0"
	}
	same := "EXISTS (SELECT " + strings.Join(after, ", ") + " EXCEPT SELECT " + strings.Join(before, ", ") + ")"
	if key {
		return gone + " OR " + same
	}
	return "NOT (" + gone + ") AND " + same
}

func compared(value, typeName string) string {
	switch typeName {
	case "text", "varchar", "bpchar", "nchar", "hierarchyid":
		return "CAST(" + value + " AS varbinary(max))"
	case "xml", "sql_variant":
		return "CAST(CAST(" + value + " AS nvarchar(max)) AS varbinary(max))"
	}
	return value
}

// orderKey is the key of the row. A table without a primary key has one order for all of its rows; an
// update that changes the key counts as one of the new key.
func orderKey(t *backend.EventTrigger, op string) string {
	if t.Table.PrimaryKey == nil {
		return "N''"
	}
	row := "i."
	if op == opDelete {
		row = "d."
	}
	var parts []string
	for _, c := range t.Table.PrimaryKey.Columns {
		parts = append(parts, "CAST("+row+name(c)+" AS nvarchar(max))")
	}
	return "LEFT(" + strings.Join(parts, " + N'|' + ") + ", 400)"
}
