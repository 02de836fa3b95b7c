package execute

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// findTables finds the tables that roots read, in conditions of permissions too.
func findTables(roots []ir.Root) *finder {
	f := &finder{known: true, times: map[catalog.Name]int{}}
	for _, root := range roots {
		ir.Reads(root, f.note)
	}
	return f
}

func (f *finder) note(from ir.From, _ *ir.Call) bool {
	table, isTable := from.(ir.Table)
	if !isTable {
		f.known = false
		return false
	}
	f.times[table.Name]++
	if !slices.Contains(f.tables, table.Name) {
		f.tables = append(f.tables, table.Name)
	}
	return true
}

// list is nil when the roots depend on something else, too, such as what a function does.
func (f *finder) list() []catalog.Name {
	if !f.known {
		return nil
	}
	return f.tables
}

// finder is what findTables has found.
type finder struct {
	tables []catalog.Name
	// times counts in how many places tables are.
	times map[catalog.Name]int
	known bool
}
