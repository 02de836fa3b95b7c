package mssql

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// maxSingly is how many rows are inserted one by one: that keeps their order, which OUTPUT doesn't, and defaults can
// stand among their values. Parameters are limited, too.
const maxSingly, maxParams = 20, 1000

// insert renders an insert. Rows come singly as long as they are few; then their values are parameters. Else those
// that have values for the same columns come as one list.
func (r *renderer) insert(i *ir.Insert) writing {
	if !r.RowsFit(i) {
		return writing{}
	}
	if i.OnConflict != nil {
		return r.upsert(i)
	}
	x := r.result(i.Table, i.Output, func(row *sqltext.Scope) string { return r.Condition(i.Check, row) })
	pattern := sqlrows.IsPattern(i.Rows)
	if x.shown && (pattern || len(i.Rows) > 1) {
		x.mark(orderColumn)
	}
	statements := x.create(r)
	identity := identityInsert{table: r.Qualified(i.Table), column: i.Identity}
	if !pattern && len(i.Rows) <= maxSingly && len(i.Rows)*len(i.Columns) <= maxParams {
		for n, values := range i.Rows {
			names, values := r.assignRow(i, values)
			statements = append(statements, identity.turn(names)...)
			statements = append(statements, r.insertOne(i, names, values, x.output("INSERTED", x.place(n)...)))
			if x.number {
				statements = append(statements, addCount(n))
			}
		}
		return r.inserted(statements, identity, x)
	}
	counts := 0
	insert := func(names []string, text string) {
		statements = append(append(statements, identity.turn(names)...), text)
		if x.number {
			statements = append(statements, addCount(counts))
			counts++
		}
	}
	for _, g := range r.groups(i) {
		if len(g.columns) > 0 {
			insert(g.names(i), r.insertMany(i, g, x))
			continue
		}
		for n := range g.rows {
			insert(nil, r.insertOne(i, nil, nil, x.output("INSERTED", x.place(g.first+n)...)))
		}
	}
	return r.inserted(statements, identity, x)
}

// place is the mark of the n-th row, where rows have one.
func (x *result) place(n int) []string {
	if x.marks == nil {
		return nil
	}
	return []string{strconv.Itoa(n)}
}

// countVariable has the number of written rows where several statements write them.
const countVariable = "@written"

// addCount adds the number of rows of the n-th statement.
func addCount(n int) string {
	if n == 0 {
		return "DECLARE " + countVariable + " int = @@ROWCOUNT"
	}
	return "SET " + countVariable + " = " + countVariable + " + @@ROWCOUNT"
}

// inserted ends an insert.
func (r *renderer) inserted(statements []string, identity identityInsert, x *result) writing {
	read := x.read(r)
	if x.number {
		read = readNumber(countVariable)
	}
	return writing{append(append(statements, identity.turn(nil)...), read), x.reply}
}

// identityInsert is whether rows bring their own values for the column that is counted up: only then they may, and
// then all of them have to.
type identityInsert struct {
	table, column string
	on            bool
}

// turn gives the statement ahead of rows with values for some columns.
func (s *identityInsert) turn(names []string) []string {
	on := s.column != "" && slices.Contains(names, s.column)
	if on == s.on {
		return nil
	}
	s.on = on
	state := "OFF"
	if on {
		state = "ON"
	}
	return []string{"SET IDENTITY_INSERT " + s.table + " " + state}
}

// assignRow are the columns of a row that have a value, and the values.
func (r *renderer) assignRow(i *ir.Insert, row []ir.Value) (names, values []string) {
	for c, v := range row {
		if _, ok := v.(ir.Default); !ok {
			names, values = append(names, i.Columns[c].Name), append(values, r.assign(v))
		}
	}
	return names, values
}

// insertOne renders a row with its values as parameters.
func (r *renderer) insertOne(i *ir.Insert, names, values []string, output string) string {
	into := "INSERT INTO " + r.Qualified(i.Table)
	if len(names) == 0 {
		return into + output + " DEFAULT VALUES"
	}
	return into + " " + sqltext.Columns(r.Spelling, names) + output + " VALUES (" + strings.Join(values, ", ") + ")"
}

// group is a number of rows one after the other that have values for the same columns.
type group struct {
	first   int
	columns []int
	rows    [][]ir.Value
}

// groups are the rows of an insert. Where a row has another set of columns than the one before it, a list ends:
// a default can't be part of one.
func (r *renderer) groups(i *ir.Insert) []group {
	var list []group
	for n, row := range i.Rows {
		var columns []int
		for c, v := range row {
			if _, ok := v.(ir.Default); !ok {
				columns = append(columns, c)
			}
		}
		if last := len(list) - 1; last >= 0 && slices.Equal(list[last].columns, columns) {
			list[last].rows = append(list[last].rows, row)
		} else {
			list = append(list, group{first: n, columns: columns, rows: [][]ir.Value{row}})
		}
	}
	return list
}

// names are the columns of a group.
func (g *group) names(i *ir.Insert) []string {
	names := make([]string, len(g.columns))
	for at, c := range g.columns {
		names[at] = i.Columns[c].Name
	}
	return names
}

// insertMany renders a list of rows. Where rows are given back, it is a MERGE that matches nothing: its OUTPUT, and
// no other, knows the number of the row that a written one comes from.
func (r *renderer) insertMany(i *ir.Insert, g group, x *result) string {
	into := r.Qualified(i.Table)
	list, values := r.given(i, g, "s")
	columns := sqltext.Columns(r.Spelling, g.names(i))
	if x.marks == nil {
		return "INSERT INTO " + into + " " + columns + x.output("INSERTED") + " SELECT " + strings.Join(values, ", ") + " FROM " + list + " AS s ORDER BY s." + ordinalColumn
	}
	return "MERGE INTO " + into + " AS t USING (SELECT s.* FROM " + list + " AS s) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT " + columns +
		" VALUES (" + strings.Join(values, ", ") + ")" + x.output("INSERTED", "s."+ordinalColumn+" + "+strconv.Itoa(g.first))
}

// given is the relation of the rows of a group, and the values of the columns in it. What is the same for all rows
// is no part of the list.
func (r *renderer) given(i *ir.Insert, g group, alias string) (list string, values []string) {
	var types []catalog.Type
	values = make([]string, len(g.columns))
	place := func(at int, t catalog.Type) {
		text := alias + ".[c" + strconv.Itoa(len(types)) + "]"
		if values[at] = text; !rowOf(t).assigned {
			values[at] = read(text, t)
		}
		types = append(types, t)
	}
	p := sqltext.Param{Kind: sqltext.ParamList}
	pattern := sqlrows.IsPattern(g.rows)
	if !pattern {
		p.List = make([]sqltext.Param, len(g.rows))
		for n := range p.List {
			p.List[n].Kind = sqltext.ParamList
		}
	}
	for at, c := range g.columns {
		each, ok := g.rows[0][c].(ir.Each)
		switch {
		case ok:
			place(at, each.Type)
			p.List = append(p.List, sqltext.Param{Kind: sqltext.ParamEach, Index: each.Index})
		case pattern || sqlrows.SameIn(g.rows, c):
			values[at] = r.assign(g.rows[0][c])
		default:
			place(at, i.Columns[c].Type)
			for n, row := range g.rows {
				v, _, ok := sqlrows.Given(row[c])
				if !ok {
					// A value of the session or another source is the same in all rows.
					r.Fail("a row of a list can't have %T", row[c])
				}
				p.List[n].List = append(p.List[n].List, v)
			}
		}
	}
	list = r.rowList(p, len(types), func(text []byte) ([]byte, error) {
		rows, err := input.Rows(text, pattern)
		if err != nil {
			return nil, err
		}
		return rowsText(rows, func(c int) catalog.Type { return types[c] })
	})
	return list, values
}
