package introspect

import (
	"slices"
	"strings"

	"queryengine/pkg/jsontext"
	"queryengine/services/query-executor/internal/schema"
)

// builtin are the scalars that every schema has.
var builtin = []string{"Boolean", "Float", "ID", "Int", "String"}

// sdl spells a schema with these types, without what introspection and federation add to it.
func sdl(role *schema.Role, all []*schema.Type) string {
	d := definitions{linked: role.LinksFederation()}
	d.schema(role)
	for _, t := range all {
		if strings.HasPrefix(t.Name, "__") || slices.Contains(builtin, t.Name) || slices.Contains(federation, t.Name) {
			continue
		}
		d.typ(t, role.Federated(t, d.linked))
	}
	return d.String()
}

// federation are the types that a gateway knows by itself.
var federation = []string{"_Any", "_Entity", "_Service"}

// definitions is the text of a schema under construction.
type definitions struct {
	strings.Builder
	// linked reports whether the schema is one of Federation 2.
	linked bool
}

// link says which version of Federation a schema is of.
const link = ` @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@inaccessible", "@tag"])`

func (d *definitions) schema(role *schema.Role) {
	d.WriteString("schema")
	if d.linked {
		d.WriteString(link)
	}
	d.WriteString(" {\n  query: " + role.Query().Name + "\n")
	if t := role.Mutation(); t != nil {
		d.WriteString("  mutation: " + t.Name + "\n")
	}
	if t := role.Subscription(); t != nil {
		d.WriteString("  subscription: " + t.Name + "\n")
	}
	d.WriteString("}\n")
}

func (d *definitions) typ(t *schema.Type, of schema.Federated) {
	d.WriteByte('\n')
	d.describe(t.Description(), "")
	switch t.Kind {
	case schema.Scalar:
		d.WriteString("scalar " + t.Name + "\n")
	case schema.Enum:
		d.WriteString("enum " + t.Name + " {\n")
		for _, v := range t.Values() {
			d.describe(v.Description, "  ")
			d.WriteString("  " + v.Name)
			if v.Deprecated() {
				d.WriteString(" @deprecated")
			}
			d.WriteByte('\n')
		}
		d.WriteString("}\n")
	case schema.InputObject:
		d.WriteString("input " + t.Name + " {\n")
		for _, in := range byName(t.Inputs(), func(in schema.Input) string { return in.Name }) {
			d.describe(in.Description, "  ")
			d.WriteString("  ")
			d.input(&in)
			d.WriteByte('\n')
		}
		d.WriteString("}\n")
	case schema.Union:
		d.WriteString("union " + t.Name + " = " + typeList(t.Possible(), " | ") + "\n")
	case schema.Object, schema.Interface:
		if t.Kind == schema.Interface {
			d.WriteString("interface " + t.Name)
		} else {
			d.WriteString("type " + t.Name)
		}
		if of := t.Interfaces(); len(of) > 0 {
			d.WriteString(" implements " + typeList(of, " & "))
		}
		d.WriteString(of.Type + " {\n")
		for _, f := range byName(t.Fields(), func(f schema.Field) string { return f.Name }) {
			d.field(&f, of.Fields[f.Name])
		}
		d.WriteString("}\n")
	}
}

// typeList is the names of types, in their order.
func typeList(types []*schema.Type, separator string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	slices.Sort(names)
	return strings.Join(names, separator)
}

func (d *definitions) field(f *schema.Field, directives string) {
	switch f.Meaning.(type) {
	case schema.Service, schema.Entities:
		return
	}
	d.describe(f.Description(), "  ")
	d.WriteString("  " + f.Name)
	if args := byName(f.Args(), func(in schema.Input) string { return in.Name }); len(args) > 0 {
		d.WriteByte('(')
		for i := range args {
			if i > 0 {
				d.WriteString(", ")
			}
			if args[i].Description != "" {
				d.Write(jsontext.AppendString(nil, args[i].Description))
				d.WriteByte(' ')
			}
			d.input(&args[i])
		}
		d.WriteByte(')')
	}
	d.WriteString(": " + f.Type.String() + directives + "\n")
}

func (d *definitions) input(in *schema.Input) {
	d.WriteString(in.Name + ": " + in.Type.String())
	if in.Default != "" {
		d.WriteString(" = " + in.Default)
	}
}

// describe writes a description; the strings of GraphQL are those of JSON.
func (d *definitions) describe(text, indent string) {
	if text != "" {
		d.WriteString(indent)
		d.Write(jsontext.AppendString(nil, text))
		d.WriteByte('\n')
	}
}

func byName[T any](list []T, name func(T) string) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(name(a), name(b)) })
	return list
}

// SDL spells types of a role, those that introspection adds left out.
func SDL(role *schema.Role, types []*schema.Type) string {
	var d definitions
	for _, t := range types {
		if strings.HasPrefix(t.Name, "__") || slices.Contains(builtin, t.Name) || slices.Contains(federation, t.Name) {
			continue
		}
		d.typ(t, schema.Federated{})
	}
	return strings.TrimPrefix(d.String(), "\n")
}
