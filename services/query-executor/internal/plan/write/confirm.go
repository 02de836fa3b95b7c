package write

import (
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

func written(table *catalog.Table) ir.Written {
	return ir.Written{Table: table.Name, Columns: columnsOf(table), Rows: []ir.Value{ir.Each{}}}
}

// confirmed reports whether a check needs a statement of its own: one that calls a function does, and one that reads the table or a view,
// which may read it, if the setting says so.
func (p *Planner) confirmed(w *schema.Writable, check ir.BoolExp) bool {
	needed := false
	ir.Reads(check, func(from ir.From, _ *ir.Call) bool {
		table, isTable := from.(ir.Table)
		needed = !isTable || p.Options.ChecksSeeWrites && (table.Name == w.Catalog.Name || !stored(w, table.Name))
		return !needed
	})
	return needed
}

// confirm gives the checks of a node a statement of their own if one of them needs it.
func (p *Planner) confirm(n *insert.Node, w *schema.Writable, check ir.BoolExp) {
	if p.confirmed(w, check) {
		rows := written(w.Catalog)
		n.Written = &rows
	}
}

func stored(w *schema.Writable, table catalog.Name) bool {
	t := w.Source.Table(table)
	return t != nil && t.Catalog.Stored()
}
