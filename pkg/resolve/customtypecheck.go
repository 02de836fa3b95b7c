package resolve

import (
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
)

// typeChecker collects the faults of the types of actions.
type typeChecker struct {
	*customTypes
	schema *Schema
	faults []string
}

// problem is the fault of the types, "" for none.
func (c *customTypes) problem(s *Schema) string {
	k := typeChecker{customTypes: c, schema: s}
	k.names()
	for i := range c.meta.Enums {
		k.enum(&c.meta.Enums[i])
	}
	for i := range c.meta.InputObjects {
		k.input(&c.meta.InputObjects[i])
	}
	for i := range c.meta.Objects {
		k.object(&c.meta.Objects[i])
	}
	const failed = "validation for the given custom types failed "
	switch len(k.faults) {
	case 0:
		return ""
	case 1:
		return failed + "because " + k.faults[0]
	}
	return failed + "for the following reasons:\n  • " + strings.Join(k.faults, "\n  • ") + "\n"
}

func (k *typeChecker) fault(format string, args ...any) {
	k.faults = append(k.faults, fmt.Sprintf(format, args...))
}

// repeated are the names that a list has more than once, quoted.
func repeated(names []string) string {
	seen := map[string]int{}
	var twice []string
	for _, n := range names {
		if seen[n]++; seen[n] == 2 {
			twice = append(twice, n)
		}
	}
	slices.Sort(twice)
	return quoteAll(twice)
}

func (k *typeChecker) names() {
	names := slices.Clone(builtInScalars)
	for _, t := range k.meta.Scalars {
		names = append(names, t.Name)
	}
	scalars := len(names)
	for _, t := range k.meta.Enums {
		names = append(names, t.Name)
	}
	for _, t := range k.meta.InputObjects {
		names = append(names, t.Name)
	}
	for _, t := range k.meta.Objects {
		names = append(names, t.Name)
	}
	if twice := repeated(names); twice != "" {
		k.fault("duplicate type names: %s", twice)
		return
	}
	for i, name := range names[len(builtInScalars):] {
		if taken := k.schema.types().taken(name, len(builtInScalars)+i < scalars); taken != "" {
			k.fault("found conflicting definitions for GraphQL type %q, which %s", name, taken)
		}
	}
}

func (k *typeChecker) enum(t *metadata.EnumType) {
	var values []string
	for _, v := range t.Values {
		values = append(values, v.Value)
	}
	if twice := repeated(values); twice != "" {
		k.fault("the enum type %q has duplicate values: %s", t.Name, twice)
	}
	for _, v := range values {
		if !isEnumValue(v) {
			k.fault("the value %q of the enum type %q is not a valid GraphQL enum value name", v, t.Name)
		}
	}
}

func (k *typeChecker) input(t *metadata.InputObjectType) {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	if twice := repeated(names); twice != "" {
		k.fault("the input object %q has duplicate fields: %s", t.Name, twice)
	}
	k.fieldNames("input object", t.Name, names)
	for _, f := range t.Fields {
		if !k.find(f.Type.Name).forInput() {
			k.fault("the type %q for field %q in  input object type %q does not exist", f.Type.Name, f.Name, t.Name)
		}
	}
}

// fieldNames refuses the names that GraphQL keeps for introspection.
func (k *typeChecker) fieldNames(kind, of string, names []string) {
	for _, name := range names {
		if !gqlname.Definable(name) {
			k.fault("the %s %q can't have a field %q: GraphQL keeps names that begin with two underscores for introspection", kind, of, name)
		}
	}
}

func (k *typeChecker) object(t *metadata.ObjectType) {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	for _, r := range t.Relationships {
		names = append(names, r.Name)
	}
	if twice := repeated(names); twice != "" {
		k.fault("the object %q has duplicate fields: %s", t.Name, twice)
	}
	k.fieldNames("object", t.Name, names)
	for _, f := range t.Fields {
		if f.Arguments != nil {
			k.fault("the object %q can't have arguments", t.Name)
		}
		if !k.find(f.Type.Name).forOutput() {
			k.fault("the type %q for field %q in  object type %q does not exist", f.Type.Name, f.Name, t.Name)
		}
	}
	for i := range t.Relationships {
		k.relationship(t, &t.Relationships[i])
	}
	sources := map[string]bool{}
	for _, r := range t.Relationships {
		sources[r.Source] = true
	}
	if len(sources) > 1 {
		k.fault("the object %q has relationships refers to tables in multiple sources", t.Name)
	}
}

func (k *typeChecker) relationship(t *metadata.ObjectType, r *metadata.TypeRelationship) {
	var table *Table
	if source := k.schema.Source(r.Source); source != nil {
		table = source.Table(r.RemoteTable)
	}
	if table == nil {
		k.fault("the remote table %q for relationship %q of object type %q does not exist", k.schema.Document.Display(r.Source, r.RemoteTable), r.Name, t.Name)
		return
	}
	for _, name := range sortedKeys(r.FieldMapping) {
		field := typeField(t, name)
		switch {
		case field == nil:
			k.fault("the field %q for relationship %q in object type %q does not exist", name, r.Name, t.Name)
		case field.Type.Item != nil:
			k.fault("the type of the field %q for relationship %q in object type %q is a list type", name, r.Name, t.Name)
		}
		if column := r.FieldMapping[name]; table.Column(column) == nil {
			k.fault("the column %q of remote table %q for relationship %q of object type %q does not exist",
				column, table.Display(), r.Name, t.Name)
		}
	}
}

// typeField is the field of that name, nil when there is none.
func typeField(t *metadata.ObjectType, name string) *metadata.ObjectField {
	i := slices.IndexFunc(t.Fields, func(f metadata.ObjectField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}
