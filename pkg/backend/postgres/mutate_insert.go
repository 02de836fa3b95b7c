package postgres

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func (r *renderer) insert(i *ir.Insert) sqlrows.Write {
	target, row := r.Target(i.Table)
	before := ""
	w := sqlrows.Write{
		Text: "INSERT INTO " + target + r.insertRows(i) + r.OnConflict(i.OnConflict, row),
		Row:  row,
		Check: r.InsertCheck(i, row, func() string {
			if r.flavor.plain {
				before = r.keysBefore(i)
				return r.wasMissing(i, row)
			}
			return r.wasInserted(i, row)
		}),
	}
	w.Text = before + w.Text
	return w
}

// beforeTable names the keys of the rows that are there before an upsert.
const beforeTable = `"?before"`

// keysBefore reads which rows of an upsert exist before it: CockroachDB has no xmax, and gives back no rows of an upsert
// that reads its table next to RETURNING (cockroachdb/cockroach#105640).
func (r *renderer) keysBefore(i *ir.Insert) string {
	key := i.OnConflict.Target.Columns
	names, rows := make([]string, len(key)), []string{}
	for at, name := range key {
		names[at] = quote.Name(name)
	}
	if len(key) == 0 || sqlrows.IsPattern(i.Rows) {
		r.Fail("a conflict whose columns or values aren't known")
	}
	for _, row := range i.Rows {
		values := make([]string, 0, len(key))
		for _, name := range key {
			at := slices.IndexFunc(i.Columns, func(c ir.Column) bool { return c.Name == name })
			if at < 0 {
				continue
			}
			if _, absent := row[at].(ir.Default); !absent {
				values = append(values, r.Value(row[at]))
			}
		}
		if len(values) == len(key) { // a row without is a new one
			rows = append(rows, "("+strings.Join(values, ", ")+")")
		}
	}
	where := sqlFalse
	if len(rows) > 0 {
		where = "(" + strings.Join(names, ", ") + ") IN (" + strings.Join(rows, ", ") + ")"
	}
	return "WITH " + beforeTable + " AS MATERIALIZED (SELECT " + strings.Join(names, ", ") + " FROM " + quote.Qualified(i.Table) + " WHERE " + where + ") "
}

// wasMissing is wasInserted by the keys that were there before.
func (r *renderer) wasMissing(i *ir.Insert, row *sqltext.Scope) string {
	before := &sqltext.Scope{Alias: r.Alias()}
	return "NOT EXISTS (SELECT 1 FROM " + beforeTable + " AS " + before.Alias + r.Where(r.sameKey(i, before, row)) + ")"
}

func (r *renderer) sameKey(i *ir.Insert, a, b *sqltext.Scope) []string {
	key := i.OnConflict.Target.Columns
	if len(key) == 0 {
		r.Fail("a conflict whose columns aren't known")
	}
	same := make([]string, len(key))
	for at, name := range key {
		same[at] = r.Column(a, name) + " = " + r.Column(b, name)
	}
	return same
}

// wasInserted distinguishes inserted rows from updated ones, which carry the number of the transaction
// in xmax. Rows of a table with partitions don't show it: there, a row was inserted when none with its
// key was there before the statement, as a sub-select of it sees.
func (r *renderer) wasInserted(i *ir.Insert, row *sqltext.Scope) string {
	if i.OnConflict.TableKind != catalog.KindPartitioned {
		return row.Alias + ".xmax = 0"
	}
	before := &sqltext.Scope{Alias: r.Alias()}
	return "NOT EXISTS (SELECT 1 FROM " + quote.Qualified(i.Table) + " AS " + before.Alias + r.Where(r.sameKey(i, before, row)) + ")"
}

// insertRows renders the columns and the rows. Many rows are one array for each column:
// whatever their number, the text is the same and has few parameters. A text that follows their
// number won't come again soon.
func (r *renderer) insertRows(i *ir.Insert) string {
	switch {
	case !r.RowsFit(i):
		return ""
	case len(i.Columns) == 0 && r.flavor.plain && len(i.Rows) == 1:
		return " DEFAULT VALUES"
	case len(i.Columns) == 0:
		r.once = true
		return " SELECT FROM generate_series(1, " + strconv.Itoa(len(i.Rows)) + ")"
	}
	columns := sqlrows.GivenColumns(i)
	names := make([]string, len(columns))
	for at, c := range columns {
		names[at] = quote.Name(i.Columns[c].Name)
	}
	into := " (" + strings.Join(names, ", ") + ") "
	if sqlrows.IsPattern(i.Rows) {
		return into + r.pattern(i.Rows[0], columns)
	}
	if len(i.Rows) > 1 && !r.flavor.flat {
		if rows, ok := r.arrays(i, columns); ok {
			return into + rows
		}
		r.once = true
	}
	rows := make([]string, len(i.Rows))
	for at, row := range i.Rows {
		values := make([]string, len(columns))
		for k, c := range columns {
			values[k] = r.Value(row[c])
		}
		rows[at] = "(" + strings.Join(values, ", ") + ")"
	}
	return into + "VALUES " + strings.Join(rows, ", ")
}

// arrays renders rows as a SELECT from one array for each column. That can't be done where
// some row wants the default of a column, or makes its value in another way than the rest.
func (r *renderer) arrays(i *ir.Insert, columns []int) (string, bool) {
	items := make([]insertColumn, len(columns))
	varied := false
	for at, c := range columns {
		var ok bool
		if items[at], ok = columnOf(i.Rows, c); !ok {
			return "", false
		}
		varied = varied || items[at].params != nil
	}
	if !varied { // all rows are the same
		return "", false
	}
	return r.unnested(items), true
}

// unnested is a SELECT from one array for each column that isn't the same in all rows.
func (r *renderer) unnested(items []insertColumn) string {
	var arrays, names, values []string
	for _, c := range items {
		if c.params == nil && c.each == nil {
			values = append(values, r.Value(c.same))
			continue
		}
		p := sqltext.Param{Kind: sqltext.ParamList, List: c.params}
		if c.each != nil {
			p = sqltext.Param{Kind: sqltext.ParamEach, Index: c.each.Index}
		}
		name := "c" + strconv.Itoa(len(names))
		element, value := arrayElement(c.t, c.wrap, name)
		arrays = append(arrays, r.Bind(p, sqltext.As{Type: element}))
		names = append(names, name)
		values = append(values, wrapped(value, c.t, c.wrap))
	}
	return "SELECT " + strings.Join(values, ", ") + " FROM unnest(" + strings.Join(arrays, ", ") + ") AS v(" +
		strings.Join(names, ", ") + ")"
}

// pattern renders the rows that one row stands for.
func (r *renderer) pattern(row []ir.Value, columns []int) string {
	items := make([]insertColumn, len(columns))
	for at, c := range columns {
		items[at] = insertColumn{same: row[c]}
		if each, ok := row[c].(ir.Each); ok {
			items[at] = insertColumn{each: &each, t: each.Type, wrap: each.Wrap}
		}
	}
	return r.unnested(items)
}

// insertColumn is one column of many rows: one value for all of them, or a list.
type insertColumn struct {
	same   ir.Value
	params []sqltext.Param
	each   *ir.Each
	t      catalog.Type
	wrap   ir.Wrap
}

func columnOf(rows [][]ir.Value, c int) (insertColumn, bool) {
	column := insertColumn{same: rows[0][c]}
	switch column.same.(type) {
	case ir.SessionVar, ir.SessionObject:
		// A preset: the same in all rows, or not for arrays.
		for _, row := range rows {
			if !sameValue(row[c], column.same) {
				return column, false
			}
		}
		return column, true
	}
	typed := false
	for _, row := range rows {
		var p sqltext.Param
		var t catalog.Type
		var wrap ir.Wrap
		null := false
		switch v := row[c].(type) {
		case ir.Literal:
			p, t, wrap, null = sqltext.Param{Kind: sqltext.ParamLiteral, Text: []byte(v.Text)}, v.Type, v.Wrap, v.Null
			if null {
				p.Text = nil
			}
		case ir.Variable:
			p, t, wrap = sqltext.Param{Kind: sqltext.ParamVariable, Index: v.Index}, v.Type, v.Wrap
		default:
			return column, false
		}
		switch {
		case !typed:
			column.t, column.wrap, typed = t, wrap, !null
		case !null && (typeName(t) != typeName(column.t) || wrap != column.wrap):
			return column, false
		}
		column.params = append(column.params, p)
	}
	return column, true
}

func sameValue(a, b ir.Value) bool {
	if va, ok := a.(ir.SessionVar); ok {
		vb, ok := b.(ir.SessionVar)
		return ok && va.Name == vb.Name && va.List == vb.List && typeName(va.Type) == typeName(vb.Type) && va.Wrap == vb.Wrap
	}
	_, aok := a.(ir.SessionObject)
	_, bok := b.(ir.SessionObject)
	return aok && bok
}

// arrayElement is the type of the array that carries the values of a column, and the value
// made of an element of it. Arrays of arrays aren't what they seem, and some types have
// their own separator of elements; their values travel as text.
func arrayElement(t catalog.Type, wrap ir.Wrap, name string) (array catalog.Type, value string) {
	if wrap != ir.WrapNone {
		return catalog.Type{Name: "text", Dims: 1}, name
	}
	if t.IsArray() || t.Schema != "" || t.Name == "box" {
		return catalog.Type{Name: "text", Dims: 1}, name + "::" + typeName(t)
	}
	t.Dims = 1
	return t, name
}
