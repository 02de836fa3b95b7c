package plan

import (
	"queryengine/pkg/jsontext"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// ActionInputs are the arguments of an action.
type ActionInputs []ActionInput

// JSON is the object of the arguments, for the values of the operation's variables.
func (l ActionInputs) JSON(values [][]byte) ([]byte, error) {
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
func (p *planner) actionInputs(f *schema.Field, s *selected) (ActionInputs, error) {
	var list ActionInputs
	err := p.arguments(s, f.Args(), func(in *schema.Input, v value) error {
		input, err := p.actionInput(in, v)
		list = append(list, input)
		return err
	})
	return list, err
}

// ActionInput is an argument of an action: a value with variables in it.
type ActionInput struct {
	key   []byte // with the colon
	value *parse.Value
	uses  []variableUse
	// dropUnset is Options.DropUnset, and limits are those of the plan.
	dropUnset bool
	limits    Limits
}

// variableUse is a place of a variable in a value, which says what it has to be.
type variableUse struct {
	variable *parse.Variable
	of       schema.Ref
	input    *schema.ActionInput
	path     []step
}

// actionInput checks a value as far as it is spelt in the document.
func (p *planner) actionInput(in *schema.Input, v value) (ActionInput, error) {
	out := ActionInput{
		key: append(jsontext.AppendString(nil, in.Name), ':'), value: v.literal,
		dropUnset: p.options.DropUnset, limits: p.options.Limits,
	}
	m, _ := in.Means.(*schema.ActionInput)
	err := p.customValue(in.Type, m, v, &out)
	return out, err
}

// JSON is the value for the values of the variables, which it checks.
func (i *ActionInput) JSON(values [][]byte) ([]byte, error) {
	for _, use := range i.uses {
		text := values[use.variable.Index]
		room := budget.New(len(text))
		p := planner{path: use.path, options: Options{Limits: i.limits, Budget: &room}}
		if err := p.customValue(use.of, use.input, value{json: text, variable: use.variable, whole: newLongText(text)}, nil); err != nil {
			return nil, err
		}
	}
	return i.append(nil, i.value, values), nil
}

// append appends a value as JSON. Fields whose variable has no value are left out when that is
// asked for, and null otherwise.
func (i *ActionInput) append(dst []byte, v *parse.Value, values [][]byte) []byte {
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
	return v.AppendJSON(dst, func(dst []byte, d *parse.Variable) []byte { return appendValue(dst, values[d.Index]) })
}

// customValue checks a value of a type of actions. Where a variable is used, only its type is
// checked, and the place is noted in uses.
func (p *planner) customValue(at schema.Ref, in *schema.ActionInput, v value, uses *ActionInput) error {
	if v.literal != nil && v.literal.Kind == parse.VariableUse {
		if in.Type.Kind != resolve.CustomScalar { // which takes any JSON
			if _, err := p.open(at, v); err != nil {
				return err
			}
		}
		uses.uses = append(uses.uses, variableUse{v.literal.Variable, at, in, append([]step(nil), p.path...)})
		return nil
	}
	if v.kind() == kindNull {
		if at.NonNull() {
			return p.fail("unexpected null value for type '%s'", at.Named.Name)
		}
		return nil
	}
	if p.inputDepth++; p.inputDepth > p.options.Limits.InputDepth {
		return p.fail("the value is nested too deeply")
	}
	defer func() { p.inputDepth-- }()
	if item, isList := at.Item(); isList {
		if v.kind() != kindList {
			return p.customValue(item, in, v, uses)
		}
		for i, element := range v.items() {
			p.pushIndex(i)
			if err := p.customValue(item, in, element, uses); err != nil {
				return err
			}
			p.pop()
		}
		return nil
	}
	switch in.Type.Kind {
	case resolve.BuiltInScalar:
		return p.builtInValue(in.Type.Name, v)
	case resolve.SourceScalar:
		return p.sourceValue(in, v)
	case resolve.CustomEnum:
		_, err := p.enumValue(at.Named, v)
		return err
	case resolve.CustomInput:
		return p.customObject(at.Named, v, uses)
	}
	return nil
}

// customObject checks the fields of an input object.
func (p *planner) customObject(t *schema.Type, v value, uses *ActionInput) error {
	if v.kind() != kindObject {
		return p.mismatch(t.Name, "an object", v)
	}
	given := map[string]bool{}
	for _, m := range v.members() {
		in := t.Input(m.name)
		if in == nil {
			return p.failAt(m.name, "field '%s' not found in type: '%s'", m.name, t.Name)
		}
		given[m.name] = true
		p.push(m.name)
		input, _ := in.Means.(*schema.ActionInput)
		if err := p.customValue(in.Type, input, m.value, uses); err != nil {
			return err
		}
		p.pop()
	}
	return p.required(t.Inputs(), func(name string) bool { return given[name] })
}

// builtInValue checks a value of a scalar of GraphQL.
func (p *planner) builtInValue(name string, v value) error {
	number := func(k kind) bool { return k == kindInt || k == kindNumber }
	whole := func() bool {
		_, ok := wholeNumber(v.text(), 32)
		return ok
	}
	k, expected, ok := v.kind(), "", false
	switch name {
	case "Int":
		expected, ok = "a 32-bit integer", number(k) && whole()
	case "Float":
		expected, ok = "a float", number(k) || k == kindFloat
	case "String":
		expected, ok = "a string", k == kindString
	case "Boolean":
		expected, ok = "a boolean", k == kindBoolean
	case "ID":
		expected, ok = "a String or a 32-bit integer", k == kindString || number(k) && whole()
	}
	if !ok {
		return p.mismatch(name, expected, v)
	}
	return nil
}

// sourceValue checks a value of a scalar of a source. Variables inside of it are not looked
// into: only JSON types can have some.
func (p *planner) sourceValue(in *schema.ActionInput, v value) error {
	json := v.json
	if v.literal != nil {
		json = v.literal.AppendJSON(nil, func(dst []byte, _ *parse.Variable) []byte { return append(dst, "null"...) })
	}
	if _, err := in.Dialect.ParseInput(in.Type.Type, json); err != nil {
		return under(spell(p.path), err)
	}
	return nil
}
