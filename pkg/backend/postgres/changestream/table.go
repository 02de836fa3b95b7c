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
	// partitioned reports whether it has its rows in its parts, of which the log tells as such.
	partitioned bool
	parts       map[uint32]part
}

const (
	obstaclesSQL = `SELECT c.oid::text, CASE
		WHEN c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
			THEN 'tables inherit from it: publish these'
		WHEN c.relkind NOT IN ('r', 'p') THEN 'it isn''t a table'
		WHEN c.relpersistence = 'u' THEN 'it is unlogged'
		WHEN c.relrowsecurity THEN 'it has row level security, which isn''t applied to the log'
		WHEN c.relkind = 'r' AND c.relreplident <> 'f' THEN ` + wholeRowsSQL + ` END, (c.relkind = 'p')::text
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1 AND c.relname = $2`
	wholeRowsSQL = `format('the log has rows as they were before a change only after: ALTER TABLE %I.%I REPLICA IDENTITY FULL', s.nspname, c.relname)`
	columnsSQL   = `SELECT a.attname, (a.attgenerated <> '')::text, pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attribute a
		LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`
)

// examine finds the tables, and refuses those whose rows the log doesn't tell as a query does.
func (p *publisher) examine(ctx context.Context) ([]*table, error) {
	var tables []*table
	for i := range p.definition.Tables {
		t := &table{Table: &p.definition.Tables[i]}
		rows, err := query(ctx, p.pg, obstaclesSQL, []byte(t.Name.Schema), []byte(t.Name.Name))
		if err != nil {
			return nil, err
		}
		if len(rows) != 1 {
			return nil, t.refused("it isn't there")
		}
		if why := string(rows[0][1]); why != "" {
			return nil, t.refused(why)
		}
		n, err := strconv.ParseUint(string(rows[0][0]), 10, 32)
		if err != nil {
			return nil, err
		}
		t.relation, t.partitioned = uint32(n), string(rows[0][2]) == "true"
		if err := p.describe(ctx, t); err != nil {
			return nil, err
		}
		if t.parts, err = p.partsOf(ctx, t); err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func (t *table) refused(why string) error {
	return apierror.Newf(apierror.NotSupported, "changes of table %q can't be published: %s", t.Name.Name, why)
}

// relations are those by which the log reports the rows of tables.
func relations(tables []*table) (map[uint32]*table, error) {
	found := map[uint32]*table{}
	for _, t := range tables {
		own := []uint32{t.relation}
		if t.partitioned {
			own = own[:0]
			for relation, of := range t.parts {
				if of.leaf {
					own = append(own, relation)
				}
			}
		}
		for _, relation := range own {
			if found[relation] != nil {
				return nil, t.refused("a partition of it is published as a table, too")
			}
			found[relation] = t
		}
	}
	return found, nil
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
		items[i] = "(image.row)." + name
		if string(r[1]) == "true" {
			items[i] = "(SELECT " + string(r[2]) + " FROM (SELECT (image.row).*) AS generating)"
		}
		items[i] += " AS " + name
	}
	// An image is read once, whatever number of columns is used.
	t.evaluate = "SELECT image.n::text, (" + t.KeyObject + ")::text, (" + t.Document + ")::text FROM (SELECT u.n, u.t::" + quote.Qualified(t.Name) +
		" AS row FROM unnest($1::text[]) WITH ORDINALITY AS u(t, n) OFFSET 0) AS image CROSS JOIN LATERAL (SELECT " +
		strings.Join(items, ", ") + ") AS r WHERE " + t.Condition
	return nil
}
