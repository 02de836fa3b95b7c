package schema

import "sync"

// Kind is the kind of a named type.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota
	Enum
	Object
	InputObject
)

// Type is a named type. Its content is built when it is first asked for.
type Type struct {
	Name string
	Kind Kind
	// Description is empty for none, as everywhere in this package.
	Description string

	once   sync.Once
	build  func() content
	inside content
	// index finds the position of a name in long lists.
	index map[string]int
}

// content is what a type holds; which list is filled follows its kind.
type content struct {
	fields []Field
	inputs []Input
	values []Value
}

// Field is a field of an object.
type Field struct {
	Name        string
	Description string
	Type        Ref
	Args        []Input
	Means       any
}

// Input is an argument, or a field of an input object.
type Input struct {
	Name        string
	Description string
	Type        Ref
	// Default is the default value as GraphQL text, empty for none.
	Default string
	Means   any
}

// Value is a value of an enum.
type Value struct {
	Name        string
	Description string
	Means       any
}

// longList is the number of names from which an index is faster than a search.
const longList = 24

func (t *Type) content() *content {
	t.once.Do(func() {
		if t.build == nil {
			return
		}
		t.inside = t.build()
		t.build = nil
		n := max(len(t.inside.fields), len(t.inside.inputs), len(t.inside.values))
		if n < longList {
			return
		}
		t.index = make(map[string]int, n)
		for i := range t.inside.fields {
			t.index[t.inside.fields[i].Name] = i
		}
		for i := range t.inside.inputs {
			t.index[t.inside.inputs[i].Name] = i
		}
		for i := range t.inside.values {
			t.index[t.inside.values[i].Name] = i
		}
	})
	return &t.inside
}

// Fields are the fields of an object.
func (t *Type) Fields() []Field { return t.content().fields }

// Inputs are the fields of an input object.
func (t *Type) Inputs() []Input { return t.content().inputs }

// Values are the values of an enum.
func (t *Type) Values() []Value { return t.content().values }

// Field returns the field of that name, or nil.
func (t *Type) Field(name string) *Field {
	fields := t.Fields()
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return &fields[i]
		}
		return nil
	}
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// Input returns the input field of that name, or nil.
func (t *Type) Input(name string) *Input {
	inputs := t.Inputs()
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return &inputs[i]
		}
		return nil
	}
	return FindInput(inputs, name)
}

// Value returns the enum value of that name, or nil.
func (t *Type) Value(name string) *Value {
	values := t.Values()
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return &values[i]
		}
		return nil
	}
	for i := range values {
		if values[i].Name == name {
			return &values[i]
		}
	}
	return nil
}

// FindInput returns the input of that name, or nil.
func FindInput(inputs []Input, name string) *Input {
	for i := range inputs {
		if inputs[i].Name == name {
			return &inputs[i]
		}
	}
	return nil
}

// Ref is the use of a type: a named type, and the lists and non-nulls around it.
type Ref struct {
	Named *Type
	// wraps are what is around Named, two bits each, the outermost lowest.
	wraps uint16
}

const (
	wrapNonNull = 1
	wrapList    = 2
)

// Named is a nullable use of t.
func Named(t *Type) Ref { return Ref{Named: t} }

// List is a nullable list of r.
func List(r Ref) Ref { return Ref{Named: r.Named, wraps: r.wraps<<2 | wrapList} }

// NonNull is r without null.
func NonNull(r Ref) Ref {
	if r.NonNull() {
		return r
	}
	return Ref{Named: r.Named, wraps: r.wraps<<2 | wrapNonNull}
}

// NonNull reports whether null is no value of the type.
func (r Ref) NonNull() bool { return r.wraps&3 == wrapNonNull }

// Nullable is r with null.
func (r Ref) Nullable() Ref {
	if r.NonNull() {
		r.wraps >>= 2
	}
	return r
}

// Item is the type of the items when r is a list, nullable or not.
func (r Ref) Item() (Ref, bool) {
	r = r.Nullable()
	if r.wraps&3 != wrapList {
		return Ref{}, false
	}
	r.wraps >>= 2
	return r, true
}

func (r Ref) String() string {
	if r.NonNull() {
		return r.Nullable().String() + "!"
	}
	if item, ok := r.Item(); ok {
		return "[" + item.String() + "]"
	}
	return r.Named.Name
}
