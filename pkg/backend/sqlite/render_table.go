package sqlite

import (
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
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
	rows := []byte{'['}
	err := jsonwalk.Items(text, func(i int, object []byte) error {
		values := make([][]byte, len(columns))
		err := jsonwalk.Fields(object, func(key, v []byte) error {
			for c := range columns {
				if columns[c].Name != string(key) {
					continue
				}
				var err error
				if values[c], err = itemText(v); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if i > 0 {
			rows = append(rows, ',')
		}
		rows, err = appendList(rows, values, func(c int) catalog.Type { return columns[c].Type })
		return err
	})
	return value{class: classText, text: append(rows, ']')}, err
}

// convertRows makes rows of a list of lists of texts: one for each row or, if they are columns, one for
// each column.
func convertRows(types []catalog.Type, text []byte, columns bool) (value, error) {
	lists, err := nestedLists(text)
	if err != nil {
		return value{}, err
	}
	if columns {
		if lists, err = transposed(lists); err != nil {
			return value{}, err
		}
	}
	rows := []byte{'['}
	for i, row := range lists {
		if i > 0 {
			rows = append(rows, ',')
		}
		if rows, err = appendList(rows, row, func(c int) catalog.Type { return types[c] }); err != nil {
			return value{}, apierror.At(err, i)
		}
	}
	return value{class: classText, text: append(rows, ']')}, nil
}

func nestedLists(text []byte) ([][][]byte, error) {
	texts, err := listValues(text)
	if err != nil {
		return nil, err
	}
	lists := make([][][]byte, len(texts))
	for i, t := range texts {
		if lists[i], err = listValues(t); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func transposed(columns [][][]byte) ([][][]byte, error) {
	rows := make([][][]byte, len(columns[0]))
	for i := range rows {
		rows[i] = make([][]byte, len(columns))
		for c := range columns {
			if len(columns[c]) != len(rows) {
				return nil, apierror.New(apierror.Unexpected, "lists of different lengths")
			}
			rows[i][c] = columns[c][i]
		}
	}
	return rows, nil
}
