package extension

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/gqlname"
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

// SDL is actions with their types, in the form of a project's actions.graphql. Its error lists types without a name that
// GraphQL can have, and names of several types.
func SDL(handlers []Handler) (string, error) {
	var b strings.Builder
	types := sdlTypes{texts: map[string]string{}}
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
				types.add(a.Type.Named(), true)
			}
			b.WriteString("  )")
		}
		fmt.Fprintf(&b, ": %s\n}\n\n", d.Output)
		types.add(d.Output.Named(), false)
	}
	for _, name := range slices.Sorted(maps.Keys(types.texts)) {
		b.WriteString(types.texts[name] + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), errors.Join(types.faults...)
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

// builtIn are the scalars that need no definition.
var builtIn = []string{"Int", "Float", "String", "Boolean", "ID"}

// sdlTypes are definitions by their names.
type sdlTypes struct {
	texts  map[string]string
	adding []*Type // types may contain themselves
	faults []error
}

// add adds the definitions of a type and of those below it.
func (s *sdlTypes) add(t *Type, input bool) {
	if t.Kind == Scalar && slices.Contains(builtIn, t.Name) || slices.Contains(s.adding, t) {
		return
	}
	s.adding = append(s.adding, t)
	defer func() { s.adding = s.adding[:len(s.adding)-1] }()
	keyword, suffix := "type", ""
	if input && t.Kind == Object {
		keyword, suffix = "input", inputSuffix
	}
	name := t.Name + suffix
	var b strings.Builder
	describe(&b, "", t.Description)
	switch t.Kind {
	case Scalar:
		fmt.Fprintf(&b, "scalar %s\n", name)
	case Enum:
		fmt.Fprintf(&b, "enum %s {\n  %s\n}\n", name, strings.Join(t.Values, "\n  "))
	default:
		fmt.Fprintf(&b, "%s %s {\n", keyword, name)
		for _, f := range t.Fields {
			writeField(&b, "  ", f, suffix)
			s.add(f.Type.Named(), input)
		}
		b.WriteString("}\n")
	}
	switch known, ok := s.texts[name]; {
	case !gqlname.Definable(t.Name):
		s.faults = append(s.faults, fmt.Errorf("%q is no name of GraphQL: name the Go type, or give it a method GraphQLType", t.Name))
	case ok && known != b.String():
		s.faults = append(s.faults, fmt.Errorf("several Go types are called %s: give one a method GraphQLType", name))
	}
	s.texts[name] = b.String()
}
