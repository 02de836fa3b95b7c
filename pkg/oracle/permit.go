package oracle

import "slices"

// permit makes roles, and what they may do.
func (m *maker) permit() {
	own := []string{"clerk", "agent", "guest"}
	m.model.parents = map[string][]string{"both": {"clerk", "agent"}, "all": {"both", "guest", "ruled"}}
	m.model.Roles = append([]string{Admin, "both", "all", "ruled"}, own...)
	for i, t := range m.model.Tables {
		t.all = admin(t)
		for _, role := range own {
			if m.chance(85) || i == 0 { // a role without any permission isn't one
				t.perms[role] = m.permission(t)
				m.follow(t, role)
			}
		}
		if m.chance(85) || i == 0 {
			for range 1 + m.IntN(3) {
				t.lists["ruled"] = append(t.lists["ruled"], m.permission(t))
			}
			for _, p := range t.lists["ruled"] {
				m.mask(t, p)
			}
		}
		if p := t.perms["guest"]; p != nil && m.chance(30) {
			m.mask(t, p)
		}
		if t.base != nil {
			continue
		}
		if m.chance(70) {
			t.updates["clerk"] = []writeRule{{filter: m.rule(t, t, 2)}}
		} else {
			t.updates["ruled"] = m.updateRules(t)
		}
		if m.chance(50) {
			t.deletes["agent"] = []writeRule{{filter: m.rule(t, t, 1)}}
		} else {
			t.deletes["ruled"] = []writeRule{{filter: m.rule(t, t, 1)}, {filter: m.rule(t, t, 1)}}
		}
	}
	if m.chance(30) {
		t := pick(m.Rand, m.model.Tables)
		t.perms["both"] = m.permission(t)
	}
}

func (m *maker) permission(t *Table) *permission {
	p := &permission{names: map[string]bool{}, filter: conjunction{}, limit: -1, aggregations: m.chance(65)}
	most := pick(m.Rand, []int{100, 80, 60, 10})
	for _, c := range t.Columns {
		p.names[c.Name] = m.chance(most) || (c.Name == "id" || c.isTenant()) && m.chance(80)
	}
	for _, c := range t.Computed {
		p.names[c.Name] = c.Returns == nil && m.chance(most)
	}
	if m.chance(75) {
		p.filter = m.rule(t, t, 2)
	}
	if m.model.dialect.tenants && m.chance(50) {
		p.filter = conjunction{comparison{column: t.Columns[1], op: "_eq", session: "x-engine-number"}, p.filter}
	}
	if m.chance(25) {
		p.limit = m.IntN(7)
	}
	return p
}

func (m *maker) updateRules(t *Table) []writeRule {
	var rules []writeRule
	for range 2 + m.IntN(2) {
		r := writeRule{filter: m.rule(t, t, 1), columns: []*Column{}}
		for _, c := range t.Columns {
			if m.chance(50) {
				r.columns = append(r.columns, c)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// mask hides what some columns have.
func (m *maker) mask(t *Table, p *permission) {
	p.masks = map[string]mask{}
	for _, c := range t.Columns {
		if c.Name == "id" || c.isTenant() || !m.chance(20) {
			continue
		}
		by := mask{name: "null"}
		switch {
		case m.model.dialect.maskExpressions && maskExpressions[c.Kind] != nil && m.chance(40):
			by = mask{expression: pick(m.Rand, maskExpressions[c.Kind])}
		case c.Kind == Text && m.chance(60):
			by.name = pick(m.Rand, slices.DeleteFunc(slices.Clone(maskNames), func(name string) bool { return !m.model.dialect.has(name) }))
		case (c.Kind == Int || c.Kind == Text || c.Kind == Bool) && m.chance(60):
			by = mask{constant: m.value(c.Kind)}
		}
		p.names[c.Name], p.masks[c.Name] = true, by
	}
}

// follow makes rows of t visible, at times, where the row that they refer to is visible: a rule that
// repeats another one.
func (m *maker) follow(t *Table, role string) {
	for _, r := range t.Relations {
		if p := r.Target.perms[role]; p != nil && r.Target != t && !r.Array && !mentionsRoot(p.filter) && m.chance(40) {
			t.perms[role].filter = related{r, p.filter}
		}
	}
}

// mentionsRoot reports whether a rule means something else at another place.
func mentionsRoot(x expression) bool {
	switch x := x.(type) {
	case conjunction:
		return slices.ContainsFunc(x, mentionsRoot)
	case disjunction:
		return slices.ContainsFunc(x, mentionsRoot)
	case negation:
		return mentionsRoot(x.of)
	case related:
		return mentionsRoot(x.where)
	case computedRows:
		return mentionsRoot(x.where)
	case exists:
		return true
	}
	return false
}

// rule makes a rule on rows of t, inside of one on rows of root.
func (m *maker) rule(t, root *Table, depth int) expression {
	if depth > 0 {
		switch m.IntN(9) {
		case 0:
			return conjunction{m.rule(t, root, depth-1), m.rule(t, root, depth-1)}
		case 1:
			return disjunction{m.rule(t, root, depth-1), m.rule(t, root, depth-1)}
		case 2:
			return negation{m.rule(t, root, depth-1)}
		case 3, 4:
			if len(t.Relations) > 0 {
				r := pick(m.Rand, t.Relations)
				return related{r, m.rule(r.Target, root, depth-1)}
			}
		case 5:
			other := pick(m.Rand, m.model.Tables)
			return exists{other, conjunction{m.rule(other, root, depth-1), columnComparison{
				column: pick(m.Rand, other.of(Int)), other: pick(m.Rand, root.of(Int)), op: pick(m.Rand, columnOperators), root: true,
			}}}
		case 6:
			if i := slices.IndexFunc(t.Computed, func(c *Computed) bool { return c.Returns != nil }); i >= 0 {
				return computedRows{t.Computed[i], m.rule(t.Computed[i].Returns, root, depth-1)}
			}
		}
	}
	return m.ruleComparison(t)
}

var columnOperators = []string{"_ceq", "_cne", "_cneq", "_cgt", "_clt", "_cgte", "_clte"}

func (m *maker) ruleComparison(t *Table) expression {
	ints := t.of(Int)
	switch m.IntN(8) {
	case 0:
		return columnComparison{column: pick(m.Rand, ints), other: pick(m.Rand, ints), op: pick(m.Rand, columnOperators)}
	case 1:
		return comparison{column: pick(m.Rand, ints), op: pick(m.Rand, []string{"_eq", "_neq", "_gt", "_lte"}), session: "x-engine-number"}
	case 2:
		return comparison{column: pick(m.Rand, ints), op: pick(m.Rand, []string{"_in", "_nin"}), session: "x-engine-list"}
	case 3:
		if texts := t.of(Text); len(texts) > 0 {
			return comparison{column: pick(m.Rand, texts), op: pick(m.Rand, []string{"_eq", "_neq", "_gt"}), session: "x-engine-word"}
		}
	}
	x := m.comparison(t.Columns, t.Computed)
	switch {
	case x.op == "_eq" && m.chance(50) && (x.column == nil || x.column.Kind != JSON): // its literals would be operators
		x.literal = true
		fallthrough
	case x.op == "_neq":
		if x.column != nil && x.column.Nullable && m.chance(30) {
			x.value = nil
		}
	}
	return x
}

// comparison compares one of the columns or scalar computed fields.
func (m *maker) comparison(columns []*Column, computed []*Computed) comparison {
	computed = slices.DeleteFunc(slices.Clone(computed), func(c *Computed) bool { return c.Returns != nil || c.argument })
	if len(computed) > 0 && (m.chance(20) || len(columns) == 0) {
		c := pick(m.Rand, computed)
		op, v := m.operation(c.Kind)
		if c.Kind == Text && (op == "_gt" || op == "_lte") {
			op = "_eq" // what a function returns is ordered as the database likes
		}
		return comparison{computed: c, op: op, value: v}
	}
	c := pick(m.Rand, columns)
	op, v := m.operation(c.Kind)
	return comparison{column: c, op: op, value: v}
}

var operators = map[Kind][]string{
	Int:   {"_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin", "_is_null"},
	Float: {"_eq", "_neq", "_gt", "_lt", "_gte", "_lte", "_in", "_nin", "_is_null"},
	Bool:  {"_eq", "_neq", "_gt", "_in", "_is_null"},
	Text: {
		"_eq", "_neq", "_gt", "_lte", "_in", "_nin", "_is_null",
		"_like", "_nlike", "_ilike", "_nilike", "_similar", "_nsimilar", "_regex", "_iregex", "_nregex", "_niregex",
	},
	Texts: {"_eq", "_neq", "_gt", "_lte", "_in", "_nin", "_is_null", "_contains", "_contained_in"},
	JSON:  {"_eq", "_neq", "_in", "_is_null", "_contains", "_contained_in", "_has_key", "_has_keys_any", "_has_keys_all"},
}

// operation is an operator for a kind, and what it compares with.
func (m *maker) operation(k Kind) (op string, value any) {
	op = pick(m.Rand, slices.DeleteFunc(slices.Clone(operators[k]), func(op string) bool { return !m.model.dialect.has(op) }))
	switch op {
	case "_is_null":
		return op, m.chance(50)
	case "_in", "_nin":
		list := []any{}
		for range m.IntN(4) {
			list = append(list, m.value(k))
		}
		return op, list
	case "_has_key":
		return op, pick(m.Rand, jsonKeys)
	case "_has_keys_any", "_has_keys_all":
		return op, []any{pick(m.Rand, jsonKeys), "none"}[:m.IntN(3)]
	case "_like", "_nlike", "_ilike", "_nilike", "_similar", "_nsimilar":
		return op, pick(m.Rand, []string{"a%", "%b", "_", "%", "A", ""})
	case "_regex", "_iregex", "_nregex", "_niregex":
		return op, pick(m.Rand, []string{"^a", "b$", "[ab]+", "", "B.?"})
	}
	return op, m.value(k)
}
