package walreader

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
)

// column is one whose values are reported, with the OID of its type: after the type has changed they aren't.
type column struct {
	name string
	kind uint32
	// compared is set when it is only told whether an update has kept the value.
	compared bool
}

// interest are the columns whose values are reported, by tables. It is safe for concurrent use. The lists are never
// changed, as others read them.
type interest struct {
	mu     sync.Mutex
	tables map[uint32][]column
}

// add adds columns of tables, given by their ids. Those that are only compared follow the others.
func (i *interest) add(ids []string, told, compared []backend.ToldColumn) error {
	columns := make([]column, 0, len(told)+len(compared))
	for n, c := range slices.Concat(told, compared) {
		kind, err := strconv.ParseUint(c.Type, 10, 32)
		if err != nil {
			return err
		}
		columns = append(columns, column{name: c.Name, kind: uint32(kind), compared: n >= len(told)}) //nolint:gosec // of 32 bits
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.tables == nil {
		i.tables = map[uint32][]column{}
	}
	for _, id := range ids {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return err
		}
		table := uint32(n) //nolint:gosec // of 32 bits
		i.tables[table] = union(i.tables[table], columns)
	}
	return nil
}

// union is a list with others added, or instead of those of their name.
func union(list, others []column) []column {
	out := slices.Clone(list)
	for _, c := range others {
		switch at := slices.IndexFunc(out, func(o column) bool { return o.name == c.name }); {
		case at < 0:
			out = append(out, c)
		default:
			c.compared = c.compared && out[at].compared
			out[at] = c
		}
	}
	if slices.Equal(out, list) {
		return list
	}
	return out
}

func (i *interest) of(table uint32) []column {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.tables[table]
}

// forget ends telling the columns of a table.
func (i *interest) forget(table uint32) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.tables, table)
}

func (i *interest) clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tables = nil
}

// tellable describes the columns that the log has of a table: not of views, whose columns aren't in the
// tables that they read, and not generated ones. Versions of the server before 15 have no other provider of the
// database's locale than the C library.
func tellable(ctx context.Context, pg *pgconn.PgConn, table catalog.Name, columns []string) ([]backend.ToldColumn, error) {
	const sql = `SELECT a.attname, a.atttypid::text, (coalesce(o.collisdeterministic, true))::text,
	(getdatabaseencoding() = 'UTF8' AND CASE o.collprovider WHEN 'c' THEN o.collcollate IN ('C', 'POSIX')
		WHEN 'd' THEN d.datcollate IN ('C', 'POSIX') AND coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') = 'c' ELSE false END)::text,
	coalesce((SELECT CASE WHEN a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]) THEN i.indnkeyatts ELSE 0 END FROM pg_index i
		WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid AND i.indimmediate), 0)::text
	FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace s ON s.oid = c.relnamespace
	JOIN pg_database d ON d.datname = current_database() LEFT JOIN pg_collation o ON o.oid = a.attcollation
	WHERE s.nspname = $1 AND c.relname = $2 AND a.attname = ANY ($3::text[]) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		AND c.relkind IN ('r', 'p') ORDER BY a.attnum`
	names := make([][]byte, len(columns))
	for i, c := range columns {
		names[i] = []byte(c)
	}
	rows, err := query(ctx, pg, sql, []byte(table.Schema), []byte(table.Name), quote.Array(names))
	if err != nil {
		return nil, err
	}
	var told []backend.ToldColumn
	for _, r := range rows {
		c := backend.ToldColumn{Name: string(r[0]), Type: string(r[1])}
		switch {
		case string(r[3]) == "true":
			c.Collation = backend.CollationBytes
		case string(r[2]) == "true":
			c.Collation = backend.CollationDeterministic
		}
		if c.Key, err = strconv.Atoi(string(r[4])); err != nil {
			return nil, err
		}
		told = append(told, c)
	}
	return told, nil
}
