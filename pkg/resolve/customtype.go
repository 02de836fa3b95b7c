package resolve

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// CustomKind is what a type of actions is.
type CustomKind int

// The kinds of types.
const (
	// BuiltInScalar is Int, Float, String, Boolean or ID.
	BuiltInScalar CustomKind = iota
	// CustomScalar is a scalar of the metadata: any JSON.
	CustomScalar
	// SourceScalar is a scalar of a database.
	SourceScalar
	CustomEnum
	CustomInput
	CustomObject
)

// CustomType is a type that actions use.
type CustomType struct {
	Name        string
	Kind        CustomKind
	Description string

	// Enum, Input and Object are set for their kinds.
	Enum   *metadata.EnumType
	Input  *metadata.InputObjectType
	Object *metadata.ObjectType
	// Dialect and Type are those of a SourceScalar.
	Dialect backend.Dialect
	Type    catalog.Type
}

// forInput reports whether arguments can be of the type.
func (t *CustomType) forInput() bool { return t != nil && t.Kind != CustomObject }

// forOutput reports whether fields of answers can be of the type.
func (t *CustomType) forOutput() bool { return t != nil && t.Kind != CustomInput }

var builtInScalars = []string{"Int", "Float", "String", "Boolean", "ID"}

// customTypes are the types of actions, by name.
type customTypes struct {
	meta   *metadata.CustomTypes
	byName map[string]*CustomType
	// scalars finds a scalar of a source, nil when there is none of that name.
	scalars func(name string) *CustomType
}

func newCustomTypes(meta *metadata.CustomTypes, scalars func(string) *CustomType) *customTypes {
	c := &customTypes{meta: meta, byName: map[string]*CustomType{}, scalars: scalars}
	add := func(t CustomType, description *string) {
		if description != nil {
			t.Description = *description
		}
		c.byName[t.Name] = &t
	}
	for i := range meta.Scalars {
		add(CustomType{Name: meta.Scalars[i].Name, Kind: CustomScalar}, meta.Scalars[i].Description)
	}
	for i := range meta.Enums {
		add(CustomType{Name: meta.Enums[i].Name, Kind: CustomEnum, Enum: &meta.Enums[i]}, meta.Enums[i].Description)
	}
	for i := range meta.InputObjects {
		add(CustomType{Name: meta.InputObjects[i].Name, Kind: CustomInput, Input: &meta.InputObjects[i]}, meta.InputObjects[i].Description)
	}
	for i := range meta.Objects {
		add(CustomType{Name: meta.Objects[i].Name, Kind: CustomObject, Object: &meta.Objects[i]}, meta.Objects[i].Description)
	}
	for _, name := range builtInScalars {
		add(CustomType{Name: name, Kind: BuiltInScalar}, nil)
	}
	return c
}

// OutputTypes gives the types of answers of actions by name, as far as answers are checked by
// them. It needs no source: what isn't known otherwise is a scalar of one.
func OutputTypes(types *metadata.CustomTypes) func(name string) *CustomType {
	return newCustomTypes(types, func(name string) *CustomType { return &CustomType{Name: name, Kind: SourceScalar} }).find
}

// find returns the type of that name, or nil. Scalars of sources become known when they are
// asked for, which only happens while the types are checked.
func (c *customTypes) find(name string) *CustomType {
	if t := c.byName[name]; t != nil {
		return t
	}
	t := c.scalars(name)
	if t != nil {
		c.byName[name] = t
	}
	return t
}

// sourceScalar finds the scalar of that GraphQL name among the types of the sources.
func (s *Schema) sourceScalar(name string) *CustomType {
	for _, m := range s.Document.Sources {
		d, err := s.options.Kinds.Dialect(m.Kind, s.catalogs[m.Name], m.Configuration)
		if err != nil {
			continue
		}
		scalar := func(t catalog.Type, ok bool) *CustomType {
			if !ok || d.Scalar(t).Name != name {
				return nil
			}
			return &CustomType{Name: name, Kind: SourceScalar, Dialect: d, Type: t}
		}
		if t := scalar(d.NamedType(name)); t != nil {
			return t
		}
		if c := s.catalogs[m.Name]; c != nil {
			named, ok := c.NamedTypes()[name]
			if t := scalar(named, ok); t != nil {
				return t
			}
		}
	}
	return nil
}

// TypeRelationship leads from an object type of actions to a table.
type TypeRelationship struct {
	Name  string
	Array bool
	Table *Table
	// Fields are compared with Columns, pair by pair.
	Fields  []string
	Columns []*Column
	// Unique reports whether at most one row matches, by one of the table's keys.
	Unique bool
}

// TypeRelationships are the relationships of an object type of actions. They are made when
// they are requested: the types may stay the same while tables change.
func (s *Schema) TypeRelationships(t *CustomType) []*TypeRelationship {
	var list []*TypeRelationship
	for i := range t.Object.Relationships {
		m := &t.Object.Relationships[i]
		r := &TypeRelationship{Name: m.Name, Array: m.Type == metadata.ArrayRelationship}
		source := s.Source(m.Source)
		if source == nil {
			continue
		}
		if r.Table = source.Table(m.RemoteTable); r.Table == nil {
			continue
		}
		for _, field := range sortedKeys(m.FieldMapping) {
			r.Fields = append(r.Fields, field)
			r.Columns = append(r.Columns, r.Table.Column(m.FieldMapping[field]))
		}
		if slices.Contains(r.Columns, nil) {
			continue
		}
		r.Unique = holdsKey(r.Table.Catalog, func(name string) bool {
			return slices.ContainsFunc(r.Columns, func(c *Column) bool { return c.Name == name })
		})
		list = append(list, r)
	}
	return list
}
