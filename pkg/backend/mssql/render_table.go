package mssql

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Rows that a statement is given are one parameter: a JSON array with an array for each of them, which begins with
// the number of the row and goes on with the texts of its values. A text with a parameter for each value would
// come once only, and a statement has 2100 of them at most.

// typeRowList is the type of such a parameter. It is none of a column.
var typeRowList = catalog.Type{Name: "engine_rows"}

// ordinalColumn is the name of the column with the number of a row.
const ordinalColumn = "[n]"

// rowList binds rows of some columns and gives the relation: the number of a row, and the texts c0, c1, ...
func (r *renderer) rowList(p sqltext.Param, columns int, convert func(text []byte) ([]byte, error)) string {
	place := len(r.Params)
	r.sharedConvert = convert
	text := r.Bind(p, sqltext.As{Type: typeRowList})
	r.sharedConvert = nil
	if len(r.Params) > place {
		r.converts[place] = convert
	}
	return rowsOf(text, columns)
}

// rowsOf is the relation of the text of rows.
func rowsOf(text string, columns int) string {
	with := make([]string, columns+1)
	with[0] = ordinalColumn + " int '$[0]'"
	for i := range columns {
		with[i+1] = "[c" + strconv.Itoa(i) + "] nvarchar(max) '$[" + strconv.Itoa(i+1) + "]'"
	}
	return "OPENJSON(" + text + ") WITH (" + strings.Join(with, ", ") + ")"
}

// rowItem is the value of a column of such a relation.
func rowItem(alias string, i int, t catalog.Type) string {
	return read(alias+".[c"+strconv.Itoa(i)+"]", t)
}

// rowsText is the text of rows, from the texts of their values.
func rowsText(rows [][][]byte, of func(column int) catalog.Type) ([]byte, error) {
	text := []byte{'['}
	for i, row := range rows {
		for c, v := range row {
			if v != nil && rowOf(of(c)).family == familyBytes {
				hex, err := hexOf(string(v))
				if err != nil {
					return nil, err
				}
				row[c] = []byte(hex)
			}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendInt(text, int64(i), 10)
		if len(row) > 0 {
			text = append(text, ',')
		}
		text = append(text, input.ListText(row)[1:]...)
	}
	return append(text, ']'), nil
}

// convertList makes a JSON array of a list in any form that it may come in.
func convertList(text []byte) ([]byte, error) {
	values, err := input.ListValues(text)
	return input.ListText(values), err
}

// keys renders rows that the caller supplies.
func (r *renderer) keys(k ir.Keys) string {
	names, items := make([]string, len(k.Columns)), make([]string, 0, len(k.Columns)+1)
	for i, c := range k.Columns {
		names[i] = c.Name
		items = append(items, rowItem("k", i, c.Type)+" AS "+quoteName(c.Name))
	}
	items = append(items, "k."+ordinalColumn+" + 1 AS "+quoteName(k.Ordinal))
	list := r.rowList(sqltext.Param{Kind: sqltext.ParamVariable, Index: k.Index}, len(names), func(text []byte) ([]byte, error) {
		rows, err := input.ObjectRows(names, text)
		if err != nil {
			return nil, err
		}
		return rowsText(rows, func(c int) catalog.Type { return k.Columns[c].Type })
	})
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + list + " AS k)"
}

// rowRef refers to a row by the text of its values.
func (r *renderer) rowRef(e ir.RowRef, in *sqltext.Scope) string {
	q := &sqlrows.Selection{Items: make([]string, len(e.Columns))}
	for i, c := range e.Columns {
		q.Items[i] = output(r.Expr(c, in), c.Type)
	}
	return r.List(q)
}

// written renders rows of a table from such texts.
func (r *renderer) written(w ir.Written) string {
	texts := sqltext.Param{Kind: sqltext.ParamList}
	if all, ok := sqlrows.EachOf(w.Rows); ok {
		texts = sqltext.Param{Kind: sqltext.ParamEach, Index: all.Index}
	} else {
		for _, v := range w.Rows {
			p, _, ok := sqlrows.Given(v)
			if !ok {
				r.Fail("a written row can't be %T", v)
			}
			texts.List = append(texts.List, p)
		}
	}
	items := []string{"w." + ordinalColumn + " AS " + orderColumn}
	for i, c := range w.Columns {
		item := rowItem("w", i, c.Type)
		if row := rowOf(c.Type); row.family == familyDecimal && row.assigned {
			item = "w.[c" + strconv.Itoa(i) + "]" // with its own digits, and compared as a number
		}
		items = append(items, item+" AS "+quoteName(c.Name))
	}
	list := r.rowList(texts, len(w.Columns), func(text []byte) ([]byte, error) {
		records, err := input.ListValues(text)
		if err != nil {
			return nil, err
		}
		rows := make([][][]byte, len(records))
		for i, record := range records {
			var ok bool
			if rows[i], _, ok = (format{}).Record(nil, nil, record); !ok || len(rows[i]) != len(w.Columns) {
				return nil, errWrittenRow
			}
		}
		return rowsText(rows, func(c int) catalog.Type { return w.Columns[c].Type })
	})
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + list + " AS w)"
}

// nativeQuery renders the result of a native query as a sub-select with the columns of its logical model, each in
// the type of the model.
func (r *renderer) nativeQuery(q ir.NativeQuery) string {
	r.Calls = true
	items := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		if c.Embeds {
			r.Fail("columns of native queries hold no objects")
		}
		name := quoteName(c.Name)
		items[i] = "q." + name
	}
	if len(items) == 0 {
		items = []string{"1 AS [?1]"}
	}
	return "(SELECT " + strings.Join(items, ", ") + " FROM (" + r.code(q.Code) + ") AS q)"
}

// code is the statement with its values bound.
func (r *renderer) code(parts []ir.Code) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Value != nil {
			b.WriteString(r.Value(p.Value))
		} else {
			b.WriteString(p.Text)
		}
	}
	// A comment at the end ends with the line.
	return strings.TrimRight(b.String(), " \t\r\n;") + "\n"
}
