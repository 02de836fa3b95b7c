package template

// access is x.k or x[k].
type access struct {
	base, key node
	at        Span
}

func (n *access) span() Span { return n.at }

func (n *access) evaluate(m *machine) (any, *Error) {
	base, err := n.base.evaluate(m)
	if err != nil {
		return nil, err
	}
	switch base := base.(type) {
	case map[string]any:
		return n.member(m, base)
	case []any:
		return n.element(m, base)
	}
	return nil, mismatch(n.base.span(), "Object", base)
}

func (n *access) member(m *machine, object map[string]any) (any, *Error) {
	key, err := n.key.evaluate(m)
	if err != nil {
		return nil, err
	}
	name, ok := key.(string)
	if !ok {
		return nil, mismatch(n.at, "String", key)
	}
	v, ok := object[name]
	if !ok {
		return nil, failure(AttributeError, n.at, "'Object' has no attritubte '%s'.", name) // spelt so on the wire
	}
	return v, nil
}

func (n *access) element(m *machine, list []any) (any, *Error) {
	key, err := n.key.evaluate(m)
	if err != nil {
		return nil, err
	}
	i, ok := index(key, len(list))
	if !ok {
		return nil, mismatch(n.at, "Integer", key)
	}
	if i < 0 {
		return nil, failure(IndexError, n.at, "Can only range over an array")
	}
	return list[i], nil
}

// optional is x? and the accesses that follow it, any of which may be missing.
type optional struct {
	base node
	keys []node
	at   Span
}

func (n *optional) span() Span { return n.at }

func (n *optional) evaluate(m *machine) (any, *Error) {
	v, err := n.base.evaluate(m)
	if err != nil {
		if err.limit {
			return nil, err
		}
		return nil, nil
	}
	switch v.(type) {
	case nil:
		return nil, nil
	case map[string]any, []any:
	default:
		return nil, mismatch(n.base.span(), "Object", v)
	}
	for _, key := range n.keys {
		k, err := key.evaluate(m)
		if err != nil {
			return nil, err
		}
		v = child(v, k)
	}
	return v, nil
}

// child is the member or element of v under key, nil when there is none.
func child(v, key any) any {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := key.(string); ok {
			return v[name]
		}
	case []any:
		if i, ok := index(key, len(v)); ok && i >= 0 {
			return v[i]
		}
	}
	return nil
}
