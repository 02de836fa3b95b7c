package remoteschema

import (
	"slices"
	"strings"
)

// String spells the schema, under the names for clients and without descriptions, so that
// schemas which differ only in the order of their parts are spelt alike.
func (s *Schema) String() string {
	parts := make([]string, 0, len(s.Types)+1)
	for _, t := range s.Types {
		if !IsBuiltIn(t.Remote) {
			parts = append(parts, t.Definition())
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// Definition spells the type in GraphQL's schema language, under the names for clients and
// without descriptions. Its parts are sorted, so that equal types have equal texts.
func (t *Type) Definition() string {
	switch t.Kind {
	case Object, Interface:
		word := "type "
		if t.Kind == Interface {
			word = "interface "
		}
		if len(t.Interfaces) > 0 {
			return word + t.Name + " implements " + strings.Join(typeNames(t.Interfaces), " & ") + block(t.Fields, (*Field).definition)
		}
		return Spell(t.Kind, t.Name, lines(t.Fields, (*Field).definition))
	case Union:
		return "union " + t.Name + " = " + strings.Join(typeNames(t.Possible), " | ")
	case Enum:
		return Spell(Enum, t.Name, lines(t.Values, func(v *EnumValue) string { return v.Name }))
	case InputObject:
		parts := append(lines(t.Inputs, (*Input).definition), lines(t.Presets, (*Preset).definition)...)
		return Spell(InputObject, t.Name, parts)
	}
	return "scalar " + t.Name
}

// Spell returns the definition of a type that is no union and implements nothing; parts are its fields
// or values.
func Spell(kind Kind, name string, parts []string) string {
	word, ok := map[Kind]string{Object: "type ", Interface: "interface ", Enum: "enum ", InputObject: "input "}[kind]
	if !ok {
		return "scalar " + name
	}
	return word + name + block(parts, func(s string) string { return s })
}

func (f *Field) definition() string {
	parts := append(lines(f.Args, (*Input).definition), lines(f.Presets, (*Preset).definition)...)
	if len(parts) == 0 {
		return f.Name + ": " + f.Type.String()
	}
	slices.Sort(parts)
	return f.Name + "(" + strings.Join(parts, ", ") + "): " + f.Type.String()
}

func (i *Input) definition() string {
	text := i.Name + ": " + i.Type.String()
	if i.Default != nil {
		text += " = " + *i.Default
	}
	return text
}

func (p *Preset) definition() string {
	return p.Input.definition() + " @preset(value: " + spell(p.Value) + ")"
}

func spell(v Value) string {
	switch v := v.(type) {
	case Literal:
		return v.Text
	case SessionVariable:
		return "$" + v.Name
	case ListValue:
		return "[" + strings.Join(lines(v.Items, spell), ", ") + "]"
	case ObjectValue:
		parts := lines(v.Fields, func(f ObjectField) string { return f.Name + ": " + spell(f.Value) })
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}

func typeNames(list []*Type) []string {
	names := lines(list, func(t *Type) string { return t.Name })
	slices.Sort(names)
	return names
}

func block[T any](list []T, spell func(T) string) string {
	parts := lines(list, spell)
	slices.Sort(parts)
	return " {\n  " + strings.Join(parts, "\n  ") + "\n}"
}

func lines[T any](list []T, spell func(T) string) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = spell(e)
	}
	return out
}
