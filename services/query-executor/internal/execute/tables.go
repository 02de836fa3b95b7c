package execute

import (
	"reflect"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// tablesOf are the tables that roots read, in conditions of permissions too; nil when they
// also depend on something else, such as what a function does.
func tablesOf(roots []ir.Root) []catalog.Name { return findTables(roots).list() }

func findTables(roots []ir.Root) *finder {
	f := &finder{known: true, times: map[catalog.Name]int{}}
	for _, r := range roots {
		f.visit(reflect.ValueOf(r))
	}
	return f
}

// list is what tablesOf returns.
func (f *finder) list() []catalog.Name {
	if !f.known {
		return nil
	}
	return f.tables
}

// finder walks a plan, which is plain data: whatever is added to it is found.
type finder struct {
	tables []catalog.Name
	// times counts in how many places tables are.
	times map[catalog.Name]int
	known bool
}

func (f *finder) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			f.visit(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.visit(v.Index(i))
		}
	case reflect.Struct:
		switch node := v.Interface().(type) {
		case ir.Table:
			f.times[node.Name]++
			if !slices.Contains(f.tables, node.Name) {
				f.tables = append(f.tables, node.Name)
			}
			return
		case ir.From, ir.Call:
			f.known = false
			return
		}
		for i := range v.NumField() {
			if field := v.Field(i); field.CanInterface() {
				f.visit(field)
			}
		}
	}
}
