package template

// The bounds of one evaluation. A step is a node that is evaluated, an element that is
// compared or copied, or 64 bytes of text that are made.
const (
	maxSteps  = 1_000_000
	maxOutput = 16 << 20
)

// Environment is what a template can see.
type Environment struct {
	// Lookup finds the value of a name.
	Lookup func(name string) (value any, ok bool)
	// Functions are those beyond the library, by name.
	Functions map[string]Function
}

// Function takes and returns a value. The text of its error is what the user sees.
type Function func(argument any) (any, error)

// RefusedError is the error of a function, in the words that the user sees.
type RefusedError string

func (r RefusedError) Error() string { return string(r) }

// Evaluate returns the value of the template. Its error is an *Error.
func (t *Template) Evaluate(e Environment) (any, error) {
	v, err := t.root.evaluate(&machine{environment: e})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Render returns the value of the template as compact JSON. Its error is an *Error.
func (t *Template) Render(e Environment) ([]byte, error) {
	m := &machine{environment: e}
	v, fault := t.root.evaluate(m)
	if fault != nil {
		return nil, fault
	}
	text, ok := appendJSON(nil, v, maxOutput)
	if !ok {
		return nil, tooLarge(t.root.span())
	}
	return text, nil
}

func tooLarge(at Span) *Error {
	return exceeded(at, "the result is larger than %d bytes", maxOutput)
}

// machine is the state of one evaluation.
type machine struct {
	environment Environment
	// bindings are the variables of the loops around, the innermost last.
	bindings []binding
	steps    int
}

type binding struct {
	name  string
	value any
}

// spend counts steps.
func (m *machine) spend(steps int, at Span) *Error {
	if m.steps += steps; m.steps > maxSteps {
		return exceeded(at, "the evaluation takes more than %d steps", maxSteps)
	}
	return nil
}

func (m *machine) lookup(name string) (any, bool) {
	for i := len(m.bindings) - 1; i >= 0; i-- {
		if m.bindings[i].name == name {
			return m.bindings[i].value, true
		}
	}
	if m.environment.Lookup == nil {
		return nil, false
	}
	return m.environment.Lookup(name)
}

// node is a part of a parsed template.
type node interface {
	span() Span
	evaluate(m *machine) (any, *Error)
}

type constant struct {
	value any
	at    Span
}

func (n *constant) span() Span { return n.at }

func (n *constant) evaluate(m *machine) (any, *Error) { return n.value, m.spend(1, n.at) }

type name struct {
	name string
	at   Span
}

func (n *name) span() Span { return n.at }

func (n *name) evaluate(m *machine) (any, *Error) {
	if v, ok := m.lookup(n.name); ok {
		return v, m.spend(1, n.at)
	}
	return nil, failure(NameError, n.at, "Variable '%s' not in scope", n.name)
}

// interpolation is a string with parts that are computed.
type interpolation struct {
	parts []node
	at    Span
}

func (n *interpolation) span() Span { return n.at }

func (n *interpolation) evaluate(m *machine) (any, *Error) {
	var text []byte
	for _, part := range n.parts {
		v, err := part.evaluate(m)
		if err != nil {
			return nil, err
		}
		before := len(text)
		var ok bool
		if s, isText := v.(string); isText {
			text, ok = append(text, s...), before+len(s) <= maxOutput
		} else {
			text, ok = appendJSON(text, v, maxOutput)
		}
		if !ok {
			return nil, tooLarge(n.at)
		}
		if err := m.spend(1+(len(text)-before)/64, n.at); err != nil {
			return nil, err
		}
	}
	return string(text), nil
}

type array struct {
	elements []node
	at       Span
}

func (n *array) span() Span { return n.at }

func (n *array) evaluate(m *machine) (any, *Error) {
	list := make([]any, len(n.elements))
	for i, element := range n.elements {
		v, err := element.evaluate(m)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, m.spend(1, n.at)
}

type object struct {
	keys   []string
	values []node
	at     Span
}

func (n *object) span() Span { return n.at }

func (n *object) evaluate(m *machine) (any, *Error) {
	members := make(map[string]any, len(n.keys))
	for i, value := range n.values {
		v, err := value.evaluate(m)
		if err != nil {
			return nil, err
		}
		members[n.keys[i]] = v
	}
	return members, m.spend(1, n.at)
}

type condition struct {
	tests, branches []node
	otherwise       node
	at              Span
}

func (n *condition) span() Span { return n.at }

func (n *condition) evaluate(m *machine) (any, *Error) {
	for i, test := range n.tests {
		v, err := test.evaluate(m)
		if err != nil {
			return nil, err
		}
		yes, ok := v.(bool)
		if !ok {
			return nil, mismatch(n.at, "Boolean", v)
		}
		if yes {
			return n.branches[i].evaluate(m)
		}
	}
	return n.otherwise.evaluate(m)
}

// loop makes an array of what its body gives for each element of a list.
type loop struct {
	index, element string // index is "" for "_"
	list, body     node
	at             Span
}

func (n *loop) span() Span { return n.at }

func (n *loop) evaluate(m *machine) (any, *Error) {
	v, err := n.list.evaluate(m)
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, mismatch(n.at, "Array", v)
	}
	outer := len(m.bindings)
	defer func() { m.bindings = m.bindings[:outer] }()
	results := make([]any, len(list))
	for i, element := range list {
		m.bindings = m.bindings[:outer]
		if n.index != "" {
			m.bindings = append(m.bindings, binding{n.index, integer(i)})
		}
		m.bindings = append(m.bindings, binding{n.element, element})
		if results[i], err = n.body.evaluate(m); err != nil {
			return nil, err
		}
	}
	return results, m.spend(1, n.at)
}
