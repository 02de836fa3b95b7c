package resolve

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Table is a tracked table or view.
type Table struct {
	Source  *Source
	Meta    *metadata.Table
	Catalog *catalog.Table
	// Name is the base of the GraphQL names, "" for a table that is tracked but has no
	// GraphQL fields because its name isn't valid and it has no custom one.
	Name string
	// Description is the description of the object type, nil for none.
	Description *string
	RootFields  *RootFields
	// Columns are all columns, in the order of the table; one whose Field is "" is
	// invisible.
	Columns        []*Column
	PrimaryKey     []*Column
	Relationships  []*Relationship
	ComputedFields []*ComputedField
	// EnumValues are the values of a table that is used as an enum.
	EnumValues []catalog.EnumValue
	// NativeQuery is what returns the rows, nil for those of a table and of a logical model
	// by itself.
	NativeQuery *NativeQuery
	// Embedded are the columns whose values are rows of another logical model.
	Embedded []*Embedded

	model *model // nil for a table
	// fieldsOf, when set, is the computed field whose function returns the rows.
	fieldsOf *fieldsOf
	base     *base
}

// Version is the same value in all versions of a schema in which the table itself, its
// definition and its names did not change, and no other. It can be compared, and keeps
// nothing of the table in memory. What the table refers to may have changed.
func (t *Table) Version() any { return t.base.version }

// Display is the name of the table as messages show it.
func (t *Table) Display() string { return t.Source.head.display(t.Meta.Table) }

// Column is a column of a tracked table. It is shared by the versions of a schema in
// which it did not change.
type Column struct {
	*catalog.Column
	// Field is the GraphQL name, "" for an invisible column.
	Field string
	// Description is nil for none.
	Description *string
	Scalar      backend.Scalar
	// Embeds reports whether the values are rows of a logical model: Table.Embedded.
	Embeds bool
	// Enum is the enum table that the column refers to, nil for none.
	Enum *Enum
}

// Enum is what a column knows of the enum table that it refers to.
type Enum struct {
	Table catalog.Name
	// Name is the base name of the table: the type is <Name>_enum.
	Name       string
	EnumValues []catalog.EnumValue
}

// Column returns the column of that database name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Relationship returns the consistent relationship of that name, or nil.
func (t *Table) Relationship(name string) *Relationship {
	for _, r := range t.Relationships {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// ComputedField returns the consistent computed field of that name, or nil.
func (t *Table) ComputedField(name string) *ComputedField {
	for _, f := range t.ComputedFields {
		if f.Name == name {
			return f
		}
	}
	return nil
}
