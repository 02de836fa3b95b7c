package introspect

import (
	"github.com/graphql-go/graphql"

	"queryengine/services/query-executor/internal/schema"
)

// types makes types of graphql-go. Their content is made when it is asked for.
type types struct {
	made map[*schema.Type]graphql.Type
	// abstract are the interfaces and unions that were made.
	abstract map[graphql.Type]*schema.Type
}

func newTypes() *types {
	return &types{made: map[*schema.Type]graphql.Type{}, abstract: map[graphql.Type]*schema.Type{}}
}

func (m *types) named(t *schema.Type) graphql.Type {
	if made := m.made[t]; made != nil {
		return made
	}
	made := m.convert(t)
	m.made[t] = made
	if t.Kind == schema.Interface || t.Kind == schema.Union {
		m.abstract[made] = t
	}
	return made
}

func (m *types) convert(t *schema.Type) graphql.Type {
	switch t.Kind {
	case schema.Object:
		return graphql.NewObject(graphql.ObjectConfig{
			Name: t.Name, Description: t.Description(),
			Fields:     graphql.FieldsThunk(func() graphql.Fields { return m.fields(t) }),
			Interfaces: graphql.InterfacesThunk(func() []*graphql.Interface { return m.interfaces(t) }),
		})
	case schema.Interface:
		return graphql.NewInterface(graphql.InterfaceConfig{
			Name: t.Name, Description: t.Description(),
			Fields:      graphql.FieldsThunk(func() graphql.Fields { return m.fields(t) }),
			ResolveType: unresolved,
		})
	case schema.Union:
		// Its types are answered from the schema: graphql-go wants them all at once.
		return graphql.NewUnion(graphql.UnionConfig{Name: t.Name, Description: t.Description(), ResolveType: unresolved})
	case schema.InputObject:
		return graphql.NewInputObject(graphql.InputObjectConfig{
			Name: t.Name, Description: t.Description(),
			Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap { return m.inputFields(t) }),
		})
	case schema.Enum:
		return graphql.NewEnum(graphql.EnumConfig{Name: t.Name, Description: t.Description(), Values: enumValues(t)})
	}
	return graphql.NewScalar(graphql.ScalarConfig{
		Name: t.Name, Description: t.Description(),
		Serialize: func(v any) any { return v },
	})
}

// unresolved is never called: graphql-go executes nothing here, but refuses an interface or a
// union without it.
func unresolved(graphql.ResolveTypeParams) *graphql.Object { return nil }

func (m *types) interfaces(t *schema.Type) []*graphql.Interface {
	list := make([]*graphql.Interface, 0, len(t.Interfaces()))
	for _, i := range t.Interfaces() {
		if made, ok := m.named(i).(*graphql.Interface); ok {
			list = append(list, made)
		}
	}
	return list
}

func (m *types) fields(t *schema.Type) graphql.Fields {
	fields := graphql.Fields{}
	list := t.Fields()
	for i := range list {
		f := &list[i]
		fields[f.Name] = &graphql.Field{Type: m.ref(f.Type), Args: m.arguments(f.Args()), Description: f.Description()}
	}
	return fields
}

func (m *types) arguments(inputs []schema.Input) graphql.FieldConfigArgument {
	if len(inputs) == 0 {
		return nil
	}
	args := graphql.FieldConfigArgument{}
	for _, in := range inputs {
		args[in.Name] = &graphql.ArgumentConfig{Type: m.ref(in.Type), DefaultValue: constant(in.Default), Description: in.Description}
	}
	return args
}

func (m *types) inputFields(t *schema.Type) graphql.InputObjectConfigFieldMap {
	fields := graphql.InputObjectConfigFieldMap{}
	for _, in := range t.Inputs() {
		fields[in.Name] = &graphql.InputObjectFieldConfig{
			Type: m.ref(in.Type), DefaultValue: constant(in.Default), Description: in.Description,
		}
	}
	return fields
}

// deprecationReason is the one that GraphQL has where nobody gives another.
const deprecationReason = "No longer supported"

// enumValues keep their order as their value.
func enumValues(t *schema.Type) graphql.EnumValueConfigMap {
	values := graphql.EnumValueConfigMap{}
	for i, v := range t.Values() {
		value := &graphql.EnumValueConfig{Value: i, Description: v.Description}
		if v.Deprecated() {
			value.DeprecationReason = deprecationReason
		}
		values[v.Name] = value
	}
	return values
}

// defaultText is a default value, spelt in GraphQL.
type defaultText string

func constant(text string) any {
	if text == "" {
		return nil
	}
	return defaultText(text)
}

// ref is the use of a type.
func (m *types) ref(r schema.Ref) graphql.Type {
	if r.NonNull() {
		return graphql.NewNonNull(m.ref(r.Nullable()))
	}
	if item, ok := r.Item(); ok {
		return graphql.NewList(m.ref(item))
	}
	return m.named(r.Named)
}

func (m *types) directive(d schema.Directive) *graphql.Directive {
	out := &graphql.Directive{Name: d.Name, Description: d.Description, Locations: d.Locations}
	for _, in := range d.Args {
		out.Args = append(out.Args, &graphql.Argument{
			PrivateName: in.Name, Type: m.ref(in.Type), DefaultValue: constant(in.Default), PrivateDescription: in.Description,
		})
	}
	return out
}
