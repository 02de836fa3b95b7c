package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// tableFunction resolves a computed field whose function takes columns of the row instead of the row, and returns
// rows: those of a tracked table, or records of the fields that it declares itself.
func (f *ComputedField) tableFunction(t *Table, refuse func(string, ...any)) {
	f.RowArg = -1
	d, name := f.Meta.Definition, t.Source.head.display(f.Function.Name)
	if d.TableArgument != "" || d.SessionArgument != "" {
		refuse("the function %q takes no rows and no session variables: table_argument and session_argument can't be given", name)
	}
	f.mapArguments(t, refuse)
	if d.ReturnTable == nil {
		f.setFields(t, refuse)
		return
	}
	returned := t.Source.head.display(*d.ReturnTable)
	if f.Returns = t.Source.Table(*d.ReturnTable); f.Returns == nil {
		refuse("the function %q returning set of table %q is not tracked or not found in database", name, returned)
		return
	}
	if missing := f.missingColumns(); len(missing) > 0 {
		refuse("the function %q does not return the columns %s of table %q", name, strings.Join(missing, ", "), returned)
	}
}

// mapArguments finds the columns that are given to arguments. Those of no certain type can't be left to clients.
func (f *ComputedField) mapArguments(t *Table, refuse func(string, ...any)) {
	name, mapping := t.Source.head.display(f.Function.Name), f.Meta.Definition.ArgumentMapping
	for _, a := range sortedKeys(mapping) {
		i := argument(f.Function, a)
		c := t.Column(mapping[a])
		switch {
		case i < 0:
			refuse("%q is not an input argument of the function %q", a, name)
			continue
		case c == nil:
			refuse("the column %q for the argument %q does not exist in table %q", mapping[a], a, t.Display())
			continue
		}
		if to := f.Function.Args[i].Type; to.Kind != catalog.TypePseudo && !t.Source.takes(to, c.Type) {
			refuse("the column %q of type %s can't be given to the argument %q of type %s",
				c.Name, typeName(t.Source.Dialect, c.Type), a, typeName(t.Source.Dialect, to))
		}
		if f.Mapped == nil {
			f.Mapped = map[int]*Column{}
		}
		f.Mapped[i] = c
	}
	for i, a := range f.Function.Args {
		if f.Mapped[i] == nil && a.Type.Kind == catalog.TypePseudo {
			refuse("the argument %q of the function %q is of type %s: it has to be mapped to a column", a.Name, name, a.Type.Name)
		}
	}
}

// takes reports whether an argument of a type takes values of another one: the same, or any number for a number.
func (s *Source) takes(to, from catalog.Type) bool {
	return sameType(to, from) ||
		!to.IsArray() && !from.IsArray() && s.Dialect.Scalar(to).Numeric && s.Dialect.Scalar(from).Numeric
}

// missingColumns are the columns of the returned table that the function, which declares what it returns, doesn't.
func (f *ComputedField) missingColumns() []string {
	if len(f.Function.Columns) == 0 {
		return nil
	}
	var missing []string
	for _, c := range f.Returns.Columns {
		if !slices.ContainsFunc(f.Function.Columns, func(own *catalog.Column) bool { return own.Name == c.Name }) {
			missing = append(missing, c.Name)
		}
	}
	return missing
}

// setFields makes a table of the records that the function declares. Who may read the field may read all of them.
func (f *ComputedField) setFields(t *Table, refuse func(string, ...any)) {
	if len(f.Function.Columns) == 0 {
		refuse("the function %q does not declare what it returns: return_table has to be given", t.Source.head.display(f.Function.Name))
		return
	}
	description := fmt.Sprintf("fields of the rows of computed field %q of %q", f.Name, t.Display())
	of := fieldsOf{table: t.Meta.Table, field: f.Name}
	b := newBase(t.Source.head, &metadata.Table{
		Table:         f.Function.Name,
		Configuration: &metadata.TableConfiguration{CustomName: t.base.id.text + "_" + f.Name + "_fields", Comment: &description},
	}, &catalog.Table{Name: f.Function.Name, Kind: catalog.KindView, RowEstimate: -1, Columns: f.Function.Columns}, nil, nil)
	if b.problem != "" {
		refuse("%s", b.problem)
		return
	}
	f.Listed = true
	f.Returns = &Table{
		Source: t.Source, Meta: b.meta, Catalog: b.catalog, Name: b.id.text, Description: b.description,
		RootFields: b.rootFields, Columns: b.columns, fieldsOf: &of, base: b,
	}
}

// fieldsOf is the computed field whose function declares the columns of a table, which the database doesn't have.
type fieldsOf struct {
	table catalog.Name
	field string
}

// mappedArg is an argument that a column of the row is given to.
func mappedArg(c *Column) ir.CallArg {
	return ir.CallArg{Column: &ir.Column{Name: c.Name, Type: c.Type}}
}
