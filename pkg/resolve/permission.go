package resolve

import (
	"slices"

	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// SelectPermission is what a role may read of a table.
type SelectPermission struct {
	// Columns are the visible ones, in the order of the table.
	Columns []SelectColumn
	// ComputedFields are the scalar ones, and those of records, that are allowed, in the order of the table.
	ComputedFields []SelectComputedField
	// Filter is nil for all rows.
	Filter ir.BoolExp
	// Limit is the most rows of a list, 0 for no limit; NoRows is a limit of zero.
	Limit        int
	NoRows       bool
	Aggregations bool
	// QueryRootFields and SubscriptionRootFields are the root fields that are allowed, by
	// their keys (select, select_by_pk, ...); nil for all.
	QueryRootFields        map[string]bool
	SubscriptionRootFields map[string]bool
	// Lookups are what its rules take from other sources.
	Lookups *Lookups
}

// SelectColumn is a column that a role may read.
type SelectColumn struct {
	Column *Column
	// Hidden is set for a column that isn't visible in all rows. Its field is nullable.
	Hidden *Hidden
}

// Condition is that of the rows that show the value, nil for all.
func (c SelectColumn) Condition() ir.BoolExp {
	if c.Hidden == nil {
		return nil
	}
	return c.Hidden.Unless
}

// Hidden tells in which rows a value is hidden, and by what.
type Hidden struct {
	// Unless is the condition of the rows that show the value. It may always hold.
	Unless ir.BoolExp
	// Masks are what the others show: the first one whose condition holds, NULL where none does.
	Masks []CellMask
}

// CellMask is what a cell shows instead of its value.
type CellMask struct {
	// When must hold for the row; nil holds for all.
	When  ir.BoolExp
	Shown ir.Masked
}

// SelectComputedField is a scalar computed field, or one of records, that a role may read.
type SelectComputedField struct {
	Field  *ComputedField
	Redact ir.BoolExp
}

// InQuery reports whether the query root has the field of that kind (select, select_by_pk, ...)
// for the role, InSubscription whether the subscription root has it.
func (p *SelectPermission) InQuery(kind string) bool {
	return p.QueryRootFields == nil || p.QueryRootFields[kind]
}

// InSubscription is explained with InQuery.
func (p *SelectPermission) InSubscription(kind string) bool {
	return p.SubscriptionRootFields == nil || p.SubscriptionRootFields[kind]
}

// Column returns the visible column of that database name.
func (p *SelectPermission) Column(name string) (SelectColumn, bool) {
	for _, c := range p.Columns {
		if c.Column.Name == name {
			return c, true
		}
	}
	return SelectColumn{}, false
}

// ComputedField returns the allowed computed field of that name, unless it returns the rows of a tracked table.
func (p *SelectPermission) ComputedField(name string) (SelectComputedField, bool) {
	for _, f := range p.ComputedFields {
		if f.Field.Name == name {
			return f, true
		}
	}
	return SelectComputedField{}, false
}

// ColumnRules are, by the names of columns that a client may set in some rows alone, what has to hold for these.
type ColumnRules map[string]ir.BoolExp

// For is the condition on rows in which columns are set, nil for none.
func (r ColumnRules) For(columns ...string) ir.BoolExp {
	var exps []ir.BoolExp
	for i, name := range columns {
		if e := r[name]; e != nil && !slices.Contains(columns[:i], name) {
			exps = append(exps, ir.Rule{Exp: e})
		}
	}
	if len(exps) == 0 {
		return nil
	}
	return ir.And{Exps: exps}
}

// InsertPermission is what a role may insert.
type InsertPermission struct {
	// Columns are the columns that the client may set.
	Columns []*Column
	// ColumnRules are about rows as they are written.
	ColumnRules ColumnRules
	Presets     []Preset
	// Check is nil for true.
	Check       ir.BoolExp
	BackendOnly bool
	// Validator is called before anything is written, nil for none.
	Validator *metadata.ValidateInputWebhook
	// Lookups are what its rules take from other sources.
	Lookups *Lookups
}

// UpdatePermission is what a role may change.
type UpdatePermission struct {
	// Columns are the columns that the client may set.
	Columns []*Column
	// ColumnRules are about rows as they were.
	ColumnRules ColumnRules
	Presets     []Preset
	// Filter is nil for all rows.
	Filter ir.BoolExp
	// Check is nil for none. One that always holds isn't none: with none, an upsert tests the rows
	// that it updates like those that it inserts.
	Check       ir.BoolExp
	BackendOnly bool
	// Validator is called before anything is written, nil for none.
	Validator *metadata.ValidateInputWebhook
	// Lookups are what its rules take from other sources.
	Lookups *Lookups
}

// DeletePermission is what a role may delete.
type DeletePermission struct {
	// Filter is nil for all rows.
	Filter      ir.BoolExp
	BackendOnly bool
	// Validator is called before anything is written, nil for none.
	Validator *metadata.ValidateInputWebhook
	// Lookups are what its rules take from other sources.
	Lookups *Lookups
}

// Preset is a value that a permission writes itself.
type Preset struct {
	Column *Column
	Value  ir.Value
}

// SelectPermission returns what the role may read, or nil. admin may read everything. A
// permission with a definition error counts as absent. The result is shared and the same
// pointer as long as nothing that it rests on changed, also in later versions.
func (t *Table) SelectPermission(role string) *SelectPermission {
	return value[SelectPermission](t.permission(selectKind, role))
}

// InsertPermission returns what the role may insert, or nil; no role inserts into a view that doesn't
// take rows. See SelectPermission.
func (t *Table) InsertPermission(role string) *InsertPermission {
	if !t.Catalog.Insertable {
		return nil
	}
	return value[InsertPermission](t.permission(insertKind, role))
}

// UpdatePermission returns what the role may change, or nil; no role changes a view that can't be
// updated. See SelectPermission.
func (t *Table) UpdatePermission(role string) *UpdatePermission {
	if !t.Catalog.Updatable {
		return nil
	}
	return value[UpdatePermission](t.permission(updateKind, role))
}

// DeletePermission returns what the role may delete, or nil. Views follow whether they can
// be inserted into, as the wire format has it. See SelectPermission.
func (t *Table) DeletePermission(role string) *DeletePermission {
	if !t.Catalog.Insertable {
		return nil
	}
	return value[DeletePermission](t.permission(deleteKind, role))
}
