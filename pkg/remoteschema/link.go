package remoteschema

import (
	"github.com/vektah/gqlparser/v2/ast"

	"queryengine/pkg/apierror"
)

// link ties the definitions to each other. Types of introspection are left out, built-in
// scalars added where they are missing.
func (d *document) link() (*Schema, error) {
	var types []*Type
	known := map[string]bool{}
	for _, definition := range d.definitions {
		if isIntrospection(definition.Name) || known[definition.Name] {
			continue
		}
		known[definition.Name] = true
		types = append(types, &Type{
			Kind: Kind(definition.Kind), Name: definition.Name, Remote: definition.Name, Description: definition.Description,
		})
	}
	for _, name := range builtIn {
		if !known[name] {
			types = append(types, &Type{Kind: Scalar, Name: name, Remote: name})
		}
	}
	l := linker{newSchema(types)}
	for _, definition := range d.definitions {
		if isIntrospection(definition.Name) || !known[definition.Name] {
			continue
		}
		known[definition.Name] = false // of two definitions of a name, the first counts
		if err := l.define(l.schema.byName[definition.Name], definition); err != nil {
			return nil, err
		}
	}
	for _, root := range []struct {
		name string
		typ  **Type
	}{{d.query, &l.schema.Query}, {d.mutation, &l.schema.Mutation}, {d.subscription, &l.schema.Subscription}} {
		if root.name == "" {
			continue
		}
		t := l.schema.byName[root.name]
		switch {
		case t == nil:
			return nil, unknownType(root.name)
		case t.Kind != Object:
			return nil, apierror.Newf(apierror.Unexpected, "%q has to be an object type", root.name).WithStatus(400)
		}
		*root.typ = t
	}
	l.schema.setPossible()
	return l.schema, l.schema.check()
}

func unknownType(name string) error {
	return apierror.Newf(apierror.RemoteSchemaError, "Could not find type with name %q", name)
}

// linker fills the types of a schema.
type linker struct{ schema *Schema }

func (l linker) define(t *Type, d *ast.Definition) error {
	var err error
	switch t.Kind {
	case Enum:
		for _, v := range d.EnumValues {
			t.Values = append(t.Values, &EnumValue{Name: v.Name, Description: v.Description})
		}
	case Union:
		err = l.members(t, d)
	case InputObject:
		for _, f := range d.Fields {
			i, err := l.input(f.Name, f.Description, f.Type, f.DefaultValue)
			if err != nil {
				return err
			}
			t.Inputs = append(t.Inputs, i)
		}
	case Object, Interface:
		if err = l.interfaces(t, d); err == nil {
			err = l.fields(t, d)
		}
	}
	return err
}

func (l linker) members(t *Type, d *ast.Definition) error {
	for _, name := range d.Types {
		member := l.schema.byName[name]
		switch {
		case member == nil:
			return apierror.Newf(apierror.RemoteSchemaError,
				"Could not find type '%s', which is defined as a member type of Union '%s'", name, t.Name)
		case member.Kind != Object:
			return apierror.Newf(apierror.RemoteSchemaError,
				"Union type '%s' can only include object types. It cannot include '%s'", t.Name, name)
		}
		t.Possible = append(t.Possible, member)
	}
	return nil
}

func (l linker) interfaces(t *Type, d *ast.Definition) error {
	for _, name := range d.Interfaces {
		i := l.schema.byName[name]
		if i == nil || i.Kind != Interface {
			return apierror.Newf(apierror.RemoteSchemaError,
				"Could not find interface '%s' implemented by %s type '%s'", name, kindName(t.Kind), t.Name)
		}
		t.Interfaces = append(t.Interfaces, i)
	}
	return nil
}

func (l linker) fields(t *Type, d *ast.Definition) error {
	for _, definition := range d.Fields {
		if isIntrospection(definition.Name) {
			continue
		}
		f := &Field{Name: definition.Name, Remote: definition.Name, Description: definition.Description}
		var err error
		if f.Type, err = l.ref(definition.Type); err != nil {
			return err
		}
		if !f.Type.Named().IsOutput() {
			return apierror.New(apierror.RemoteSchemaError, "expected output type, but got input type")
		}
		for _, a := range definition.Arguments {
			i, err := l.input(a.Name, a.Description, a.Type, a.DefaultValue)
			if err != nil {
				return err
			}
			f.Args = append(f.Args, i)
		}
		t.Fields = append(t.Fields, f)
	}
	return nil
}

func (l linker) input(name, description string, of *ast.Type, value *ast.Value) (*Input, error) {
	ref, err := l.ref(of)
	if err != nil {
		return nil, err
	}
	if !ref.Named().IsInput() {
		return nil, apierror.New(apierror.RemoteSchemaError, "expected input type, but got output type")
	}
	i := &Input{Name: name, Description: description, Type: ref}
	if value != nil {
		text := value.String()
		i.Default = &text
	}
	return i, nil
}

func (l linker) ref(t *ast.Type) (*Ref, error) {
	if t.Elem != nil {
		elem, err := l.ref(t.Elem)
		return &Ref{Elem: elem, NonNull: t.NonNull}, err
	}
	named := l.schema.byName[t.NamedType]
	if named == nil {
		return nil, unknownType(t.NamedType)
	}
	return &Ref{Type: named, NonNull: t.NonNull}, nil
}

// kindName is the kind in words of error messages.
func kindName(k Kind) string {
	switch k {
	case Object:
		return "Object"
	case Interface:
		return "Interface"
	case Union:
		return "Union"
	case Enum:
		return "Enum"
	case InputObject:
		return "Input object"
	}
	return "Scalar"
}
