package resolve

import (
	"fmt"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// ComputedField is a field whose value a function of the row gives.
type ComputedField struct {
	Name     string
	Meta     *metadata.ComputedField
	Function *catalog.Function
	// Type and Scalar describe the value of a scalar computed field.
	Type   catalog.Type
	Scalar backend.Scalar
	// Returns is the table of the rows of a table computed field, nil for a scalar one.
	Returns *Table
	// Listed reports whether Returns are records that the function declares, not the rows of a tracked table. Select
	// permissions list such a field, like a scalar one.
	Listed bool
	// RowArg is the index in Function.Args that takes the row, -1 where Mapped are given.
	RowArg int
	// Mapped are the columns that are given to arguments, by index in Function.Args.
	Mapped map[int]*Column
	// SessionArg is the index that takes the session variables, -1 for none.
	SessionArg int
	// Args are the arguments left to the client.
	Args        []FunctionArg
	Description string
}

// Call is the value of a scalar computed field.
func (f *ComputedField) Call(args []ir.CallArg) ir.Call {
	return ir.Call{Function: f.Function.Name, Args: args, Type: f.Type, Set: f.Function.ReturnsSet}
}

// CallArgs are the arguments of a call by a client that gives none: those that the engine fills in.
func (f *ComputedField) CallArgs() []ir.CallArg {
	var args []ir.CallArg
	for i := range f.Function.Args {
		if a, own := f.OwnArg(i); own {
			args = append(args, a)
		}
	}
	return args
}

// OwnArg is the argument of that index where the engine fills it in: the row, a column of it or the session variables.
func (f *ComputedField) OwnArg(i int) (a ir.CallArg, own bool) {
	c := f.Mapped[i]
	switch {
	case c != nil:
		return mappedArg(c), true
	case i == f.RowArg:
		return ir.CallArg{Row: true}, true
	case i == f.SessionArg:
		return ir.CallArg{Value: ir.SessionObject{Type: f.Function.Args[i].Type}}, true
	}
	return ir.CallArg{}, false
}

// buildComputedFields resolves the computed fields; those with a problem are left out.
// before is the same table in the version before, or nil.
func (t *Table) buildComputedFields(before *Table) {
	if len(t.Meta.ComputedFields) == 0 {
		return
	}
	for _, m := range t.Meta.ComputedFields {
		if t.base.excluded[m.Name] {
			continue
		}
		f := t.unchangedComputedField(before, m)
		if f == nil {
			f, _ = t.computedField(m)
		}
		if f != nil {
			t.ComputedFields = append(t.ComputedFields, f)
		}
	}
}

// unchangedComputedField takes the field over from the version before; nil when what it
// rests on isn't the same.
func (t *Table) unchangedComputedField(before *Table, m *metadata.ComputedField) *ComputedField {
	if before == nil {
		return nil
	}
	i := slices.IndexFunc(before.ComputedFields, func(f *ComputedField) bool { return f.Meta == m })
	if i < 0 {
		return nil
	}
	f := before.ComputedFields[i]
	overloads := t.Source.Catalog.Functions[m.Definition.Function]
	if len(overloads) != 1 || overloads[0] != f.Function {
		return nil
	}
	switch {
	case f.RowArg < 0 && before.base != t.base: // columns are given to it
		return nil
	case f.Returns == nil:
		return f
	case f.Listed:
		c, returns := *f, *f.Returns
		returns.Source, c.Returns = t.Source, &returns
		return &c
	}
	returns := t.Source.tables[f.Returns.Meta.Table]
	if returns == nil || returns.base != f.Returns.base {
		return nil
	}
	c := *f
	c.Returns = returns
	return &c
}

// computedField resolves one computed field. It rests on this table, the overloads of the
// function, and the table that the function returns.
func (t *Table) computedField(m *metadata.ComputedField) (*ComputedField, problem) {
	function, missing := t.Source.oneFunction(m.Definition.Function)
	if function == nil {
		return nil, missing
	}
	f := &ComputedField{Name: m.Name, Meta: m, Function: function, SessionArg: -1}
	var reasons []string
	refuse := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	name := t.Source.head.display(function.Name)
	if !gqlname.Definable(m.Name) {
		refuse("%q is not valid GraphQL name", m.Name)
	}
	if function.Volatility == catalog.Volatile {
		refuse("the function %q is of type VOLATILE; cannot be added as a computed field", name)
	}
	if t.Source.head.mapsArguments {
		f.tableFunction(t, refuse)
	} else {
		f.rowFunction(t, refuse)
	}
	if len(reasons) > 0 {
		return nil, problemf("the computed field %q cannot be added to table %q %s", m.Name, t.Display(), because(reasons))
	}
	f.Args = slices.DeleteFunc(t.Source.userArgs(function, f.RowArg, f.SessionArg), func(a FunctionArg) bool { return f.Mapped[a.Index] != nil })
	f.describe(t.Source.head, name)
	return f, problem{}
}

// rowFunction resolves a computed field whose function takes the row.
func (f *ComputedField) rowFunction(t *Table, refuse func(string, ...any)) {
	function, name := f.Function, t.Source.head.display(f.Function.Name)
	if len(function.Args) == 0 {
		refuse("the function %q has no input arguments", name)
	} else {
		f.setRowArg(t, refuse)
	}
	if session := f.Meta.Definition.SessionArgument; session != "" {
		f.SessionArg = argument(function, session)
		switch {
		case f.SessionArg < 0:
			refuse("%q is not an input argument of the function %q", session, name)
		case !t.Source.Dialect.Scalar(function.Args[f.SessionArg].Type).JSON:
			refuse("%q argument of the function %q is not of type JSON", session, name)
		}
	}
	f.setReturn(t, refuse)
}

// setRowArg finds the argument that takes the row: the named one, or the first.
func (f *ComputedField) setRowArg(t *Table, refuse func(string, ...any)) {
	name := t.Source.head.display(f.Function.Name)
	words := "first argument"
	if named := f.Meta.Definition.TableArgument; named != "" {
		if f.RowArg = argument(f.Function, named); f.RowArg < 0 {
			refuse("%q is not an input argument of the function %q", named, name)
			return
		}
		words = fmt.Sprintf("%q argument", named)
	}
	a := f.Function.Args[f.RowArg]
	switch {
	case a.Table == nil:
		refuse("%s of the function %q is not COMPOSITE type", words, name)
	case *a.Table != t.Meta.Table:
		refuse("%s of the function %q of type %q is not the table to which the computed field is being added", words, name, t.Source.head.display(*a.Table))
	}
}

func (f *ComputedField) setReturn(t *Table, refuse func(string, ...any)) {
	function, name := f.Function, t.Source.head.display(f.Function.Name)
	if function.ReturnTable != nil {
		if f.Returns = t.Source.Table(*function.ReturnTable); f.Returns == nil {
			refuse("the function %q returning set of table %q is not tracked or not found in database", name, t.Source.head.display(*function.ReturnTable))
		}
		return
	}
	f.Type, f.Scalar = function.Return, t.Source.Dialect.Scalar(function.Return)
	if function.Return.Kind != "" && function.Return.Kind != catalog.TypeBase {
		refuse("the function %q returning type %s is not a BASE type", name, typeName(t.Source.Dialect, function.Return))
	}
}

// describe takes the function's name as messages show it.
func (f *ComputedField) describe(h *head, function string) {
	ofDatabase := h.comment(f.Function.Comment)
	switch {
	case f.Meta.Comment != nil:
		f.Description = *f.Meta.Comment
	case ofDatabase != nil:
		f.Description = *ofDatabase
	default:
		f.Description = fmt.Sprintf("A computed field, executes function %q", function)
	}
}

// argument is the index of the argument of that name, -1 when there is none.
func argument(f *catalog.Function, name string) int {
	return slices.IndexFunc(f.Args, func(a catalog.Argument) bool { return a.Name == name })
}
