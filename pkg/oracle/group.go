package oracle

import (
	"slices"
)

// groupCondition compares the number of the rows of a group, or an aggregate of a column.
type groupCondition struct {
	function string
	column   *Column
	op       string
	value    any
	negated  bool
}

// group makes groups of the rows of a table.
func (a *asker) group(f *field, t *Table) {
	f.kind, f.name = groupsField, t.Name+"_groups"
	f.rows = rows{table: t, limit: -1, offset: -1}
	for range 1 + a.IntN(2) {
		f.keys = append(f.keys, pick(a.Rand, a.columns(t)))
	}
	if a.chance(50) {
		f.rows.where = a.condition(t, 3)
	}
	if a.chance(40) {
		f.having = &groupCondition{function: "count", op: pick(a.Rand, []string{"_eq", "_gt", "_lte", "_neq"}), value: float64(a.IntN(3)), negated: a.chance(30)}
		if ints := a.columns(t, Int); len(ints) > 0 && a.chance(50) {
			f.having.function, f.having.column = pick(a.Rand, []string{"min", "max", "sum"}), pick(a.Rand, ints)
		}
	}
	a.aggregates(f)
	if !slices.ContainsFunc(f.keys, func(c *Column) bool { return c.Kind == JSON }) && a.chance(90) {
		for _, c := range f.keys {
			f.rows.order = append(f.rows.order, a.direct(ordering{column: c}))
		}
		if a.chance(40) {
			f.rows.limit = a.IntN(4)
		}
		if a.chance(20) {
			f.rows.offset = a.IntN(3)
		}
	}
}

// groups spells what is selected of groups.
func (w *writer) groups(f *field) string {
	text := "{ key {"
	for _, c := range f.keys {
		text += " " + c.Field
	}
	return text + " } " + w.aggregateValues(f) + " }"
}

func (w *writer) groupArguments(f *field, add func(string, any)) {
	keys := []any{}
	for _, c := range f.keys {
		keys = append(keys, name(c.Field))
	}
	add("keys", keys)
	if h := f.having; h != nil {
		v := object{{h.op, typed{"Int", h.value}}}
		if h.column != nil {
			of := "Int"
			if h.function == "sum" {
				of = "numeric"
			}
			v = object{{h.column.Field, object{{h.op, typed{of, h.value}}}}}
		}
		v = object{{h.function, v}}
		if h.negated {
			v = object{{"_not", v}}
		}
		add("having", v)
	}
	if len(f.rows.order) > 0 {
		items := []any{}
		for _, o := range f.rows.order {
			items = append(items, object{{"key", o.spell()}})
		}
		add("order_by", items)
	}
}

// groups are the groups of the rows that the role sees; its limit holds for groups.
func (e *env) groups(f *field, from []Row) list {
	r := &f.rows
	plain := rows{table: r.table, where: r.where, limit: -1}
	var keys [][]any
	var members [][]Row
	for _, row := range e.choose(&plain, from) {
		own := make([]any, len(f.keys))
		for i, c := range f.keys {
			own[i] = e.cell(r.table, c, row)
		}
		i := slices.IndexFunc(keys, func(other []any) bool { return slices.EqualFunc(own, other, equal) })
		if i < 0 {
			i, keys, members = len(keys), append(keys, own), append(members, nil)
		}
		members[i] = append(members[i], row)
	}
	var chosen []candidate
	for i, own := range keys {
		if f.having != nil && e.having(f.having, r.table, members[i]) != yes {
			continue
		}
		key := map[string]any{}
		for i, c := range f.keys {
			key[c.Field] = own[i]
		}
		c := candidate{row: Row{"group": map[string]any{"key": key, "aggregate": e.values(f, members[i])}}}
		if len(r.order) > 0 {
			c.keys = own
		}
		chosen = append(chosen, c)
	}
	slices.SortStableFunc(chosen, r.compare)
	limit := len(chosen)
	if r.limit >= 0 {
		limit = r.limit
	}
	chosen = cut(r, chosen, max(r.offset, 0), limit)
	if most := e.sees(r.table).limit(); most >= 0 {
		chosen = cut(r, chosen, 0, most)
	}
	return r.listed(chosen, func(row Row) any { return row["group"] })
}

func (e *env) having(h *groupCondition, t *Table, members []Row) truth {
	var left any = float64(len(members))
	if h.column != nil {
		left = aggregateOf(h.function, e.cells(t, h.column, members))
	}
	found := operate(h.op, left, h.value)
	if h.negated {
		return found.not()
	}
	return found
}
