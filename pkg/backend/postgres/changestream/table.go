package changestream

import (
	"context"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/quote"
)

// table is a table of the database.
type table struct {
	*Table
	relation uint32
	// columns are those that the table has now, evaluate the statement that tells what a role sees of images.
	columns  []string
	evaluate string
}

const (
	obstaclesSQL = `SELECT c.oid::text, CASE
		WHEN c.relkind = 'p' OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
			THEN 'it has partitions or tables that inherit from it: publish these'
		WHEN c.relkind <> 'r' THEN 'it isn''t a table'
		WHEN c.relpersistence = 'u' THEN 'it is unlogged'
		WHEN c.relrowsecurity THEN 'it has row level security, which isn''t applied to the log'
		WHEN c.relreplident <> 'f' THEN format('the log has rows as they were before a change only after: ALTER TABLE %I.%I REPLICA IDENTITY FULL',
			s.nspname, c.relname) END
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1 AND c.relname = $2`
	columnsSQL = `SELECT a.attname, (a.attgenerated <> '')::text, pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attribute a
		LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`
)

// examine finds the tables, and refuses those whose rows the log doesn't tell as a query does.
func (p *publisher) examine(ctx context.Context) (map[uint32]*table, error) {
	tables := map[uint32]*table{}
	for i := range p.definition.Tables {
		t := &table{Table: &p.definition.Tables[i]}
		rows, err := query(ctx, p.pg, obstaclesSQL, []byte(t.Name.Schema), []byte(t.Name.Name))
		if err != nil {
			return nil, err
		}
		why := "it isn't there"
		if len(rows) == 1 {
			why = string(rows[0][1])
		}
		if why != "" {
			return nil, apierror.Newf(apierror.NotSupported, "changes of table %q can't be published: %s", t.Name.Name, why)
		}
		n, err := strconv.ParseUint(string(rows[0][0]), 10, 32)
		if err != nil {
			return nil, err
		}
		t.relation = uint32(n)
		if err := p.describe(ctx, t); err != nil {
			return nil, err
		}
		tables[t.relation] = t
	}
	return tables, nil
}

// describe reads the columns that a table has now. The log hasn't got generated ones: they are computed.
func (p *publisher) describe(ctx context.Context, t *table) error {
	rows, err := query(ctx, p.pg, columnsSQL, strconv.AppendUint(nil, uint64(t.relation), 10))
	if err != nil {
		return err
	}
	t.columns = nil
	items := make([]string, len(rows))
	for i, r := range rows {
		name := quote.Name(string(r[0]))
		t.columns = append(t.columns, string(r[0]))
		items[i] = "image." + name
		if string(r[1]) == "true" {
			items[i] = "(SELECT " + string(r[2]) + " FROM (SELECT image.*) AS generating) AS " + name
		}
	}
	t.evaluate = "SELECT u.n::text, (" + t.KeyObject + ")::text, (" + t.Document + ")::text FROM unnest($1::text[]) WITH ORDINALITY AS u(t, n)" +
		" CROSS JOIN LATERAL (SELECT " + strings.Join(items, ", ") +
		" FROM (SELECT (u.t::" + quote.Qualified(t.Name) + ").* OFFSET 0) AS image) AS r WHERE " + t.Condition
	return nil
}
