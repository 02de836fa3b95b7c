package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// Introspect reads the catalog. SQLite has no identity that survives a change of an object, so the
// catalog has none: what was changed is compared by its names.
func (s *Source) Introspect(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
	return s.introspect(ctx, enums, nil)
}

// IntrospectPart reads the tables that part names. There are no functions.
func (s *Source) IntrospectPart(ctx context.Context, part backend.Part, enums []catalog.Name) (*catalog.Source, error) {
	names := []string{}
	for _, n := range part.Tables {
		if n.Schema == "" {
			names = append(names, n.Name)
		}
	}
	return s.introspect(ctx, enums, names)
}

func (s *Source) introspect(ctx context.Context, enums []catalog.Name, names []string) (*catalog.Source, error) {
	c, release, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return c.introspect(ctx, enums, names)
}

// snapshot is a connection whose statements all see the same state, until release is called.
func (s *Source) snapshot(ctx context.Context) (c *conn, release func(), err error) {
	if c, err = s.read.acquire(ctx); err != nil {
		return nil, nil, err
	}
	if err := c.exec(ctx, "BEGIN"); err != nil {
		s.read.release(c)
		return nil, nil, err
	}
	return c, func() { c.rollback(); s.read.release(c) }, nil
}

// introspect reads the catalog as the open transaction sees it: all tables, or those of the names.
func (c *conn) introspect(ctx context.Context, enums []catalog.Name, names []string) (*catalog.Source, error) {
	r := newIntrospection(func(text string, f func(row []string)) error { return c.texts(ctx, text, f) })
	r.names = names
	if err := r.tables(); err != nil {
		return nil, err
	}
	for _, name := range enums {
		if err := r.enum(name); err != nil {
			return nil, err
		}
	}
	return r.found, nil
}

// introspection is one run of introspect.
type introspection struct {
	// query runs a statement about the schema, with NULL as the empty text.
	query   func(text string, f func(row []string)) error
	names   []string
	found   *catalog.Source
	indexes map[string][]index
}

// index is a unique index without conditions and expressions.
type index struct {
	name, origin string
	columns      []string
	// whole is false when a part of the index is no column.
	whole bool
}

func (r *introspection) table(name string) *catalog.Table {
	return r.found.Tables[catalog.Name{Name: name}]
}

func newIntrospection(query func(text string, f func(row []string)) error) *introspection {
	return &introspection{query: query, indexes: map[string][]index{}, found: &catalog.Source{
		Version: sqlite.VersionNumber, Tables: map[catalog.Name]*catalog.Table{},
		Functions: map[catalog.Name][]*catalog.Function{}, Enums: map[catalog.Name][]catalog.EnumValue{},
	}}
}

// tables reads the tables with all that belongs to them.
func (r *introspection) tables() error {
	for _, step := range []func() error{r.relations, r.columns, r.indexColumns, r.foreignKeys} {
		if err := step(); err != nil {
			return err
		}
	}
	for name, t := range r.found.Tables {
		r.keys(t, r.indexes[name.Name])
	}
	return nil
}

// texts runs a statement and hands out its rows as texts, NULL as the empty one.
func (c *conn) texts(ctx context.Context, text string, f func(row []string)) error {
	_, err := c.rows(ctx, text, nil, func(row answer.Cells) error {
		cells := make([]string, len(row.Values))
		for i, v := range row.Values {
			cells[i] = string(v)
		}
		f(cells)
		return nil
	})
	return queryError(ctx, err, executed{SQL: text})
}

// The kinds of relations, as SQLite names them.
const (
	relationTable   = "table"
	relationView    = "view"
	relationVirtual = "virtual"
)

// relationKinds are the kinds of all relations of the file.
func (c *conn) relationKinds(ctx context.Context) (map[string]string, error) {
	kinds := map[string]string{}
	const text = "SELECT name, type FROM pragma_table_list WHERE schema = 'main'"
	_, err := c.rows(ctx, text, nil, func(row answer.Cells) error {
		kinds[string(row.Values[0])] = string(row.Values[1])
		return nil
	})
	return kinds, queryError(ctx, err, executed{SQL: text})
}

// userTables selects the relations that belong to the user: not the tables of SQLite itself, and not
// those in which a virtual table keeps its content.
const userTables = `(SELECT l.name, l.type, l.wr FROM pragma_table_list AS l
	JOIN main.sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view')
	WHERE l.schema = 'main' AND l.type IN ('table', 'view', 'virtual') AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\')`

func (r *introspection) relations() error {
	return r.query("SELECT name, type FROM "+userTables, func(row []string) {
		if r.names != nil && !slices.Contains(r.names, row[0]) {
			return
		}
		writable := row[1] != relationView
		t := &catalog.Table{
			Name: catalog.Name{Name: row[0]}, Kind: catalog.KindTable,
			Insertable: writable, Updatable: writable, Deletable: writable, RowEstimate: -1,
		}
		if row[1] == relationView {
			t.Kind = catalog.KindView
		}
		r.found.Tables[t.Name] = t
	})
}

// The values of "hidden" of a column.
const (
	hiddenVirtual = "2" // GENERATED ALWAYS AS (...) VIRTUAL
	hiddenStored  = "3"
)

func (r *introspection) columns() error {
	return r.query(`SELECT t.name, c.name, c.cid, c.type, c."notnull", c.dflt_value IS NOT NULL, c.pk, c.hidden, t.wr FROM `+userTables+
		` AS t, pragma_table_xinfo(t.name, 'main') AS c WHERE c.hidden <> 1 ORDER BY t.name, c.cid`, func(row []string) {
		t := r.table(row[0])
		if t == nil {
			return
		}
		c := &catalog.Column{
			Name: row[1], Type: columnType(row[3]), Nullable: row[4] == "0", Default: row[5] == "1",
			Generated: row[7] == hiddenVirtual || row[7] == hiddenStored,
		}
		t.Columns = append(t.Columns, c)
		if n, _ := strconv.Atoi(row[6]); n > 0 {
			if t.PrimaryKey == nil {
				t.PrimaryKey = &catalog.Constraint{}
			}
			k := t.PrimaryKey
			k.Columns = append(k.Columns, make([]string, max(0, n-len(k.Columns)))...)
			k.Columns[n-1] = c.Name
			if row[8] == "1" {
				c.Nullable = false
			}
		}
	})
}

func (r *introspection) indexColumns() error {
	return r.query(`SELECT t.name, i.name, i.origin, coalesce(c.name, '') FROM `+userTables+` AS t, pragma_index_list(t.name, 'main') AS i,
		pragma_index_xinfo(i.name, 'main') AS c WHERE i."unique" = 1 AND i.partial = 0 AND c.key = 1 ORDER BY t.name, i.seq DESC, c.seqno`,
		func(row []string) {
			list := r.indexes[row[0]]
			if len(list) == 0 || list[len(list)-1].name != row[1] {
				list = append(list, index{name: row[1], origin: row[2], whole: true})
			}
			i := &list[len(list)-1]
			i.columns = append(i.columns, row[3])
			i.whole = i.whole && row[3] != ""
			r.indexes[row[0]] = list
		})
}

// keys names the keys of a table. SQLite doesn't keep the names of constraints.
func (r *introspection) keys(t *catalog.Table, indexes []index) {
	names := map[string]bool{}
	named := func(name string) string {
		unique := name
		for n := 1; names[unique]; n++ {
			unique = name + strconv.Itoa(n)
		}
		names[unique] = true
		return unique
	}
	if k := t.PrimaryKey; k != nil {
		k.Name = named(t.Name.Name + "_pkey")
		if !slices.ContainsFunc(indexes, func(i index) bool { return i.origin == "pk" }) {
			// The column is another name of the number of the row, which SQLite counts up.
			c := t.Column(k.Columns[0])
			c.Nullable, c.Default = false, true
		}
	}
	for _, i := range indexes {
		if i.origin == "pk" || !i.whole {
			continue
		}
		u := catalog.Constraint{Name: i.name, Columns: i.columns, Index: i.origin == "c"}
		if !u.Index {
			u.Name = named(t.Name.Name + "_" + strings.Join(u.Columns, "_") + "_key")
		}
		t.Uniques = append(t.Uniques, u)
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		k.Name = named(t.Name.Name + "_" + strings.Join(k.Columns, "_") + "_fkey")
	}
}

func (r *introspection) foreignKeys() error {
	type id struct{ table, number string }
	at := map[id]int{}
	err := r.query(`SELECT t.name, f.id, f."table", f."from", coalesce(f."to", '') FROM `+userTables+
		` AS t, pragma_foreign_key_list(t.name, 'main') AS f ORDER BY t.name, f.id DESC, f.seq`, func(row []string) {
		t := r.table(row[0])
		if t == nil {
			return
		}
		i, known := at[id{row[0], row[1]}]
		if !known {
			i = len(t.ForeignKeys)
			at[id{row[0], row[1]}] = i
			t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{Target: catalog.Name{Name: row[2]}})
		}
		k := &t.ForeignKeys[i]
		k.Columns = append(k.Columns, row[3])
		if row[4] != "" {
			k.TargetColumns = append(k.TargetColumns, row[4])
		}
	})
	if err != nil {
		return err
	}
	return r.targets()
}

// targets completes foreign keys that name no columns: they refer to the primary key. Those of tables
// that don't exist, which SQLite allows, are left out.
func (r *introspection) targets() error {
	keys, spelt := map[string][]string{}, map[string]string{}
	err := r.query(`SELECT t.name, c.name, c.pk FROM `+userTables+` AS t, pragma_table_info(t.name, 'main') AS c ORDER BY t.name, c.pk`,
		func(row []string) {
			spelt[strings.ToLower(row[0])] = row[0]
			if row[2] != "0" {
				keys[row[0]] = append(keys[row[0]], row[1])
			}
		})
	if err != nil {
		return err
	}
	for _, t := range r.found.Tables {
		var kept []catalog.ForeignKey
		for _, k := range t.ForeignKeys {
			target, known := spelt[strings.ToLower(k.Target.Name)]
			if !known {
				continue
			}
			k.Target.Name = target
			if len(k.TargetColumns) == 0 {
				k.TargetColumns = keys[target]
			}
			if len(k.TargetColumns) == len(k.Columns) {
				kept = append(kept, k)
			}
		}
		t.ForeignKeys = kept
	}
	return nil
}

// enum reads the rows of a table that metadata uses as an enum: one with a key of one column, and at
// most one column besides. Others are left out; the caller can see why from the catalog.
func (r *introspection) enum(name catalog.Name) error {
	t := r.found.Tables[name]
	if t == nil || t.PrimaryKey == nil || len(t.PrimaryKey.Columns) != 1 || len(t.Columns) > 2 {
		return nil
	}
	value, comment := t.PrimaryKey.Columns[0], "NULL"
	for _, c := range t.Columns {
		if c.Name != value {
			comment = quoteName(c.Name)
		}
	}
	values := []catalog.EnumValue{}
	err := r.query("SELECT "+quoteName(value)+", "+comment+" FROM "+mainSchema+"."+quoteName(name.Name), func(row []string) {
		values = append(values, catalog.EnumValue{Value: row[0], Comment: row[1]})
	})
	slices.SortFunc(values, func(a, b catalog.EnumValue) int { return cmp.Compare(a.Value, b.Value) })
	r.found.Enums[name] = values
	return err
}
