package plan

import (
	"slices"

	"queryengine/pkg/gqlname"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// value is an input on its way into the plan: spelt in the document, or a part of the JSON
// of a variable.
type value struct {
	// literal is nil for JSON.
	literal *parse.Value
	// json is nil for a variable without a value.
	json []byte
	// variable is where json comes from, and place where in it json is, nil for all of it.
	variable *parse.Variable
	place    *jsonPlace
	// whole is all of it, nil when it is small.
	whole *longText
}

func literal(v *parse.Value) value { return value{literal: v} }

// kind is what a value is, whichever way it is spelt.
type kind uint8

const (
	kindNull kind = iota
	kindBoolean
	kindInt
	kindFloat
	kindNumber // of a variable
	kindString
	kindEnum
	kindList
	kindObject
)

// found are the words for a value of the wrong kind.
var found = [...]string{"null", "a boolean", "an integer", "a float", "a number", "a string", "an enum value", "a list", "an object"}

func (v value) kind() kind {
	if v.literal == nil {
		switch jsonwalk.KindOf(v.json) {
		case jsonwalk.Boolean:
			return kindBoolean
		case jsonwalk.Number:
			return kindNumber
		case jsonwalk.String:
			return kindString
		case jsonwalk.Array:
			return kindList
		case jsonwalk.Object:
			return kindObject
		}
		return kindNull
	}
	switch v.literal.Kind {
	case parse.Boolean:
		return kindBoolean
	case parse.Int:
		return kindInt
	case parse.Float:
		return kindFloat
	case parse.String:
		return kindString
	case parse.Enum:
		return kindEnum
	case parse.List:
		return kindList
	case parse.Object:
		return kindObject
	}
	return kindNull
}

// text is the text of a scalar, unescaped.
func (v value) text() string {
	if v.literal != nil {
		return v.literal.Text
	}
	if jsonwalk.KindOf(v.json) == jsonwalk.String {
		s, _ := jsonwalk.Text(v.json)
		return s
	}
	return string(v.json)
}

// child is the value one step below.
func (v value) child(key string, index int, json []byte) value {
	return value{json: json, variable: v.variable, place: &jsonPlace{v.place, key, index}, whole: v.whole}
}

// member is one member of an object.
type member struct {
	name  string
	value value
}

// members are the members of an object; one that is given twice counts the last time.
func (v value) members() []member {
	if v.literal != nil {
		list := make([]member, 0, len(v.literal.Fields))
		for i := range v.literal.Fields {
			f := &v.literal.Fields[i]
			list = append(list, member{f.Name, literal(&f.Value)})
		}
		return list
	}
	var list []member
	var byName map[string]int // once there are many
	// Malformed JSON ends the list: it can't come from a request, whose body was parsed.
	index := -1
	_ = v.whole.walk().Fields(v.json, func(key, json []byte) error {
		index++
		name := string(key)
		m := member{name, v.child(name, index, json)}
		if len(list) == manyKeys {
			byName = make(map[string]int, 2*manyKeys)
			for i := range list {
				byName[list[i].name] = i
			}
		}
		i, there := byName[m.name]
		if byName == nil {
			i = slices.IndexFunc(list, func(o member) bool { return o.name == m.name })
			there = i >= 0
		}
		if there {
			list[i] = m
			return nil
		}
		if byName != nil {
			byName[m.name] = len(list)
		}
		list = append(list, m)
		return nil
	})
	return list
}

// items are the items of a list.
func (v value) items() []value {
	var list []value
	if v.literal != nil {
		for i := range v.literal.Items {
			list = append(list, literal(&v.literal.Items[i]))
		}
		return list
	}
	_ = v.whole.walk().Items(v.json, func(i int, json []byte) error {
		list = append(list, v.child("", i, json))
		return nil
	})
	return list
}

// open follows the use of a variable at a place of type at to its value.
func (p *planner) open(at schema.Ref, v value) (value, error) {
	if v.literal == nil || v.literal.Kind != parse.VariableUse {
		return v, nil
	}
	d := v.literal.Variable
	if !usable(d, at) {
		return value{}, p.fail("variable '%s' is declared as '%s', but used where '%s' is expected", d.Name, d.Type, at)
	}
	return value{json: p.values[d.Index], variable: d, whole: newLongText(p.values[d.Index])}, nil
}

// dropped says that v is a variable without a value, and that such are taken as not given.
func (p *planner) dropped(v value) bool {
	if !p.options.DropUnset || v.literal == nil || v.literal.Kind != parse.VariableUse {
		return false
	}
	d := v.literal.Variable
	p.look(value{variable: d}, LookShape) // which tells a missing value from the others
	return p.values[d.Index] == nil
}

// omitted says that nothing is given for an input: it has a default, and v is a variable without
// a value. in is nil for an unknown input.
func (p *planner) omitted(in *schema.Input, v value) bool {
	if p.dropped(v) {
		return true
	}
	if !takesDefault(in, v) {
		return false
	}
	d := v.literal.Variable
	p.look(value{variable: d}, LookShape) // which tells a missing value from the others
	return p.values[d.Index] == nil
}

// receiver is in as v meets it: an input that has a default takes nullable variables, whatever
// its type says.
func receiver(in *schema.Input, v value) *schema.Input {
	if !takesDefault(in, v) || v.literal.Variable.Type.NonNull {
		return in
	}
	open := *in
	open.Type = in.Type.Nullable()
	return &open
}

// takesDefault says that in has a default, and that v is a variable that fits it otherwise.
func takesDefault(in *schema.Input, v value) bool {
	return in != nil && in.Default != "" && v.literal != nil && v.literal.Kind == parse.VariableUse &&
		sameShape(in.Type, &v.literal.Variable.Type)
}

// look notes that the plan depends on the variable that v comes from.
func (p *planner) look(v value, l Look) {
	if v.variable != nil && p.looks[v.variable.Index] < l {
		p.looks[v.variable.Index] = l
	}
}

// depends notes that the plan is good for this very value of v only.
func (p *planner) depends(v value) {
	p.look(v, LookValue)
	p.once = p.once || v.variable != nil && v.kind() != kindNull
}

// usable says whether a variable may stand at a place of type at.
func usable(d *parse.Variable, at schema.Ref) bool {
	if at.NonNull() && !d.Type.NonNull && (d.Default == nil || jsonwalk.KindOf(d.Default) == jsonwalk.Null) {
		return false
	}
	return sameShape(at, &d.Type)
}

// sameShape compares names and lists, and leaves nullability alone. Lists of elements fit the
// scalar of an array.
func sameShape(at schema.Ref, t *parse.Type) bool {
	for {
		item, isList := at.Item()
		if !isList && t.Elem != nil && at.Named.Element() != nil {
			for t.Elem != nil {
				t = t.Elem
			}
			return t.Name == at.Named.Element().Name
		}
		if !isList {
			return t.Elem == nil && at.Named.Name == t.Name
		}
		if t.Elem == nil {
			return false
		}
		at, t = item, t.Elem
	}
}

// isNull opens v at a place where null means that nothing was given.
func (p *planner) isNull(at schema.Ref, v value, l Look) (value, bool, error) {
	v, err := p.open(at, v)
	if err != nil {
		return v, false, err
	}
	p.look(v, l)
	return v, v.kind() == kindNull, nil
}

// object walks the fields of an input object: unknown keys are refused first, then f is
// called for each given one in order, and missing required ones are refused.
func (p *planner) object(at schema.Ref, v value, f func(in *schema.Input, v value) error) error {
	v, err := p.open(at, v)
	if err != nil {
		return err
	}
	p.look(v, LookShape)
	t := at.Named
	if v.kind() != kindObject {
		return p.mismatch(t.Name, "an object", v)
	}
	if p.inputDepth++; p.inputDepth > p.options.Limits.InputDepth {
		return p.fail("the value is nested too deeply")
	}
	members := v.members()
	if err := p.take(budget.InputValues, len(members)); err != nil {
		return err
	}
	members = slices.DeleteFunc(members, func(m member) bool { return p.omitted(t.Input(m.name), m.value) })
	for _, m := range members {
		if v.literal == nil && !gqlname.Valid(m.name) {
			return p.fail("variable value contains object with key %q, which is not a legal GraphQL name", m.name)
		}
		if t.Input(m.name) == nil {
			return p.failAt(m.name, "field '%s' not found in type: '%s'", m.name, t.Name)
		}
	}
	for _, m := range members {
		p.push(m.name)
		if err := f(receiver(t.Input(m.name), m.value), m.value); err != nil {
			return err
		}
		p.pop()
	}
	p.inputDepth--
	return p.required(t.Inputs(), func(name string) bool {
		for _, m := range members {
			if m.name == name {
				return true
			}
		}
		return false
	})
}

// required refuses a missing input that has to be there.
func (p *planner) required(inputs []schema.Input, given func(name string) bool) error {
	for i := range inputs {
		if in := &inputs[i]; in.Type.NonNull() && in.Default == "" && !given(in.Name) {
			return p.failAt(in.Name, "missing required field '%s'", in.Name)
		}
	}
	return nil
}

// list walks a list; a single value stands for a list of one.
func (p *planner) list(at schema.Ref, v value, f func(item schema.Ref, v value) error) error {
	v, err := p.open(at, v)
	if err != nil {
		return err
	}
	p.look(v, LookShape)
	items := []value{v}
	switch v.kind() {
	case kindNull:
		return p.fail("expected a list, but found null")
	case kindList:
		items = v.items()
	}
	if p.inputDepth++; p.inputDepth > p.options.Limits.InputDepth {
		return p.fail("the value is nested too deeply")
	}
	if err := p.take(budget.InputValues, len(items)); err != nil {
		return err
	}
	of, _ := at.Item()
	for i, item := range items {
		p.pushIndex(i)
		if err := f(of, item); err != nil {
			return err
		}
		p.pop()
	}
	p.inputDepth--
	return nil
}

// mismatch is the error for a value of the wrong kind.
func (p *planner) mismatch(typeName, expected string, v value) error {
	return p.fail("expected %s for type '%s', but found %s", expected, typeName, found[v.kind()])
}

// boolean reads a boolean that the plan depends on.
func (p *planner) boolean(at schema.Ref, v value) (bool, error) {
	v, err := p.open(at, v)
	if err != nil {
		return false, err
	}
	p.look(v, LookShape) // which takes booleans and nulls as they are
	if v.kind() != kindBoolean {
		return false, p.mismatch("Boolean", "a boolean", v)
	}
	return v.text() == "true", nil
}

// constant reads a string that the plan depends on.
func (p *planner) constant(at schema.Ref, v value) (string, error) {
	v, err := p.open(at, v)
	if err != nil {
		return "", err
	}
	p.look(v, LookValue)
	if v.kind() != kindString {
		return "", p.mismatch("String", "a string", v)
	}
	return v.text(), nil
}

// enum reads a value of an enum that the plan depends on.
func (p *planner) enum(at schema.Ref, v value) (*schema.Value, error) {
	v, err := p.open(at, v)
	if err != nil {
		return nil, err
	}
	p.look(v, LookValue)
	return p.enumValue(at.Named, v)
}

// enumValue finds an enum value by its name; in the JSON of a variable it is a string.
func (p *planner) enumValue(t *schema.Type, v value) (*schema.Value, error) {
	if k := v.kind(); k != kindEnum && (k != kindString || v.literal != nil) {
		return nil, p.mismatch(t.Name, "an enum value", v)
	}
	if found := t.Value(v.text()); found != nil {
		return found, nil
	}
	return nil, p.fail("%s", unknownEnumValue(t, v.text()))
}
