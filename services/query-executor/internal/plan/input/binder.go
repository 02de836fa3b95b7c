package input

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// Binder makes the operands of one statement.
type Binder struct {
	reader  *Reader
	dialect backend.Dialect
	list    []binding
	shared  map[sharedKey]int
}

// NewBinder returns a Binder for a statement of a dialect.
func NewBinder(r *Reader, d backend.Dialect) *Binder {
	return &Binder{reader: r, dialect: d, shared: map[sharedKey]int{}}
}

// Bindings are those of the operands that were made. The Binder isn't used any more.
func (b *Binder) Bindings() Bindings { return newBindings(b.list) }

// sharedKey tells values that may share a parameter: the same variable, bound the same way.
type sharedKey struct {
	variable *parse.Variable
	mode     mode
	nullable bool
	id       string
	typ      catalog.Name
	dims     int
}

// Operand makes the value of a place of type at. Nothing but its text depends on the
// request, so that requests with other values share the plan.
func (b *Binder) Operand(at schema.Ref, v Value, c Coercion) (ir.Value, error) {
	if v.Literal != nil && v.Literal.Kind == parse.VariableUse {
		opened, err := b.reader.Open(at, v)
		if err != nil {
			return nil, err
		}
		return b.variable(opened, c)
	}
	if v.Literal == nil {
		// The way to the value goes through the variable's structure.
		b.reader.Look(v, LookShape)
		return b.variable(v, c)
	}
	if v.Literal.HasVariables() {
		return b.template(at, v, c)
	}
	return b.literal(v, c)
}

// Unshared is Operand for a value that has a parameter of its own.
func (b *Binder) Unshared(at schema.Ref, v Value, c Coercion) (ir.Value, error) {
	shared := b.shared
	b.shared = map[sharedKey]int{}
	bound, err := b.Operand(at, v, c)
	b.shared = shared
	return bound, err
}

// variable binds (a part of) a variable. The current value is tried at once, so that
// its faults are found in the order of the document.
func (b *Binder) variable(v Value, c Coercion) (ir.Value, error) {
	if v.Variable == nil {
		return b.BindConstant(v.JSON, c)
	}
	key := sharedKey{
		variable: v.Variable, mode: c.mode, nullable: c.Nullable, id: c.element.ID,
		typ: catalog.Name{Name: c.element.Name, Schema: c.element.Schema}, dims: c.element.Dims,
	}
	if i, ok := b.shared[key]; ok && v.place == nil {
		return ir.Variable{Index: i, Type: c.element, List: c.isList(), Wrap: b.list[i].wrap}, nil
	}
	if err := b.reader.Take(budget.Constants, len(v.JSON)); err != nil {
		return nil, err
	}
	_, wrap, err := c.Apply(v.JSON, false)
	if err != nil {
		return nil, b.reader.Place(err)
	}
	made := binding{coercion: &c, wrap: wrap, Origin: From(v), path: b.reader.trail()}
	if v.place == nil && (c.mode == modeValue || c.mode == modeEnum) {
		made.name = v.Variable.Name
	}
	bound := b.bind(made)
	if v.place == nil {
		b.shared[key] = bound.Index
	}
	return bound, nil
}

// BindConstant binds JSON whose text is known to be the same whenever the plan is used.
func (b *Binder) BindConstant(json []byte, c Coercion) (ir.Value, error) {
	text, wrap, err := c.Apply(json, false)
	if err != nil {
		return nil, b.reader.Place(err)
	}
	return b.bind(binding{coercion: &c, wrap: wrap, constant: text, Origin: FromVariable(-1)}), nil
}

// template binds a list or object that has variables inside.
func (b *Binder) template(at schema.Ref, v Value, c Coercion) (ir.Value, error) {
	if err := b.reader.CheckTemplate(at, v.Literal, c.isList()); err != nil {
		return nil, err
	}
	made := binding{coercion: &c, Origin: FromVariable(-1), template: v.Literal, path: b.reader.trail()}
	_, wrap, err := c.Apply(made.spelled(b.reader.Values), true)
	if err != nil {
		return nil, b.reader.Place(err)
	}
	made.wrap = wrap
	return b.bind(made), nil
}

// literal binds a value that is spelt in the document: never as a part of the
// statement, which stays the same for documents that differ in it.
func (b *Binder) literal(v Value, c Coercion) (ir.Value, error) {
	if err := b.reader.CheckEnum(v, c); err != nil {
		return nil, err
	}
	text, wrap, err := c.Apply(v.Literal.AppendJSON(nil, nil), true)
	if err != nil {
		return nil, b.reader.Place(err)
	}
	if c.mode == modeLimit || c.mode == modeOffset {
		// The database plans better when it sees how many rows are wanted.
		return ir.Literal{Text: string(text), Type: c.element}, nil
	}
	return b.bind(binding{coercion: &c, wrap: wrap, constant: text, Origin: FromVariable(-1)}), nil
}

func (b *Binder) bind(made binding) ir.Variable {
	v := ir.Variable{Index: len(b.list), Type: made.coercion.element, List: made.coercion.isList(), Wrap: made.wrap}
	b.list = append(b.list, made)
	return v
}

// Scalar is the coercion of values of a type; named is how they are called in GraphQL.
func (b *Binder) Scalar(t catalog.Type, named *schema.Type) Coercion { return Of(b.dialect, t, named) }

// ListOf is the coercion of lists of values of a type.
func (b *Binder) ListOf(t catalog.Type, named *schema.Type) Coercion {
	c := Of(b.dialect, t, named)
	c.mode = modeList
	return c
}

// Text is the coercion of texts, whatever type a column has.
func (b *Binder) Text(named *schema.Type) Coercion {
	return b.Scalar(b.dialect.Builtin(backend.TypeText), named)
}

// Texts is the coercion of lists of texts.
func (b *Binder) Texts(named *schema.Type) Coercion {
	return b.ListOf(b.dialect.Builtin(backend.TypeText), named)
}

// Int is the coercion of 32-bit integers.
func (b *Binder) Int(named *schema.Type) Coercion {
	return b.Scalar(b.dialect.Builtin(backend.TypeInt), named)
}

// Limit is the coercion of non-negative 32-bit integers.
func (b *Binder) Limit(named *schema.Type) Coercion {
	return Coercion{mode: modeLimit, element: b.dialect.Builtin(backend.TypeInt), named: named}
}

// Offset is the coercion of 64-bit integers.
func (b *Binder) Offset(named *schema.Type) Coercion {
	return Coercion{mode: modeOffset, element: b.dialect.Builtin(backend.TypeBigInt), named: named}
}

// Column is the coercion of values of a column: at tells whether it has the values of an
// enum table.
func (b *Binder) Column(t catalog.Type, at schema.Ref) Coercion {
	c := Of(b.dialect, t, at.Named)
	if at.Named.Kind == schema.Enum {
		c.mode = modeEnum
	}
	return c
}

// ColumnList is the coercion of lists of values of a column.
func (b *Binder) ColumnList(t catalog.Type, at schema.Ref) Coercion {
	c := b.ListOf(t, at.Named)
	if at.Named.Kind == schema.Enum {
		c.mode = modeEnums
	}
	return c
}

// CheckTemplate checks the types of the variables that are items of a list; those inside
// JSON may be of any type.
func (r *Reader) CheckTemplate(at schema.Ref, v *parse.Value, list bool) error {
	item, ok := at.Item()
	if !list || !ok || v.Kind != parse.List {
		return nil
	}
	for i := range v.Items {
		r.PushIndex(i)
		if _, err := r.Open(item, Literal(&v.Items[i])); err != nil {
			return err
		}
		r.Pop()
	}
	return nil
}

// CheckEnum refuses other spellings of the values of an enum table: strings stand for them
// in JSON only.
func (r *Reader) CheckEnum(v Value, c Coercion) error {
	list := []Value{v}
	switch {
	case c.mode != modeEnum && c.mode != modeEnums:
		return nil
	case c.mode == modeEnums && v.Kind() == List:
		list = v.Items()
	}
	for i, item := range list {
		if k := item.Kind(); k == Enum || k == Null {
			continue
		}
		if c.mode == modeEnums {
			r.PushIndex(i)
		}
		return r.Mismatch(c.named.Name, "an enum value", item)
	}
	return nil
}

// trail is the path, as it can be kept.
func (r *Reader) trail() *trail { return r.trails.of(r.Path) }
