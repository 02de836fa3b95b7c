package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// joined is a relationship: the columns of this side and of the other.
type joined struct {
	table        catalog.Name
	here, others []string
}

// join finds out what a relationship joins by; ok is false when the database doesn't have it.
func (c *checker) join(t *Table, r *metadata.Relationship) (j joined, ok bool) {
	switch u := r.Using; {
	case u.Manual != nil:
		here, others := sorted(u.Manual.ColumnMapping)
		return joined{u.Manual.RemoteTable, here, others}, true
	case u.Remote != nil:
		other := c.facts.table(u.Remote.Table)
		if other == nil {
			return joined{}, false
		}
		for _, k := range other.ForeignKeys {
			if k.Target == t.Name && sameColumns(k.Columns, u.Remote.Columns) {
				return joined{other.Name, k.TargetColumns, k.Columns}, true
			}
		}
	default:
		for _, k := range t.ForeignKeys {
			if sameColumns(k.Columns, u.Columns) {
				return joined{k.Target, k.Columns, k.TargetColumns}, true
			}
		}
	}
	return joined{}, false
}

func sameColumns(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// relationships finds columns that joins need an index of. The other side is read for each row; this
// side is searched when rows are filtered by the other, and when a referenced row is deleted.
func (c *checker) relationships(m *metadata.Table, t *Table) {
	for i, r := range slices.Concat(m.ObjectRelationships, m.ArrayRelationships) {
		j, ok := c.join(t, r)
		if !ok {
			c.add(Error, "relationship-broken", c.display(t.Name)+"."+r.Name, "no foreign key of the database fits the relationship", "")
			continue
		}
		other := c.facts.table(j.table)
		if other == nil {
			c.add(Error, "relationship-broken", c.display(t.Name)+"."+r.Name, "the database has no table "+c.display(j.table), "")
			continue
		}
		if reason := apart(t, other, j, i >= len(m.ObjectRelationships)); reason != "" {
			c.add(Warning, "relationship-apart", c.display(t.Name)+"."+r.Name, "Citus can't join the tables of the relationship: "+reason, "")
			continue
		}
		why := fmt.Sprintf("the relationship %s of %s finds rows by", r.Name, c.display(t.Name))
		c.needIndex(Warning, "relationship-index", other, j.others, why+" "+strings.Join(j.others, ", "))
		c.needIndex(Info, "relationship-index-back", t, j.here, fmt.Sprintf("filters by the relationship %s compare %s",
			r.Name, strings.Join(j.here, ", ")))
	}
	for _, r := range m.RemoteRelationships {
		if to := r.Definition.ToSource; to != nil {
			c.toSource(t, r.Name, to)
		}
	}
}

// apart is why the nodes of a Citus can't join the tables of a relationship, "" where they can. What fixes one node may be read nevertheless.
func apart(t, other *Table, j joined, list bool) string {
	a, b := t.Distribution, other.Distribution
	switch {
	case a == nil || b == nil || b.Placement != catalog.Distributed:
		return ""
	case a.Placement == catalog.Reference && list:
		return "it reads no lists of a distributed table for the rows of a reference table"
	case a.Placement != catalog.Distributed:
		return ""
	case a.Colocation != b.Colocation:
		return "they aren't colocated"
	case a.Column == "" || b.Column == "":
		return ""
	}
	for i, column := range j.here {
		if column == a.Column && j.others[i] == b.Column {
			return ""
		}
	}
	return fmt.Sprintf("it doesn't compare their distribution columns, %s and %s", a.Column, b.Column)
}

// toSource checks a relationship to a table of another source.
func (c *checker) toSource(t *Table, name string, to *metadata.ToSource) {
	i := slices.IndexFunc(c.patients, func(p *Patient) bool { return p.Source.Name == to.Source })
	if i < 0 || c.patients[i].Facts == nil {
		return
	}
	patient := c.patients[i]
	other := patient.Facts.table(to.Table)
	if other == nil {
		c.add(Error, "relationship-broken", c.display(t.Name)+"."+name, fmt.Sprintf("source %s has no table %s", to.Source, patient.Source.Display(to.Table)), "")
		return
	}
	here, others := sorted(to.FieldMapping)
	for i, column := range here {
		a, b := t.Column(column), other.Column(others[i])
		if a == nil || b == nil {
			continue // a computed field, or an inconsistency
		}
		if left, right := c.types.Scalar(a.Type), patient.Types.Scalar(b.Type); left.Name != right.Name {
			c.add(Warning, "relationship-types", c.display(t.Name)+"."+name, fmt.Sprintf("%s is %s here and %s is %s in source %s: values "+
				"that one type can't read fail, others may not be found", column, left.SQL, others[i], right.SQL, to.Source), "")
		}
	}
	there := &checker{source: patient.Source, facts: patient.Facts, told: map[string]bool{}}
	there.needIndex(Warning, "relationship-index", other, others, fmt.Sprintf("the relationship %s of %s in source %s finds rows by %s",
		name, c.display(t.Name), c.source.Name, strings.Join(others, ", ")))
	c.findings = append(c.findings, there.findings...)
}

// rules finds columns that permissions compare.
func (c *checker) rules(m *metadata.Table, t *Table) {
	for _, p := range m.SelectPermissions {
		for _, rule := range p.Permission.Rules {
			c.rule(m, t, p.Role, rule.Filter)
		}
	}
	for _, p := range m.UpdatePermissions {
		for _, rule := range p.Permission.Rules {
			c.rule(m, t, p.Role, rule.Filter)
		}
	}
	for _, p := range m.DeletePermissions {
		for _, rule := range p.Permission.Rules {
			c.rule(m, t, p.Role, rule.Filter)
		}
	}
}

// rule goes through the columns of a boolean expression. What doesn't fit the database is an
// inconsistency, which the server reports.
func (c *checker) rule(m *metadata.Table, t *Table, role string, raw json.RawMessage) {
	var keys map[string]json.RawMessage
	if m == nil || t == nil || json.Unmarshal(raw, &keys) != nil {
		return
	}
	for key, value := range keys {
		switch key {
		case "_and", "$and", "_or", "$or":
			var list []json.RawMessage
			if json.Unmarshal(value, &list) == nil {
				for _, item := range list {
					c.rule(m, t, role, item)
				}
			}
			continue
		case "_not", "$not":
			continue // what is not so isn't found by an index
		case "_exists", "$exists":
			var e struct {
				Table catalog.Name    `json:"_table"`
				Where json.RawMessage `json:"_where"`
			}
			if json.Unmarshal(value, &e) == nil {
				name := c.source.Qualified(e.Table)
				c.rule(c.source.Table(name), c.facts.table(name), role, e.Where)
			}
			continue
		}
		if t.Column(key) != nil {
			if comparesEqual(value) {
				c.needIndex(Warning, "rule-index", t, []string{key}, fmt.Sprintf("the rules of role %s compare %s", role, key))
			}
			continue
		}
		for _, r := range slices.Concat(m.ObjectRelationships, m.ArrayRelationships) {
			if r.Name == key {
				if j, ok := c.join(t, r); ok {
					c.rule(c.source.Table(j.table), c.facts.table(j.table), role, value)
				}
			}
		}
	}
}

// comparesEqual reports whether a comparison finds few rows: by equality, in a list, in a range.
func comparesEqual(raw json.RawMessage) bool {
	var operators map[string]json.RawMessage
	if json.Unmarshal(raw, &operators) != nil {
		return true // a value alone, or a session variable, is equality
	}
	for _, operator := range []string{"eq", "in", "gt", "gte", "lt", "lte", "ceq"} {
		if operators["_"+operator] != nil || operators["$"+operator] != nil {
			return true
		}
	}
	return false
}
