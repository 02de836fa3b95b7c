package schema

import (
	"slices"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// Action is a root field that the handler of an action answers. Its arguments are
// *ActionInput.
type Action struct{ *resolve.Action }

// ActionInput is an argument of an action, or a field of an input object of one.
type ActionInput struct {
	// Type is what the values are, in lists of any depth.
	Type *resolve.CustomType
}

// CustomValue is a value of an enum that metadata defines.
type CustomValue struct{ metadata.EnumTypeValue }

// ActionField is a field of an object that an action answers with.
type ActionField struct {
	*metadata.ObjectField
	// Of is the type of its values, in lists of any depth.
	Of *resolve.CustomType
}

// TypeRelation is a relationship of an object that an action answers with, to a table that the
// role may read.
type TypeRelation struct {
	*resolve.TypeRelationship
	Target *Table
}

// TypeAggregate is the aggregate of an array relationship of such an object.
type TypeAggregate struct{ *TypeRelation }

func (*Action) fieldMeaning()        {}
func (*ActionField) fieldMeaning()   {}
func (*TypeRelation) fieldMeaning()  {}
func (*TypeAggregate) fieldMeaning() {}
func (*ActionInput) inputMeaning()   {}
func (CustomValue) valueMeaning()    {}

// actionFields are the root fields of the actions of a type that the role may use.
func (r *Role) actionFields(of string) []Field {
	var fields []Field
	for _, a := range r.source.Actions() {
		d := &a.Meta.Definition
		switch {
		case d.Type != of || !r.source.Allowed(a, r.Name):
		case d.IsAsynchronous():
			fields = append(fields, r.queuedField(a))
		default:
			fields = append(fields, r.actionField(a, r.customRef(&d.OutputType), &Action{a}))
		}
	}
	return fields
}

// actionField is the root field that takes the arguments of an action.
func (r *Role) actionField(a *resolve.Action, of Ref, means FieldMeaning) Field {
	f := Field{Name: a.Meta.Name, Type: of, Meaning: means, args: argsFunc(func() []Input {
		return r.actionArguments(a.Meta.Definition.Arguments)
	})}
	if a.Meta.Comment != nil {
		f.doc = (*note)(a.Meta.Comment)
	}
	return f
}

func (r *Role) actionArguments(list []metadata.ActionArgument) []Input {
	inputs := make([]Input, 0, len(list))
	for i := range list {
		inputs = append(inputs, r.actionInput(list[i].Name, list[i].Description, &list[i].Type))
	}
	return inputs
}

func (r *Role) actionInput(name string, description *string, t *metadata.GraphQLType) Input {
	m := &ActionInput{Type: r.source.CustomType(t.Name)}
	return Input{Name: name, Description: text(description), Type: r.customRef(t), Meaning: m}
}

// customRef is the use of a type of actions.
func (r *Role) customRef(t *metadata.GraphQLType) Ref {
	var ref Ref
	if t.Item != nil {
		ref = List(r.customRef(t.Item))
	} else {
		ref = Named(r.customType(r.source.CustomType(t.Name)))
	}
	if t.NonNull {
		return NonNull(ref)
	}
	return ref
}

// customType is a type of actions. Scalars of one name are the same everywhere.
func (r *Role) customType(t *resolve.CustomType) *Type {
	switch t.Kind {
	case resolve.CustomEnum, resolve.CustomInput, resolve.CustomObject:
	default:
		return r.named(t.Name, Scalar, t.Description, nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	made := r.customs[t.Name]
	if made == nil {
		kind := map[resolve.CustomKind]Kind{
			resolve.CustomEnum: Enum, resolve.CustomInput: InputObject, resolve.CustomObject: Object,
		}[t.Kind]
		made = newType(t.Name, kind, t.Description, func() content { return r.customContent(t) })
		r.customs[t.Name] = made
	}
	return made
}

func (r *Role) customContent(t *resolve.CustomType) content {
	var c content
	switch t.Kind {
	case resolve.CustomEnum:
		for _, v := range t.Enum.Values {
			c.values = append(c.values, Value{Name: v.Value, Description: text(v.Description), Meaning: CustomValue{v}})
		}
	case resolve.CustomInput:
		for i := range t.Input.Fields {
			f := &t.Input.Fields[i]
			c.inputs = append(c.inputs, r.actionInput(f.Name, f.Description, &f.Type))
		}
	case resolve.CustomObject:
		for i := range t.Object.Fields {
			f := &t.Object.Fields[i]
			field := Field{Name: f.Name, Type: r.customRef(&f.Type), Meaning: &ActionField{f, r.source.CustomType(f.Type.Name)}}
			if f.Description != nil {
				field.doc = (*note)(f.Description)
			}
			c.fields = append(c.fields, field)
		}
		c.fields = append(c.fields, r.typeRelations(t)...)
	}
	return c
}

// typeRelations are the relationships of an object that an action answers with.
func (r *Role) typeRelations(t *resolve.CustomType) []Field {
	var fields []Field
	for _, relationship := range r.source.TypeRelationships(t) {
		target := r.Table(relationship.Table)
		if target == nil {
			continue
		}
		m := &TypeRelation{relationship, target}
		if !relationship.Array {
			fields = append(fields, Field{Name: m.Name, Type: Named(target.Type()), Meaning: m})
			continue
		}
		fields = append(fields, Field{Name: m.Name, Type: target.listType(), Meaning: m, args: (*rowArgs)(target)})
		if target.Permission.Aggregations {
			fields = append(fields, Field{
				Name: target.naming.aggregateOf(m.Name), Type: NonNull(Named(target.AggregateType())),
				Meaning: &TypeAggregate{m}, args: (*rowArgs)(target),
			})
		}
	}
	return slices.DeleteFunc(fields, func(f Field) bool {
		return slices.ContainsFunc(t.Object.Fields, func(own metadata.ObjectField) bool { return own.Name == f.Name })
	})
}
