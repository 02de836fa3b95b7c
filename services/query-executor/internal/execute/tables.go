package execute

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
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
	if _, ok := from.(ir.Groups); ok {
		return true // what it groups comes next
	}
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

// Reads are the tables that a query reads, by source, as far as they are known: not what functions and native queries read.
func Reads(p *plan.Plan) map[string][]catalog.Name {
	found := map[string]*finder{}
	note := func(source string, root ir.Root) {
		if found[source] == nil {
			found[source] = findTables(nil)
		}
		ir.Reads(root, func(from ir.From, c *ir.Call) bool {
			found[source].note(from, c)
			return true
		})
	}
	var joins func(list []answer.Member)
	joins = func(list []answer.Member) {
		for _, m := range list {
			joins(m.Below)
			if j := m.Join; j != nil {
				if j.Query != nil {
					note(j.Query.Source.Name, j.Query.Root)
				}
				joins(j.Joins)
			}
		}
	}
	for _, part := range p.Parts {
		if q, ok := part.(*read.Query); ok {
			note(q.Source.Name, q.Root)
			joins(q.Joins)
		}
	}
	reads := make(map[string][]catalog.Name, len(found))
	for source, f := range found {
		reads[source] = f.tables
	}
	return reads
}
