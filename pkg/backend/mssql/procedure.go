package mssql

import (
	"strconv"
	"strings"

	"queryengine/pkg/ir"
)

// procedure calls a stored procedure before the query that reads its rows, and gives the relation with these: a
// variable, which ends with the batch. The rows are numbered as the procedure gives them. EXEC takes variables
// and no expressions as arguments.
func (r *renderer) procedure(p ir.Procedure) string {
	rows := "@rows" + strconv.Itoa(r.procedures)
	r.procedures++
	columns, names := []string{orderColumn + " int IDENTITY"}, make([]string, len(p.Columns))
	for i, c := range p.Columns {
		if c.Embeds {
			r.Fail("columns of procedures hold no objects")
		}
		names[i] = quoteName(c.Name)
		columns = append(columns, names[i]+" "+rowOf(c.Type).columnName()+" NULL")
	}
	call := make([]string, len(p.Args))
	for i, a := range p.Args {
		variable := rows + "_" + strconv.Itoa(i)
		r.before = append(r.before, "DECLARE "+variable+" "+rowOf(a.Type).castName()+" = "+r.Value(a.Value))
		call[i] = "@" + a.Name + " = " + variable
	}
	text := "INSERT INTO " + rows + " (" + strings.Join(names, ", ") + ") EXEC " + r.Qualified(p.Name)
	if len(call) > 0 {
		text += " " + strings.Join(call, ", ")
	}
	r.before = append(r.before, "DECLARE "+rows+" TABLE ("+strings.Join(columns, ", ")+")", text)
	return rows
}

// columnName is the type of a column that takes values of the type as they are.
func (r typeRow) columnName() string {
	if r.plain != "" {
		return r.name // there are no implicit conversions to what it is cast to
	}
	return r.castName()
}
