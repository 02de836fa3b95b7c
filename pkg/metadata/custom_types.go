package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// CustomTypes are the types of the arguments and answers of actions.
type CustomTypes struct {
	InputObjects []InputObjectType `json:"input_objects,omitempty"`
	Objects      []ObjectType      `json:"objects,omitempty"`
	Scalars      []ScalarType      `json:"scalars,omitempty"`
	Enums        []EnumType        `json:"enums,omitempty"`
}

// InputObjectType is an object that arguments are made of.
type InputObjectType struct {
	Name        string       `json:"name" meta:"required"`
	Description *string      `json:"description,omitempty"`
	Fields      []InputField `json:"fields" meta:"required"`
}

// InputField is a field of an input object.
type InputField struct {
	Name        string      `json:"name" meta:"required"`
	Description *string     `json:"description,omitempty"`
	Type        GraphQLType `json:"type" meta:"required"`
}

// ObjectType is an object that answers are made of.
type ObjectType struct {
	Name          string             `json:"name" meta:"required"`
	Description   *string            `json:"description,omitempty"`
	Fields        []ObjectField      `json:"fields" meta:"required"`
	Relationships []TypeRelationship `json:"relationships,omitempty"`
}

// ObjectField is a field of an object.
type ObjectField struct {
	Name        string      `json:"name" meta:"required"`
	Description *string     `json:"description,omitempty"`
	Type        GraphQLType `json:"type" meta:"required"`
	// Arguments are refused unless they are empty.
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// TypeRelationship leads from an object type to the rows of a table.
type TypeRelationship struct {
	Name string `json:"name" meta:"required"`
	// Type is ObjectRelationship or ArrayRelationship.
	Type        string       `json:"type" meta:"required"`
	Source      string       `json:"source" meta:"default=default"`
	RemoteTable catalog.Name `json:"remote_table" meta:"required"`
	// FieldMapping pairs fields of the type with columns of the table.
	FieldMapping map[string]string `json:"field_mapping" meta:"required"`
}

// ScalarType is a scalar whose values are any JSON.
type ScalarType struct {
	Name        string  `json:"name" meta:"required"`
	Description *string `json:"description,omitempty"`
}

// EnumType is an enum.
type EnumType struct {
	Name        string          `json:"name" meta:"required"`
	Description *string         `json:"description,omitempty"`
	Values      []EnumTypeValue `json:"values" meta:"required"`
}

// EnumTypeValue is one of the values of an enum.
type EnumTypeValue struct {
	Value        string  `json:"value" meta:"required"`
	Description  *string `json:"description,omitempty"`
	IsDeprecated *bool   `json:"is_deprecated,omitempty"`
}

func (t *InputObjectType) check() error {
	return firstError(checkTypeName(t.Name, "name"), checkNotEmpty(len(t.Fields), "fields"))
}

func (f *InputField) check() error { return checkTypeName(f.Name, "name") }

func (t *ObjectType) check() error {
	return firstError(checkTypeName(t.Name, "name"), checkNotEmpty(len(t.Fields), "fields"))
}

func (f *ObjectField) check() error {
	if isNull(f.Arguments) {
		f.Arguments = nil
	}
	return checkTypeName(f.Name, "name")
}

func (r *TypeRelationship) check() error {
	if r.Type != ObjectRelationship && r.Type != ArrayRelationship {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"expecting object or array, but found %s", r.Type), "type")
	}
	return checkTypeName(r.Name, "name")
}

func (t *ScalarType) check() error { return checkTypeName(t.Name, "name") }

func (t *EnumType) check() error {
	return firstError(checkTypeName(t.Name, "name"), checkNotEmpty(len(t.Values), "values"))
}

func (v *EnumTypeValue) check() error { return checkTypeName(v.Value, "value") }

func checkTypeName(name, key string) error {
	if gqlname.Valid(name) {
		return nil
	}
	return apierror.At(nameError(name), key)
}

func checkNotEmpty(n int, key string) error {
	if n > 0 {
		return nil
	}
	return apierror.At(apierror.New(apierror.ParseFailed, "parsing NonEmpty failed, unexpected empty list"), key)
}

// ParseCustomTypes reads the types of a document, which may have none.
func ParseCustomTypes(raw json.RawMessage) (*CustomTypes, error) {
	t := &CustomTypes{}
	if raw == nil {
		return t, nil
	}
	return t, decode(raw, t)
}

// Definition is how inconsistencies show the types: with every key.
func (t *CustomTypes) Definition() any {
	type input struct {
		Name        string       `json:"name"`
		Description *string      `json:"description"`
		Fields      []inputShown `json:"fields"`
	}
	type object struct {
		Name          string             `json:"name"`
		Description   *string            `json:"description"`
		Fields        []fieldShown       `json:"fields"`
		Relationships []TypeRelationship `json:"relationships"`
	}
	type scalar struct {
		Name        string  `json:"name"`
		Description *string `json:"description"`
	}
	type enum struct {
		Name        string       `json:"name"`
		Description *string      `json:"description"`
		Values      []valueShown `json:"values"`
	}
	shown := struct {
		InputObjects []input  `json:"input_objects"`
		Objects      []object `json:"objects"`
		Scalars      []scalar `json:"scalars"`
		Enums        []enum   `json:"enums"`
	}{[]input{}, []object{}, []scalar{}, []enum{}}
	for _, i := range t.InputObjects {
		shown.InputObjects = append(shown.InputObjects, input{i.Name, i.Description, mappedTo(i.Fields, func(f InputField) inputShown {
			return inputShown(f)
		})})
	}
	for _, o := range t.Objects {
		shown.Objects = append(shown.Objects, object{o.Name, o.Description, mappedTo(o.Fields, func(f ObjectField) fieldShown {
			return fieldShown(f)
		}), append([]TypeRelationship{}, o.Relationships...)})
	}
	for _, s := range t.Scalars {
		shown.Scalars = append(shown.Scalars, scalar(s))
	}
	for _, e := range t.Enums {
		shown.Enums = append(shown.Enums, enum{e.Name, e.Description, mappedTo(e.Values, func(v EnumTypeValue) valueShown {
			return valueShown(v)
		})})
	}
	return shown
}

// The parts of types with every key.
type (
	inputShown struct {
		Name        string      `json:"name"`
		Description *string     `json:"description"`
		Type        GraphQLType `json:"type"`
	}
	fieldShown struct {
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		Type        GraphQLType     `json:"type"`
		Arguments   json.RawMessage `json:"arguments"`
	}
	valueShown struct {
		Value        string  `json:"value"`
		Description  *string `json:"description"`
		IsDeprecated *bool   `json:"is_deprecated"`
	}
)

// normaliseCustomTypes brings the types of an imported document into one form.
func (d *Document) normaliseCustomTypes() error {
	if saysNothing(d.CustomTypes) {
		d.CustomTypes = nil
		return nil
	}
	types, err := ParseCustomTypes(d.CustomTypes)
	if err == nil {
		d.qualify(types)
		d.CustomTypes, err = Encode(types)
	}
	return apierror.At(err, "custom_types")
}

// CustomTypesID names the custom types, all together, among the objects of the document.
func CustomTypesID() ObjectID { return ObjectID{Kind: ObjectCustomTypes, Name: "custom_types"} }

// SetCustomTypes are the arguments of set_custom_types.
type SetCustomTypes struct{ CustomTypes }

// Apply replaces all types.
func (a *SetCustomTypes) Apply(v View) (*Result, error) {
	doc := *v.Document
	raw, err := Encode(&a.CustomTypes)
	if err != nil {
		return nil, err
	}
	doc.CustomTypes = raw
	if saysNothing(raw) {
		doc.CustomTypes = nil
	}
	return &Result{Document: &doc, Objects: []ObjectID{CustomTypesID()}}, nil
}
