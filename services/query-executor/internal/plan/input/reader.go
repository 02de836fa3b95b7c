package input

import (
	"slices"

	"queryengine/pkg/gqlname"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// Env is what input values are read with. It doesn't change while an operation is planned.
type Env struct {
	// Values are those of the variables, by parse.Variable.Index.
	Values [][]byte
	// DropUnset takes a variable without a value and without a default as not given, rather than
	// as null.
	DropUnset bool
	// MaxDepth is how deep input values may nest.
	MaxDepth int
	// Budget is that of the request.
	Budget *budget.Budget
}

// Reader reads the input values of one operation. After an error it is not used any more, so
// nothing is undone on the way out.
type Reader struct {
	Env
	Cursor

	looks  []Look
	once   bool
	trails trails
	depth  int // of input values
}

// NewReader returns a Reader at the root of an operation with so many variables.
func NewReader(e Env, variables int) *Reader { return &Reader{Env: e, looks: make([]Look, variables)} }

// At returns a Reader for values at a place, of which nothing is noted.
func At(path []Step, e Env) *Reader { return &Reader{Env: e, Cursor: Cursor{Path: path}} }

// Looks are how much of the values of variables was looked at, by parse.Variable.Index.
func (r *Reader) Looks() []Look { return r.looks }

// Once reports whether something depends on a value of the client's that is hardly ever the same.
func (r *Reader) Once() bool { return r.once }

// Take draws on the budget.
func (r *Reader) Take(k budget.Kind, n int) error {
	if err := r.Budget.Take(k, n); err != nil {
		return r.Place(err)
	}
	return nil
}

// Deeper goes one level deeper into a value. Shallower undoes it.
func (r *Reader) Deeper() error {
	if r.depth++; r.depth > r.MaxDepth {
		return r.Fail("the value is nested too deeply")
	}
	return nil
}

// Shallower undoes Deeper.
func (r *Reader) Shallower() { r.depth-- }

// Open follows the use of a variable at a place of type at to its value.
func (r *Reader) Open(at schema.Ref, v Value) (Value, error) {
	if v.Literal == nil || v.Literal.Kind != parse.VariableUse {
		return v, nil
	}
	d := v.Literal.Variable
	if !Usable(d, at) {
		return Value{}, r.Fail("variable '%s' is declared as '%s', but used where '%s' is expected", d.Name, d.Type, at)
	}
	return Value{JSON: r.Values[d.Index], Variable: d, whole: newLongText(r.Values[d.Index])}, nil
}

// dropped reports whether v is a variable without a value, and that such are taken as not given.
func (r *Reader) dropped(v Value) bool {
	if !r.DropUnset || v.Literal == nil || v.Literal.Kind != parse.VariableUse {
		return false
	}
	d := v.Literal.Variable
	r.Look(Value{Variable: d}, LookShape) // which tells a missing value from the others
	return r.Values[d.Index] == nil
}

// Omitted reports whether nothing is given for an input: it has a default, and v is a variable without
// a value. in is nil for an unknown input.
func (r *Reader) Omitted(in *schema.Input, v Value) bool {
	if r.dropped(v) {
		return true
	}
	if !takesDefault(in, v) {
		return false
	}
	d := v.Literal.Variable
	r.Look(Value{Variable: d}, LookShape) // which tells a missing value from the others
	return r.Values[d.Index] == nil
}

// Receiver is in as v meets it: an input that has a default takes nullable variables, whatever
// its type is.
func Receiver(in *schema.Input, v Value) *schema.Input {
	if !takesDefault(in, v) || v.Literal.Variable.Type.NonNull {
		return in
	}
	open := *in
	open.Type = in.Type.Nullable()
	return &open
}

// takesDefault reports whether in has a default, and that v is a variable that fits it otherwise.
func takesDefault(in *schema.Input, v Value) bool {
	return in != nil && in.Default != "" && v.Literal != nil && v.Literal.Kind == parse.VariableUse &&
		sameShape(in.Type, &v.Literal.Variable.Type)
}

// Look notes that the plan depends on the variable that v comes from.
func (r *Reader) Look(v Value, l Look) {
	if v.Variable != nil && r.looks[v.Variable.Index] < l {
		r.looks[v.Variable.Index] = l
	}
}

// Depends notes that the plan is good for this very value of v only.
func (r *Reader) Depends(v Value) {
	r.Look(v, LookValue)
	r.once = r.once || v.Variable != nil && v.Kind() != Null
}

// IsNull opens v at a place where null means that nothing was given.
func (r *Reader) IsNull(at schema.Ref, v Value, l Look) (Value, bool, error) {
	v, err := r.Open(at, v)
	if err != nil {
		return v, false, err
	}
	r.Look(v, l)
	return v, v.Kind() == Null, nil
}

// Object walks the fields of an input object: unknown keys are refused first, then f is
// called for each given one in order, and missing required ones are refused.
func (r *Reader) Object(at schema.Ref, v Value, f func(in *schema.Input, v Value) error) error {
	v, err := r.Open(at, v)
	if err != nil {
		return err
	}
	r.Look(v, LookShape)
	t := at.Named
	if v.Kind() != Object {
		return r.Mismatch(t.Name, "an object", v)
	}
	if err := r.Deeper(); err != nil {
		return err
	}
	members := v.Members()
	if err := r.Take(budget.InputValues, len(members)); err != nil {
		return err
	}
	members = slices.DeleteFunc(members, func(m Member) bool { return r.Omitted(t.Input(m.Name), m.Value) })
	for _, m := range members {
		if v.Literal == nil && !gqlname.Valid(m.Name) {
			return r.Fail("variable value contains object with key %q, which is not a legal GraphQL name", m.Name)
		}
		if t.Input(m.Name) == nil {
			return r.FailAt(m.Name, "field '%s' not found in type: '%s'", m.Name, t.Name)
		}
	}
	for _, m := range members {
		r.Push(m.Name)
		if err := f(Receiver(t.Input(m.Name), m.Value), m.Value); err != nil {
			return err
		}
		r.Pop()
	}
	r.Shallower()
	return r.Required(t.Inputs(), func(name string) bool {
		for _, m := range members {
			if m.Name == name {
				return true
			}
		}
		return false
	})
}

// Required refuses a missing input that has to be there.
func (r *Reader) Required(inputs []schema.Input, given func(name string) bool) error {
	for i := range inputs {
		if in := &inputs[i]; in.Type.NonNull() && in.Default == "" && !given(in.Name) {
			return r.FailAt(in.Name, "missing required field '%s'", in.Name)
		}
	}
	return nil
}

// List walks a list; a single value stands for a list of one.
func (r *Reader) List(at schema.Ref, v Value, f func(item schema.Ref, v Value) error) error {
	v, err := r.Open(at, v)
	if err != nil {
		return err
	}
	r.Look(v, LookShape)
	items := []Value{v}
	switch v.Kind() {
	case Null:
		return r.Fail("expected a list, but found null")
	case List:
		items = v.Items()
	}
	if err := r.Deeper(); err != nil {
		return err
	}
	if err := r.Take(budget.InputValues, len(items)); err != nil {
		return err
	}
	of, _ := at.Item()
	for i, item := range items {
		r.PushIndex(i)
		if err := f(of, item); err != nil {
			return err
		}
		r.Pop()
	}
	r.Shallower()
	return nil
}

// Boolean reads a boolean that the plan depends on.
func (r *Reader) Boolean(at schema.Ref, v Value) (bool, error) {
	v, err := r.Open(at, v)
	if err != nil {
		return false, err
	}
	r.Look(v, LookShape) // which takes booleans and nulls as they are
	if v.Kind() != Boolean {
		return false, r.Mismatch("Boolean", "a boolean", v)
	}
	return v.Text() == "true", nil
}

// Constant reads a string that the plan depends on.
func (r *Reader) Constant(at schema.Ref, v Value) (string, error) {
	v, err := r.Open(at, v)
	if err != nil {
		return "", err
	}
	r.Look(v, LookValue)
	if v.Kind() != String {
		return "", r.Mismatch("String", "a string", v)
	}
	return v.Text(), nil
}

// Enum reads a value of an enum that the plan depends on.
func (r *Reader) Enum(at schema.Ref, v Value) (*schema.Value, error) {
	v, err := r.Open(at, v)
	if err != nil {
		return nil, err
	}
	r.Look(v, LookValue)
	return r.EnumValue(at.Named, v)
}

// EnumValue finds an enum value by its name; in the JSON of a variable it is a string.
func (r *Reader) EnumValue(t *schema.Type, v Value) (*schema.Value, error) {
	if k := v.Kind(); k != Enum && (k != String || v.Literal != nil) {
		return nil, r.Mismatch(t.Name, "an enum value", v)
	}
	if found := t.Value(v.Text()); found != nil {
		return found, nil
	}
	return nil, r.Fail("%s", UnknownEnumValue(t, v.Text()))
}
