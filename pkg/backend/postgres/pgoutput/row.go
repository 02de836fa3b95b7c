package pgoutput

import (
	"slices"

	"queryengine/pkg/backend/postgres/quote"
)

// RowText is the text of a row as the database casts it to the type of a table with the given columns, nil
// for no row. Of large values that an update has left as they were, the log has only those before. Columns
// that the row hasn't got are NULL.
func RowText(columns []string, relation *Relation, row, before Tuple) []byte {
	if row == nil {
		return nil
	}
	text := []byte{'('}
	for i, name := range columns {
		if i > 0 {
			text = append(text, ',')
		}
		if value := ValueOf(name, relation, row, before); value != nil {
			text = quote.AppendElement(text, value)
		}
	}
	return append(text, ')')
}

// ValueOf is the text of a column's value, nil for NULL.
func ValueOf(name string, relation *Relation, row, before Tuple) []byte {
	i := slices.IndexFunc(relation.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 || i >= len(row) {
		return nil
	}
	value := row[i]
	if value.Kind == Unchanged && i < len(before) {
		value = before[i]
	}
	if value.Kind != Text {
		return nil
	}
	if value.Text == nil {
		return []byte{}
	}
	return value.Text
}
