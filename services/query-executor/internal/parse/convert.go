package parse

import (
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"queryengine/pkg/apierror"
)

// converter makes an Operation from the syntax tree.
type converter struct {
	definitions ast.FragmentDefinitionList
	byName      map[string]*ast.FragmentDefinition
	variables   map[string]*Variable
	// fragments are the converted ones, by name.
	fragments map[string]*Fragment
	// open are the names of the fragments that are being converted, outermost first.
	open []string
	// unbound is the first use of a variable that isn't defined. It is reported last,
	// because faults of fragments come first.
	unbound string
}

func newConverter(doc *ast.QueryDocument) *converter {
	return &converter{
		definitions: doc.Fragments, byName: make(map[string]*ast.FragmentDefinition, len(doc.Fragments)),
		variables: map[string]*Variable{}, fragments: map[string]*Fragment{},
	}
}

func (c *converter) operation(o *ast.OperationDefinition) (*Operation, error) {
	for _, f := range c.definitions {
		if c.byName[f.Name] != nil {
			return nil, apierror.Newf(apierror.ParseFailed, "multiple definitions for fragment %q", f.Name)
		}
		c.byName[f.Name] = f
	}
	op := &Operation{Kind: Kind(o.Operation), Name: o.Name}
	duplicate := ""
	for _, d := range o.VariableDefinitions {
		v := &Variable{Index: len(op.Variables), Name: d.Variable, Type: convertType(d.Type)}
		if d.DefaultValue != nil {
			// A default is a constant, so no variable can be requested.
			constant := c.value(d.DefaultValue)
			v.Default = constant.AppendJSON(nil, nil)
		}
		if c.variables[v.Name] != nil && duplicate == "" {
			duplicate = v.Name
		}
		c.variables[v.Name] = v
		op.Variables = append(op.Variables, v)
	}
	var err error
	op.Directives = c.directives(o.Directives)
	if op.Selections, err = c.selections(o.SelectionSet); err != nil {
		return nil, err
	}
	if duplicate != "" {
		return nil, apierror.Newf(apierror.ParseFailed, "multiple definitions for variable %q", duplicate)
	}
	if c.unbound != "" {
		return nil, apierror.Newf(apierror.ValidationFailed, "unbound variable %q", c.unbound)
	}
	op.Size = measure(op.Selections, map[*Fragment]Size{})
	op.structured = hasStructure(op.Variables)
	op.hash = sync.OnceValue(func() string { return op.hashOf(nil) })
	return op, nil
}

// selections converts a selection set. The path of an error names the fields and the
// fragments on the way to it.
func (c *converter) selections(set ast.SelectionSet) ([]Selection, error) {
	list := make([]Selection, 0, len(set))
	for _, s := range set {
		converted, err := c.selection(s)
		if err != nil {
			return nil, apierror.At(err, "selectionSet")
		}
		list = append(list, converted)
	}
	return list, nil
}

func (c *converter) selection(s ast.Selection) (Selection, error) {
	switch s := s.(type) {
	case *ast.Field:
		set, err := c.selections(s.SelectionSet)
		if err != nil {
			return nil, apierror.At(err, s.Name)
		}
		return &Field{
			Alias: s.Alias, Name: s.Name, Arguments: c.arguments(s.Arguments),
			Directives: c.directives(s.Directives), Selections: set,
		}, nil
	case *ast.InlineFragment:
		set, err := c.selections(s.SelectionSet)
		if err != nil {
			return nil, err
		}
		return &Inline{On: s.TypeCondition, Directives: c.directives(s.Directives), Selections: set}, nil
	case *ast.FragmentSpread:
		fragment, err := c.fragment(s.Name)
		if err != nil {
			return nil, err
		}
		return &Spread{Fragment: fragment, Directives: c.directives(s.Directives)}, nil
	}
	return nil, apierror.Newf(apierror.Unexpected, "unknown selection %T", s)
}

func (c *converter) fragment(name string) (*Fragment, error) {
	if i := slices.Index(c.open, name); i >= 0 {
		return nil, apierror.New(apierror.ValidationFailed,
			"the fragment definition(s) "+englishList(c.open[i:])+" form a cycle")
	}
	if f := c.fragments[name]; f != nil {
		return f, nil
	}
	d := c.byName[name]
	if d == nil {
		return nil, apierror.Newf(apierror.ValidationFailed, "reference to undefined fragment %q", name)
	}
	c.open = append(c.open, name)
	set, err := c.selections(d.SelectionSet)
	c.open = c.open[:len(c.open)-1]
	if err != nil {
		return nil, apierror.At(err, name)
	}
	f := &Fragment{Name: name, On: d.TypeCondition, Selections: set}
	c.fragments[name] = f
	return f, nil
}

func (c *converter) directives(list ast.DirectiveList) []Directive {
	var out []Directive
	for _, d := range list {
		out = append(out, Directive{Name: d.Name, Arguments: c.arguments(d.Arguments)})
	}
	return out
}

func (c *converter) arguments(list ast.ArgumentList) []Argument {
	if len(list) == 0 {
		return nil
	}
	out := newMembers(len(list))
	for _, a := range list {
		out.set(a.Name, c.value(a.Value))
	}
	return out.list
}

func (c *converter) value(v *ast.Value) Value {
	switch v.Kind {
	case ast.Variable:
		return c.use(v.Raw)
	case ast.IntValue:
		return Value{Kind: Int, Text: v.Raw}
	case ast.FloatValue:
		return Value{Kind: Float, Text: v.Raw}
	case ast.StringValue, ast.BlockValue:
		return Value{Kind: String, Text: v.Raw}
	case ast.BooleanValue:
		return Value{Kind: Boolean, Text: v.Raw}
	case ast.EnumValue:
		return Value{Kind: Enum, Text: v.Raw}
	case ast.ListValue:
		out := Value{Kind: List, Items: make([]Value, 0, len(v.Children))}
		for _, child := range v.Children {
			out.Items = append(out.Items, c.value(child.Value))
		}
		return out
	case ast.ObjectValue:
		out := newMembers(len(v.Children))
		for _, child := range v.Children {
			out.set(child.Name, c.value(child.Value))
		}
		return Value{Kind: Object, Fields: out.list}
	}
	return Value{Kind: Null}
}

// use is the use of a variable.
func (c *converter) use(name string) Value {
	d := c.variables[name]
	if d == nil {
		if c.unbound == "" {
			c.unbound = name
		}
		return Value{Kind: Null}
	}
	d.Used = true
	return Value{Kind: VariableUse, Variable: d}
}

func convertType(t *ast.Type) Type {
	if t.Elem == nil {
		return Type{Name: t.NamedType, NonNull: t.NonNull}
	}
	elem := convertType(t.Elem)
	return Type{Elem: &elem, NonNull: t.NonNull}
}

// englishList spells a list as "A", "A and B", "A, B, and C".
func englishList(names []string) string {
	switch n := len(names); n {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
}
