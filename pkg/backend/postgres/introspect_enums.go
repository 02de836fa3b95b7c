package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
)

// readEnums reads the rows of tables that metadata uses as enums into the catalog, all in one
// statement. A table that doesn't exist, or that hasn't the shape of an enum, is omitted; the caller
// can see why from the catalog.
func readEnums(ctx context.Context, pg *pgconn.PgConn, s *catalog.Source, names []catalog.Name) error {
	var parts []string
	var tables []catalog.Name
	for _, name := range names {
		value, comment, ok := enumColumns(s.Tables[name])
		if !ok {
			continue
		}
		text := "NULL"
		if comment != "" {
			text = quote.Name(comment) + "::text"
		}
		parts = append(parts, fmt.Sprintf("SELECT %d, %s::text, %s FROM %s.%s",
			len(tables), quote.Name(value), text, quote.Name(name.Schema), quote.Name(name.Name)))
		tables = append(tables, name)
		s.Enums[name] = []catalog.EnumValue{}
	}
	if len(parts) == 0 {
		return nil
	}
	err := runQueries(ctx, pg, []query{{strings.Join(parts, "\nUNION ALL\n"), func(row [][]byte) error {
		i, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return err
		}
		v := catalog.EnumValue{Value: string(row[1]), Comment: string(row[2])}
		s.Enums[tables[i]] = append(s.Enums[tables[i]], v)
		return nil
	}}})
	for _, name := range tables {
		slices.SortFunc(s.Enums[name], func(a, b catalog.EnumValue) int { return cmp.Compare(a.Value, b.Value) })
	}
	return err
}

// enumColumns are the column of the values and that of the comments ("" for none): a
// primary key of one column, and at most one column besides.
func enumColumns(t *catalog.Table) (value, comment string, ok bool) {
	if t == nil || t.PrimaryKey == nil || len(t.PrimaryKey.Columns) != 1 || len(t.Columns) > 2 {
		return "", "", false
	}
	value = t.PrimaryKey.Columns[0]
	for _, c := range t.Columns {
		if c.Name != value {
			comment = c.Name
		}
	}
	return value, comment, true
}
