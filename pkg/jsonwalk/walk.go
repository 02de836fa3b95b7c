// Package jsonwalk reads JSON text in place: it makes no copy of it, and no Go value of it.
//
// Parse checks a whole text that comes from outside, and gives the parts of it. Everything else
// walks a text that is known to be valid, or is checked where its values are used: it finds where
// values begin and end and does not look at the letters of a literal, but never reads out of
// bounds and never hands out a value that does not end where its text ends.
//
// Values are handed out as the bytes they are spelt with, so a number keeps its precision on the
// way from a request to a database. Package jsontext writes JSON.
package jsonwalk

import (
	"bytes"
	"errors"
)

// ErrSyntax reports that a text isn't JSON.
var ErrSyntax = errors.New("not valid JSON")

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. Invalid is that of a text that is empty, or begins like no value.
const (
	Null Kind = iota
	Boolean
	Number
	String
	Array
	Object
	Invalid
)

// String is the name of the kind in error messages, in which a value that isn't there is Null.
func (k Kind) String() string {
	return [...]string{"Null", "Boolean", "Number", "String", "Array", "Object", "Null"}[k]
}

// KindOf tells the kind of a value by its first character.
func KindOf(b []byte) Kind {
	i := space(b, 0)
	if i == len(b) {
		return Invalid
	}
	switch c := b[i]; {
	case c == '"':
		return String
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 't', c == 'f':
		return Boolean
	case c == 'n':
		return Null
	case c == '-', c >= '0' && c <= '9':
		return Number
	}
	return Invalid
}

// Fields calls f for each member of an object, in the order of the text. The key is
// unescaped. It stops at the first error of f and returns it.
func Fields(b []byte, f func(key, value []byte) error) error {
	c := NewCursor(b)
	return c.fields(f)
}

func (c *Cursor) fields(f func(key, value []byte) error) error {
	if err := c.OpenObject(); err != nil {
		return err
	}
	for {
		switch key, ok, err := c.NextMember(); {
		case err != nil:
			return err
		case !ok:
			return c.End()
		default:
			value, err := c.Value()
			if err != nil {
				return err
			}
			if err := f(key, value); err != nil {
				return err
			}
		}
	}
}

// Items calls f for each element of an array. It stops at the first error of f and returns
// it.
func Items(b []byte, f func(index int, value []byte) error) error {
	c := NewCursor(b)
	return c.items(f)
}

func (c *Cursor) items(f func(index int, value []byte) error) error {
	if err := c.OpenArray(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		switch ok, err := c.NextElement(); {
		case err != nil:
			return err
		case !ok:
			return c.End()
		}
		value, err := c.Value()
		if err != nil {
			return err
		}
		if err := f(i, value); err != nil {
			return err
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skip returns the index behind the value at i, -1 when there is none.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	case ',', ':', '}', ']':
		return -1
	}
	for i < len(b) {
		switch b[i] {
		case ',', ':', '}', ']', '"', '{', '[', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// shortString is the length from which on bytes are searched for, and not looked at one by one.
const shortString = 32

func skipString(b []byte, i int) int {
	short := min(len(b), i+shortString)
	for i++; i < short; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	for i < len(b) {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		slashes := 0
		for slashes < n && b[i+n-1-slashes] == '\\' {
			slashes++
		}
		i += n + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return -1
}

// skipNested counts brackets without telling their kinds apart: a walk into the value does that.
func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
