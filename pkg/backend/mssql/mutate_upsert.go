package mssql

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// givenTable is the temporary table with the rows of an upsert.
const givenTable = "#given"

// upsert renders an insert that updates rows which are there already, those that have the same values in the
// columns of the target. Existing rows are looked up once, with locks that keep others from writing such rows until the
// transaction ends; the others are inserted, then these updated. MERGE does the same in one statement, but fires
// triggers for operations that wrote nothing, and needs the same locks.
//
// What is given back begins with the rows that were inserted.
func (r *renderer) upsert(i *ir.Insert) writing {
	row := &sqltext.Scope{Alias: r.Alias()}
	x := r.result(i.Table, i.Output, func(row *sqltext.Scope) string { return r.upsertCheck(i, row) })
	x.mark(updatedColumn, orderColumn)
	statements := x.create(r)
	identity := identityInsert{table: r.Qualified(i.Table), column: i.Identity}
	if x.number {
		statements = append(statements, "DECLARE "+countVariable+" int = 0")
	}
	count := func(text string) {
		statements = append(statements, text)
		if x.number {
			statements = append(statements, "SET "+countVariable+" = "+countVariable+" + @@ROWCOUNT")
		}
	}
	for n, g := range r.groups(i) {
		if len(g.columns) == 0 {
			statements = append(statements, identity.turn(nil)...)
			for range g.rows {
				count("INSERT INTO " + r.Qualified(i.Table) + x.output("INSERTED", "0", "0") + " DEFAULT VALUES")
			}
			continue
		}
		given := givenTable
		if n > 0 {
			given += strconv.Itoa(n)
		}
		names := g.names(i)
		list, values := r.given(i, g, "s")
		items := make([]string, len(values))
		for at, v := range values {
			t := i.Columns[g.columns[at]].Type
			if row := rowOf(t); row.family == familyText && row.assigned && slices.Contains(i.OnConflict.Target.Columns, names[at]) {
				v = keyed(v, t)
			}
			items[at] = v + " AS " + quoteName(names[at])
		}
		found := "0"
		matches := r.matches(i, g.columns, row)
		if matches != "" {
			found = "CASE WHEN EXISTS (SELECT 1 FROM " + r.Qualified(i.Table) + " AS " + row.Alias + " WITH (UPDLOCK, HOLDLOCK) WHERE " + matches + ") THEN 1 ELSE 0 END"
		}
		statements = append(statements, "SELECT g.*, "+found+" AS "+updatedColumn+" INTO "+given+
			" FROM (SELECT s."+ordinalColumn+" AS "+orderColumn+", "+strings.Join(items, ", ")+" FROM "+list+" AS s) AS g")
		own := make([]string, len(names))
		for at, name := range names {
			own[at] = "g." + quoteName(name)
		}
		statements = append(statements, identity.turn(names)...)
		count("INSERT INTO " + r.Qualified(i.Table) + " " + sqltext.Columns(r.Spelling, names) + x.output("INSERTED", "0", "0") +
			" SELECT " + strings.Join(own, ", ") + " FROM " + given + " AS g WHERE g." + updatedColumn + " = 0 ORDER BY g." + orderColumn)
		if set := r.upsertSet(i.OnConflict, names, row); set != "" && matches != "" {
			where := r.Where([]string{"g." + updatedColumn + " = 1", r.Condition(i.OnConflict.Where, row)})
			count("UPDATE " + row.Alias + " SET " + set + x.output("INSERTED", "1", "g."+orderColumn+" + "+strconv.Itoa(g.first)) +
				" FROM " + r.Qualified(i.Table) + " AS " + row.Alias + " JOIN " + given + " AS g ON " + matches + where)
		}
	}
	read := x.read(r)
	if x.number {
		read = readNumber(countVariable)
	}
	return writing{append(append(statements, identity.turn(nil)...), read), x.reply}
}

// matches is the condition that a row of the table is one of those given; empty where none can be.
func (r *renderer) matches(i *ir.Insert, given []int, row *sqltext.Scope) string {
	terms := make([]string, 0, len(i.OnConflict.Target.Columns))
	for _, name := range i.OnConflict.Target.Columns {
		at := slices.IndexFunc(given, func(c int) bool { return i.Columns[c].Name == name })
		if at < 0 {
			return ""
		}
		terms = append(terms, r.Expr(i.Columns[given[at]], row)+" = g."+quoteName(name))
	}
	return strings.Join(terms, " AND ")
}

// upsertSet are the assignments to a row that is there already: the columns that are given, and presets.
func (r *renderer) upsertSet(c *ir.OnConflict, given []string, row *sqltext.Scope) string {
	if len(c.Set) == 0 {
		return ""
	}
	var set []string
	for _, name := range c.Set {
		if slices.Contains(given, name) {
			set = append(set, quoteName(name)+" = g."+quoteName(name))
		}
	}
	if len(c.Presets) > 0 {
		set = append(set, r.assignments(c.Presets, row))
	}
	return strings.Join(set, ", ")
}

// upsertCheck is the condition on a written row: that of inserts, or that of updates.
func (r *renderer) upsertCheck(i *ir.Insert, row *sqltext.Scope) string {
	check := r.Condition(i.Check, row)
	if len(i.OnConflict.Set) == 0 || i.UpdateCheck == nil {
		return check
	}
	updated := r.Condition(i.UpdateCheck, row)
	always := r.Spelling.Bool(true)
	if check == always && updated == always {
		return always
	}
	mark := row.Alias + "." + updatedColumn
	return "(" + mark + " = 0 AND " + check + " OR " + mark + " = 1 AND " + updated + ")"
}
