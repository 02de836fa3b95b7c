package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// RemoteRelationship leads from a table, or from a type of a remote schema, to a source or to a
// remote schema. Exactly one target is set.
//
// Unlike everything else of a Table it is made when it is requested, by a Schema: what it
// leads to may change while the source of its table stays the same.
type RemoteRelationship struct {
	Name string
	Meta *metadata.RemoteRelationship
	// Left are the fields of the table whose values are joined by.
	Left []JoinField
	// Source is a table of a source, Remote a field of a remote schema.
	Source *SourceTarget
	Remote *RemoteTarget
}

// JoinField is a field of the left side: a column, or a scalar computed field without
// arguments of the client's; of a type of a remote schema, a field without arguments.
type JoinField struct {
	Name     string
	Column   *Column
	Computed *ComputedField
	Remote   *remoteschema.Field
}

// isList reports whether the field is one of a remote schema whose values are lists.
func (f *JoinField) isList() bool { return f.Remote != nil && f.Remote.Type.Elem != nil }

// SourceTarget are the rows of a table, of another source or the same one.
type SourceTarget struct {
	Array bool
	Table *Table
	// Columns are compared with the values of RemoteRelationship.Left, in its order.
	Columns []*Column
	// Unique reports whether at most one row matches, by one of the table's keys.
	Unique bool
}

// RemoteRelationships are the consistent remote relationships of a table.
func (s *Schema) RemoteRelationships(t *Table) []*RemoteRelationship {
	var list []*RemoteRelationship
	for _, m := range t.Meta.RemoteRelationships {
		if t.base.excluded[m.Name] {
			continue
		}
		if r, problem := s.remoteRelationship(t, m); problem.reason == "" {
			list = append(list, r)
		}
	}
	return list
}

func (s *Schema) remoteRelationship(t *Table, m *metadata.RemoteRelationship) (*RemoteRelationship, problem) {
	if !gqlname.Definable(m.Name) {
		return nil, problemf("%q is not a valid GraphQL identifier", m.Name)
	}
	r := &RemoteRelationship{Name: m.Name, Meta: m}
	left := func(name string) (JoinField, problem) {
		if f, ok := t.joinField(name); ok {
			return f, problem{}
		}
		return JoinField{}, t.noJoinField(name)
	}
	if to := m.Definition.ToSource; to != nil {
		return r, s.joinSource(r, to, left)
	}
	return r, s.joinRemote(r, m.Definition.ToRemoteSchema, left)
}

// joinSource joins the columns that the definition pairs. left finds one of the left side.
func (s *Schema) joinSource(r *RemoteRelationship, to *metadata.ToSource, left func(name string) (JoinField, problem)) problem {
	source := s.Source(to.Source)
	if source == nil {
		return problemf("source not found: %q", to.Source)
	}
	target := &SourceTarget{Array: to.RelationshipType == metadata.ArrayRelationship, Table: source.Table(to.Table)}
	if target.Table == nil {
		return missingTable(source.head.display(to.Table), to.Source)
	}
	var columns []string
	for _, name := range sortedKeys(to.FieldMapping) {
		field, p := left(name)
		if p.reason != "" {
			return p
		}
		right := target.Table.Column(to.FieldMapping[name])
		switch {
		case right == nil:
			return problemf("%q does not exist", to.FieldMapping[name])
		case right.Enum != nil:
			return problemf("relationships to enum fields are not supported yet")
		case field.isList() && !right.Type.IsArray() && !right.Scalar.JSON:
			return problemf("the type of the field %q is a list type, and the column %q holds no lists", name, right.Name)
		}
		r.Left = append(r.Left, field)
		target.Columns = append(target.Columns, right)
		columns = append(columns, right.Name)
	}
	target.Unique = holdsKey(target.Table.Catalog, func(c string) bool { return slices.Contains(columns, c) })
	r.Source = target
	return problem{}
}

// joinField finds a field that can be joined by: by the name that a column has in the
// database, or by the name of the field.
func (t *Table) joinField(name string) (JoinField, bool) {
	if c := t.Column(name); c != nil {
		return JoinField{Name: name, Column: c}, true
	}
	for _, c := range t.Columns {
		if c.Field == name {
			return JoinField{Name: name, Column: c}, true
		}
	}
	f := t.ComputedField(name)
	return JoinField{Name: name, Computed: f}, f != nil && joinable(f)
}

// joinable reports whether a computed field has one value for each row.
func joinable(f *ComputedField) bool { return f.Returns == nil && len(f.Args) == 0 }

func (t *Table) noJoinField(name string) problem {
	var allowed []string
	for _, c := range t.Columns {
		allowed = append(allowed, quote(c.Name))
	}
	for _, f := range t.ComputedFields {
		if joinable(f) {
			allowed = append(allowed, quote(f.Name))
		}
	}
	// The blanks are missing on the wire, too.
	return problemf("field with name %qis not provided by the lhs entity%qfor defining a join condition, the allowed fields are %s",
		name, t.Display(), alternatives(allowed))
}

// alternatives joins words as in: a, b, or c.
func alternatives(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	case 2:
		return words[0] + " or " + words[1]
	default:
		return strings.Join(words[:n-1], ", ") + ", or " + words[n-1]
	}
}

// checkRemote checks the remote relationships of all tables and remote schemas. They rest on several sources,
// so the result isn't kept; few tables have any.
func (s *Schema) checkRemote() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	s.eachRemote(func(t *Table, m *metadata.RemoteRelationship) {
		_, p := s.remoteRelationship(t, m)
		if p.reason == "" {
			return
		}
		c := tableChecker{table: t, result: &tableCheck{}}
		c.report(fieldID(t, metadata.ObjectRemoteRelationship, m.Name), c.remoteDefinition(m),
			"in remote relationship "+quote(m.Name)+": ", p)
		list = append(list, c.result.problems...)
	})
	s.eachRemoteType(func(r *Remote, typeName string, m *metadata.RemoteRelationship) {
		if _, p := s.remoteTypeRelationship(r, typeName, m); p.reason != "" {
			list = append(list, inconsistent(r.Meta.RelationshipID(typeName, m.Name), remoteTypeDefinition{r.Name, typeName, m},
				fmt.Sprintf("in remote schema %q: in remote relationship %q: %s", r.Name, m.Name, p.reason)))
		}
	})
	return list
}

// eachRemote calls f for the remote relationships of all tables.
func (s *Schema) eachRemote(f func(*Table, *metadata.RemoteRelationship)) {
	for _, source := range s.Sources {
		for _, t := range source.remote {
			for _, m := range t.Meta.RemoteRelationships {
				if !t.base.excluded[m.Name] {
					f(t, m)
				}
			}
		}
	}
}

// remoteDependents are the remote relationships that need one of gone, and don't go together
// with their own table or source.
func (s *Schema) remoteDependents(gone map[metadata.ObjectID]bool, counts func(need) bool) []metadata.ObjectID {
	var found []metadata.ObjectID
	s.eachRemote(func(t *Table, m *metadata.RemoteRelationship) {
		id := fieldID(t, metadata.ObjectRemoteRelationship, m.Name)
		if gone[id] || gone[tableID(t)] || gone[sourceID(t.Source.Name)] {
			return
		}
		r, p := s.remoteRelationship(t, m)
		if p.reason == "" && slices.ContainsFunc(r.needs(t), func(n need) bool { return counts(n) && gone[n.id] }) {
			found = append(found, id)
		}
	})
	s.eachRemoteType(func(remote *Remote, typeName string, m *metadata.RemoteRelationship) {
		id := remote.Meta.RelationshipID(typeName, m.Name)
		if gone[id] || gone[remote.Meta.ID()] {
			return
		}
		r, p := s.remoteTypeRelationship(remote, typeName, m)
		if p.reason == "" && slices.ContainsFunc(r.needs(nil), func(n need) bool { return counts(n) && gone[n.id] }) {
			found = append(found, id)
		}
	})
	return found
}

// needs lists what the relationship can't be without; t is its table, nil for one that leads
// from a type of a remote schema.
func (r *RemoteRelationship) needs(t *Table) []need {
	k := tracker{wanted: true}
	for _, f := range r.Left {
		switch {
		case f.Column != nil:
			k.needType(columnID(t, f.Column.Name))
		case f.Computed != nil:
			k.need(fieldID(t, metadata.ObjectComputedField, f.Computed.Name))
		}
	}
	if r.Remote != nil {
		k.need(r.Remote.Remote.Meta.ID())
	}
	if target := r.Source; target != nil {
		k.need(sourceID(target.Table.Source.Name))
		k.need(tableID(target.Table))
		for _, c := range target.Columns {
			k.needType(columnID(target.Table, c.Name))
		}
	}
	return k.needs
}

func sourceID(name string) metadata.ObjectID {
	return metadata.ObjectID{Kind: metadata.ObjectSource, Source: name}
}
