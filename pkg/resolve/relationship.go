package resolve

import (
	"fmt"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// Relationship is a relationship whose target is tracked.
type Relationship struct {
	Name  string
	Array bool
	// Target is the other table.
	Target *Table
	// Join pairs columns of this table (Outer) with columns of Target (Inner).
	Join []ir.JoinPair
	// Nullable reports whether the field of an object relationship may be null by its type.
	Nullable bool
	// Unique reports whether at most one row of Target matches, by one of its keys.
	Unique bool
	// AfterParent reports whether a nested insert writes the related row after this one.
	AfterParent bool
	Meta        *metadata.Relationship
}

// problem is why an object can't be used; the zero problem is none.
type problem struct {
	reason string
	// bare reasons are reported without the context (in table ..: in relationship ..:):
	// those about another object that is missing.
	bare bool
	// unsupported reasons are about what the database can't do.
	unsupported bool
	// path is Path of metadata.Inconsistency.
	path string
}

func problemf(format string, args ...any) problem {
	return problem{reason: fmt.Sprintf(format, args...)}
}

// buildRelationships resolves the relationships; those with a problem are left out. before
// is the same table in the version before, or nil.
func (t *Table) buildRelationships(before *Table) {
	n := len(t.Meta.ObjectRelationships) + len(t.Meta.ArrayRelationships)
	if n == 0 {
		return
	}
	all := make([]Relationship, 0, n)
	var old []*Relationship
	if before != nil {
		old = before.Relationships
	}
	add := func(m *metadata.Relationship, array bool) {
		if t.base.excluded[m.Name] {
			return
		}
		if len(old) > 0 && old[0].Meta == m {
			r := old[0]
			old = old[1:]
			if target := t.Source.tables[r.Target.Meta.Table]; target != nil && target.base == r.Target.base {
				all = append(all, *r)
				all[len(all)-1].Target = target
				return
			}
		}
		if r, problem := t.relationship(m, array); problem.reason == "" {
			all = append(all, r)
		}
	}
	for _, m := range t.Meta.ObjectRelationships {
		add(m, false)
	}
	for _, m := range t.Meta.ArrayRelationships {
		add(m, true)
	}
	t.Relationships = make([]*Relationship, len(all))
	for i := range all {
		t.Relationships[i] = &all[i]
	}
}

// relationship resolves one relationship. It rests on this table and its target alone.
func (t *Table) relationship(m *metadata.Relationship, array bool) (Relationship, problem) {
	r := Relationship{Name: m.Name, Array: array, Nullable: true, Meta: m}
	var p problem
	switch u := m.Using; {
	case u.Manual != nil:
		p = r.joinManually(t, u.Manual)
	case u.Remote != nil:
		p = r.joinRemoteKey(t, u.Remote)
	default:
		p = r.joinKey(t, u.Columns)
	}
	if p.reason == "" {
		p = r.placement(t)
	}
	return r, p
}

// placement refuses joins of rows that are on different nodes.
func (r *Relationship) placement(t *Table) problem {
	from, to := t.Catalog.Distribution, r.Target.Catalog.Distribution
	if from == nil || to == nil {
		return problem{}
	}
	a, b := from.Placement, to.Placement
	spread := a == catalog.Distributed
	refused, kind := spread && b == catalog.Local || !spread && b == catalog.Distributed, "object"
	if r.Array {
		refused, kind = spread && b == catalog.Local || a == catalog.Local && b == catalog.Distributed, "array"
	}
	if !refused {
		return problem{}
	}
	return problem{unsupported: true, reason: fmt.Sprintf("%s tables (%s) cannot have an %s relationship against a %s table (%s)",
		a, t.Display(), kind, b, r.Target.Display())}
}

// joinKey joins along a foreign key of this table.
func (r *Relationship) joinKey(t *Table, columns []string) problem {
	key, problem := oneKey(t.Catalog.ForeignKeys, columns, nil)
	if problem.reason != "" {
		return problem
	}
	if r.Target = t.Source.Table(key.Target); r.Target == nil {
		return notTracked(t.Source.head.display(key.Target))
	}
	r.Nullable = false
	for i, c := range key.Columns {
		r.Join = append(r.Join, ir.JoinPair{Outer: c, Inner: key.TargetColumns[i]})
		if column := t.Catalog.Column(c); column == nil || column.Nullable {
			r.Nullable = true
		}
	}
	r.Unique = true
	return problem
}

// joinRemoteKey joins along a foreign key of the other table that points here.
func (r *Relationship) joinRemoteKey(t *Table, remote *metadata.RemoteForeignKey) problem {
	if r.Target = t.Source.Table(remote.Table); r.Target == nil {
		return missingTable(t.Source.head.display(remote.Table), t.Source.Name)
	}
	key, problem := oneKey(r.Target.Catalog.ForeignKeys, remote.Columns, &t.Catalog.Name)
	if problem.reason != "" {
		return problem
	}
	for i, c := range key.Columns {
		r.Join = append(r.Join, ir.JoinPair{Outer: key.TargetColumns[i], Inner: c})
	}
	r.Unique = isKey(r.Target.Catalog, r.Join)
	r.AfterParent = true
	return problem
}

// joinManually joins the columns that the document names.
func (r *Relationship) joinManually(t *Table, manual *metadata.ManualConfiguration) problem {
	if r.Target = t.Source.Table(manual.RemoteTable); r.Target == nil {
		return missingTable(t.Source.head.display(manual.RemoteTable), t.Source.Name)
	}
	for _, outer := range sortedKeys(manual.ColumnMapping) {
		inner := manual.ColumnMapping[outer]
		pair, p := joinColumns(t, outer, r.Target, inner)
		if p.reason != "" {
			return p
		}
		r.Join = append(r.Join, pair)
	}
	r.Unique = isKey(r.Target.Catalog, r.Join)
	r.AfterParent = manual.InsertionOrder != nil && *manual.InsertionOrder == "after_parent"
	return problem{}
}

// joinColumns joins a column with one of the other table, when the database can compare them.
func joinColumns(t *Table, outer string, target *Table, inner string) (ir.JoinPair, problem) {
	a, b, d := t.Column(outer), target.Column(inner), t.Source.Dialect
	switch {
	case a == nil:
		return ir.JoinPair{}, problemf("%q does not exist", outer)
	case b == nil:
		return ir.JoinPair{}, problemf("%q does not exist", inner)
	case !d.Joins(a.Type, b.Type):
		return ir.JoinPair{}, problemf("the columns %q (%s) and %q (%s) can't be compared", outer, typeName(d, a.Type), inner, typeName(d, b.Type))
	}
	return ir.JoinPair{Outer: outer, Inner: inner}, problem{}
}

// oneKey finds the foreign key on exactly these columns, and to target when it isn't nil.
func oneKey(keys []catalog.ForeignKey, columns []string, target *catalog.Name) (*catalog.ForeignKey, problem) {
	var found *catalog.ForeignKey
	for i := range keys {
		k := &keys[i]
		if !sameSet(k.Columns, columns) || target != nil && k.Target != *target {
			continue
		}
		if found != nil {
			return nil, problem{reason: "more than one foreign key constraint exists on the given column(s)"}
		}
		found = k
	}
	if found == nil {
		return nil, problem{reason: "no foreign constraint exists on the given column(s)"}
	}
	return found, problem{}
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}

// isKey reports whether the inner columns hold a key of the table.
func isKey(t *catalog.Table, join []ir.JoinPair) bool {
	return holdsKey(t, func(c string) bool {
		return slices.ContainsFunc(join, func(p ir.JoinPair) bool { return p.Inner == c })
	})
}

// holdsKey reports whether the columns that in holds for are a key of the table, or more.
func holdsKey(t *catalog.Table, in func(column string) bool) bool {
	holds := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !in(c) })
	}
	if t.PrimaryKey != nil && holds(t.PrimaryKey.Columns) {
		return true
	}
	return slices.ContainsFunc(t.Uniques, func(u catalog.Constraint) bool { return holds(u.Columns) })
}

func notTracked(table string) problem {
	return problem{reason: fmt.Sprintf("table %q is not tracked", table), bare: true}
}

func missingTable(table, source string) problem {
	return problemf("table %q does not exist in source: %s", table, source)
}
