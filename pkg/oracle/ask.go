package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// asker makes operations of a role.
type asker struct {
	maker
	role  string
	count int
}

func (m *Model) asker(role string, seed uint64) *asker {
	m.Session = newSession(role)
	m.forget()
	return &asker{
		maker: maker{Rand: rand.New(rand.NewPCG(seed, 2)), model: m}, //nolint:gosec // G404: a test that can be repeated
		role:  role,
	}
}

// Ask makes a query for a role; nil when there is nothing for it to ask.
func (m *Model) Ask(role string, seed uint64) *Query {
	a := m.asker(role, seed)
	var tables []*Table
	for _, t := range m.Tables {
		if m.sees(role, t) != nil && len(a.simple(t)) > 0 {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	q := &Query{Role: role, model: m, root: a.root(pick(a.Rand, tables))}
	w := &writer{random: a.Rand, dialect: a.model.dialect}
	q.Operation = w.operation("query", "{ "+w.field(&q.root)+" }")
	return q
}

// sight is what the role sees of a table.
func (a *asker) sight(t *Table) *sight { return a.model.sees(a.role, t) }

// columns are those that the role may name, of some kinds or of any.
func (a *asker) columns(t *Table, of ...Kind) []*Column {
	s := a.sight(t)
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c *Column) bool {
		return !s.grants(c.Name) || len(of) > 0 && !slices.Contains(of, c.Kind)
	})
}

// parted are the columns whose values have parts that the role may name.
func (a *asker) parted(t *Table) []*Column {
	if !a.model.dialect.parts {
		return nil
	}
	return a.columns(t, JSON)
}

func (a *asker) computed(t *Table, rows bool) []*Computed {
	s := a.sight(t)
	return slices.DeleteFunc(slices.Clone(t.Computed), func(c *Computed) bool {
		if c.Returns != nil {
			return !rows || a.sight(c.Returns) == nil || len(a.simple(c.Returns)) == 0
		}
		return rows || !s.grants(c.Name)
	})
}

func (a *asker) relations(t *Table, keep func(*Relation) bool) []*Relation {
	return slices.DeleteFunc(slices.Clone(t.Relations), func(r *Relation) bool {
		return a.sight(r.Target) == nil || len(a.simple(r.Target)) == 0 || !keep(r)
	})
}

// simple are the names of columns and scalar computed fields that the role may select.
func (a *asker) simple(t *Table) []string {
	var list []string
	for _, c := range a.columns(t) {
		list = append(list, c.Name)
	}
	for _, c := range a.computed(t, false) {
		list = append(list, c.Name)
	}
	return list
}

func (a *asker) alias() string {
	a.count++
	return fmt.Sprintf("f%d", a.count)
}

func (a *asker) root(t *Table) field {
	f := field{alias: a.alias(), name: t.Name, kind: listField}
	aggregates := a.sight(t).aggregations()
	switch i := slices.IndexFunc(a.model.Functions, func(f *Function) bool { return f.Returns == t }); {
	case i >= 0 && a.chance(20):
		f.function, f.n, f.given = a.model.Functions[i+a.IntN(2)], float64(a.IntN(5)), true
		f.name, f.kind = f.function.Name, functionField
		if aggregates && !f.function.Single && a.chance(50) {
			f.name, f.kind = f.name+"_aggregate", functionAggregateField
		}
	case t.base == nil && !a.model.dialect.keyless && a.sight(t).grants("id") && (!a.model.dialect.tenants || a.sight(t).grants(tenant)) && a.chance(10):
		f.kind, f.name, f.id = byKeyField, t.Name+"_by_pk", float64(1+a.IntN(8))
		if a.model.dialect.tenants {
			f.n = float64(1 + a.IntN(3))
		}
	case aggregates && a.model.dialect.groups && len(a.columns(t)) > 0 && a.chance(15):
		a.group(&f, t)
		return f
	case aggregates && a.chance(25):
		f.kind, f.name = aggregateField, t.Name+"_aggregate"
	}
	a.fill(&f, t, 3)
	return f
}

// fill makes the arguments and the selection of a field with rows of t.
func (a *asker) fill(f *field, t *Table, depth int) {
	f.rows = rows{table: t, limit: -1, offset: -1}
	if f.kind != oneField && f.kind != byKeyField {
		a.choose(&f.rows, f.function != nil && f.function.Single)
	}
	if f.kind == aggregateField || f.kind == functionAggregateField {
		a.aggregates(f)
		f.nodes = a.chance(60)
	}
	f.rows.fields = a.fields(t, depth)
}

// choose makes the arguments that choose rows. An order ends with the key, mostly, so that
// there is one right answer.
func (a *asker) choose(r *rows, single bool) {
	t := r.table
	if a.chance(60) {
		r.where = a.condition(t, 3)
	}
	if a.model.dialect.tenants && a.sight(t).grants(tenant) && a.chance(50) {
		of := comparison{column: t.Columns[1], op: "_eq", value: float64(1 + a.IntN(3))}
		if r.where == nil {
			r.where = of
		} else {
			r.where = conjunction{of, r.where}
		}
	}
	if a.chance(45) {
		for range 1 + a.IntN(2) {
			if o, ok := a.ordering(t, 2); ok {
				r.order = append(r.order, o)
			}
		}
	}
	if columns := a.columns(t, Int, Float, Text, Bool, Texts); len(columns) > 0 && a.model.dialect.has("distinct_on") && a.chance(15) {
		r.distinct = []*Column{pick(a.Rand, columns)}
		first := a.direct(ordering{column: r.distinct[0]})
		r.order = append([]ordering{first}, r.order...)
	}
	if id := t.id(); a.sight(t).grants("id") && a.chance(90) {
		r.order = append(r.order, a.direct(ordering{column: id}))
	}
	if single {
		return
	}
	if a.chance(35) {
		r.limit = a.IntN(5)
	}
	if a.model.dialect.has("offset") && a.chance(20) {
		r.offset = a.IntN(3)
	}
}

// direct gives an ordering a direction.
func (a *asker) direct(o ordering) ordering {
	o.spelt = pick(a.Rand, []string{"asc", "asc_nulls_first", "asc_nulls_last", "desc", "desc_nulls_first", "desc_nulls_last"})
	o.desc = o.spelt[0] == 'd'
	o.nullsFirst = o.spelt == "desc_nulls_first" || o.spelt == "asc_nulls_first" || !strings.Contains(o.spelt, "_") && o.desc != a.model.dialect.nullsLeast
	return o
}

func (a *asker) ordering(t *Table, depth int) (ordering, bool) {
	switch ones := a.relations(t, func(r *Relation) bool { return !r.Array }); {
	case depth > 0 && len(ones) > 0 && a.chance(35):
		r := pick(a.Rand, ones)
		o, ok := a.ordering(r.Target, depth-1)
		o.path = append([]*Relation{r}, o.path...)
		return o, ok
	case a.chance(30):
		if many := a.relations(t, func(r *Relation) bool { return r.Array }); len(many) > 0 {
			r := pick(a.Rand, many)
			return a.aggregateOrdering(r.Target, ordering{relation: r})
		}
	case a.chance(20):
		if computed := a.computed(t, true); len(computed) > 0 {
			c := pick(a.Rand, computed)
			return a.aggregateOrdering(c.Returns, ordering{computed: c})
		}
	}
	if parted := a.parted(t); len(parted) > 0 && a.chance(30) {
		o := ordering{column: pick(a.Rand, parted), part: a.part()}
		o.part.kind = pick(a.Rand, []string{"bool", "float", "int"})
		return a.direct(o), true
	}
	computed := slices.DeleteFunc(a.computed(t, false), func(c *Computed) bool { return c.argument || c.Kind == Text })
	columns := a.columns(t, Int, Float, Text, Bool, Texts)
	switch {
	case len(computed) > 0 && (a.chance(20) || len(columns) == 0):
		return a.direct(ordering{computed: pick(a.Rand, computed)}), true
	case len(columns) > 0:
		return a.direct(ordering{column: pick(a.Rand, columns)}), true
	}
	return ordering{}, false
}

func (a *asker) aggregateOrdering(t *Table, o ordering) (ordering, bool) {
	o.function = "count"
	if columns := a.columns(t, Int, Float); len(columns) > 0 && a.chance(60) {
		o.function, o.column = pick(a.Rand, []string{"min", "max", "sum", "avg"}), pick(a.Rand, columns)
	}
	return a.direct(o), true
}

// condition makes a condition on rows of t that the role may spell.
func (a *asker) condition(t *Table, depth int) expression {
	if depth > 0 {
		switch a.IntN(10) {
		case 0, 1:
			return conjunction{a.condition(t, depth-1), a.condition(t, depth-1)}
		case 2:
			return disjunction{a.condition(t, depth-1), a.condition(t, depth-1)}
		case 3:
			return negation{a.condition(t, depth-1)}
		case 4, 5:
			if list := a.relations(t, func(*Relation) bool { return true }); len(list) > 0 {
				r := pick(a.Rand, list)
				return related{r, a.condition(r.Target, depth-1)}
			}
		case 6:
			if x, ok := a.aggregateCondition(t, depth); ok {
				return x
			}
		case 7:
			if list := a.computed(t, true); len(list) > 0 {
				c := pick(a.Rand, list)
				return computedRows{c, a.condition(c.Returns, depth-1)}
			}
		case 8:
			return conjunction{}
		}
	}
	columns := a.columns(t)
	computed := slices.DeleteFunc(a.computed(t, false), func(c *Computed) bool { return c.argument })
	if parted := a.parted(t); len(parted) > 0 && a.chance(30) {
		return a.partComparison(pick(a.Rand, parted))
	}
	if len(columns)+len(computed) == 0 {
		return conjunction{}
	}
	return a.comparison(columns, computed)
}

func (a *asker) aggregateCondition(t *Table, depth int) (expression, bool) {
	list := a.relations(t, func(r *Relation) bool { return r.Array && a.sight(r.Target).aggregations() })
	if len(list) == 0 {
		return nil, false
	}
	x := aggregateComparison{relation: pick(a.Rand, list), function: "count", distinct: a.chance(20), one: a.model.dialect.countsOne}
	target := x.relation.Target
	if a.chance(40) {
		x.where = a.condition(target, depth-1)
	}
	x.op, x.value = pick(a.Rand, []string{"_eq", "_gt", "_lte", "_neq"}), float64(a.IntN(3))
	bools, floats := a.columns(target, Bool), a.columns(target, Float)
	switch n := a.IntN(3); {
	case n == 0 && len(bools) > 0 && a.model.dialect.has("bool_and"):
		x.function, x.arguments = pick(a.Rand, []string{"bool_and", "bool_or"}), []*Column{pick(a.Rand, bools)}
		x.op, x.value = pick(a.Rand, []string{"_eq", "_neq", "_is_null"}), a.chance(50)
	case n == 1 && len(floats) > 0:
		x.function = pick(a.Rand, []string{"avg", "max", "min", "sum", "stddev_samp", "var_samp"})
		x.arguments, x.value = []*Column{pick(a.Rand, floats)}, float64(a.IntN(4))+0.3
		if a.model.dialect.has("corr") && a.chance(20) {
			x.function = pick(a.Rand, []string{"corr", "covar_samp"})
			x.arguments = append(x.arguments, pick(a.Rand, floats))
		}
	default:
		if columns := a.columns(target); len(columns) > 0 && a.chance(40) {
			x.arguments = []*Column{pick(a.Rand, columns)}
		}
	}
	return x, true
}

// aggregates makes what an aggregate computes.
func (a *asker) aggregates(f *field) {
	for range 1 + a.IntN(3) {
		v := aggregateValue{alias: a.alias(), function: "count"}
		numbers, ordered := a.columns(f.rows.table, Int, Float), a.columns(f.rows.table, Int, Float, Text, Texts)
		switch n := a.IntN(3); {
		case n == 0 && len(numbers) > 0:
			v.function, v.columns = pick(a.Rand, []string{
				"sum", "avg", "stddev", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "variance",
			}), []*Column{pick(a.Rand, numbers)}
		case n == 1 && len(ordered) > 0:
			v.function, v.columns = pick(a.Rand, []string{"min", "max"}), []*Column{pick(a.Rand, ordered)}
		default:
			if columns := a.columns(f.rows.table); len(columns) > 0 {
				most := 3
				if a.model.dialect.countsOne {
					most = 2
				}
				for range a.IntN(most) {
					v.columns = append(v.columns, pick(a.Rand, columns))
				}
				v.distinct = a.chance(50)
			}
		}
		f.values = append(f.values, v)
	}
}

// fields makes a selection set on rows of t.
func (a *asker) fields(t *Table, depth int) []field {
	list := []field{{alias: a.alias(), name: "__typename"}}
	for range 1 + a.IntN(4) {
		list = append(list, a.simpleField(t))
		if depth == 0 {
			continue
		}
		switch a.IntN(8) {
		case 0, 1:
			if many := a.relations(t, func(r *Relation) bool { return r.Array }); len(many) > 0 {
				f := field{alias: a.alias(), relation: pick(a.Rand, many), kind: listField}
				f.name = f.relation.Name
				if a.sight(f.relation.Target).aggregations() && a.chance(30) {
					f.name, f.kind = f.name+"_aggregate", aggregateField
				}
				a.fill(&f, f.relation.Target, depth-1)
				list = append(list, f)
			}
		case 2, 3:
			if ones := a.relations(t, func(r *Relation) bool { return !r.Array }); len(ones) > 0 {
				f := field{alias: a.alias(), relation: pick(a.Rand, ones), kind: oneField}
				f.name = f.relation.Name
				a.fill(&f, f.relation.Target, depth-1)
				list = append(list, f)
			}
		case 4:
			if computed := a.computed(t, true); len(computed) > 0 {
				f := field{alias: a.alias(), computed: pick(a.Rand, computed), kind: computedRowsField}
				f.name = f.computed.Name
				a.fill(&f, f.computed.Returns, depth-1)
				list = append(list, f)
			}
		}
	}
	return list
}

// simpleField is a column or a scalar computed field.
func (a *asker) simpleField(t *Table) field {
	columns, computed := a.columns(t), a.computed(t, false)
	if len(columns) == 0 || len(computed) > 0 && a.chance(25) {
		c := pick(a.Rand, computed)
		f := field{alias: a.alias(), name: c.Name, kind: computedField, computed: c, n: 1}
		if c.argument {
			f.n, f.given = float64(a.IntN(4)), true
		}
		return f
	}
	c := pick(a.Rand, columns)
	f := field{alias: a.alias(), name: c.Field, kind: columnField, column: c}
	if c.Kind == JSON && a.chance(40) {
		f.path = pick(a.Rand, []string{"k", "$.l", `$["m"]`})
	}
	return f
}
