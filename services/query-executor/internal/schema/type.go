package schema

import (
	"sync"
)

// Kind is the kind of a named type.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota
	Enum
	Object
	InputObject
	Interface
	Union
)

// Type is a named type. Its content is built when it is first asked for.
type Type struct {
	Name string
	Kind Kind

	definition definition
	once       sync.Once
	inside     *content
}

// definition is the content of a type.
type definition interface {
	describe() string
	build() content
}

// content is what a type holds; which list is filled follows its kind.
type content struct {
	fields []Field
	inputs []Input
	values []Value
	// kin are types of other kinds that it belongs to, nil for none: most have none.
	kin *kin
	// index finds the position of a name in long lists.
	index map[string]int
}

// kin are types that belong to another one.
type kin struct {
	// interfaces are those that an object has, possible the objects that an interface or a
	// union stands for.
	interfaces, possible []*Type
}

// described is a definition as two values.
type described struct {
	text    string
	content func() content
}

func (d described) describe() string { return d.text }

func (d described) build() content {
	if d.content == nil {
		return content{}
	}
	return d.content()
}

// Field is a field of an object.
type Field struct {
	Name    string
	Type    Ref
	Meaning FieldMeaning

	doc  doc
	args args
}

// Description is empty for none.
func (f *Field) Description() string {
	if f.doc == nil {
		return ""
	}
	return f.doc.describe()
}

// Args are the arguments, in the order in which they are planned.
func (f *Field) Args() []Input {
	if f.args == nil {
		return nil
	}
	return f.args.inputs()
}

// Input is an argument, or a field of an input object.
type Input struct {
	Name        string
	Description string
	Type        Ref
	// Default is the default value as GraphQL text, empty for none.
	Default string
	Meaning InputMeaning
}

// Value is a value of an enum.
type Value struct {
	Name        string
	Description string
	Meaning     ValueMeaning
}

// Deprecated reports whether clients should not use it any more.
func (v *Value) Deprecated() bool {
	custom, ok := v.Meaning.(CustomValue)
	return ok && custom.IsDeprecated != nil && *custom.IsDeprecated
}

// longList is the number of names from which an index is faster than a search.
const longList = 24

func newType(name string, kind Kind, description string, build func() content) *Type {
	return &Type{Name: name, Kind: kind, definition: described{description, build}}
}

// array is the definition of the scalar of an array.
type array struct{ element *Type }

func (array) describe() string { return "" }

func (array) build() content { return content{} }

// Element is the scalar of the elements where the type is the scalar of an array of the
// database, else nil. Its values are the text of the array or lists, and variables may be
// declared as lists of elements.
func (t *Type) Element() *Type {
	a, _ := t.definition.(array)
	return a.element
}

// Description is empty for none, as everywhere in this package.
func (t *Type) Description() string { return t.definition.describe() }

func (t *Type) content() *content {
	t.once.Do(func() {
		c := t.definition.build()
		c.fields = distinct(c.fields, func(f *Field) string { return f.Name })
		c.inputs = distinct(c.inputs, func(i *Input) string { return i.Name })
		c.values = distinct(c.values, func(v *Value) string { return v.Name })
		c.setIndex()
		t.inside = &c
	})
	return t.inside
}

// distinct leaves out members whose name another one before them has: a column called like an operator, an aggregate
// of a relationship called like a column.
func distinct[T any](list []T, name func(*T) string) []T {
	var known map[string]bool
	if len(list) >= longList {
		known = make(map[string]bool, len(list))
	}
	kept := 0
	for i := range list {
		n := name(&list[i])
		twice := known[n]
		for j := 0; j < kept && known == nil && !twice; j++ {
			twice = name(&list[j]) == n
		}
		if twice {
			continue
		}
		if known != nil {
			known[n] = true
		}
		if kept != i {
			list[kept] = list[i]
		}
		kept++
	}
	return list[:kept]
}

func (c *content) setIndex() {
	n := max(len(c.fields), len(c.inputs), len(c.values))
	if n < longList {
		return
	}
	c.index = make(map[string]int, n)
	for i := range c.fields {
		c.index[c.fields[i].Name] = i
	}
	for i := range c.inputs {
		c.index[c.inputs[i].Name] = i
	}
	for i := range c.values {
		c.index[c.values[i].Name] = i
	}
}

// IsComposite reports whether fields of the type have selection sets.
func (t *Type) IsComposite() bool { return t.Kind == Object || t.Kind == Interface || t.Kind == Union }

// Fields are the fields of an object.
func (t *Type) Fields() []Field { return t.content().fields }

// Inputs are the fields of an input object.
func (t *Type) Inputs() []Input { return t.content().inputs }

// Values are the values of an enum.
func (t *Type) Values() []Value { return t.content().values }

func (t *Type) kin() kin {
	if k := t.content().kin; k != nil {
		return *k
	}
	return kin{}
}

// Interfaces are those that an object implements.
func (t *Type) Interfaces() []*Type { return t.kin().interfaces }

// Possible are the objects that an interface or a union stands for.
func (t *Type) Possible() []*Type { return t.kin().possible }

// Field returns the field of that name, or nil.
func (t *Type) Field(name string) *Field {
	c := t.content()
	i := c.find(len(c.fields), name, func(i int) string { return c.fields[i].Name })
	if i < 0 {
		return nil
	}
	return &c.fields[i]
}

// Input returns the input field of that name, or nil.
func (t *Type) Input(name string) *Input {
	c := t.content()
	i := c.find(len(c.inputs), name, func(i int) string { return c.inputs[i].Name })
	if i < 0 {
		return nil
	}
	return &c.inputs[i]
}

// Value returns the enum value of that name, or nil.
func (t *Type) Value(name string) *Value {
	c := t.content()
	i := c.find(len(c.values), name, func(i int) string { return c.values[i].Name })
	if i < 0 {
		return nil
	}
	return &c.values[i]
}

// find is the position of a name in a list of n, -1 when it isn't there.
func (c *content) find(n int, name string, at func(int) string) int {
	if c.index != nil {
		if i, ok := c.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n {
		if at(i) == name {
			return i
		}
	}
	return -1
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
