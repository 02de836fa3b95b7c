package oracle

import (
	"maps"
	"slices"
)

// Row is a row by the names of its columns.
type Row map[string]any

// Column is a column of a table or view.
type Column struct {
	Name     string
	Field    string // its name in GraphQL
	Kind     Kind
	Nullable bool
	// key reports whether the column is part of a key or refers to one: it is never updated.
	key    bool
	target *Table // of the foreign key
	unique bool
}

func (c *Column) isTenant() bool { return c.Name == tenant }

// Relation is a relationship. With a foreign key it is declared by that, else by hand.
type Relation struct {
	Name   string
	Target *Table
	Array  bool
	// Join pairs a column of the row with one of the related row.
	Join [][2]string
	// using is the definition in metadata.
	using object
}

// Computed is a computed field: a scalar, or rows of a table.
type Computed struct {
	Name    string
	Kind    Kind
	Returns *Table
	// argument reports whether the client may give the number `n`; it is 1 otherwise.
	argument bool
	// session reports whether the function takes the session variables.
	session bool
	// mapped is the column that is given to the function as `k` instead of the row, nil for none.
	mapped *Column
	body   string
	value  func(c *call) any
	rows   func(c *call) []Row
}

// Function is a tracked function, which takes the number `n`.
type Function struct {
	Name    string
	Returns *Table
	Single  bool
	body    string
	rows    func(n float64) []Row
}

// call is what a computed field is computed from.
type call struct {
	row     Row
	n       float64
	session map[string]string
}

// Table is a table or a view.
type Table struct {
	Name      string
	Columns   []*Column
	Relations []*Relation
	Computed  []*Computed
	// base and keeps are of a view: the rows of base that keeps takes.
	base  *Table
	place placement
	keeps func(Row) bool
	where string
	rows  []Row
	perms map[string]*permission
	lists map[string][]*permission // rules of roles that have several
	all   *permission              // for an unrestricted reader
	// updates are the permissions to update, deletes those to delete.
	updates, deletes map[string][]writeRule
}

// writeRule allows to update some columns of rows, nil for all, or to delete rows.
type writeRule struct {
	filter  expression
	columns []*Column
}

// filter allows the rows that some rule allows to change; column is the one to update, nil for a delete.
func filter(rules []writeRule, column *Column) expression {
	var any disjunction
	for _, r := range rules {
		if column == nil || r.columns == nil || slices.Contains(r.columns, column) {
			any = append(any, r.filter)
		}
	}
	return any
}

// Rows are the rows, in no particular order.
func (t *Table) Rows() []Row {
	if t.base == nil {
		return t.rows
	}
	var rows []Row
	for _, r := range t.base.rows {
		if t.keeps(r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// id is the column that every table has.
func (t *Table) id() *Column {
	return t.Columns[slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == "id" })]
}

// of are the columns of some kinds.
func (t *Table) of(kinds ...Kind) []*Column {
	var list []*Column
	for _, c := range t.Columns {
		if slices.Contains(kinds, c.Kind) {
			list = append(list, c)
		}
	}
	return list
}

// permission is what a role may read of a table.
type permission struct {
	names        map[string]bool // of columns and scalar computed fields
	masks        map[string]mask // of columns among them whose values are hidden
	filter       expression
	limit        int // -1 for none
	aggregations bool
}

// Model is a database with its metadata.
type Model struct {
	dialect   *Dialect
	Tables    []*Table
	Functions []*Function
	// Roles may ask; the last ones inherit from others.
	Roles   []string
	parents map[string][]string
	Session map[string]string
	// databaseRole is the role of requests where policies hide rows; empty where permissions do.
	databaseRole string

	// What was found out once: what roles see of tables, and of their rows, by their keys.
	sights map[sightKey]*sight
	seen   map[rowKey]bool
}

type sightKey struct {
	role  string
	table *Table
}

type rowKey struct {
	by *permission
	id any
}

// sight is what a role sees of a table: by a permission of its own, or by those of its parents.
type sight struct {
	own     *permission
	parents []*sight
}

// Inherits reports whether a role has what others have.
func (m *Model) Inherits(role string) bool { return m.parents[role] != nil }

// sees is nil when the role sees nothing.
func (m *Model) sees(role string, t *Table) *sight {
	key := sightKey{role, t}
	s, known := m.sights[key]
	if !known {
		s = m.look(role, t)
		m.sights[key] = s
	}
	return s
}

func (m *Model) look(role string, t *Table) *sight {
	if role == Admin {
		return &sight{own: t.all}
	}
	if p := t.perms[role]; p != nil {
		return &sight{own: p}
	}
	var parents []*sight
	for _, p := range t.lists[role] {
		parents = append(parents, &sight{own: p})
	}
	for _, parent := range m.parents[role] {
		if s := m.sees(parent, t); s != nil {
			parents = append(parents, s)
		}
	}
	switch len(parents) {
	case 0:
		return nil
	case 1:
		return parents[0]
	}
	return &sight{parents: parents}
}

// Listed is the model in which the role both has rules of its own, and inherits nothing.
func (m *Model) Listed() *Model {
	listed := *m
	listed.Tables, listed.parents = nil, map[string][]string{"all": m.parents["all"]}
	for _, t := range m.Tables {
		n := *t
		if n.lists = maps.Clone(t.lists); t.perms["both"] == nil {
			for _, parent := range slices.Sorted(slices.Values(m.parents["both"])) { // as documents have them
				if p := t.perms[parent]; p != nil {
					n.lists["both"] = append(n.lists["both"], p)
				}
			}
		}
		listed.Tables = append(listed.Tables, &n)
	}
	return &listed
}

// Admin is the role that sees everything.
const Admin = "admin"

func admin(t *Table) *permission {
	p := &permission{names: map[string]bool{}, filter: conjunction{}, limit: -1, aggregations: true}
	for _, c := range t.Columns {
		p.names[c.Name] = true
	}
	for _, c := range t.Computed {
		p.names[c.Name] = true
	}
	return p
}

// grants reports whether the role may read a column or computed field of some rows.
func (s *sight) grants(name string) bool {
	if s.own != nil {
		return s.own.names[name]
	}
	return slices.ContainsFunc(s.parents, func(p *sight) bool { return p.grants(name) })
}

// plainly reports whether the role may read it of every row that it sees.
func (s *sight) plainly(name string) bool {
	if s.own != nil {
		_, masked := s.own.masks[name]
		return s.own.names[name] && !masked
	}
	return !slices.ContainsFunc(s.parents, func(p *sight) bool { return !p.plainly(name) })
}

// forget drops cached results, because rows change or the session does.
func (m *Model) forget() { m.sights, m.seen = map[sightKey]*sight{}, map[rowKey]bool{} }

// cell reports whether it may be read of one row.
func (s *sight) cell(m *Model, t *Table, name string, r Row) bool {
	return s.plainly(name) || slices.ContainsFunc(s.parents, func(p *sight) bool {
		return p.grants(name) && p.cell(m, t, name, r) && p.row(m, t, r)
	})
}

// mask is what the role sees of a cell that it may not read.
func (s *sight) mask(m *Model, t *Table, c *Column, r Row) (shown any, masked bool) {
	if s.own != nil {
		by, masked := s.own.masks[c.Name]
		if !masked {
			return nil, false
		}
		return by.shows(r[c.Name]), true
	}
	for _, p := range s.parents {
		if shown, masked := p.mask(m, t, c, r); masked && p.row(m, t, r) {
			return shown, true
		}
	}
	return nil, false
}

// row reports whether the role sees a row.
func (s *sight) row(m *Model, t *Table, r Row) bool {
	if s.own != nil {
		key := rowKey{s.own, r["id"]}
		visible, known := m.seen[key]
		if !known {
			rule := env{model: m, root: r}
			visible = rule.eval(s.own.filter, t, r) == yes
			m.seen[key] = visible
		}
		return visible
	}
	return slices.ContainsFunc(s.parents, func(p *sight) bool { return p.row(m, t, r) })
}

// limit is how many rows a list may have, -1 for any number.
func (s *sight) limit() int {
	if s.own != nil {
		return s.own.limit
	}
	most := -1
	for _, p := range s.parents {
		most = max(most, p.limit())
	}
	return most
}

func (s *sight) aggregations() bool {
	if s.own != nil {
		return s.own.aggregations
	}
	return slices.ContainsFunc(s.parents, (*sight).aggregations)
}

// mayWrite are the rules of a permission to update or delete, nil for none. Roles inherit one
// that only one parent has.
func (m *Model) mayWrite(role string, of map[string][]writeRule) []writeRule {
	if role == Admin {
		return []writeRule{{filter: conjunction{}}}
	}
	if own := of[role]; own != nil {
		return own
	}
	var found []writeRule
	for _, parent := range m.parents[role] {
		if f := m.mayWrite(parent, of); f != nil {
			found = f
		}
	}
	return found
}
