package action

import (
	"slices"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Inputs are the arguments of an action.
type Inputs []Input

// JSON is the object of the arguments, for the values of the operation's variables.
func (l Inputs) JSON(values [][]byte) ([]byte, error) {
	out := []byte{'{'}
	for i := range l {
		json, err := l[i].JSON(values)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, l[i].key...), json...)
	}
	return append(out, '}'), nil
}

// actionInputs plans the arguments of an action.
func (p *Planner) actionInputs(f *schema.Field, s *walk.Selected) (Inputs, error) {
	var list Inputs
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		input, err := p.actionInput(in, v)
		list = append(list, input)
		return err
	})
	return list, err
}

// Input is an argument of an action: a value with variables in it.
type Input struct {
	key   []byte // with the colon
	value *parse.Value
	uses  []variableUse
	// dropUnset is Options.DropUnset, and depth is Limits.InputDepth.
	dropUnset bool
	depth     int
	// listsOf is the argument, if its type has lists.
	listsOf *schema.Input
}

// variableUse is a variable at a place of a value, with the type that it must have there.
type variableUse struct {
	variable *parse.Variable
	of       schema.Ref
	input    *schema.ActionInput
	path     []input.Step
}

// actionInput checks a value as far as it is spelt in the document.
func (p *Planner) actionInput(in *schema.Input, v input.Value) (Input, error) {
	out := Input{
		key: append(jsontext.AppendString(nil, in.Name), ':'), value: v.Literal,
		dropUnset: p.DropUnset, depth: p.MaxDepth,
	}
	m, _ := in.Meaning.(*schema.ActionInput)
	if hasLists(in.Type, m, map[*schema.Type]bool{}) {
		out.listsOf = in
	}
	err := reader{p.Reader}.value(in.Type, m, v, &out)
	return out, err
}

// JSON is the value for the values of the variables, which it checks.
func (i *Input) JSON(values [][]byte) ([]byte, error) {
	for _, use := range i.uses {
		text := values[use.variable.Index]
		room := budget.New(len(text))
		r := reader{input.At(use.path, input.Env{MaxDepth: i.depth, Budget: &room})}
		if err := r.value(use.of, use.input, input.Rows(text), nil); err != nil {
			return nil, err
		}
	}
	json := i.append(nil, i.value, values)
	if i.listsOf == nil {
		return json, nil
	}
	m, _ := i.listsOf.Meaning.(*schema.ActionInput)
	c := jsonwalk.NewCursor(json)
	return appendLists(make([]byte, 0, len(json)+2), i.listsOf.Type, m, &c)
}

// hasLists reports whether a value of the type can have lists that appendLists completes.
func hasLists(at schema.Ref, in *schema.ActionInput, seen map[*schema.Type]bool) bool {
	if _, isList := at.Item(); isList {
		return true
	}
	if in.Type.Kind != resolve.CustomInput || seen[at.Named] {
		return false
	}
	seen[at.Named] = true
	return slices.ContainsFunc(at.Named.Inputs(), func(f schema.Input) bool {
		m, _ := f.Meaning.(*schema.ActionInput)
		return hasLists(f.Type, m, seen)
	})
}

// appendLists appends a checked value, with a list instead of each single value of a list type: handlers rely on the declared type.
func appendLists(dst []byte, at schema.Ref, in *schema.ActionInput, c *jsonwalk.Cursor) ([]byte, error) {
	item, isList := at.Item()
	var err error
	switch kind := c.Kind(); {
	case isList && kind == jsonwalk.Array:
		dst = append(dst, '[')
		start := len(dst)
		err = c.Array(func() (err error) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst, err = appendLists(dst, item, in, c)
			return err
		})
		return append(dst, ']'), err
	case isList && kind != jsonwalk.Null:
		dst, err = appendLists(append(dst, '['), item, in, c)
		return append(dst, ']'), err
	case !isList && kind == jsonwalk.Object && in.Type.Kind == resolve.CustomInput:
		dst = append(dst, '{')
		start := len(dst)
		err = c.Object(func(key []byte) (err error) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			name := string(key)
			dst = append(jsontext.AppendString(dst, name), ':')
			field := at.Named.Input(name)
			m, _ := field.Meaning.(*schema.ActionInput)
			dst, err = appendLists(dst, field.Type, m, c)
			return err
		})
		return append(dst, '}'), err
	}
	value, err := c.Value()
	return append(dst, value...), err
}

// append appends a value as JSON. Fields whose variable has no value are left out when that is
// asked for, and null otherwise.
func (i *Input) append(dst []byte, v *parse.Value, values [][]byte) []byte {
	switch v.Kind {
	case parse.List:
		dst = append(dst, '[')
		for n := range v.Items {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst = i.append(dst, &v.Items[n], values)
		}
		return append(dst, ']')
	case parse.Object:
		dst = append(dst, '{')
		first := true
		for n := range v.Fields {
			f := &v.Fields[n]
			if i.dropUnset && f.Value.Kind == parse.VariableUse && values[f.Value.Variable.Index] == nil {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = i.append(append(jsontext.AppendString(dst, f.Name), ':'), &f.Value, values)
		}
		return append(dst, '}')
	}
	return v.AppendJSON(dst, func(dst []byte, d *parse.Variable) []byte { return input.AppendValue(dst, values[d.Index]) })
}

// reader checks values of the types of actions.
type reader struct{ *input.Reader }

// value checks a value of a type of actions. Where a variable is used, only its type is
// checked, and the place is noted in uses.
func (r reader) value(at schema.Ref, in *schema.ActionInput, v input.Value, uses *Input) error {
	if v.Literal != nil && v.Literal.Kind == parse.VariableUse {
		if in.Type.Kind != resolve.CustomScalar { // which takes any JSON
			if _, err := r.Open(at, v); err != nil {
				return err
			}
		}
		uses.uses = append(uses.uses, variableUse{v.Literal.Variable, at, in, append([]input.Step(nil), r.Path...)})
		return nil
	}
	if v.Kind() == input.Null {
		if at.NonNull() {
			return r.Fail("unexpected null value for type '%s'", at.Named.Name)
		}
		return nil
	}
	if err := r.Deeper(); err != nil {
		return err
	}
	defer r.Shallower()
	if item, isList := at.Item(); isList {
		if v.Kind() != input.List {
			return r.value(item, in, v, uses)
		}
		for i, element := range v.Items() {
			r.PushIndex(i)
			if err := r.value(item, in, element, uses); err != nil {
				return err
			}
			r.Pop()
		}
		return nil
	}
	switch in.Type.Kind {
	case resolve.BuiltInScalar:
		return r.builtIn(in.Type.Name, v)
	case resolve.SourceScalar:
		return r.source(in, v)
	case resolve.CustomEnum:
		_, err := r.EnumValue(at.Named, v)
		return err
	case resolve.CustomInput:
		return r.object(at.Named, v, uses)
	}
	return nil
}

// object checks the fields of an input object.
func (r reader) object(t *schema.Type, v input.Value, uses *Input) error {
	if v.Kind() != input.Object {
		return r.Mismatch(t.Name, "an object", v)
	}
	given := map[string]bool{}
	for _, m := range v.Members() {
		in := t.Input(m.Name)
		if in == nil {
			return r.FailAt(m.Name, "field '%s' not found in type: '%s'", m.Name, t.Name)
		}
		given[m.Name] = true
		r.Push(m.Name)
		input, _ := in.Meaning.(*schema.ActionInput)
		if err := r.value(in.Type, input, m.Value, uses); err != nil {
			return err
		}
		r.Pop()
	}
	return r.Required(t.Inputs(), func(name string) bool { return given[name] })
}

// builtIn checks a value of a scalar of GraphQL.
func (r reader) builtIn(name string, v input.Value) error {
	number := func(k input.Kind) bool { return k == input.Int || k == input.Number }
	whole := func() bool {
		_, ok := input.WholeNumber(v.Text(), 32)
		return ok
	}
	k, expected, ok := v.Kind(), "", false
	switch name {
	case "Int":
		expected, ok = "a 32-bit integer", number(k) && whole()
	case "Float":
		expected, ok = "a float", number(k) || k == input.Float
	case "String":
		expected, ok = "a string", k == input.String
	case "Boolean":
		expected, ok = "a boolean", k == input.Boolean
	case "ID":
		expected, ok = "a String or a 32-bit integer", k == input.String || number(k) && whole()
	}
	if !ok {
		return r.Mismatch(name, expected, v)
	}
	return nil
}

// source checks a value of a scalar of a source. Variables inside of it are not looked
// into: only JSON types can have some.
func (r reader) source(in *schema.ActionInput, v input.Value) error {
	json := v.JSON
	if v.Literal != nil {
		json = v.Literal.AppendJSON(nil, func(dst []byte, _ *parse.Variable) []byte { return append(dst, "null"...) })
	}
	if _, err := in.Type.Dialect.ParseInput(in.Type.Type, json); err != nil {
		return input.Under(input.Spell(r.Path), err)
	}
	return nil
}
