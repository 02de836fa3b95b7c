package mssql

import (
	"context"
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
)

// The statements of descriptions have the number of the table as their parameter.
const (
	describeColumnsSQL = `SELECT c.name, t.name, c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity, d.definition, k.definition
	FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id
	LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id
	LEFT JOIN sys.computed_columns AS k ON k.object_id = c.object_id AND k.column_id = c.column_id
	WHERE c.object_id = CAST(@p1 AS int) ORDER BY c.column_id`

	describeChecksSQL = `SELECT k.name, k.definition, k.is_disabled, c.name FROM sys.check_constraints AS k
	LEFT JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
	WHERE k.parent_object_id = CAST(@p1 AS int) ORDER BY k.name`

	describeReferencesSQL = `SELECT f.name, f.is_disabled, f.update_referential_action_desc, f.delete_referential_action_desc
	FROM sys.foreign_keys AS f WHERE f.parent_object_id = CAST(@p1 AS int) ORDER BY f.name`

	// Columns that only say how the index is partitioned are no part of it.
	describeIndexesSQL = `SELECT i.name, i.type_desc, i.is_unique, i.is_disabled, i.is_primary_key, i.is_unique_constraint, i.filter_definition,
		c.name, k.is_included_column, k.is_descending_key
	FROM sys.indexes AS i
	JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
	JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
	WHERE i.object_id = CAST(@p1 AS int) AND i.type > 0 AND NOT (k.key_ordinal = 0 AND k.is_included_column = 0 AND k.partition_ordinal > 0)
	ORDER BY i.name, k.is_included_column, k.key_ordinal, k.index_column_id`

	// A heap or a clustered index has each row once.
	describeRowsSQL = `SELECT SUM(p.rows) FROM sys.partitions AS p WHERE p.object_id = CAST(@p1 AS int) AND p.index_id < 2`

	describeTriggersSQL = `SELECT t.name, t.is_disabled, m.definition FROM sys.triggers AS t
	LEFT JOIN sys.sql_modules AS m ON m.object_id = t.object_id
	WHERE t.parent_id = CAST(@p1 AS int) AND t.is_ms_shipped = 0 ORDER BY t.name`
)

// DescribeTable implements backend.TableDescriber. A synonym has what its table has.
func (s *Source) DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error) {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	d := description{introspection: newIntrospection(ctx, c, nil), found: &catalog.Details{}}
	for _, step := range []func() error{d.server, d.relations, d.keys, d.foreignKeys} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if err := d.find(table); err != nil || d.table == nil {
		return d.found, err
	}
	for _, step := range []func() error{d.columns, d.checks, d.references, d.indexes, d.triggers, d.rows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d.found, nil
}

// description is one run of DescribeTable.
type description struct {
	*introspection
	table *catalog.Table
	found *catalog.Details
}

// find finds the table, or the one that a synonym stands for.
func (d *description) find(table catalog.Name) error {
	for _, t := range d.tables {
		if t.Name == table {
			d.table = t
		}
	}
	if d.table != nil || !d.optional["synonyms"] {
		return nil
	}
	return d.query(synonymsSQL, func(row []string) {
		if (catalog.Name{Schema: row[1], Name: row[2]}) == table {
			d.table = d.tables[row[3]]
		}
	})
}

// of runs a statement about the table.
func (d *description) of(text string, f func(row []string)) error {
	return d.query(text, f, d.table.ID)
}

func (d *description) columns() error {
	return d.of(describeColumnsSQL, func(row []string) {
		c := catalog.ColumnDefinition{Name: row[0], Type: sizedType(row[1], row[2], row[3], row[4]), Nullable: set(row[5]), Default: row[7], Generated: row[8]}
		if set(row[6]) {
			c.Identity = "by_default"
		}
		d.found.Columns = append(d.found.Columns, c)
	})
}

// sizedType is a type with its length, or with its digits. The length is that in bytes.
func sizedType(name, length, precision, scale string) string {
	switch name {
	case "char", "varchar", "binary", "varbinary", "nchar", "nvarchar":
		n, _ := strconv.Atoi(length)
		if n < 0 {
			return name + "(max)"
		}
		if name[0] == 'n' {
			n /= 2
		}
		return name + "(" + strconv.Itoa(n) + ")"
	case "decimal", "numeric":
		return name + "(" + precision + ", " + scale + ")"
	case "time", "datetime2", "datetimeoffset":
		return name + "(" + scale + ")"
	}
	return name
}

// disabledMark stands behind the definition of a constraint that the database doesn't hold rows to.
const disabledMark = " (disabled)"

func (d *description) checks() error {
	return d.of(describeChecksSQL, func(row []string) {
		k := catalog.Definition{Name: row[0], Type: catalog.Check, Text: "CHECK " + row[1]}
		if set(row[2]) {
			k.Text += disabledMark
		}
		if row[3] != "" {
			k.Columns = []string{row[3]}
		}
		d.found.Constraints = append(d.found.Constraints, k)
	})
}

// references words the definitions of the foreign keys.
func (d *description) references() error {
	return d.of(describeReferencesSQL, func(row []string) {
		for _, k := range d.table.ForeignKeys {
			if k.Name != row[0] {
				continue
			}
			text := "FOREIGN KEY " + quoteNames(k.Columns) + " REFERENCES " + quoteName(k.Target.Schema) + "." + quoteName(k.Target.Name) + " " + quoteNames(k.TargetColumns)
			for i, event := range []string{" ON UPDATE ", " ON DELETE "} {
				if action := strings.ReplaceAll(row[2+i], "_", " "); action != "NO ACTION" {
					text += event + action
				}
			}
			if set(row[1]) {
				text += disabledMark
			}
			d.found.Constraints = append(d.found.Constraints, catalog.Definition{Name: k.Name, Type: catalog.ForeignKeyOf, Text: text})
		}
	})
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// indexes are all of them, including keys, of which the definitions are worded.
func (d *description) indexes() error {
	var order [][]string // the parts of each index with their directions
	var keys []string    // what each index is the key of
	err := d.of(describeIndexesSQL, func(row []string) {
		n := len(d.found.Indexes)
		if n == 0 || d.found.Indexes[n-1].Name != row[0] {
			d.found.Indexes = append(d.found.Indexes, catalog.Index{
				Name: row[0], Method: strings.ToLower(row[1]), Columns: []string{}, Unique: set(row[2]), Invalid: set(row[3]), Where: row[6],
			})
			order, n = append(order, nil), n+1
			switch {
			case set(row[4]):
				keys = append(keys, "PRIMARY KEY")
			case set(row[5]):
				keys = append(keys, "UNIQUE")
			default:
				keys = append(keys, "")
			}
		}
		i := &d.found.Indexes[n-1]
		if set(row[8]) {
			i.Include = append(i.Include, row[7])
			return
		}
		i.Columns = append(i.Columns, row[7])
		part := quoteName(row[7])
		if set(row[9]) {
			part += " DESC"
		}
		order[n-1] = append(order[n-1], part)
	})
	for n := range d.found.Indexes {
		i, parts := &d.found.Indexes[n], "("+strings.Join(order[n], ", ")+")"
		switch {
		case keys[n] != "":
			of := catalog.UniqueConstraint
			if keys[n] == "PRIMARY KEY" {
				of = catalog.PrimaryKey
			}
			text := keys[n] + " " + strings.ToUpper(i.Method) + " " + parts
			d.found.Constraints = append(d.found.Constraints, catalog.Definition{Name: i.Name, Type: of, Text: text})
		case i.Method == "clustered" || i.Method == "nonclustered":
			i.Text = d.indexText(i, parts)
		}
	}
	return err
}

// indexText is the statement that makes an index.
func (d *description) indexText(i *catalog.Index, parts string) string {
	text := "CREATE "
	if i.Unique {
		text += "UNIQUE "
	}
	text += strings.ToUpper(i.Method) + " INDEX " + quoteName(i.Name) + " ON " + quoteName(d.table.Name.Schema) + "." + quoteName(d.table.Name.Name) + " " + parts
	if len(i.Include) > 0 {
		text += " INCLUDE " + quoteNames(i.Include)
	}
	if i.Where != "" {
		text += " WHERE " + i.Where
	}
	return text
}

func (d *description) triggers() error {
	return d.of(describeTriggersSQL, func(row []string) {
		d.found.Triggers = append(d.found.Triggers, catalog.Trigger{Name: row[0], Disabled: set(row[1]), Text: row[2]})
	})
}

// rows is what the database keeps about its partitions, where the account may see that.
func (d *description) rows() error {
	return d.of(describeRowsSQL, func(row []string) {
		if n, err := strconv.ParseInt(row[0], 10, 64); err == nil {
			d.found.Rows = &n
		}
	})
}
