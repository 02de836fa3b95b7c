package template

// condition reads what follows "{{ if".
func (p *parser) condition(start Span) (node, *Error) {
	c := &condition{}
	for {
		test, err := p.until("}}")
		if err != nil {
			return nil, err
		}
		then, err := p.expression()
		if err != nil {
			return nil, err
		}
		c.tests, c.branches = append(c.tests, test), append(c.branches, then)
		if err := p.expect("{{"); err != nil {
			return nil, err
		}
		if p.accept("elif") {
			continue
		}
		if err := p.expect("else", "}}"); err != nil {
			return nil, err
		}
		break
	}
	otherwise, err := p.expression()
	if err != nil {
		return nil, err
	}
	c.otherwise = otherwise
	if err := p.expect("{{", "end", "}}"); err != nil {
		return nil, err
	}
	c.at = start.to(p.last())
	return c, nil
}

// loop reads what follows "{{ range".
func (p *parser) loop(start Span) (node, *Error) {
	l := &loop{}
	if !p.accept("_") {
		index, err := p.take(identifier)
		if err != nil {
			return nil, err
		}
		l.index = index.text
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	element, err := p.take(identifier)
	if err != nil {
		return nil, err
	}
	l.element = element.text
	if err := p.expect(":="); err != nil {
		return nil, err
	}
	if l.list, err = p.until("}}"); err != nil {
		return nil, err
	}
	if l.body, err = p.expression(); err != nil {
		return nil, err
	}
	if err := p.expect("{{", "end", "}}"); err != nil {
		return nil, err
	}
	l.at = start.to(p.last())
	return l, nil
}
