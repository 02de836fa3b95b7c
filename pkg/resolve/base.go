package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
)

// base is what a tracked table is by itself, without the objects it refers to. The
// versions of a schema share it as long as its inputs are the same.
type base struct {
	head    *head
	meta    *metadata.Table
	catalog *catalog.Table // nil when the database has no such table
	refs    []*Enum        // the enum tables that columns refer to, in the order of columns
	values  []catalog.EnumValue
	version *version

	// problem is why the table can't be used, "" when it can.
	problem     string
	id          identifier
	description *string
	rootFields  *RootFields
	columns     []*Column
	primaryKey  []*Column
	enum        *Enum
	// excluded are the names of relationships and computed fields that conflict with another field;
	// conflicts describes how.
	excluded  map[string]bool
	conflicts []conflict

	mu          sync.Mutex
	permissions map[permissionKey]*permissionEntry
	check       *tableCheck
	inherited   *inheritedCheck
}

// is reports whether b was made of these inputs.
func (b *base) is(h *head, m *metadata.Table, c *catalog.Table, refs []*Enum, values []catalog.EnumValue) bool {
	return b.head == h && b.meta == m && b.catalog == c && slices.Equal(b.refs, refs) && slices.Equal(b.values, values)
}

func newBase(h *head, m *metadata.Table, c *catalog.Table, refs []*Enum, values []catalog.EnumValue) *base {
	b := &base{head: h, meta: m, catalog: c, refs: refs, values: values, version: &version{}}
	if c == nil {
		b.problem = fmt.Sprintf("no such table/view exists in source: %q", h.display(m.Table))
		return b
	}
	var config metadata.TableConfiguration
	if m.Configuration != nil {
		config = *m.Configuration
	}
	if b.problem = b.setColumns(config); b.problem != "" {
		return b
	}
	if m.IsEnum {
		if b.problem = h.enumProblem(c, values); b.problem != "" {
			return b
		}
	}
	b.id = b.head.identify(m.Table, config.CustomName)
	if b.id.text == "" && config.CustomName != "" {
		b.problem = introspectionName(config.CustomName)
		return b
	}
	if m.IsEnum {
		b.enum = &Enum{Table: m.Table, Name: b.id.text, EnumValues: values}
	}
	b.description = b.describe(config)
	b.rootFields = &RootFields{}
	if b.id.text != "" {
		b.rootFields = h.rootFields(b.id, h.display(m.Table), config.CustomRootFields)
	}
	b.setConflicts()
	return b
}

// describe is the description of the object type.
func (b *base) describe(config metadata.TableConfiguration) *string {
	comment := config.Comment
	if comment == nil {
		comment = b.head.comment(b.catalog.Comment)
	}
	if comment == nil {
		s := fmt.Sprintf("columns and relationships of %q", b.head.display(b.meta.Table))
		return &s
	}
	if *comment == "" {
		return nil
	}
	return comment
}

// setColumns gives the columns their names; it returns the problem that the configuration
// has.
func (b *base) setColumns(config metadata.TableConfiguration) string {
	for _, names := range [][]string{sortedKeys(config.ColumnConfig), sortedKeys(config.CustomColumnNames)} {
		for _, name := range names {
			if b.catalog.Column(name) == nil {
				return fmt.Sprintf("configuration was given for the column %q, but no such column exists", name)
			}
		}
	}
	if problem := b.head.multipleEnums(b.catalog, b.refs); problem != "" {
		return problem
	}
	columns := make([]Column, len(b.catalog.Columns))
	b.columns = make([]*Column, len(columns))
	byField := make(map[string]*Column, len(columns))
	for i, c := range b.catalog.Columns {
		column := &columns[i]
		*column = Column{
			Column:      c,
			Field:       b.field(c.Name, config),
			Description: b.columnComment(c, config),
			Scalar:      b.head.dialect.Scalar(c.Type),
			Enum:        enumOf(b.catalog, c.Name, b.refs),
		}
		b.columns[i] = column
		if column.Field == "" {
			if name := cmp.Or(config.ColumnConfig[c.Name].CustomName, config.CustomColumnNames[c.Name]); name != "" {
				return fmt.Sprintf("in column %q: %s", c.Name, introspectionName(name))
			}
			continue
		}
		if other := byField[column.Field]; other != nil {
			return fmt.Sprintf("the definitions of columns %q and %q are in conflict: they are mapped to the same field name, %q",
				other.Name, c.Name, column.Field)
		}
		byField[column.Field] = column
	}
	if b.catalog.PrimaryKey != nil {
		for _, name := range b.catalog.PrimaryKey.Columns {
			if c := b.column(name); c != nil {
				b.primaryKey = append(b.primaryKey, c)
			}
		}
	}
	return ""
}

// field is the GraphQL name of a column, "" when it has none.
func (b *base) field(column string, config metadata.TableConfiguration) string {
	name := config.ColumnConfig[column].CustomName
	if name == "" {
		name = config.CustomColumnNames[column]
	}
	if name == "" && gqlname.Valid(column) {
		name = b.head.convention.column(column)
	}
	if !gqlname.Definable(name) {
		return ""
	}
	return name
}

func (b *base) columnComment(c *catalog.Column, config metadata.TableConfiguration) *string {
	comment := config.ColumnConfig[c.Name].Comment
	if comment == nil {
		comment = b.head.comment(c.Comment)
	}
	if comment != nil && *comment == "" {
		return nil
	}
	return comment
}

func (b *base) column(name string) *Column {
	for _, c := range b.columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
