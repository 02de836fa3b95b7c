package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// maker makes a Model.
type maker struct {
	*rand.Rand
	model *Model
}

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

// pick takes one of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Names that SQL keeps for itself, and others.
var (
	tableNames  = []string{"user", "group", "item", "note", "Case", "t_1"}
	columnNames = []string{"from", "a", "Select", "x_1", "end", "b"}
	jsonKeys    = []string{"k", "l", "m"}
	words       = []string{"a", "b", "ab", "Ba", "", "a%", "c_d", `q"'\`}
)

// New makes the model of a seed, in a database of the dialect.
func New(seed uint64, d *Dialect) *Model {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), model: &Model{dialect: d}} //nolint:gosec // G404: a test that can be repeated
	names := slices.Clone(tableNames)
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, n := range names[:3+m.IntN(2)] {
		m.model.Tables = append(m.model.Tables, m.table(n))
	}
	for _, t := range m.model.Tables {
		m.fill(t)
	}
	if d.layout == nil { // a view is local, whatever it shows
		m.view()
	}
	for _, t := range slices.Clone(m.model.Tables) {
		m.relate(t)
	}
	for i, t := range m.model.Tables {
		if t.base == nil && (d.functions || d.mapped) {
			m.compute(t)
		}
		if t.base == nil && d.functions {
			m.function(t, i)
		}
	}
	m.permit()
	return m.model
}

// table makes a table with a key, perhaps foreign keys to the tables before it or to itself, and
// columns.
func (m *maker) table(name string) *Table {
	t := &Table{Name: named(name, m.model.dialect.name), perms: map[string]*permission{}, lists: map[string][]*permission{}, updates: map[string][]writeRule{}, deletes: map[string][]writeRule{}}
	if l := m.model.dialect.layout; l != nil {
		t.place = pick(m.Rand, l.places)
	}
	add := func(c Column) {
		if c.Field = c.Name; m.chance(25) {
			c.Field = fmt.Sprintf("own%d", len(t.Columns))
		}
		t.Columns = append(t.Columns, &c)
	}
	add(Column{Name: "id", Kind: Int, key: true})
	if m.model.dialect.tenants {
		add(Column{Name: tenant, Kind: Int, key: true})
	}
	for i, target := range append(slices.Clone(m.model.Tables), t) {
		if m.chance(60) {
			add(Column{
				Name: fmt.Sprintf("ref%d", i), Kind: Int, key: true, target: target,
				Nullable: target == t || m.chance(60), unique: target != t && m.chance(25),
			})
			if c := t.Columns[len(t.Columns)-1]; m.model.dialect.plainKeys && c.Nullable {
				c.unique = false
			}
		}
	}
	for _, n := range columnNames[:3+m.IntN(4)] {
		add(Column{Name: named(n, m.model.dialect.name), Kind: pick(m.Rand, m.model.dialect.kinds), Nullable: m.chance(60)})
	}
	return t
}

// fill makes the rows of a table.
func (m *maker) fill(t *Table) {
	for id := range 2 + m.IntN(9) {
		r := Row{}
		if m.model.dialect.tenants {
			r[tenant] = float64(1 + m.IntN(3))
		}
		for _, c := range t.Columns {
			switch {
			case c.Name == "id":
				r[c.Name] = float64(id + 1)
			case c.isTenant():
			case c.target != nil:
				r[c.Name] = m.reference(t, c, r)
			case c.Nullable && m.chance(30):
				r[c.Name] = nil
			default:
				r[c.Name] = m.value(c.Kind)
			}
		}
		if !slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.target != nil && !c.Nullable && r[c.Name] == nil }) {
			t.rows = append(t.rows, r)
		}
	}
}

// reference is the key of a row that c of r may refer to, nil when there is none.
func (m *maker) reference(t *Table, c *Column, r Row) any {
	rows := c.target.rows
	if m.model.dialect.tenants {
		rows = matching(c.target, c.target.Columns[1], r[tenant])
	}
	if c.Nullable && m.chance(30) || len(rows) == 0 {
		return nil
	}
	id := pick(m.Rand, rows)["id"]
	if c.unique && slices.ContainsFunc(t.rows, func(r Row) bool { return equal(r[c.Name], id) }) {
		return nil
	}
	return id
}

// value is a value of which there are few, so that rows agree in it.
func (m *maker) value(k Kind) any {
	switch k {
	case Int:
		return float64(m.IntN(5))
	case Float:
		return float64(m.IntN(6))/2 - 0.5
	case Bool:
		return m.chance(50)
	case Text:
		return m.word()
	case Texts:
		list := []any{}
		for range m.IntN(3) {
			list = append(list, m.word())
		}
		return list
	}
	o := map[string]any{}
	for _, key := range jsonKeys {
		if m.chance(40) {
			o[key] = m.value(pick(m.Rand, []Kind{Int, Text}))
		}
	}
	return o
}

// word is one of the texts, as far as the database can handle it.
func (m *maker) word() string { return named(pick(m.Rand, words), m.model.dialect.word) }

// view makes a view of some rows of a table.
func (m *maker) view() {
	base := pick(m.Rand, m.model.Tables)
	c := base.Columns[m.IntN(len(base.Columns))]
	v := &Table{
		Name: "shown", base: base, where: quote(c.Name) + " IS NOT NULL", keeps: func(r Row) bool { return r[c.Name] != nil },
		perms: map[string]*permission{}, lists: map[string][]*permission{}, updates: map[string][]writeRule{}, deletes: map[string][]writeRule{},
	}
	for _, c := range base.Columns {
		v.Columns = append(v.Columns, &Column{Name: c.Name, Field: c.Name, Kind: c.Kind, Nullable: true, key: c.key})
	}
	m.model.Tables = append(m.model.Tables, v)
}

// relate makes relationships along the foreign keys of t in both directions, and others.
func (m *maker) relate(t *Table) {
	add := func(of *Table, r Relation) { of.Relations = append(of.Relations, &r) }
	for _, c := range t.Columns {
		if c.target == nil {
			continue
		}
		keys, to, from := any(c.Name), [][2]string{{c.Name, "id"}}, [][2]string{{"id", c.Name}}
		by := object{{"table", tableName(t.Name)}, {"column", c.Name}}
		if m.model.dialect.tenants {
			keys, to, from = []string{tenant, c.Name}, append(to, [2]string{tenant, tenant}), append(from, [2]string{tenant, tenant})
			by[1] = member{"columns", keys}
		}
		known := !m.model.dialect.keyless && t.keyTo(c.target, m.model.dialect.tenants)
		if m.chance(85) && t.mayRelate(c.target, false) {
			add(t, Relation{
				Name: "to_" + c.Name, Target: c.target, Join: to,
				using: using(known, object{{"foreign_key_constraint_on", keys}}, c.target, to),
			})
		}
		if m.chance(85) && c.target.mayRelate(t, !c.unique) {
			add(c.target, Relation{
				Name: "by_" + t.Name + "_" + c.Name, Target: t, Array: !c.unique, Join: from,
				using: using(known, object{{"foreign_key_constraint_on", by}}, t, from),
			})
		}
	}
	for i := range 1 + m.IntN(2) {
		target := pick(m.Rand, m.model.Tables)
		join := [][2]string{}
		if m.model.dialect.tenants && m.chance(85) {
			join = append(join, [2]string{tenant, tenant})
		}
		for range 1 + m.IntN(2) {
			own, other := pick(m.Rand, t.of(Int)).Name, pick(m.Rand, target.of(Int)).Name
			if !slices.ContainsFunc(join, func(pair [2]string) bool { return pair[0] == own }) {
				join = append(join, [2]string{own, other})
			}
		}
		if array := m.chance(75); t.mayRelate(target, array) {
			add(t, Relation{Name: fmt.Sprintf("other%d", i), Target: target, Array: array, Join: join, using: using(false, nil, target, join)})
		}
	}
}

// using is how a relationship is declared: by a key that the database knows of, or by columns.
func using(known bool, byKey object, target *Table, join [][2]string) object {
	if known {
		return byKey
	}
	mapping := object{}
	for _, pair := range join {
		mapping = append(mapping, member{pair[0], pair[1]})
	}
	return object{{"manual_configuration", object{{"remote_table", tableName(target.Name)}, {"column_mapping", mapping}}}}
}

// compute adds computed fields to a table.
func (m *maker) compute(t *Table) {
	for i := range 1 + m.IntN(3) {
		c := (*Computed)(nil)
		if !m.model.dialect.mapped {
			c = m.scalar(t)
		}
		if c == nil || m.chance(40) {
			c = m.rowsOf(t)
		}
		c.Name = fmt.Sprintf("made%d", i)
		t.Computed = append(t.Computed, c)
	}
}

// scalar makes a scalar computed field. Its functions are called for rows only that exist, so
// they needn't care for NULL.
func (m *maker) scalar(t *Table) *Computed {
	column := pick(m.Rand, t.Columns)
	ref := "r." + quote(column.Name)
	switch {
	case column.Kind == Int && m.chance(50):
		return &Computed{Kind: Int, argument: true, body: "SELECT coalesce(" + ref + ", 0) + n", value: func(c *call) any {
			v, _ := c.row[column.Name].(float64)
			return v + c.n
		}}
	case column.Kind == Text:
		return &Computed{Kind: Text, body: "SELECT upper(" + ref + ") || '.'", value: func(c *call) any {
			if v, ok := c.row[column.Name].(string); ok {
				return strings.ToUpper(v) + "."
			}
			return nil
		}}
	case m.chance(30):
		return &Computed{Kind: Text, session: true, body: "SELECT s ->> 'x-engine-role'", value: func(c *call) any {
			return c.session["x-engine-role"]
		}}
	case m.chance(40):
		other := pick(m.Rand, m.model.Tables)
		key := pick(m.Rand, other.of(Int))
		return &Computed{
			Kind:  Int,
			body:  "SELECT count(*)::int FROM " + quote(other.Name) + " o WHERE o." + quote(key.Name) + " = r.id",
			value: func(c *call) any { return float64(len(matching(other, key, c.row["id"]))) },
		}
	}
	return &Computed{Kind: Bool, body: "SELECT " + ref + " IS NULL", value: func(c *call) any { return c.row[column.Name] == nil }}
}

// rowsOf makes a table computed field.
func (m *maker) rowsOf(t *Table) *Computed {
	target := pick(m.Rand, m.model.Tables)
	own, other := pick(m.Rand, t.of(Int)), pick(m.Rand, target.of(Int))
	value, mapped := "r."+quote(own.Name), (*Column)(nil)
	if m.model.dialect.mapped {
		value, mapped = "k", own
	}
	return &Computed{
		Returns: target, mapped: mapped,
		body: "SELECT o.* FROM " + quote(target.Name) + " o WHERE o." + quote(other.Name) + " <= coalesce(" + value + ", 2)",
		rows: func(c *call) []Row {
			most, ok := c.row[own.Name].(float64)
			if !ok {
				most = 2
			}
			var rows []Row
			for _, r := range target.Rows() {
				if v, ok := r[other.Name].(float64); ok && v <= most {
					rows = append(rows, r)
				}
			}
			return rows
		},
	}
}

// function tracks functions on a table: a list, and one row.
func (m *maker) function(t *Table, i int) {
	column := pick(m.Rand, t.of(Int))
	name, ref := quote(t.Name), quote(column.Name)
	m.model.Functions = append(m.model.Functions,
		&Function{
			Name: fmt.Sprintf("find%d", i), Returns: t, body: "SELECT * FROM " + name + " WHERE " + ref + " >= n",
			rows: func(n float64) []Row {
				var rows []Row
				for _, r := range t.rows {
					if v, ok := r[column.Name].(float64); ok && v >= n {
						rows = append(rows, r)
					}
				}
				return rows
			},
		},
		&Function{
			Name: fmt.Sprintf("one%d", i), Returns: t, Single: true, body: "SELECT * FROM " + name + " WHERE id = n",
			rows: func(n float64) []Row { return matching(t, t.id(), n) },
		})
}

// matching are the rows whose column has a value.
func matching(t *Table, c *Column, v any) []Row {
	var rows []Row
	for _, r := range t.Rows() {
		if r[c.Name] != nil && compare(r[c.Name], v) == 0 {
			rows = append(rows, r)
		}
	}
	return rows
}
