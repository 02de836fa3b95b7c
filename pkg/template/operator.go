package template

// operator computes the value of a binary expression.
type operator func(n *binary, m *machine) (any, *Error)

// binary is two atoms with an operator between them.
type binary struct {
	left, right node
	operate     operator
	at          Span
}

func (n *binary) span() Span { return n.at }

func (n *binary) evaluate(m *machine) (any, *Error) { return n.operate(n, m) }

// both evaluates the two sides.
func (n *binary) both(m *machine) (left, right any, err *Error) {
	if left, err = n.left.evaluate(m); err == nil {
		right, err = n.right.evaluate(m)
	}
	return left, right, err
}

var operators = map[string]operator{
	"??": (*binary).fallback,
	"&&": logical(func(a, b bool) bool { return a && b }),
	"||": logical(func(a, b bool) bool { return a || b }),
	"in": (*binary).contains,
	"==": comparison(func(order int) bool { return order == 0 }),
	"!=": comparison(func(order int) bool { return order != 0 }),
	"<":  comparison(func(order int) bool { return order < 0 }),
	">":  comparison(func(order int) bool { return order > 0 }),
	"<=": comparison(func(order int) bool { return order <= 0 }),
	">=": comparison(func(order int) bool { return order >= 0 }),
}

func (n *binary) fallback(m *machine) (any, *Error) {
	if v, err := n.left.evaluate(m); v != nil || err != nil {
		return v, err
	}
	return n.right.evaluate(m)
}

// logical evaluates both sides, whatever the first one is.
func logical(combine func(a, b bool) bool) operator {
	return func(n *binary, m *machine) (any, *Error) {
		left, right, err := n.both(m)
		if err != nil {
			return nil, err
		}
		a, ok := left.(bool)
		if !ok {
			return nil, mismatch(n.at, "Boolean", left)
		}
		b, ok := right.(bool)
		if !ok {
			return nil, mismatch(n.at, "Boolean", right)
		}
		return combine(a, b), nil
	}
}

func comparison(holds func(order int) bool) operator {
	return func(n *binary, m *machine) (any, *Error) {
		left, right, err := n.both(m)
		if err != nil {
			return nil, err
		}
		order, err := m.compare(left, right, n.at)
		if err != nil {
			return nil, err
		}
		return holds(order), nil
	}
}

func (n *binary) contains(m *machine) (any, *Error) {
	left, right, err := n.both(m)
	if err != nil {
		return nil, err
	}
	switch container := right.(type) {
	case map[string]any:
		key, ok := left.(string)
		if !ok {
			return nil, mismatch(n.at, "String", left)
		}
		_, found := container[key]
		return found, nil
	case []any:
		for _, element := range container {
			order, err := m.compare(left, element, n.at)
			if err != nil {
				return nil, err
			}
			if order == 0 {
				return true, nil
			}
		}
		return false, nil
	}
	return nil, mismatch(n.at, "Array", right)
}
