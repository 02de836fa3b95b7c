package rawjson

// Cursor walks a text once, from front to back, and knows where it is. After an error it is
// not used any more.
type Cursor struct {
	text []byte
	at   int
	key  int
	// doc knows where nested values end, nil for none; text begins at offset in it.
	doc    *Doc
	offset int
}

// NewCursor stands at the first value of a text.
func NewCursor(text []byte) Cursor { return Cursor{text: text, at: space(text, 0)} }

// At is the index where the next value begins; behind a value, where that ended.
func (c *Cursor) At() int { return c.at }

// KeyAt is the index where the key of the member begins that Object called for last.
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
func (c *Cursor) End() error { return end(c.text, c.at) }

// Object walks past an object. f is called at the value of each member, and walks past it.
func (c *Cursor) Object(f func(key []byte) error) error {
	return c.list('{', '}', func() error {
		c.key = c.at
		stop := -1
		if c.next() == '"' {
			stop = skipString(c.text, c.at)
		}
		if stop < 0 {
			return ErrSyntax
		}
		key, err := unquote(c.text[c.at:stop])
		if err != nil {
			return err
		}
		c.at = space(c.text, stop)
		if c.next() != ':' {
			return ErrSyntax
		}
		c.at = space(c.text, c.at+1)
		return f(key)
	})
}

// Array walks past an array. f is called at each item, and walks past it.
func (c *Cursor) Array(f func() error) error { return c.list('[', ']', f) }

func (c *Cursor) list(first, last byte, f func() error) error {
	if c.next() != first {
		return ErrSyntax
	}
	c.at = space(c.text, c.at+1)
	if c.next() == last {
		c.at++
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		c.at = space(c.text, c.at)
		switch c.next() {
		case ',':
			c.at = space(c.text, c.at+1)
		case last:
			c.at++
			return nil
		default:
			return ErrSyntax
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
