package remoteschema

import (
	"slices"
	"strings"

	"queryengine/pkg/metadata"
)

// Customize is the schema under the names that the customization gives, nil for none.
func (s *Schema) Customize(c *metadata.RemoteCustomization) (*Schema, error) {
	if c == nil {
		return s, nil
	}
	r := renamer{customization: c, schema: s, fields: map[string]*metadata.RemoteFieldNames{}}
	for i := range c.FieldNames {
		r.fields[c.FieldNames[i].ParentType] = &c.FieldNames[i]
	}
	if err := r.checkInterfaces(); err != nil {
		return nil, err
	}
	renamed := s.copy(r.typeName, r.fieldName)
	renamed.Namespace = c.RootFieldsNamespace
	return renamed, r.checkDistinct(renamed)
}

// renamer gives names to types and fields.
type renamer struct {
	customization *metadata.RemoteCustomization
	schema        *Schema
	fields        map[string]*metadata.RemoteFieldNames // by the type's name at the remote
}

func (r renamer) typeName(t *Type) string {
	names := r.customization.TypeNames
	if names != nil {
		if name, mapped := names.Mapping[t.Remote]; mapped {
			return name
		}
	}
	root := t == r.schema.Query || t == r.schema.Mutation || t == r.schema.Subscription
	switch {
	case IsBuiltIn(t.Remote):
		return t.Remote
	case root && r.customization.RootFieldsNamespace == "":
		return t.Remote
	case root:
		return r.customization.RootFieldsNamespace + t.Remote
	case names == nil:
		return t.Remote
	}
	return names.Prefix + t.Remote + names.Suffix
}

func (r renamer) fieldName(t *Type, f *Field) string {
	names := r.fields[t.Remote]
	if names == nil {
		return f.Remote
	}
	if name, mapped := names.Mapping[f.Remote]; mapped {
		return name
	}
	return names.Prefix + f.Remote + names.Suffix
}

// checkInterfaces refuses names by which a type would no longer implement its interfaces.
func (r renamer) checkInterfaces() error {
	for _, t := range r.schema.Types {
		for _, i := range t.Interfaces {
			for _, f := range i.Fields {
				own := t.RemoteField(f.Remote)
				if own == nil {
					continue
				}
				if promised, given := r.fieldName(i, f), r.fieldName(t, own); promised != given {
					return faultf("Remote schema customization inconsistency: field name mapping for field %q of interface %q "+
						"is inconsistent with mapping for type %q. Interface field name maps to %q. Type field name maps to %q.",
						f.Remote, i.Remote, t.Remote, promised, given)
				}
			}
		}
	}
	return nil
}

// checkDistinct refuses names that several things got.
func (r renamer) checkDistinct(renamed *Schema) error {
	var names []string
	for _, t := range renamed.Types {
		names = append(names, t.Name)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "__") {
			return faultf("the type name %q can't be: GraphQL keeps names that begin with two underscores for introspection", name)
		}
	}
	if twice := repeated(names); len(twice) > 0 {
		return faultf("Type name mappings are not distinct; the following types appear more than once: %s", quoted(twice, ", "))
	}
	for _, t := range renamed.Types {
		names = names[:0]
		for _, f := range t.Fields {
			if strings.HasPrefix(f.Name, "__") {
				return faultf("the field name %q of type %q can't be: GraphQL keeps names that begin with two underscores for introspection", f.Name, t.Remote)
			}
			names = append(names, f.Name)
		}
		if twice := repeated(names); len(twice) > 0 {
			return faultf("Field name mappings for %s type %q are not distinct; the following fields appear more than once: %s",
				strings.ToLower(kindName(t.Kind)), t.Remote, quoted(twice, ", "))
		}
	}
	return nil
}

// copy copies the schema, with other names for clients.
func (s *Schema) copy(typeName func(*Type) string, fieldName func(*Type, *Field) string) *Schema {
	types := make(map[*Type]*Type, len(s.Types))
	list := make([]*Type, 0, len(s.Types))
	for _, t := range s.Types {
		c := *t
		c.Name = typeName(t)
		types[t] = &c
		list = append(list, &c)
	}
	c := copier{types}
	for old, t := range types {
		t.Interfaces, t.Possible = c.all(old.Interfaces), c.all(old.Possible)
		t.Inputs, t.Presets = c.inputs(old.Inputs), c.presets(old.Presets)
		t.Fields = make([]*Field, 0, len(old.Fields))
		for _, f := range old.Fields {
			t.Fields = append(t.Fields, &Field{
				Name: fieldName(old, f), Remote: f.Remote, Description: f.Description,
				Args: c.inputs(f.Args), Presets: c.presets(f.Presets), Type: c.ref(f.Type),
			})
		}
	}
	next := newSchema(list)
	next.setRoots(s)
	return next
}

// copier finds the copies of types.
type copier struct{ types map[*Type]*Type }

// of is the copy of a type. Presets may be of types that are hidden: those stay what they are.
func (c copier) of(t *Type) *Type {
	if copied := c.types[t]; copied != nil {
		return copied
	}
	return t
}

func (c copier) all(list []*Type) []*Type {
	list = slices.Clone(list)
	for i, t := range list {
		list[i] = c.of(t)
	}
	return list
}

func (c copier) ref(r *Ref) *Ref {
	if r.Elem != nil {
		return &Ref{Elem: c.ref(r.Elem), NonNull: r.NonNull}
	}
	return &Ref{Type: c.of(r.Type), NonNull: r.NonNull}
}

func (c copier) input(i *Input) *Input {
	return &Input{Name: i.Name, Description: i.Description, Type: c.ref(i.Type), Default: i.Default}
}

func (c copier) inputs(list []*Input) []*Input {
	var out []*Input
	for _, i := range list {
		out = append(out, c.input(i))
	}
	return out
}

func (c copier) presets(list []*Preset) []*Preset {
	var out []*Preset
	for _, p := range list {
		out = append(out, &Preset{Input: c.input(p.Input), Value: c.value(p.Value)})
	}
	return out
}

func (c copier) value(v Value) Value {
	switch v := v.(type) {
	case SessionVariable:
		return SessionVariable{Name: v.Name, Type: c.of(v.Type)}
	case ListValue:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = c.value(item)
		}
		return ListValue{items}
	case ObjectValue:
		fields := make([]ObjectField, len(v.Fields))
		for i, f := range v.Fields {
			fields[i] = ObjectField{f.Name, c.value(f.Value)}
		}
		return ObjectValue{fields}
	}
	return v
}
