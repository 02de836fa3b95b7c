package sqlite

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// defaultMark stands in a text for the default of a column: see statement.
const defaultMark = "\x00"

// RenderMutation renders one mutation step.
func (d *Dialect) RenderMutation(m ir.Mutation, o backend.RenderOptions) (backend.Statement, error) {
	r := newRenderer(d, o)
	switch m := m.(type) {
	case *ir.Insert:
		r.defaultsOf(m.Table)
	case *ir.Update:
		r.defaultsOf(m.Table)
	}
	w := r.Mutation(m, r.insert, o.NullChecksPass)
	return r.statement(w.Text, reply{kind: replyMutation, check: w.Check, handed: w.Handed, output: w.Output})
}

// RenderInsertOrder reports that the order makes a difference. What would be saved by another one are round
// trips, which there are none of.
func (d *Dialect) RenderInsertOrder(ir.InsertOrder) (backend.Statement, error) {
	r := newRenderer(d, backend.RenderOptions{})
	return r.statement("SELECT 'order'", reply{kind: replyMutation, check: -1, handed: answer.Handed{Columns: 1}})
}

// defaultsOf has the defaults of a table rendered as marks: the text of a default is known by the
// database, which has no word for it in a list of values.
func (r *renderer) defaultsOf(table catalog.Name) {
	r.Default = func(column string) string {
		r.defaults = append(r.defaults, defaultOf{table: table.Name, column: column})
		return defaultMark
	}
}

func (r *renderer) insert(i *ir.Insert) sqlrows.Write {
	target, row := r.Target(i.Table)
	if i.OnConflict != nil && i.UpdateCheck != nil {
		marked := false
		r.ConflictValue = func(column string) string {
			value := "EXCLUDED." + quoteName(column)
			if marked {
				return value
			}
			marked = true
			return functionUpdated + "(" + value + ")"
		}
	}
	return sqlrows.Write{
		Text: "INSERT INTO " + target + r.insertRows(i) + r.OnConflict(i.OnConflict, row),
		Row:  row,
		Check: r.InsertCheck(i, row, func() string {
			// A value of the row, so that it is requested each.
			of := "NULL"
			if len(i.Columns) > 0 {
				of = r.Column(row, i.Columns[0].Name)
			}
			return functionInserted + "(" + of + ")"
		}),
	}
}

// insertRows renders the columns and the rows.
func (r *renderer) insertRows(i *ir.Insert) string {
	switch {
	case !r.RowsFit(i):
		return ""
	case len(i.Columns) == 0 && len(i.Rows) == 1 && i.OnConflict == nil:
		return " DEFAULT VALUES"
	case len(i.Columns) == 0:
		// Without a number, a row gets the next one.
		return " (rowid) SELECT NULL FROM json_each('[" + strings.Repeat("0,", len(i.Rows)-1) + "0]') WHERE TRUE"
	}
	columns := sqlrows.GivenColumns(i)
	names := make([]string, len(columns))
	for at, c := range columns {
		names[at] = i.Columns[c].Name
	}
	into := " " + sqltext.Columns(r.Spelling, names) + " "
	if sqlrows.IsPattern(i.Rows) {
		return into + r.pattern(i.Rows[0], columns)
	}
	if len(i.Rows) > 1 {
		if rows, ok := r.list(i.Rows, columns); ok {
			return into + rows
		}
	}
	rows := make([]string, len(i.Rows))
	for at, row := range i.Rows {
		values := make([]string, len(columns))
		for k, c := range columns {
			if _, ok := row[c].(ir.Default); ok {
				values[k] = r.Default(i.Columns[c].Name)
			} else {
				values[k] = r.Value(row[c])
			}
		}
		rows[at] = "(" + strings.Join(values, ", ") + ")"
	}
	return into + "VALUES " + strings.Join(rows, ", ")
}

// pattern renders the rows that one row stands for: from the lists of its columns.
func (r *renderer) pattern(row []ir.Value, columns []int) string {
	p := sqltext.Param{Kind: sqltext.ParamList}
	var types []catalog.Type
	values := make([]string, len(columns))
	for at, c := range columns {
		each, ok := row[c].(ir.Each)
		if !ok {
			values[at] = r.Value(row[c])
			continue
		}
		values[at] = element("value ->> "+strconv.Itoa(len(types)), each.Type)
		types = append(types, each.Type)
		p.List = append(p.List, sqltext.Param{Kind: sqltext.ParamEach, Index: each.Index})
	}
	rows := r.rowList(p, func(text []byte) (value, error) { return convertRows(types, text, true) })
	return "SELECT " + strings.Join(values, ", ") + " FROM json_each(" + rows + ") WHERE TRUE"
}

// list renders rows as one list of those values that aren't the same in all of them. That can't be done
// where some row wants the default of a column.
func (r *renderer) list(rows [][]ir.Value, columns []int) (string, bool) {
	lists := make([]sqltext.Param, len(rows))
	for i := range lists {
		lists[i].Kind = sqltext.ParamList
	}
	var types []catalog.Type
	values := make([]string, len(columns))
	for at, c := range columns {
		if sqlrows.SameIn(rows, c) {
			if _, ok := rows[0][c].(ir.Default); ok {
				return "", false
			}
			values[at] = r.Value(rows[0][c])
			continue
		}
		var of catalog.Type
		for i, row := range rows {
			p, t, ok := sqlrows.Given(row[c])
			if !ok || i > 0 && t.Name != of.Name {
				return "", false
			}
			of = t
			lists[i].List = append(lists[i].List, p)
		}
		values[at] = element("value ->> "+strconv.Itoa(len(types)), of)
		types = append(types, of)
	}
	list := r.rowList(sqltext.Param{Kind: sqltext.ParamList, List: lists}, func(text []byte) (value, error) {
		return convertRows(types, text, false)
	})
	return "SELECT " + strings.Join(values, ", ") + " FROM json_each(" + list + ") WHERE TRUE", true
}
