package plan

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// boundKey tells values that may share a parameter: the same variable, bound the same way.
type boundKey struct {
	variable *parse.Variable
	mode     mode
	nullable bool
	oid      uint32
	typ      catalog.Name
	dims     int
}

// operand makes the value of a place of type at. Nothing but its text depends on the
// request, so that requests with other values share the plan.
func (p *planner) operand(at schema.Ref, v value, c coercion) (ir.Value, error) {
	if v.literal != nil && v.literal.Kind == parse.VariableUse {
		opened, err := p.open(at, v)
		if err != nil {
			return nil, err
		}
		return p.bindVariable(opened, c)
	}
	if v.literal == nil {
		// The way to the value goes through the variable's structure.
		p.look(v, LookShape)
		return p.bindVariable(v, c)
	}
	if v.literal.HasVariables() {
		return p.bindTemplate(at, v, c)
	}
	return p.bindLiteral(v, c)
}

// bindVariable binds (a part of) a variable. The value at hand is tried at once, so that
// its faults are found in the order of the document.
func (p *planner) bindVariable(v value, c coercion) (ir.Value, error) {
	if v.variable == nil {
		return p.bindConstant(v, c)
	}
	key := boundKey{variable: v.variable, mode: c.mode, nullable: c.nullable, oid: c.operand.OID, typ: catalog.Name{Name: c.operand.Name, Schema: c.operand.Schema}, dims: c.operand.Dims}
	if i, ok := p.bound[key]; ok && v.place == nil {
		return ir.Variable{Index: i, Type: c.operand, Wrap: p.bindings[i].wrap}, nil
	}
	if err := p.take(budget.Constants, len(v.json)); err != nil {
		return nil, err
	}
	_, wrap, err := c.apply(v.json, false)
	if err != nil {
		return nil, p.place(err)
	}
	b := Binding{coercion: &c, wrap: wrap, origin: origin{variable: v.variable.Index, place: v.place}, path: p.trails.of(p.path)}
	if v.place == nil && (c.mode == modeValue || c.mode == modeEnum) {
		b.name = v.variable.Name
	}
	bound := p.bind(b)
	if v.place == nil {
		p.bound[key] = bound.Index
	}
	return bound, nil
}

// bindConstant binds JSON whose text is known to be the same whenever the plan is used.
func (p *planner) bindConstant(v value, c coercion) (ir.Value, error) {
	text, wrap, err := c.apply(v.json, false)
	if err != nil {
		return nil, p.place(err)
	}
	return p.bind(Binding{coercion: &c, wrap: wrap, constant: text, origin: origin{variable: -1}}), nil
}

// bindTemplate binds a list or object that has variables inside.
func (p *planner) bindTemplate(at schema.Ref, v value, c coercion) (ir.Value, error) {
	if err := p.checkTemplate(at, v.literal, c.mode == modeList || c.mode == modeEnums); err != nil {
		return nil, err
	}
	b := Binding{coercion: &c, origin: origin{variable: -1}, template: v.literal, path: p.trails.of(p.path)}
	_, wrap, err := c.apply(b.spelled(p.values), true)
	if err != nil {
		return nil, p.place(err)
	}
	b.wrap = wrap
	return p.bind(b), nil
}

// checkTemplate checks the types of the variables that are items of a list; those inside
// JSON may be of any type.
func (p *planner) checkTemplate(at schema.Ref, v *parse.Value, list bool) error {
	item, ok := at.Item()
	if !list || !ok || v.Kind != parse.List {
		return nil
	}
	for i := range v.Items {
		p.pushIndex(i)
		if _, err := p.open(item, literal(&v.Items[i])); err != nil {
			return err
		}
		p.pop()
	}
	return nil
}

// bindLiteral binds a value that is spelt in the document: never as a part of the
// statement, which stays the same for documents that differ in it.
func (p *planner) bindLiteral(v value, c coercion) (ir.Value, error) {
	if err := p.enumLiteral(v, c); err != nil {
		return nil, err
	}
	text, wrap, err := c.apply(v.literal.AppendJSON(nil, nil), true)
	if err != nil {
		return nil, p.place(err)
	}
	if c.mode == modeLimit || c.mode == modeOffset {
		// The database plans better when it sees how many rows are wanted.
		return ir.Literal{Text: string(text), Type: c.operand}, nil
	}
	return p.bind(Binding{coercion: &c, wrap: wrap, constant: text, origin: origin{variable: -1}}), nil
}

// enumLiteral refuses other spellings of the values of an enum table: strings stand for them
// in JSON only.
func (p *planner) enumLiteral(v value, c coercion) error {
	list := []value{v}
	switch {
	case c.mode != modeEnum && c.mode != modeEnums:
		return nil
	case c.mode == modeEnums && v.kind() == kindList:
		list = v.items()
	}
	for i, item := range list {
		if k := item.kind(); k == kindEnum || k == kindNull {
			continue
		}
		if c.mode == modeEnums {
			p.pushIndex(i)
		}
		return p.mismatch(c.named.Name, "an enum value", item)
	}
	return nil
}

func (p *planner) bind(b Binding) ir.Variable {
	v := ir.Variable{Index: len(p.bindings), Type: b.coercion.operand, Wrap: b.wrap}
	p.bindings = append(p.bindings, b)
	return v
}

// place moves a relative error to the current place.
func (p *planner) place(err error) error { return under(spell(p.path), err) }

// scalar is the coercion of values of a type; named is how they are called in GraphQL.
func (p *planner) scalar(t catalog.Type, named *schema.Type) coercion {
	return coercion{mode: modeValue, element: t, operand: t, named: named, dialect: p.source.Dialect}
}

// listOf is the coercion of lists of values of a type.
func (p *planner) listOf(t catalog.Type, named *schema.Type) coercion {
	c := p.scalar(t, named)
	c.mode = modeList
	c.operand.Dims++
	return c
}

// column is the coercion of values of a column: at says whether it has the values of an
// enum table.
func (p *planner) column(t catalog.Type, at schema.Ref) coercion {
	c := p.scalar(t, at.Named)
	if at.Named.Kind == schema.Enum {
		c.mode = modeEnum
	}
	return c
}
