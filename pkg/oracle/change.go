package oracle

import (
	"fmt"
	"slices"
)

// Change is a random mutation of the rows of one table: an update, several at once, or a delete.
type Change struct {
	Operation
	Role    string
	model   *Model
	table   *Table
	rules   []writeRule
	deletes bool
	steps   []step
	many    bool
}

// step is one update, or the delete.
type step struct {
	where expression
	// column is the one that changes.
	column *Column
	// operator is the one of the update, given what it is given of the column, and change what becomes of a value.
	operator string
	given    any
	change   func(old any) any
}

// Change makes a mutation for a role; nil when it may not change anything.
func (m *Model) Change(role string, seed uint64) *Change {
	a := m.asker(role, seed)
	var list []*Change
	for _, t := range m.Tables {
		if t.base != nil || m.sees(role, t) == nil {
			continue
		}
		if f := m.mayWrite(role, t.updates); f != nil && len(settable(t, f)) > 0 {
			list = append(list, &Change{Role: role, model: m, table: t, rules: f})
		}
		if f := m.mayWrite(role, t.deletes); f != nil && !m.referred(t) {
			list = append(list, &Change{Role: role, model: m, table: t, rules: f, deletes: true})
		}
	}
	if len(list) == 0 {
		return nil
	}
	c := pick(a.Rand, list)
	a.steps(c)
	w := &writer{random: a.Rand, dialect: m.dialect}
	c.Operation = w.operation("mutation", w.change(c))
	return c
}

// referred reports whether a foreign key leads to the table.
func (m *Model) referred(t *Table) bool {
	return slices.ContainsFunc(m.Tables, func(other *Table) bool {
		return slices.ContainsFunc(other.Columns, func(c *Column) bool { return c.target == t })
	})
}

// settable are the columns that rows may get new values of.
func settable(t *Table, rules []writeRule) []*Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c *Column) bool {
		return c.key || !slices.ContainsFunc(rules, func(r writeRule) bool { return r.columns == nil || slices.Contains(r.columns, c) })
	})
}

func (a *asker) steps(c *Change) {
	free := settable(c.table, c.rules)
	c.many = !c.deletes && a.chance(70)
	n := 1
	if c.many {
		n = 1 + a.IntN(3)
	}
	for range n {
		s := step{where: a.condition(c.table, 3)}
		if c.deletes {
			c.steps = append(c.steps, s)
			continue
		}
		s.column = pick(a.Rand, free)
		if s.column.Kind == JSON && a.model.dialect.parts && a.chance(60) {
			s.operator, s.given, s.change = a.edit()
		} else {
			value := a.value(s.column.Kind)
			s.operator, s.given, s.change = "_set", typed{s.column.Kind.graphQL(), value}, func(any) any { return value }
		}
		c.steps = append(c.steps, s)
	}
}

func (w *writer) change(c *Change) string {
	where := func(s step) any { return typed{c.table.Name + "_bool_exp!", condition(s.where)} }
	set := func(s step) any { return object{{s.column.Field, s.given}} }
	name, args := "update_"+c.table.Name, ""
	switch first := c.steps[0]; {
	case c.deletes:
		name, args = "delete_"+c.table.Name, "where: "+w.value(where(first))
	case c.many:
		updates := []any{}
		for _, s := range c.steps {
			updates = append(updates, object{{"where", where(s)}, {s.operator, set(s)}})
		}
		name, args = name+"_many", "updates: "+w.value(updates)
	default:
		args = "where: " + w.value(where(first)) + ", " + first.operator + ": " + w.value(set(first))
	}
	return fmt.Sprintf("{ f: %s(%s) { affected_rows } }", name, args)
}

// Apply makes the change in the model, and returns the right answer of the mutation.
func (c *Change) Apply() any {
	e := &env{model: c.model, role: c.Role}
	answers := []any{}
	for _, s := range c.steps {
		var found []Row
		for _, r := range c.table.rows {
			rule := env{model: c.model, root: r}
			if rule.eval(filter(c.rules, s.column), c.table, r) == yes && e.eval(s.where, c.table, r) == yes {
				found = append(found, r)
			}
		}
		answers = append(answers, map[string]any{"affected_rows": float64(len(found))})
		if c.deletes {
			c.table.rows = slices.DeleteFunc(c.table.rows, func(r Row) bool {
				return slices.ContainsFunc(found, func(f Row) bool { return f["id"] == r["id"] })
			})
			found = nil
		}
		for _, r := range found {
			r[s.column.Name] = s.change(r[s.column.Name])
		}
		c.model.forget()
	}
	if c.many {
		return map[string]any{"f": answers}
	}
	return map[string]any{"f": answers[0]}
}

// State returns a query for the rows of the changed table as Differs takes them, and the right answer.
func (c *Change) State() (sql string, want any) {
	rows := tied{}
	for _, r := range c.table.rows {
		rows = append(rows, map[string]any(r))
	}
	return c.model.dialect.state(c.table), list{rows}
}
