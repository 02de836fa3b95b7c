package input

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// Rows are the texts of rows, from a list of lists: one for each row or, if they are columns, one for each
// column. nil is NULL.
func Rows(text []byte, columns bool) ([][][]byte, error) {
	lists, err := nestedLists(text)
	if err == nil && columns {
		lists, err = transposed(lists)
	}
	return lists, err
}

// ObjectRows are the texts that the objects of a JSON list have for some keys.
func ObjectRows(keys []string, text []byte) ([][][]byte, error) {
	rows := [][][]byte{}
	err := jsonwalk.Items(text, func(_ int, object []byte) error {
		values := make([][]byte, len(keys))
		rows = append(rows, values)
		return jsonwalk.Fields(object, func(key, v []byte) error {
			for i := range keys {
				if keys[i] != string(key) {
					continue
				}
				var err error
				if values[i], err = ItemText(v); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return rows, err
}

func nestedLists(text []byte) ([][][]byte, error) {
	texts, err := ListValues(text)
	if err != nil {
		return nil, err
	}
	lists := make([][][]byte, len(texts))
	for i, t := range texts {
		if lists[i], err = ListValues(t); err != nil {
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
