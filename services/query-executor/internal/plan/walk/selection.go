package walk

import (
	"slices"

	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Selected is a response key and what is selected for it, after fragments were opened and
// equal keys merged.
type Selected struct {
	*parse.Field
	// Sets are the selection sets of all fields with the key.
	Sets [][]parse.Selection
}

// collect opens the fragments of selection sets on an object type. Those for other types
// select nothing.
func (p *Walker) collect(typeName string, sets ...[]parse.Selection) ([]Selected, error) {
	if p.depth++; p.depth > p.Options.Limits.Depth {
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
	list []Selected
	// byKey has the places of the keys once there are many: looking through the list for each
	// of them would cost their square.
	byKey map[string]int
}

// find is the place of a key, -1 for a new one.
func (c *collection) find(key string) int {
	if c.byKey == nil {
		return slices.IndexFunc(c.list, func(s Selected) bool { return s.Alias == key })
	}
	if i, ok := c.byKey[key]; ok {
		return i
	}
	return -1
}

func (c *collection) add(f *parse.Field) {
	c.list = append(c.list, Selected{Field: f, Sets: [][]parse.Selection{f.Selections}})
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
func (p *Walker) leave() { p.depth-- }

func (p *Walker) collectInto(into *collection, typeName string, set []parse.Selection) error {
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
			} else if ok && p.Role.Is(typeName, s.Fragment.On) {
				if err := p.collectInto(into, typeName, s.Fragment.Selections); err != nil {
					return err
				}
			}
		case *parse.Inline:
			if ok, err := p.included(s.Directives, onInline); err != nil {
				return err
			} else if ok && (s.On == "" || p.Role.Is(typeName, s.On)) {
				if err := p.collectInto(into, typeName, s.Selections); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// merge adds a field, or joins it with the one that has its key.
func (p *Walker) merge(into *collection, f *parse.Field) error {
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
	old.Sets = append(old.Sets, f.Selections)
	return nil
}

// HasSelections reports whether a selection set was given.
func (s *Selected) HasSelections() bool {
	return slices.ContainsFunc(s.Sets, func(set []parse.Selection) bool { return len(set) > 0 })
}

// argument is the value of an argument, and whether it is given.
func (s *Selected) argument(name string) (input.Value, bool) {
	for i := range s.Arguments {
		if s.Arguments[i].Name == name {
			return input.Literal(&s.Arguments[i].Value), true
		}
	}
	return input.Value{}, false
}

// Arguments checks the names of the arguments and calls f for each given one, in the order
// of the schema.
func (p *Walker) Arguments(s *Selected, inputs []schema.Input, f func(in *schema.Input, v input.Value) error) error {
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

// ScalarField refuses a selection set on a field without one.
func (p *Walker) ScalarField(s *Selected) error {
	if s.HasSelections() {
		return p.Fail("unexpected subselection set for non-object field")
	}
	return nil
}

// Within plans the selection set of a field: f is called for each selected key, with the
// path at the field.
func (p *Walker) Within(typeName string, s *Selected, f func(s *Selected) error) error {
	var joins []answer.Member
	err := p.Each(typeName, s, func(s *Selected) error {
		p.Joins = nil
		if err := f(s); err != nil {
			return err
		}
		joins = p.AddJoins(joins, s.Alias)
		return nil
	})
	p.Joins = joins
	return err
}

// Each calls f for each selected key of a field, with the path at the field.
func (p *Walker) Each(typeName string, s *Selected, f func(s *Selected) error) error {
	p.Push("selectionSet")
	if !s.HasSelections() {
		return p.Fail("missing selection set for '%s'", typeName)
	}
	list, err := p.collect(typeName, s.Sets...)
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

// FieldOf finds the field of an object type; __typename is nil.
func (p *Walker) FieldOf(t *schema.Type, s *Selected) (*schema.Field, error) {
	if s.Name == Typename {
		return nil, p.ScalarField(s)
	}
	f := t.Field(s.Name)
	if f == nil {
		return nil, p.Fail("field '%s' not found in type: '%s'", s.Name, t.Name)
	}
	return f, nil
}

// Typename is the field that every object has.
const Typename = "__typename"

// Key is how a field is requested under the name that clients know.
func (s *Selected) Key(name string) string {
	if s.Alias == name {
		return name
	}
	return s.Alias + ": " + name
}
