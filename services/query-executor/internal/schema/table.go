package schema

import (
	"sync"

	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/seal"
)

// Table is a table as one role sees it.
type Table struct {
	*resolve.Table
	Permission *resolve.SelectPermission

	role   *Role
	naming naming
	base   base

	found sync.Once
	// relations and computed are those that lead to tables that the role sees.
	relations []*Relation
	computed  []*ComputedRows

	// idSeal and cursorSeal hide keys in the Relay schema.
	sealing            sync.Once
	idSeal, cursorSeal *seal.Sealer

	argsOnce  sync.Once
	arguments []Input

	// own are the types that the table owns, made on first use; role.mu guards them.
	own [parts]*Type
	// rare are those that few tables have.
	rare map[part]*Type
}

func newTable(r *Role, t *resolve.Table, p *resolve.SelectPermission) *Table {
	return &Table{Table: t, Permission: p, role: r, naming: namingOf(t.Source), base: baseOf(t)}
}

func baseOf(t *resolve.Table) base {
	c := t.Meta.Configuration
	return base{name: t.Name, custom: c != nil && c.CustomName != ""}
}

// typeOf is a type of the table's that is made where it is used.
func (t *Table) typeOf(suffix string, kind Kind, description string, build func() content) *Type {
	return newType(t.naming.typeName(t.base, suffix), kind, description, build)
}

// display is the table's name in descriptions.
func (t *Table) display() string { return `"` + t.Source.Meta.Display(t.Catalog.Name) + `"` }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Type is the object type of the table's rows.
func (t *Table) Type() *Type { return t.part(object) }

// Relations are the relationships to tables that the role sees.
func (t *Table) Relations() []*Relation {
	t.found.Do(t.findMembers)
	return t.relations
}

// Computed are the computed fields whose rows the role sees.
func (t *Table) Computed() []*ComputedRows {
	t.found.Do(t.findMembers)
	return t.computed
}

// members is the number of columns, computed fields and relationships, where an array
// relationship counts so many times.
func (t *Table) members(perArray int) int {
	n := len(t.Permission.Columns) + len(t.Permission.ComputedFields) + len(t.Computed())
	for _, r := range t.Relations() {
		if r.Array {
			n += perArray
		} else {
			n++
		}
	}
	return n
}

func (t *Table) findMembers() {
	for _, r := range t.Relationships {
		if target := t.role.Table(r.Target); target != nil {
			t.relations = append(t.relations, &Relation{Relationship: r, Target: target})
		}
	}
	for _, f := range t.ComputedFields {
		if f.Returns == nil || f.Listed && !t.reads(f) {
			continue
		}
		if target := t.role.Table(f.Returns); target != nil {
			t.computed = append(t.computed, &ComputedRows{ComputedField: f, Target: target})
		}
	}
}

// reads reports whether the role sees a computed field of records. A role that may read it in some rows alone doesn't.
func (t *Table) reads(f *resolve.ComputedField) bool {
	c, ok := t.Permission.ComputedField(f.Name)
	return ok && c.Redact == nil
}

// ReadsPrimaryKey reports whether there is a primary key and the role sees all of it, under names that are some in GraphQL.
func (t *Table) ReadsPrimaryKey() bool {
	for _, c := range t.PrimaryKey {
		if _, ok := t.Permission.Column(c.Name); !ok || c.Field == "" || !c.Scalar.Valid {
			return false
		}
	}
	return len(t.PrimaryKey) > 0
}

// columns calls f for each visible column.
func (t *Table) columns(f func(c *resolve.SelectColumn)) {
	for i := range t.Permission.Columns {
		if c := &t.Permission.Columns[i]; c.Column.Field != "" && c.Column.Scalar.Valid && !c.Column.Embeds {
			f(c)
		}
	}
}

// scalars calls f for each visible scalar computed field.
func (t *Table) scalars(f func(c *resolve.SelectComputedField)) {
	for i := range t.Permission.ComputedFields {
		if c := &t.Permission.ComputedFields[i]; c.Field.Scalar.Valid {
			f(c)
		}
	}
}

// columnType is the type of a column's values, without its nullability.
func (t *Table) columnType(c *resolve.Column) Ref {
	if c.Enum != nil {
		return Named(t.role.enum(t.naming, c.Enum))
	}
	return t.role.valueType(c.Type, t.Source)
}

// computedType is the type of a scalar computed field.
func (t *Table) computedType(f *resolve.ComputedField) Ref {
	return t.role.valueType(f.Type, t.Source)
}

// AggregateType is the object type of aggregates of the table's rows.
func (t *Table) AggregateType() *Type { return t.part(aggregate) }

// UpperEnums reports whether values of enum tables are shown in upper case.
func (t *Table) UpperEnums() bool { return t.naming.convention == resolve.ConventionGraphQL }
