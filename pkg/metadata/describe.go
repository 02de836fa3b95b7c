package metadata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// DescribeTable are the arguments of describe_table.
type DescribeTable struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
}

// Introspect asks for the table.
func (a *DescribeTable) Introspect(v View) (Introspection, error) {
	_, err := v.usableSource(a.Source)
	return Introspection{Tables: []SourceTable{{a.Source, a.Table}}}, err
}

// Failed words why the source couldn't be read.
func (a *DescribeTable) Failed(v View, reason string) error { return v.sourceFailure(reason) }

// TableDescription is a table with its columns, constraints, indexes and triggers.
type TableDescription struct {
	Name        catalog.Name               `json:"name"`
	Kind        catalog.TableKind          `json:"kind"`
	Description *string                    `json:"description,omitempty"`
	Columns     []catalog.ColumnDefinition `json:"columns"`
	Constraints []catalog.Definition       `json:"constraints"`
	// ReferencedBy are the foreign keys of other tables, and of this one, that refer to it.
	ReferencedBy []Reference       `json:"referenced_by"`
	Indexes      []catalog.Index   `json:"indexes"`
	Triggers     []catalog.Trigger `json:"triggers"`
	// Rows is how many rows the statistics of the database say there are; nil where there are none. Nothing is counted for it.
	Rows *int64 `json:"estimated_rows,omitempty"`
	// Missing is what the source isn't asked for, or what could not be read, and why; "" when nothing is missing.
	Missing string `json:"missing,omitempty"`
	// EnumRefusal is why the table can't be an enum.
	EnumRefusal string `json:"enum_refusal,omitempty"`
}

// Reference is a foreign key by the table that it belongs to.
type Reference struct {
	Name           string       `json:"name"`
	Table          catalog.Name `json:"table"`
	Columns        []string     `json:"columns"`
	ForeignColumns []string     `json:"foreign_columns"`
}

// Describe describes the table, with the details that its database has; nil where it can't be requested
// them.
func (a *DescribeTable) Describe(v View, details *catalog.Details) (json.RawMessage, error) {
	t := v.Catalogs[a.Source].Tables[a.Table]
	if t == nil {
		return nil, apierror.Newf(apierror.NotExists, "table %q does not exist in source: %s", v.display(a.Source, a.Table), a.Source)
	}
	kind := KindNamed(v.kind())
	d := TableDescription{
		Name: t.Name, Kind: t.Kind, Description: t.Comment, Indexes: []catalog.Index{}, Triggers: []catalog.Trigger{},
		Columns: v.columnDefinitions(a.Source, t), Constraints: definitions(t), ReferencedBy: references(v.Catalogs[a.Source], t.Name),
	}
	if details == nil {
		d.Missing = kind.Display + " isn't asked for the expressions of defaults, checks, indexes and triggers"
	} else {
		d.complete(details)
	}
	if kind.Can(EnumTables) {
		d.EnumRefusal = v.Schema.EnumRefusal(a.Source, t)
	} else {
		d.EnumRefusal = fmt.Sprintf("tables of %s can't be enums", kind.Display)
	}
	return Encode(d)
}

// columnDefinitions are the columns of the catalog, which doesn't have the expressions.
func (v View) columnDefinitions(source string, t *catalog.Table) []catalog.ColumnDefinition {
	list := []catalog.ColumnDefinition{}
	for _, c := range t.Columns {
		list = append(list, catalog.ColumnDefinition{
			Name: c.Name, Type: v.Schema.TypeName(source, c.Type), Nullable: c.Nullable, Identity: c.Identity, Comment: c.Comment,
		})
	}
	return list
}

// definitions are the constraints of the catalog.
func definitions(t *catalog.Table) []catalog.Definition {
	list := []catalog.Definition{}
	if k := t.PrimaryKey; k != nil {
		list = append(list, catalog.Definition{Name: k.Name, Type: catalog.PrimaryKey, Columns: k.Columns})
	}
	for _, k := range t.Uniques {
		if !k.Index {
			list = append(list, catalog.Definition{Name: k.Name, Type: catalog.UniqueConstraint, Columns: k.Columns})
		}
	}
	for _, k := range t.ForeignKeys {
		list = append(list, catalog.Definition{
			Name: k.Name, Type: catalog.ForeignKeyOf, Columns: k.Columns, Target: &k.Target, TargetColumns: k.TargetColumns,
		})
	}
	return list
}

// complete adds what the database has besides: the definitions, the constraints that the catalog doesn't
// have, the indexes and the triggers.
func (d *TableDescription) complete(details *catalog.Details) {
	d.Missing, d.Rows = details.Missing, details.Rows
	for i := range details.Columns {
		c := &details.Columns[i]
		known := slices.IndexFunc(d.Columns, func(k catalog.ColumnDefinition) bool { return k.Name == c.Name })
		if known >= 0 && c.Comment == nil {
			c.Comment = d.Columns[known].Comment
		}
	}
	if len(details.Columns) > 0 {
		d.Columns = details.Columns
	}
	for _, k := range details.Constraints {
		i := slices.IndexFunc(d.Constraints, func(known catalog.Definition) bool { return known.Type == k.Type && known.Name == k.Name })
		if i < 0 {
			d.Constraints = append(d.Constraints, k)
		} else {
			d.Constraints[i].Text = k.Text
		}
	}
	d.Indexes = append(d.Indexes, details.Indexes...)
	d.Triggers = append(d.Triggers, details.Triggers...)
}

// references are the foreign keys to a table.
func references(s *catalog.Source, target catalog.Name) []Reference {
	list := []Reference{}
	for _, t := range s.Tables {
		for _, k := range t.ForeignKeys {
			if k.Target == target && !t.Unlisted {
				list = append(list, Reference{k.Name, t.Name, k.Columns, k.TargetColumns})
			}
		}
	}
	slices.SortFunc(list, func(a, b Reference) int {
		if by := a.Table.Compare(b.Table); by != 0 {
			return by
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}
