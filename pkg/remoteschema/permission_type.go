package remoteschema

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// define compares a definition with the type of the remote, and takes the arguments and
// input fields out of it that have presets.
func (p *permission) define(d *ast.Definition) {
	kind := kindName(Kind(d.Kind))
	t := p.upstream.byRemote[d.Name]
	if t == nil || t.Kind != Kind(d.Kind) {
		p.faultf(`%q: %q does not exist in the upstream remote schema`, kind, d.Name)
		t = &Type{Kind: Kind(d.Kind), Name: d.Name} // only what needs no type of the remote is checked
		if t.Kind != Object {
			return
		}
	}
	p.directives(d.Directives, kind, d.Name)
	switch t.Kind {
	case Enum:
		p.enum(d, t)
	case Union:
		p.union(d, t)
	case InputObject:
		p.inputObject(d, t)
	case Object:
		p.interfaces(d, t)
		p.fields(d, t)
	case Interface:
		p.fields(d, t)
	}
}

func (p *permission) enum(d *ast.Definition, t *Type) {
	var names, unknown []string
	for _, v := range d.EnumValues {
		names = append(names, v.Name)
		p.directives(v.Directives, "Enum field", v.Name)
		if t.Value(v.Name) == nil {
			unknown = append(unknown, v.Name)
		}
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate enum values: %s found in the %q enum", conjunction(twice), d.Name)
	}
	if len(unknown) > 0 {
		p.faultf("enum %q contains the following enum values that do not exist in the corresponding upstream remote enum: %s",
			d.Name, conjunction(unknown))
	}
}

func (p *permission) union(d *ast.Definition, t *Type) {
	var unknown []string
	for _, name := range d.Types {
		if !slices.ContainsFunc(t.Possible, func(m *Type) bool { return m.Remote == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		p.faultf("union %q contains members which do not exist in the members of the remote schema union :%s",
			d.Name, conjunction(unknown))
	}
}

func (p *permission) interfaces(d *ast.Definition, t *Type) {
	var custom, unknown []string
	for _, name := range d.Interfaces {
		upstream := p.upstream.byRemote[name]
		switch {
		case upstream == nil || upstream.Kind != Interface:
			custom = append(custom, name)
		case !slices.Contains(t.Interfaces, upstream):
			unknown = append(unknown, name)
		}
	}
	if len(custom) > 0 {
		p.faultf("custom interfaces are not supported. Object%q implements the following custom interfaces: %s",
			d.Name, conjunction(custom))
	}
	if len(unknown) > 0 {
		p.faultf("object %q is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: %s",
			d.Name, conjunction(unknown))
	}
}

// fields compares the fields of an object or an interface.
func (p *permission) fields(d *ast.Definition, t *Type) {
	kind := kindName(t.Kind)
	var names []string
	for _, f := range d.Fields {
		names = append(names, f.Name)
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate fields: %sfound in the %q %q", conjunction(twice), kind, d.Name)
		return
	}
	if p.upstream.byRemote[d.Name] != t {
		return
	}
	for _, f := range d.Fields {
		upstream := t.RemoteField(f.Name)
		if upstream == nil {
			p.faultf("field %q does not exist in the %q: %q", f.Name, kind, d.Name)
			continue
		}
		p.directives(f.Directives, kind+" field", f.Name)
		p.sameType(f.Name, kind+" field", upstream.Type, f.Type)
		p.arguments(d, f, upstream)
	}
}

func (p *permission) sameType(name, kind string, upstream *Ref, given *ast.Type) {
	if want, got := upstream.Remote(), given.String(); want != got {
		p.faultf("expected type of %q(%q) to be %s but received %s", name, kind, want, got)
	}
}

func (p *permission) arguments(d *ast.Definition, f *ast.FieldDefinition, upstream *Field) {
	var names []string
	for _, a := range f.Arguments {
		names = append(names, a.Name)
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate arguments: %sfound in the field: %q", conjunction(twice), f.Name)
		return
	}
	p.required(f.Name, names, upstream.Args)
	f.Arguments = slices.DeleteFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool {
		return p.input(inputOf{d.Name, f.Name, f.Name}, upstream.Arg(a.Name), a)
	})
}

// required refuses to omit required fields and arguments.
func (p *permission) required(of string, names []string, upstream []*Input) {
	var missing []string
	for _, i := range upstream {
		if i.Type.NonNull && !slices.Contains(names, i.Name) {
			missing = append(missing, i.Name)
		}
	}
	if len(missing) > 0 {
		p.faultf("field: %q expects the following non nullable arguments to be present: %s", of, conjunction(missing))
	}
}

func (p *permission) inputObject(d *ast.Definition, t *Type) {
	var names []string
	for _, f := range d.Fields {
		names = append(names, f.Name)
	}
	if twice := repeated(names); len(twice) > 0 {
		p.faultf("duplicate arguments: %sfound in the field: %q", conjunction(twice), d.Name)
		return
	}
	p.required(d.Name, names, t.Inputs)
	d.Fields = slices.DeleteFunc(d.Fields, func(f *ast.FieldDefinition) bool {
		return p.input(inputOf{d.Name, "", d.Name}, t.Input(f.Name), &ast.ArgumentDefinition{
			Name: f.Name, Type: f.Type, DefaultValue: f.DefaultValue, Directives: f.Directives,
		})
	})
}

// inputOf is what an argument or input field belongs to.
type inputOf struct {
	typ, field string
	shown      string // in messages
}

// input compares an argument or a field of an input object, and reports whether it has a preset.
func (p *permission) input(of inputOf, upstream *Input, given *ast.ArgumentDefinition) bool {
	if upstream == nil {
		p.faultf("input argument %q does not exist in the input object:%q", given.Name, of.shown)
		return false
	}
	p.sameType(given.Name, "Input object argument", upstream.Type, given.Type)
	var value string
	if given.DefaultValue != nil {
		value = given.DefaultValue.String()
	}
	var want string
	if upstream.Default != nil {
		want = *upstream.Default
	}
	if value != want {
		p.faultf("expected default value of input value: %qof input object %q to be %s but received %s", given.Name, of.shown, want, value)
	}
	preset, has := p.preset(given, upstream)
	if preset != nil {
		if p.presets[of.typ] == nil {
			p.presets[of.typ] = map[string][]*Preset{}
		}
		p.presets[of.typ][of.field] = append(p.presets[of.typ][of.field], preset)
	}
	return has
}
