package sqlite

import (
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Rows that a statement is given are one parameter: a JSON array with an array of values for each. A
// text whose parameters followed the number of rows would come once only.

// typeRowList is the type of such a parameter. It is none of a column.
var typeRowList = catalog.Type{Name: "engine_rows"}

// rowList binds rows and gives the text of the parameter.
func (r *renderer) rowList(p sqltext.Param, convert func(text []byte) (value, error)) string {
	place := len(r.Params)
	text := r.Bind(p, sqltext.As{Type: typeRowList})
	if len(r.Params) > place {
		r.converts[place] = convert
	}
	return text
}

// rowItems are the values of a row of such a list, each of its type.
func rowItems(types []catalog.Type) []string {
	items := make([]string, len(types))
	for i, t := range types {
		items[i] = element("value ->> "+strconv.Itoa(i), t)
	}
	return items
}

// keys renders rows that the caller supplies.
func (r *renderer) keys(k ir.Keys) string {
	types := make([]catalog.Type, len(k.Columns))
	for i, c := range k.Columns {
		types[i] = c.Type
	}
	items := rowItems(types)
	for i, c := range k.Columns {
		items[i] += " AS " + quoteName(c.Name)
	}
	items = append(items, "key + 1 AS "+quoteName(k.Ordinal))
	list := r.rowList(sqltext.Param{Kind: sqltext.ParamVariable, Index: k.Index}, func(text []byte) (value, error) {
		return convertKeys(k.Columns, text)
	})
	return "(SELECT " + strings.Join(items, ", ") + " FROM json_each(" + list + "))"
}

// convertKeys makes rows of objects.
func convertKeys(columns []ir.Column, text []byte) (value, error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	objects, err := input.ObjectRows(names, text)
	if err != nil {
		return value{}, err
	}
	return rowsValue(objects, func(c int) catalog.Type { return columns[c].Type })
}

// convertRows makes rows of a list of lists of texts: one for each row or, if they are columns, one for
// each column.
func convertRows(types []catalog.Type, text []byte, columns bool) (value, error) {
	lists, err := input.Rows(text, columns)
	if err != nil {
		return value{}, err
	}
	return rowsValue(lists, func(c int) catalog.Type { return types[c] })
}

// rowsValue is the value that is bound for rows.
func rowsValue(lists [][][]byte, of func(c int) catalog.Type) (value, error) {
	rows := []byte{'['}
	for i, row := range lists {
		if i > 0 {
			rows = append(rows, ',')
		}
		var err error
		if rows, err = appendList(rows, row, of); err != nil {
			return value{}, apierror.At(err, i)
		}
	}
	return value{class: classText, text: append(rows, ']')}, nil
}
