package jsonwalk

// Cursor walks a text once, from front to back, and knows where it is. After an error it is
// not used any more.
type Cursor struct {
	text []byte
	at   int
	key  int
	// fresh is set behind the bracket that opens a list: no comma comes before its first part.
	fresh bool
	// doc knows where nested values end, nil for none; text begins at offset in it.
	doc    *Doc
	offset int
}

// NewCursor stands at the first value of a text.
func NewCursor(text []byte) Cursor { return Cursor{text: text, at: space(text, 0)} }

// At is the index where the next value begins; behind a value, where that ended.
func (c *Cursor) At() int { return c.at }

// KeyAt is the index where the key of the member begins that was entered last.
func (c *Cursor) KeyAt() int { return c.key }

// Kind is the kind of the next value.
func (c *Cursor) Kind() Kind { return KindOf(c.text[c.at:]) }

// Skip walks past a value.
func (c *Cursor) Skip() error {
	_, err := c.Value()
	return err
}

// Value walks past a value and gives its text.
func (c *Cursor) Value() ([]byte, error) {
	start := c.at
	var end int
	if next := c.next(); c.doc != nil && (next == '{' || next == '[') {
		end = c.doc.end(c.offset+c.at) - c.offset
	} else {
		end = skip(c.text, c.at)
	}
	if end < start || end > len(c.text) {
		return nil, ErrSyntax
	}
	c.at = end
	return c.text[start:end], nil
}

// End checks that nothing follows.
func (c *Cursor) End() error {
	if space(c.text, c.at) != len(c.text) {
		return ErrSyntax
	}
	return nil
}

// OpenObject walks into an object; NextMember goes on.
func (c *Cursor) OpenObject() error { return c.open('{') }

// OpenArray walks into an array; NextElement goes on.
func (c *Cursor) OpenArray() error { return c.open('[') }

func (c *Cursor) open(bracket byte) error {
	if c.next() != bracket {
		return ErrSyntax
	}
	c.at = space(c.text, c.at+1)
	c.fresh = true
	return nil
}

// NextMember walks to the value of an object's next member, or past the object's end, where there
// is none. The value before has been walked past. The key is unescaped.
func (c *Cursor) NextMember() (key []byte, ok bool, err error) {
	if ok, err = c.part('}'); err != nil || !ok {
		return nil, false, err
	}
	c.key = c.at
	stop := -1
	if c.next() == '"' {
		stop = skipString(c.text, c.at)
	}
	if stop < 0 {
		return nil, false, ErrSyntax
	}
	if key, err = unquote(c.text[c.at:stop]); err != nil {
		return nil, false, err
	}
	c.at = space(c.text, stop)
	if c.next() != ':' {
		return nil, false, ErrSyntax
	}
	c.at = space(c.text, c.at+1)
	return key, true, nil
}

// NextElement walks to an array's next element, or past the array's end, where there is none. The
// element before has been walked past.
func (c *Cursor) NextElement() (ok bool, err error) { return c.part(']') }

// part walks to the next part of a list, or past the bracket that ends it.
func (c *Cursor) part(end byte) (bool, error) {
	fresh := c.fresh
	c.fresh = false
	if !fresh {
		c.at = space(c.text, c.at)
	}
	switch next := c.next(); {
	case next == end:
		c.at++
		return false, nil
	case fresh:
		return true, nil
	case next == ',':
		c.at = space(c.text, c.at+1)
		return true, nil
	}
	return false, ErrSyntax
}

// Object walks past an object. f is called at the value of each member, and walks past it.
func (c *Cursor) Object(f func(key []byte) error) error {
	if err := c.OpenObject(); err != nil {
		return err
	}
	for {
		key, ok, err := c.NextMember()
		if err != nil || !ok {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
}

// Array walks past an array. f is called at each element, and walks past it.
func (c *Cursor) Array(f func() error) error {
	if err := c.OpenArray(); err != nil {
		return err
	}
	for {
		ok, err := c.NextElement()
		if err != nil || !ok {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// next is the character at the cursor, 0 at the end.
func (c *Cursor) next() byte {
	if c.at >= len(c.text) {
		return 0
	}
	return c.text[c.at]
}
