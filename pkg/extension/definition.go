package extension

import (
	"fmt"
	"slices"
	"strings"
)

// Definition describes the types of an action's input and output.
type Definition struct {
	// Query is true for actions that are root fields of queries.
	Query     bool
	Arguments []Field
	Output    Ref
}

// Field is an argument of an action or a field of an object.
type Field struct {
	Name, Description string
	Type              Ref
}

// Ref is a use of a type.
type Ref struct {
	// Type is the type used, nil for a list.
	Type *Type
	// Of is the type of a list's items.
	Of      *Ref
	NonNull bool
}

// TypeKind is what a Type is.
type TypeKind int

// The kinds of types.
const (
	Scalar TypeKind = iota
	Enum
	Object
)

// Type is a type of the code.
type Type struct {
	Kind TypeKind
	// Name is the type's name in GraphQL. Metadata may call objects and enums by others.
	Name, Description string
	// Fields are those of an object, Values the members of an enum.
	Fields []Field
	Values []string
	// Text is true for scalars that are texts in JSON, whatever metadata calls them.
	Text bool
}

// String is the type as GraphQL writes it.
func (r Ref) String() string { return r.text("") }

func (r Ref) text(suffix string) string {
	text := ""
	switch {
	case r.Of != nil:
		text = "[" + r.Of.text(suffix) + "]"
	case r.Type.Kind == Object:
		text = r.Type.Name + suffix
	default:
		text = r.Type.Name
	}
	if r.NonNull {
		text += "!"
	}
	return text
}

// Named is the type below lists.
func (r Ref) Named() *Type {
	for r.Of != nil {
		r = *r.Of
	}
	return r.Type
}

// inputSuffix follows the names of objects that are input, which GraphQL keeps apart from those of output.
const inputSuffix = "Input"

// SDL is actions with their types, in the form of a project's actions.graphql.
func SDL(handlers []Handler) string {
	var b strings.Builder
	types := map[string]string{}
	for _, h := range handlers {
		d := h.Definition
		if d == nil {
			continue
		}
		root := "Mutation"
		if d.Query {
			root = "Query"
		}
		fmt.Fprintf(&b, "type %s {\n  %s", root, h.Name)
		if len(d.Arguments) > 0 {
			b.WriteString("(\n")
			for _, a := range d.Arguments {
				writeField(&b, "    ", a, inputSuffix)
				addTypes(types, a.Type.Named(), true)
			}
			b.WriteString("  )")
		}
		fmt.Fprintf(&b, ": %s\n}\n\n", d.Output)
		addTypes(types, d.Output.Named(), false)
	}
	names := make([]string, 0, len(types))
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(types[name] + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func writeField(b *strings.Builder, indent string, f Field, suffix string) {
	describe(b, indent, f.Description)
	fmt.Fprintf(b, "%s%s: %s\n", indent, f.Name, f.Type.text(suffix))
}

func describe(b *strings.Builder, indent, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s%q\n", indent, text)
	}
}

// addTypes adds the definitions of a type and of those below it.
func addTypes(types map[string]string, t *Type, input bool) {
	keyword, suffix := "type", ""
	if input && t.Kind == Object {
		keyword, suffix = "input", inputSuffix
	}
	name := t.Name + suffix
	if _, known := types[name]; known || t.Kind == Scalar {
		return
	}
	types[name] = "" // types may contain themselves
	var b strings.Builder
	describe(&b, "", t.Description)
	if t.Kind == Enum {
		fmt.Fprintf(&b, "enum %s {\n  %s\n}\n", name, strings.Join(t.Values, "\n  "))
	} else {
		fmt.Fprintf(&b, "%s %s {\n", keyword, name)
		for _, f := range t.Fields {
			writeField(&b, "  ", f, suffix)
			addTypes(types, f.Type.Named(), input)
		}
		b.WriteString("}\n")
	}
	types[name] = b.String()
}
