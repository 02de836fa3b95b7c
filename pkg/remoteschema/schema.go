package remoteschema

import (
	"slices"
	"strings"
)

// Kind is the kind of a type, as introspection spells it.
type Kind string

// The kinds of types.
const (
	Object      Kind = "OBJECT"
	Interface   Kind = "INTERFACE"
	Union       Kind = "UNION"
	Enum        Kind = "ENUM"
	InputObject Kind = "INPUT_OBJECT"
	Scalar      Kind = "SCALAR"
)

// Schema is what a remote server offers, or what a role sees of it.
type Schema struct {
	// The root types; nil for what there is none of. Subscriptions aren't merged into the
	// schema of the engine.
	Query, Mutation, Subscription *Type
	// Types in the order of their names.
	Types []*Type
	// Namespace is the field in the roots of the engine's schema that holds the root fields,
	// "" when they are root fields there, too.
	Namespace string

	byName, byRemote map[string]*Type
}

// Type returns the type that clients know by that name, or nil.
func (s *Schema) Type(name string) *Type { return s.byName[name] }

// RemoteType returns the type that the remote knows by that name, or nil.
func (s *Schema) RemoteType(name string) *Type { return s.byRemote[name] }

// Type is a type that has a name.
type Type struct {
	Kind Kind
	// Name is the name for clients, Remote that at the remote.
	Name, Remote string
	Description  string
	// Fields are those of an object or an interface.
	Fields []*Field
	// Interfaces are those that an object or an interface implements.
	Interfaces []*Type
	// Possible are the objects that an interface or a union may stand for, in the order of
	// the remote.
	Possible []*Type
	// Values are those of an enum.
	Values []*EnumValue
	// Inputs are the fields of an input object that clients may give, Presets those that the
	// engine puts into each object that a client gives.
	Inputs  []*Input
	Presets []*Preset
}

// IsInput reports whether values of the type may be arguments.
func (t *Type) IsInput() bool { return t.Kind == Enum || t.Kind == InputObject || t.Kind == Scalar }

// IsOutput reports whether fields may be of the type.
func (t *Type) IsOutput() bool { return t.Kind != InputObject }

// IsAbstract reports whether the type stands for several objects.
func (t *Type) IsAbstract() bool { return t.Kind == Interface || t.Kind == Union }

// Field returns the field that clients know by that name, or nil.
func (t *Type) Field(name string) *Field {
	return find(t.Fields, func(f *Field) bool { return f.Name == name })
}

// RemoteField returns the field that the remote knows by that name, or nil.
func (t *Type) RemoteField(name string) *Field {
	return find(t.Fields, func(f *Field) bool { return f.Remote == name })
}

// Input returns the field of an input object that has the name, or nil.
func (t *Type) Input(name string) *Input { return input(t.Inputs, name) }

// Value returns the enum value of that name, or nil.
func (t *Type) Value(name string) *EnumValue {
	return find(t.Values, func(v *EnumValue) bool { return v.Name == name })
}

// Field is a field of an object or an interface.
type Field struct {
	// Name is the name for clients, Remote that at the remote.
	Name, Remote string
	Description  string
	// Args are the arguments that clients may give, Presets those that are always sent.
	Args    []*Input
	Presets []*Preset
	Type    *Ref
}

// Arg returns the argument of that name, or nil.
func (f *Field) Arg(name string) *Input { return input(f.Args, name) }

// Input is an argument, or a field of an input object. Its name is never customized.
type Input struct {
	Name        string
	Description string
	Type        *Ref
	// Default is the text of the default value in GraphQL, nil for none.
	Default *string
}

// Required reports whether a value has to be given.
func (i *Input) Required() bool { return i.Type.NonNull && i.Default == nil }

// EnumValue is a value of an enum. Its name is never customized.
type EnumValue struct{ Name, Description string }

// Ref is a type as it is referred to. Exactly one of Type and Elem is set.
type Ref struct {
	Type    *Type
	Elem    *Ref // of a list
	NonNull bool
}

// Named is the type without lists.
func (r *Ref) Named() *Type {
	for r.Elem != nil {
		r = r.Elem
	}
	return r.Type
}

// String is the type as clients know it: [User!]!.
func (r *Ref) String() string { return r.text(func(t *Type) string { return t.Name }) }

// Remote is the type as the remote knows it, for variables that are sent there.
func (r *Ref) Remote() string { return r.text(func(t *Type) string { return t.Remote }) }

func (r *Ref) text(name func(*Type) string) string {
	var s string
	if r.Elem != nil {
		s = "[" + r.Elem.text(name) + "]"
	} else {
		s = name(r.Type)
	}
	if r.NonNull {
		s += "!"
	}
	return s
}

// IsBuiltIn reports whether the name is that of a scalar that every schema has.
func IsBuiltIn(name string) bool { return slices.Contains(builtIn, name) }

var builtIn = []string{"Boolean", "Float", "ID", "Int", "String"}

// newSchema sorts the types and makes the indexes.
func newSchema(types []*Type) *Schema {
	s := &Schema{Types: types, byName: make(map[string]*Type, len(types)), byRemote: make(map[string]*Type, len(types))}
	slices.SortFunc(s.Types, func(a, b *Type) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range types {
		s.byName[t.Name] = t
		s.byRemote[t.Remote] = t
	}
	return s
}

// setRoots takes the root types of old, as they are here.
func (s *Schema) setRoots(old *Schema) {
	root := func(t *Type) *Type {
		if t == nil {
			return nil
		}
		return s.byRemote[t.Remote]
	}
	s.Query, s.Mutation, s.Subscription = root(old.Query), root(old.Mutation), root(old.Subscription)
}

// setPossible finds the objects of each interface.
func (s *Schema) setPossible() {
	for _, t := range s.Types {
		if t.Kind != Object {
			continue
		}
		for _, i := range t.Interfaces {
			i.Possible = append(i.Possible, t)
		}
	}
}

func input(list []*Input, name string) *Input {
	return find(list, func(i *Input) bool { return i.Name == name })
}

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}
