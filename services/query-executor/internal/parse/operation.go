package parse

import "slices"

// Kind is the kind of an operation.
type Kind string

// The kinds.
const (
	Query        Kind = "query"
	Mutation     Kind = "mutation"
	Subscription Kind = "subscription"
)

// Operation is one operation of a document.
type Operation struct {
	Kind       Kind
	Name       string
	Variables  []*Variable
	Directives []Directive
	Selections []Selection
	// Size is what the limits of roles count.
	Size Size

	// hash is Hash where no variable has a part in it, structured reports that one may.
	hash       func() string
	structured bool
}

// HasDirective reports whether a directive stands at the operation itself.
func (o *Operation) HasDirective(name string) bool {
	return slices.ContainsFunc(o.Directives, func(d Directive) bool { return d.Name == name })
}

// Variable is the definition of a variable.
type Variable struct {
	// Index is its position in Operation.Variables.
	Index int
	Name  string
	Type  Type
	// Default is the default value as JSON, nil for none.
	Default []byte
	// Used reports whether the operation refers to it.
	Used bool
}

// Type is a type as it is spelt: a name, or a list of Elem.
type Type struct {
	Name    string
	Elem    *Type
	NonNull bool
}

func (t Type) String() string {
	s := t.Name
	if t.Elem != nil {
		s = "[" + t.Elem.String() + "]"
	}
	if t.NonNull {
		s += "!"
	}
	return s
}

// Selection is a *Field, a *Spread or an *Inline.
type Selection interface{ selection() }

// Field selects a field.
type Field struct {
	// Alias is the key of the answer; it is Name when none was given.
	Alias      string
	Name       string
	Arguments  []Argument
	Directives []Directive
	Selections []Selection
}

// Spread selects what a fragment selects.
type Spread struct {
	Fragment   *Fragment
	Directives []Directive
}

// Inline is an inline fragment; On is empty without a type condition.
type Inline struct {
	On         string
	Directives []Directive
	Selections []Selection
}

// Fragment is a fragment definition.
type Fragment struct {
	Name       string
	On         string
	Selections []Selection
}

func (*Field) selection()  {}
func (*Spread) selection() {}
func (*Inline) selection() {}

// Directive is the use of a directive.
type Directive struct {
	Name      string
	Arguments []Argument
}

// Argument is an argument, or a member of an object.
type Argument struct {
	Name  string
	Value Value
}

// ValueKind is the kind of a value.
type ValueKind uint8

// The kinds of values.
const (
	Null ValueKind = iota
	Boolean
	Int
	Float
	String
	Enum
	List
	Object
	VariableUse
)

// Value is a value as it is spelt in the document.
type Value struct {
	Kind ValueKind
	// Text of a scalar or enum value; a string is unescaped.
	Text     string
	Items    []Value    // of a List
	Fields   []Argument // of an Object
	Variable *Variable  // of a VariableUse
}

// HasVariables reports whether a variable is used in v.
func (v *Value) HasVariables() bool {
	switch v.Kind {
	case VariableUse:
		return true
	case List:
		for i := range v.Items {
			if v.Items[i].HasVariables() {
				return true
			}
		}
	case Object:
		for i := range v.Fields {
			if v.Fields[i].Value.HasVariables() {
				return true
			}
		}
	}
	return false
}

// Equal reports whether two values are spelt the same.
func (v *Value) Equal(o *Value) bool {
	if v.Kind != o.Kind || v.Text != o.Text || v.Variable != o.Variable || len(v.Items) != len(o.Items) {
		return false
	}
	for i := range v.Items {
		if !v.Items[i].Equal(&o.Items[i]) {
			return false
		}
	}
	return EqualArguments(v.Fields, o.Fields)
}
