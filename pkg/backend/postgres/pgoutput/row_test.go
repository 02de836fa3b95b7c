package pgoutput_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/pgoutput"
)

func TestRowText(t *testing.T) {
	t.Parallel()
	text := func(s string) pgoutput.Value { return pgoutput.Value{Kind: pgoutput.Text, Text: []byte(s)} }
	relation := &pgoutput.Relation{Columns: []pgoutput.Column{{Name: "id"}, {Name: "note"}, {Name: "big"}, {Name: "dropped"}}}
	before := pgoutput.Tuple{text("1"), text("a"), text("large"), text("x")}
	after := pgoutput.Tuple{text("1"), {Kind: pgoutput.Null}, {Kind: pgoutput.Unchanged}, text("x")}
	now := []string{"added", "big", "note", "id"} // the table's columns have changed since

	require.Nil(t, pgoutput.RowText(now, relation, nil, before), "no row")
	require.Equal(t, `(,"large","a","1")`, string(pgoutput.RowText(now, relation, before, nil)))
	require.Equal(t, `(,"large",,"1")`, string(pgoutput.RowText(now, relation, after, before)), "an unchanged value is that of the row before")
	require.Equal(t, `(,,,"1")`, string(pgoutput.RowText(now, relation, after, nil)), "or isn't known")
	require.Equal(t, `("")`, string(pgoutput.RowText([]string{"note"}, relation, pgoutput.Tuple{text("1"), {Kind: pgoutput.Text}}, nil)),
		"an empty text isn't NULL")
}
