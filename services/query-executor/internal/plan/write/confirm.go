package write

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/schema"
)

// Confirmation is a check of written rows that a statement of its own makes: the one that writes sees its table, and what functions read of
// it, as they were before.
type Confirmation struct {
	// Written are the rows, with the list of their texts as the only ir.Each.
	Written ir.Written
	Check   ir.BoolExp
}

// written are the rows of a statement that writes, as a later one reads them.
func written(w *schema.Writable) ir.Written {
	return ir.Written{Table: w.Catalog.Name, Columns: columnsOf(w.Catalog), Key: keyOf(w), Rows: []ir.Value{ir.Each{}}}
}

// rowRef is what a later statement needs of a written row.
func rowRef(w *schema.Writable) ir.Field {
	return ir.Field{Value: ir.Scalar{Expr: ir.RowRef{Columns: columnsOf(w.Catalog), Key: keyOf(w)}}}
}

// keyed reports whether written rows are read by their key.
func keyed(w *schema.Writable) bool {
	d, ok := w.Source.Dialect.(backend.KeyedWrites)
	return ok && d.KeyedWrites()
}

// keyOf is what written rows are read by; nil where they are handed out as a whole.
func keyOf(w *schema.Writable) []ir.Column {
	if w.Catalog.PrimaryKey == nil || !keyed(w) {
		return nil
	}
	var key []ir.Column
	for _, c := range w.Catalog.Columns {
		if slices.Contains(w.Catalog.PrimaryKey.Columns, c.Name) {
			key = append(key, ir.Column{Name: c.Name, Type: c.Type})
		}
	}
	return key
}

// columnsOf are all columns of a table.
func columnsOf(table *catalog.Table) []ir.Column {
	columns := make([]ir.Column, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = ir.Column{Name: c.Name, Type: c.Type}
	}
	return columns
}

// confirmed reports whether a check needs a statement of its own: one that calls a function does, and one that reads the table or a view,
// which may read it, if the setting says so. So does one that reads anything, where the statement that inserts can't, or the table itself, where none can.
func (p *Planner) confirmed(w *schema.Writable, check ir.BoolExp, inserts bool) bool {
	needed, alone := false, keyOf(w) != nil
	ir.Reads(check, func(from ir.From, _ *ir.Call) bool {
		table, isTable := from.(ir.Table)
		needed = !isTable || alone && (inserts || table.Name == w.Catalog.Name) || p.Options.ChecksSeeWrites && (table.Name == w.Catalog.Name || !stored(w, table.Name))
		return !needed
	})
	return needed
}

// confirm gives the checks of a node a statement of their own if one of them needs it.
func (p *Planner) confirm(n *insert.Node, w *schema.Writable, check ir.BoolExp) {
	if p.confirmed(w, check, true) {
		rows := written(w)
		n.Written = &rows
	}
}

func stored(w *schema.Writable, table catalog.Name) bool {
	t := w.Source.Table(table)
	return t != nil && t.Catalog.Stored()
}
