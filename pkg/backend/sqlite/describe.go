package sqlite

import (
	"context"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// DescribeTable implements backend.TableDescriber. Checks, and the expressions of generated columns and indexes, are in the text of
// the definitions alone.
func (s *Source) DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error) {
	c, release, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	r := newIntrospection(func(text string, f func(row []string)) error { return c.texts(ctx, text, f) })
	r.names = []string{table.Name}
	if err := r.tables(); err != nil {
		return nil, err
	}
	found := &catalog.Details{}
	t := r.found.Tables[table]
	if t == nil {
		return found, nil
	}
	d := description{introspection: r, table: t, name: quoteText(table.Name), found: found}
	for _, step := range []func() error{d.text, d.columns, d.keys, d.indexes, d.triggers, d.rows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// description is one run of DescribeTable.
type description struct {
	*introspection
	table *catalog.Table
	// name is that of the table as a literal.
	name  string
	found *catalog.Details
	// generated are the expressions of columns.
	generated map[string]string
}

// quoteText is a text as a literal.
func quoteText(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// text reads the definition of the table.
func (d *description) text() error {
	return d.query("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = "+d.name, func(row []string) {
		checks, generated := tableDDL(row[0])
		d.generated = generated
		names := map[string]bool{}
		for _, k := range checks {
			// SQLite needs no names. Those of other keys are made in the same way.
			name := k.name
			for n := 0; name == "" || k.name == "" && names[name]; n++ {
				name = d.table.Name.Name + "_check"
				if n > 0 {
					name += strconv.Itoa(n)
				}
			}
			names[name] = true
			d.found.Constraints = append(d.found.Constraints, catalog.Definition{Name: name, Type: catalog.Check, Text: "CHECK (" + k.expression + ")"})
		}
	})
}

func (d *description) columns() error {
	return d.query("SELECT name, type, dflt_value, hidden FROM pragma_table_xinfo("+d.name+", 'main') WHERE hidden <> 1 ORDER BY cid", func(row []string) {
		c := catalog.ColumnDefinition{Name: row[0], Type: row[1], Default: row[2], Nullable: true}
		if known := d.table.Column(c.Name); known != nil {
			c.Nullable = known.Nullable
		}
		if c.Type == "" {
			c.Type = "ANY"
		}
		if row[3] == hiddenVirtual || row[3] == hiddenStored {
			c.Generated = d.generated[c.Name]
		}
		d.found.Columns = append(d.found.Columns, c)
	})
}

// keys words the definitions of the keys.
func (d *description) keys() error {
	add := func(name string, of catalog.ConstraintType, text string) {
		d.found.Constraints = append(d.found.Constraints, catalog.Definition{Name: name, Type: of, Text: text})
	}
	if k := d.table.PrimaryKey; k != nil {
		add(k.Name, catalog.PrimaryKey, "PRIMARY KEY "+quoteNames(k.Columns))
	}
	for _, k := range d.table.Uniques {
		if !k.Index {
			add(k.Name, catalog.UniqueConstraint, "UNIQUE "+quoteNames(k.Columns))
		}
	}
	actions := map[string]string{}
	err := d.query(`SELECT min("table"), group_concat(quote("from"), ',' ORDER BY seq), min(on_update), min(on_delete) FROM pragma_foreign_key_list(`+d.name+`, 'main') GROUP BY id`,
		func(row []string) {
			text := ""
			if row[2] != "NO ACTION" {
				text += " ON UPDATE " + row[2]
			}
			if row[3] != "NO ACTION" {
				text += " ON DELETE " + row[3]
			}
			actions[strings.ToLower(row[0])+row[1]] = text
		})
	for _, k := range d.table.ForeignKeys {
		columns := make([]string, len(k.Columns))
		for i, c := range k.Columns {
			columns[i] = quoteText(c)
		}
		add(k.Name, catalog.ForeignKeyOf, "FOREIGN KEY "+quoteNames(k.Columns)+" REFERENCES "+quoteName(k.Target.Name)+" "+quoteNames(k.TargetColumns)+
			actions[strings.ToLower(k.Target.Name)+strings.Join(columns, ",")])
	}
	return err
}

func (d *description) indexes() error {
	var parts []string
	return d.query(`SELECT i.name, i."unique", coalesce(c.name, ''), c.seqno, coalesce(s.sql, '') FROM pragma_index_list(`+d.name+`, 'main') AS i
		JOIN pragma_index_xinfo(i.name, 'main') AS c LEFT JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = i.name
		WHERE c.key = 1 ORDER BY i.name, c.seqno`, func(row []string) {
		list := &d.found.Indexes
		if n := len(*list); n == 0 || (*list)[n-1].Name != row[0] {
			i := catalog.Index{Name: row[0], Method: "btree", Unique: row[1] == "1", Text: row[4]}
			parts, i.Where = indexDDL(row[4])
			*list = append(*list, i)
		}
		column := row[2]
		if place, _ := strconv.Atoi(row[3]); column == "" && place < len(parts) {
			column = parts[place]
		}
		i := &(*list)[len(*list)-1]
		i.Columns = append(i.Columns, column)
	})
}

func (d *description) triggers() error {
	return d.query("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower("+d.name+") ORDER BY name", func(row []string) {
		d.found.Triggers = append(d.found.Triggers, catalog.Trigger{Name: row[0], Text: row[1]})
	})
}

// rows is what ANALYZE has found, if it ever ran: the first number of each line is how many rows the table has.
func (d *description) rows() error {
	analyzed := false
	if err := d.query("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1'", func([]string) { analyzed = true }); err != nil || !analyzed {
		return err
	}
	return d.query("SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = "+d.name+" COLLATE NOCASE HAVING count(*) > 0", func(row []string) {
		if n, err := strconv.ParseInt(row[0], 10, 64); err == nil {
			d.found.Rows = &n
		}
	})
}
