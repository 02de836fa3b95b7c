package template

// maxDepth bounds how deep a template nests, and how many accesses follow each other.
const maxDepth = 400

// Template is a parsed template. It is immutable.
type Template struct {
	root node
}

// Parse reads a template. Its error is an *Error.
func Parse(source string) (*Template, error) {
	tokens, fault := lex(source)
	if fault != nil {
		return nil, fault
	}
	p := &parser{tokens: tokens}
	root, fault := p.expression()
	if fault == nil && p.next < len(tokens) {
		fault = p.unexpected()
	}
	if fault != nil {
		return nil, fault
	}
	return &Template{root: root}, nil
}

// ParseInterpolation reads a text in which only "{{ }}" has a meaning: the template is the
// text between two double quotes, and so are the positions in its errors.
func ParseInterpolation(source string) (*Template, error) { return Parse(`"` + source + `"`) }

type parser struct {
	tokens []token
	next   int
	depth  int
}

// at reports whether the token offset places ahead is that symbol or reserved word.
func (p *parser) at(s string, offset int) bool {
	return p.next+offset < len(p.tokens) && p.tokens[p.next+offset].is(s)
}

func (p *parser) atKind(k kind) bool { return p.next < len(p.tokens) && p.tokens[p.next].kind == k }

// accept takes the next token if it is that symbol or reserved word.
func (p *parser) accept(s string) bool {
	if !p.at(s, 0) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(symbols ...string) *Error {
	for _, s := range symbols {
		if !p.accept(s) {
			return p.unexpected()
		}
	}
	return nil
}

// take takes the next token, which must be of that kind.
func (p *parser) take(k kind) (token, *Error) {
	if !p.atKind(k) {
		return token{}, p.unexpected()
	}
	p.next++
	return p.tokens[p.next-1], nil
}

// last is the span of the token taken last.
func (p *parser) last() Span { return p.tokens[p.next-1].at }

// unexpected is the error for the next token. Its position is the last token of the
// template.
func (p *parser) unexpected() *Error {
	at := Span{0, 1, 0, 1}
	if n := len(p.tokens); n > 0 {
		at = p.tokens[n-1].at
	}
	if p.next >= len(p.tokens) {
		return failure(ParseError, at, "ParseError: Empty token stream.")
	}
	return failure(ParseError, at, "Unexpected token '%s'.", p.tokens[p.next].written())
}

// enter counts one level of nesting, leave ends it.
func (p *parser) enter() *Error {
	if p.depth++; p.depth <= maxDepth {
		return nil
	}
	at := p.tokens[len(p.tokens)-1].at
	if p.next < len(p.tokens) {
		at = p.tokens[p.next].at
	}
	return exceeded(at, "the template is nested too deeply")
}

func (p *parser) leave() { p.depth-- }

func (p *parser) expression() (node, *Error) {
	if len(p.tokens) == 0 {
		return nil, p.unexpected()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch {
	case p.at("{{", 0) && !p.at("if", 1) && !p.at("range", 1):
		p.next++
		return p.until("}}")
	case p.at("not", 0):
		start := p.tokens[p.next].at
		p.next++
		argument, err := p.expression()
		if err != nil {
			return nil, err
		}
		return newCall("not", argument, start.to(argument.span())), nil
	case p.atKind(identifier) && p.at("(", 1):
		name := p.tokens[p.next]
		p.next += 2
		argument, err := p.until(")")
		if err != nil {
			return nil, err
		}
		return newCall(name.text, argument, name.at.to(p.last())), nil
	}
	left, err := p.atom()
	if err != nil || p.next >= len(p.tokens) {
		return left, err
	}
	operate := operators[p.tokens[p.next].text]
	if operate == nil || p.tokens[p.next].kind > reserved {
		return left, nil
	}
	p.next++
	right, err := p.atom()
	if err != nil {
		return nil, err
	}
	return &binary{left: left, right: right, operate: operate, at: left.span().to(right.span())}, nil
}

// until reads an expression and the symbol that ends it.
func (p *parser) until(end string) (node, *Error) {
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	return n, p.expect(end)
}

// atom reads a primary and the accesses that follow it.
func (p *parser) atom() (node, *Error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	base, err := p.primary()
	for links := 0; err == nil; links++ {
		switch {
		case links > maxDepth:
			return nil, exceeded(base.span(), "more than %d accesses follow each other", maxDepth)
		case p.accept("?"):
			base, err = p.optional(base)
		case p.at(".", 0) || p.at("[", 0):
			var key node
			if key, err = p.key(); err == nil {
				base = &access{base: base, key: key, at: base.span().to(p.last())}
			}
		default:
			return base, nil
		}
	}
	return nil, err
}

func (p *parser) optional(base node) (node, *Error) {
	o := &optional{base: base}
	for p.at(".", 0) || p.at("[", 0) {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key)
	}
	o.at = base.span().to(p.last())
	return o, nil
}

// key reads .name, ['text'] or [atom].
func (p *parser) key() (node, *Error) {
	if p.accept(".") {
		name, err := p.take(identifier)
		return &constant{value: name.text, at: name.at}, err
	}
	p.next++ // "["
	if p.accept("'") {
		name, err := p.take(literal)
		if err == nil {
			err = p.expect("'", "]")
		}
		return &constant{value: name.text, at: name.at}, err
	}
	key, err := p.atom()
	if err != nil {
		return nil, err
	}
	return key, p.expect("]")
}

func (p *parser) primary() (node, *Error) {
	if p.next >= len(p.tokens) {
		return nil, p.unexpected()
	}
	t := p.tokens[p.next]
	p.next++
	switch t.kind {
	case identifier:
		return &name{name: t.text, at: t.at}, nil
	case boolean:
		return &constant{value: t.text == "true", at: t.at}, nil
	case number:
		return &constant{value: canonical(t.text), at: t.at}, nil
	}
	switch {
	case t.is("null"):
		return &constant{at: t.at}, nil
	case t.is(`"`):
		return p.text(t.at)
	case t.is("("):
		return p.until(")")
	case t.is("["):
		return p.array(t.at)
	case t.is("{"):
		return p.object(t.at)
	case t.is("{{"):
		switch {
		case p.accept("if"):
			return p.condition(t.at)
		case p.accept("range"):
			return p.loop(t.at)
		}
		return nil, p.unexpected()
	}
	p.next--
	return nil, p.unexpected()
}

// text reads what follows the opening quote of a string.
func (p *parser) text(start Span) (node, *Error) {
	var parts []node
	for !p.accept(`"`) {
		switch {
		case p.atKind(text):
			parts = append(parts, &constant{value: p.tokens[p.next].text, at: p.tokens[p.next].at})
			p.next++
		case p.accept("{{"):
			part, err := p.until("}}")
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		default:
			return nil, p.unexpected()
		}
	}
	at := start.to(p.last())
	if len(parts) == 0 {
		return &constant{value: "", at: at}, nil
	}
	if c, ok := parts[0].(*constant); ok && len(parts) == 1 {
		if s, ok := c.value.(string); ok {
			return &constant{value: s, at: at}, nil
		}
	}
	return &interpolation{parts: parts, at: at}, nil
}

func (p *parser) array(start Span) (node, *Error) {
	a := &array{}
	for first := true; !p.accept("]"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		element, err := p.expression()
		if err != nil {
			return nil, err
		}
		a.elements = append(a.elements, element)
	}
	a.at = start.to(p.last())
	return a, nil
}

func (p *parser) object(start Span) (node, *Error) {
	o := &object{}
	seen := map[string]bool{}
	for first := true; !p.accept("}"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		key, value, err := p.member()
		if err != nil {
			return nil, err
		}
		if !seen[key] {
			seen[key] = true
			o.keys, o.values = append(o.keys, key), append(o.values, value)
		}
	}
	o.at = start.to(p.last())
	return o, nil
}

func (p *parser) member() (string, node, *Error) {
	if err := p.expect(`"`); err != nil {
		return "", nil, err
	}
	key := ""
	if p.atKind(text) {
		key = p.tokens[p.next].text
		p.next++
	}
	if err := p.expect(`"`, ":"); err != nil {
		return "", nil, err
	}
	value, err := p.expression()
	return key, value, err
}
