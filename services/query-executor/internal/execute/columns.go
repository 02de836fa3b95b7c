package execute

import (
	"reflect"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// columnsOf are the columns of tables that roots show, filter, order or join by: an update that keeps these changes no
// answer. It is nil where they aren't known.
func columnsOf(roots []ir.Root) map[catalog.Name][]string {
	f := &columnFinder{known: true, columns: map[catalog.Name][]string{}}
	for _, r := range roots {
		f.visit(reflect.ValueOf(r), scope{})
	}
	if !f.known {
		return nil
	}
	return f.columns
}

// columnFinder walks a plan, which is plain data: columns of the row in scope are found wherever they are.
type columnFinder struct {
	columns map[catalog.Name][]string
	known   bool
}

// scope are the tables of the row in scope and of the root row of the rule.
type scope struct{ row, root catalog.Name }

// of is a scope of rows of a relation.
func (f *columnFinder) of(from ir.From) scope {
	t, ok := from.(ir.Table)
	f.known = f.known && ok
	return scope{t.Name, t.Name}
}

func (f *columnFinder) add(table catalog.Name, column string) {
	if !slices.Contains(f.columns[table], column) {
		f.columns[table] = append(f.columns[table], column)
	}
}

// join adds the columns of a join and returns the scope of the joined rows, which have the root row of s.
func (f *columnFinder) join(s scope, from ir.From, join []ir.JoinPair) scope {
	inner := f.of(from)
	for _, pair := range join {
		f.add(s.row, pair.Outer)
		f.add(inner.row, pair.Inner)
	}
	return scope{inner.row, s.root}
}

func (f *columnFinder) visit(v reflect.Value, s scope) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			f.visit(v.Elem(), s)
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.visit(v.Index(i), s)
		}
	case reflect.Struct:
		f.visitStruct(v, s)
	}
}

func (f *columnFinder) visitStruct(v reflect.Value, s scope) {
	switch node := v.Interface().(type) {
	case ir.Column:
		table := s.row
		if node.Root {
			table = s.root
		}
		f.add(table, node.Name)
		return
	case ir.Select:
		s = f.of(node.From)
	case ir.Aggregate:
		s = f.of(node.From)
	case ir.Connection:
		s = f.of(node.From)
	case ir.Rule:
		s.root = s.row
	case ir.Nested:
		f.join(s, fromOf(node.Root), node.Join)
	case ir.Exists:
		s = f.join(s, node.From, node.Join)
	case ir.AggregateCompare:
		s = f.join(s, node.From, node.Join)
	case ir.OrderRelated:
		s = f.join(s, node.From, node.Join)
	case ir.OrderAggregate:
		s = f.join(s, node.From, node.Join)
	default:
		// What has a relation of its own has rows of its own, too.
		f.known = f.known && !v.FieldByName("Join").IsValid() && (!v.FieldByName("From").IsValid() || v.Type() == reflect.TypeFor[ir.Rows]())
	}
	for i := range v.NumField() {
		if field := v.Field(i); field.CanInterface() {
			f.visit(field, s)
		}
	}
}

// fromOf is the relation that a root reads.
func fromOf(root ir.Root) ir.From {
	switch root := root.(type) {
	case *ir.Select:
		return root.From
	case *ir.Aggregate:
		return root.From
	case *ir.Connection:
		return root.From
	}
	return nil
}
