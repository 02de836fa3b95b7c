package schema

// Placeholder is the member of a type that has no other one, which GraphQL doesn't allow. As a field of an object it is a constant; as a value, or as a
// field of an input object, it can't be given.
type Placeholder struct{}

func (Placeholder) fieldMeaning() {}
func (Placeholder) inputMeaning() {}
func (Placeholder) valueMeaning() {}

const (
	placeholder = "_PLACEHOLDER"
	doNotUse    = "placeholder (do not use)"
)

// orPlaceholder are values, or the one that an enum has without any.
func orPlaceholder(values []Value) []Value {
	if values == nil {
		return []Value{{Name: placeholder, Description: doNotUse, Meaning: Placeholder{}}}
	}
	return values
}

// orPlaceholder are the fields of an input object, or the one that it has without any.
func (r *Role) orPlaceholder(inputs []Input) []Input {
	if len(inputs) == 0 {
		return []Input{{Name: placeholder, Description: doNotUse, Type: Named(r.scalar("Boolean")), Meaning: Placeholder{}}}
	}
	return inputs
}

// placeholderField is the field of an object that has no others.
func (r *Role) placeholderField() Field {
	return Field{Name: placeholder, Type: Named(r.scalar("String")), Meaning: Placeholder{}, doc: words(doNotUse)}
}
