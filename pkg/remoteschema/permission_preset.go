package remoteschema

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"

	"queryengine/pkg/session"
)

// presetDirective gives an argument, or a field of an input object, a value.
const presetDirective = "preset"

// directives refuses presets where they mean nothing, and directives of others.
func (p *permission) directives(list ast.DirectiveList, kind, name string) {
	for _, d := range list {
		if d.Name == presetDirective {
			p.faultf("Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION")
			break
		}
	}
	p.otherDirectives(list, kind, name)
}

// otherDirectives refuses directives that aren't presets: introspection doesn't report the remote's
// own.
func (p *permission) otherDirectives(list ast.DirectiveList, kind, name string) {
	var names []string
	for _, d := range list {
		if d.Name != presetDirective {
			names = append(names, d.Name)
		}
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate directives: %sfound in the %q %q", conjunction(twice), kind, name)
		return
	}
	for _, n := range names {
		p.faultf(`"Directive": %q does not exist in the upstream remote schema`, n)
	}
}

// preset reads the preset of an argument, if it has one. It is nil when it has a fault.
func (p *permission) preset(given *ast.ArgumentDefinition, upstream *Input) (preset *Preset, has bool) {
	const kind = "Input object argument"
	p.otherDirectives(given.Directives, kind, given.Name)
	presets := given.Directives.ForNames(presetDirective)
	switch len(presets) {
	case 0:
		return nil, false
	case 1:
	default:
		p.faultf("found multiple preset directives at %q %q", kind, given.Name)
		return nil, true
	}
	d := presets[0]
	if len(d.Arguments) == 0 {
		p.faultf("no arguments found in the preset directive")
		return nil, true
	}
	value := d.Arguments.ForName("value")
	if value == nil {
		p.faultf(`preset argument "value" not found at %q`, given.Name)
		return nil, true
	}
	r := presetReader{permission: p, argument: given.Name}
	if static := d.Arguments.ForName("static"); static != nil {
		if static.Value.Kind != ast.BooleanValue {
			p.faultf("expected preset static value to be a Boolean value")
			return nil, true
		}
		r.static = static.Value.Raw == "true"
	}
	faults := len(p.faults)
	v := r.value(upstream.Type, value.Value)
	if len(p.faults) > faults {
		return nil, true
	}
	return &Preset{Input: upstream, Value: v}, true
}

// presetReader reads the value of one preset.
type presetReader struct {
	*permission
	argument string
	static   bool
}

// sessionVariable is our name of the session variable that a value refers to.
func (r presetReader) sessionVariable(v *ast.Value) (name string, ok bool) {
	if r.static || v.Kind != ast.StringValue && v.Kind != ast.BlockValue {
		return "", false
	}
	return session.Canonical(v.Raw)
}

func (r presetReader) value(t *Ref, v *ast.Value) Value {
	_, isVariable := r.sessionVariable(v)
	switch {
	case v.Kind == ast.NullValue && !t.NonNull:
		return Literal{"null"}
	case t.Elem == nil:
		return r.named(t.Type, v)
	case v.Kind == ast.ListValue:
		items := make([]Value, 0, len(v.Children))
		for _, c := range v.Children {
			items = append(items, r.value(t.Elem, c.Value))
		}
		return simplified(ListValue{items}, items)
	case isVariable:
		r.faultf("illegal preset value at %q. Session arguments can only be set for singleton values", r.argument)
		return nil
	}
	return r.value(t.Elem, v) // the remote makes a list of it
}

func (r presetReader) named(t *Type, v *ast.Value) Value {
	variable, isVariable := r.sessionVariable(v)
	switch t.Kind {
	case Scalar:
		switch {
		case isVariable:
			return SessionVariable{Name: variable, Type: t}
		case v.Kind == ast.EnumValue, v.Kind == ast.ListValue, v.Kind == ast.ObjectValue, v.Kind == ast.NullValue:
			return r.wrong(t, v, "a scalar value")
		}
		return Literal{scalarText(v)}
	case Enum:
		switch {
		case isVariable:
			return SessionVariable{Name: variable, Type: t}
		case v.Kind != ast.EnumValue:
			return r.wrong(t, v, "an enum value")
		case t.Value(v.Raw) == nil:
			r.faultf("%q not found in the enum: %q", v.Raw, t.Remote)
			return nil
		}
		return Literal{v.Raw}
	case InputObject:
		return r.object(t, v)
	}
	r.faultf("expected %q to be an input type, but it's an output type", t.Remote)
	return nil
}

// scalarText spells a scalar. Texts are spelt as in JSON, all of which GraphQL understands.
func scalarText(v *ast.Value) string {
	if v.Kind != ast.StringValue && v.Kind != ast.BlockValue {
		return v.String()
	}
	text, _ := json.Marshal(v.Raw) // a text always encodes
	return string(text)
}

func (r presetReader) object(t *Type, v *ast.Value) Value {
	if v.Kind != ast.ObjectValue {
		return r.wrong(t, v, "an input object value")
	}
	var fields []ObjectField
	var values []Value
	for _, c := range v.Children {
		of := t.Input(c.Name)
		if of == nil {
			r.faultf("%q does not exist in the input object %q", c.Name, t.Remote)
			continue
		}
		value := r.value(of.Type, c.Value)
		fields = append(fields, ObjectField{c.Name, value})
		values = append(values, value)
	}
	return simplified(ObjectValue{fields}, values)
}

func (r presetReader) wrong(t *Type, v *ast.Value, wanted string) Value {
	text := v.String()
	if v.Kind == ast.StringValue || v.Kind == ast.BlockValue {
		text = v.Raw
	}
	r.faultf(`expected preset value "%s" of type %q to be %s`, text, t.Remote, wanted)
	return nil
}

// simplified is v as a literal when there is no session variable in its parts.
func simplified(v Value, parts []Value) Value {
	for _, part := range parts {
		if _, literal := part.(Literal); !literal {
			return v
		}
	}
	return Literal{spell(v)}
}
