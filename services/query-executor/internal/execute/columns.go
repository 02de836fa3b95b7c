package execute

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// columnsOf are the columns of tables that roots show, filter, order or join by: an update that keeps these changes no
// answer. It is nil where they aren't known.
func columnsOf(roots []ir.Root) map[catalog.Name][]string {
	f := &columnFinder{known: true, columns: map[catalog.Name][]string{}}
	for _, r := range roots {
		f.visit(r, scope{})
	}
	if !f.known {
		return nil
	}
	return f.columns
}

// columnFinder walks a plan: columns of the row in scope are found wherever they are.
type columnFinder struct {
	columns map[catalog.Name][]string
	known   bool
}

// scope are the tables of the row in scope and of the root row of the rule.
type scope struct{ row, root catalog.Name }

func (f *columnFinder) add(table catalog.Name, column string) {
	if !slices.Contains(f.columns[table], column) {
		f.columns[table] = append(f.columns[table], column)
	}
}

func (f *columnFinder) visit(p ir.Part, s scope) {
	if c, isColumn := p.(ir.Column); isColumn {
		table := s.row
		if c.Root {
			table = s.root
		}
		f.add(table, c.Name)
		return
	}
	ir.Parts(p, func(below ir.Part, of ir.Scope) { f.visit(below, f.enter(s, of)) })
}

// enter is the scope of a part; it adds the columns that join its row.
func (f *columnFinder) enter(s scope, of ir.Scope) scope {
	if of.From != nil {
		t, isTable := of.From.(ir.Table)
		f.known = f.known && isTable
		for _, pair := range of.Join {
			f.add(s.row, pair.Outer)
			f.add(t.Name, pair.Inner)
		}
		s.row = t.Name
	}
	if of.Root {
		s.root = s.row
	}
	return s
}
