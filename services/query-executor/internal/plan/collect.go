package plan

import (
	"slices"
	"strings"

	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// selected is a response key and what is selected for it, after fragments were opened and
// equal keys merged.
type selected struct {
	*parse.Field
	// sets are the selection sets of all fields with the key.
	sets [][]parse.Selection
}

// collect opens the fragments of selection sets on an object type. Those for other types
// select nothing.
func (p *state) collect(typeName string, sets ...[]parse.Selection) ([]selected, error) {
	if p.depth++; p.depth > p.options.Limits.Depth {
		return nil, p.Fail("the selection sets are nested too deeply")
	}
	var c collection
	for _, set := range sets {
		if err := p.collectInto(&c, typeName, set); err != nil {
			return nil, err
		}
	}
	return c.list, nil
}

// collection is what collect has found so far.
type collection struct {
	list []selected
	// byKey has the places of the keys once there are many: looking through the list for each
	// of them would cost their square.
	byKey map[string]int
}

// find is the place of a key, -1 for a new one.
func (c *collection) find(key string) int {
	if c.byKey == nil {
		return slices.IndexFunc(c.list, func(s selected) bool { return s.Alias == key })
	}
	if i, ok := c.byKey[key]; ok {
		return i
	}
	return -1
}

func (c *collection) add(f *parse.Field) {
	c.list = append(c.list, selected{Field: f, sets: [][]parse.Selection{f.Selections}})
	switch n := len(c.list); {
	case n == input.ManyKeys:
		c.byKey = make(map[string]int, 2*n)
		for i := range c.list {
			c.byKey[c.list[i].Alias] = i
		}
	case n > input.ManyKeys:
		c.byKey[f.Alias] = n - 1
	}
}

// leave ends what collect began.
func (p *state) leave() { p.depth-- }

func (p *state) collectInto(into *collection, typeName string, set []parse.Selection) error {
	for _, s := range set {
		if err := p.Take(budget.Selections, 1); err != nil {
			return err
		}
		switch s := s.(type) {
		case *parse.Field:
			if ok, err := p.included(s.Directives, onField); err != nil {
				return err
			} else if ok {
				if err := p.merge(into, s); err != nil {
					return err
				}
			}
		case *parse.Spread:
			if ok, err := p.included(s.Directives, onSpread); err != nil {
				return err
			} else if ok && p.role.Is(typeName, s.Fragment.On) {
				if err := p.collectInto(into, typeName, s.Fragment.Selections); err != nil {
					return err
				}
			}
		case *parse.Inline:
			if ok, err := p.included(s.Directives, onInline); err != nil {
				return err
			} else if ok && (s.On == "" || p.role.Is(typeName, s.On)) {
				if err := p.collectInto(into, typeName, s.Selections); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// merge adds a field, or joins it with the one that has its key.
func (p *state) merge(into *collection, f *parse.Field) error {
	i := into.find(f.Alias)
	if i < 0 {
		into.add(f)
		return nil
	}
	old := &into.list[i]
	if old.Name != f.Name {
		return p.Fail("selection of both '%s' and '%s' specify the same response name, '%s'", old.Name, f.Name, f.Alias)
	}
	if !parse.EqualArguments(old.Arguments, f.Arguments) {
		return p.Fail("inconsistent arguments between multiple selections of field '%s'", f.Name)
	}
	old.sets = append(old.sets, f.Selections)
	return nil
}

// hasSelections reports whether a selection set was given.
func (s *selected) hasSelections() bool {
	return slices.ContainsFunc(s.sets, func(set []parse.Selection) bool { return len(set) > 0 })
}

// argument is the value of an argument, and whether it is given.
func (s *selected) argument(name string) (input.Value, bool) {
	for i := range s.Arguments {
		if s.Arguments[i].Name == name {
			return input.Literal(&s.Arguments[i].Value), true
		}
	}
	return input.Value{}, false
}

// arguments checks the names of the arguments and calls f for each given one, in the order
// of the schema.
func (p *state) arguments(s *selected, inputs []schema.Input, f func(in *schema.Input, v input.Value) error) error {
	for i := range s.Arguments {
		if name := s.Arguments[i].Name; schema.FindInput(inputs, name) == nil {
			return p.Fail("'%s' has no argument named '%s'", s.Name, name)
		}
	}
	p.Push("args")
	for i := range inputs {
		in := &inputs[i]
		v, given := s.argument(in.Name)
		if !given || p.Omitted(in, v) {
			if in.Type.NonNull() && in.Default == "" {
				return p.FailAt(in.Name, "missing required field '%s'", in.Name)
			}
			continue
		}
		p.Push(in.Name)
		if err := f(input.Receiver(in, v), v); err != nil {
			return err
		}
		p.Pop()
	}
	p.Pop()
	return nil
}

// scalarField refuses a selection set on a field without one.
func (p *state) scalarField(s *selected) error {
	if s.hasSelections() {
		return p.Fail("unexpected subselection set for non-object field")
	}
	return nil
}

// within plans the selection set of a field: f is called for each selected key, with the
// path at the field.
func (p *state) within(typeName string, s *selected, f func(s *selected) error) error {
	var joins []JoinMember
	err := p.each(typeName, s, func(s *selected) error {
		p.joins = nil
		if err := f(s); err != nil {
			return err
		}
		joins = p.addJoins(joins, s.Alias)
		return nil
	})
	p.joins = joins
	return err
}

// each calls f for each selected key of a field, with the path at the field.
func (p *state) each(typeName string, s *selected, f func(s *selected) error) error {
	p.Push("selectionSet")
	if !s.hasSelections() {
		return p.Fail("missing selection set for '%s'", typeName)
	}
	list, err := p.collect(typeName, s.sets...)
	if err != nil {
		return err
	}
	for i := range list {
		p.Push(list[i].Name)
		if err := f(&list[i]); err != nil {
			return err
		}
		p.Pop()
	}
	p.leave()
	p.Pop()
	return nil
}

// fieldOf finds the field of an object type; __typename is nil.
func (p *state) fieldOf(t *schema.Type, s *selected) (*schema.Field, error) {
	if s.Name == typename {
		return nil, p.scalarField(s)
	}
	f := t.Field(s.Name)
	if f == nil {
		return nil, p.Fail("field '%s' not found in type: '%s'", s.Name, t.Name)
	}
	return f, nil
}

const typename = "__typename"

// place is where a directive stands, in words.
type place string

const (
	onField  place = "a field"
	onSpread place = "a fragment spread"
	onInline place = "an inline fragment"
)

// included evaluates @include and @skip, and refuses whatever else stands there.
func (p *state) included(list []parse.Directive, where place) (bool, error) {
	if len(list) == 0 {
		return true, nil
	}
	if err := p.uniqueDirectives(list); err != nil {
		return false, err
	}
	included := true
	for i := range list {
		d := &list[i]
		switch d.Name {
		case "include", "skip":
			condition, err := p.condition(d)
			if err != nil {
				return false, err
			}
			included = included && condition == (d.Name == "include")
		case "cached":
			return false, p.Fail("directive 'cached' is not allowed on %s", where)
		default:
			return false, p.Fail("directive '%s' is not defined in the schema", d.Name)
		}
	}
	return included, nil
}

// condition is the argument `if` of a directive.
func (p *state) condition(d *parse.Directive) (bool, error) {
	result := false
	err := p.directiveArguments(d, func(in *schema.Input, v input.Value) (err error) {
		result, err = p.Boolean(in.Type, v)
		return err
	})
	return result, err
}

func (p *state) directiveArguments(d *parse.Directive, f func(in *schema.Input, v input.Value) error) error {
	s := &selected{Field: &parse.Field{Name: d.Name, Arguments: d.Arguments}}
	return p.arguments(s, p.role.Directive(d.Name).Args, f)
}

// operationDirectives accepts @cached, which has no effect on the plan.
func (p *state) operationDirectives(op *parse.Operation) error {
	if err := p.uniqueDirectives(op.Directives); err != nil {
		return err
	}
	for i := range op.Directives {
		switch d := &op.Directives[i]; {
		case d.Name == "cached" && op.Kind == parse.Query:
			if err := p.directiveArguments(d, p.cachedArgument); err != nil {
				return err
			}
		case d.Name == severalFields && op.Kind == parse.Subscription:
		case d.Name == "cached", d.Name == "include", d.Name == "skip":
			return p.Fail("directive '%s' is not allowed on a %s", d.Name, op.Kind)
		default:
			return p.Fail("directive '%s' is not defined in the schema", d.Name)
		}
	}
	return nil
}

func (p *state) cachedArgument(in *schema.Input, v input.Value) error {
	if in.Name == "refresh" {
		_, err := p.Boolean(in.Type, v)
		return err
	}
	v, err := p.Open(in.Type, v)
	if err != nil {
		return err
	}
	p.Look(v, input.LookValue)
	if _, ok := input.WholeNumber(v.Text(), 32); !ok || v.Kind() != input.Int && v.Kind() != input.Number {
		return p.Mismatch("Int", "a 32-bit integer", v)
	}
	return nil
}

// uniqueDirectives refuses directives that stand twice at one place.
func (p *state) uniqueDirectives(list []parse.Directive) error {
	if len(list) < 2 {
		return nil
	}
	var repeated []string
	times := make(map[string]int, len(list))
	for i := range list {
		name := list[i].Name
		if times[name]++; times[name] == 2 {
			repeated = append(repeated, "'"+name+"'")
		}
	}
	if len(repeated) > 0 {
		return p.Fail("the following directives are used more than once: [%s]", strings.Join(repeated, ", "))
	}
	return nil
}
