// Package rawjson walks JSON text in place: no copy of it is made, and no Go value of it.
//
// Values are handed out as the bytes they are spelt with, so a number keeps its precision
// on the way from a request to a database. The walk is lenient where leniency is harmless
// (it does not look at the letters of a literal), but never reads out of bounds and never
// hands out a value that does not end where its text ends.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ErrSyntax reports that the text isn't JSON.
var ErrSyntax = errors.New("not valid JSON")

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	Invalid Kind = iota
	Null
	Boolean
	Number
	String
	Array
	Object
)

// KindOf returns the kind of a value by its first character.
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
	return fields(&c, f)
}

func fields(c *Cursor, f func(key, value []byte) error) error {
	err := c.Object(func(key []byte) error {
		value, err := c.Value()
		if err != nil {
			return err
		}
		return f(key, value)
	})
	if err != nil {
		return err
	}
	return c.End()
}

// Items calls f for each element of an array. It stops at the first error of f and returns
// it.
func Items(b []byte, f func(index int, value []byte) error) error {
	c := NewCursor(b)
	return items(&c, f)
}

func items(c *Cursor, f func(index int, value []byte) error) error {
	n := 0
	err := c.Array(func() error {
		value, err := c.Value()
		if err != nil {
			return err
		}
		n++
		return f(n-1, value)
	})
	if err != nil {
		return err
	}
	return c.End()
}

// Text is the value of a string.
func Text(b []byte) (string, error) {
	t, err := unquote(bytes.TrimSpace(b))
	return string(t), err
}

// IsTrue reports whether a boolean is true.
func IsTrue(b []byte) bool { return bytes.Equal(bytes.TrimSpace(b), []byte("true")) }

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// unquote is the content of a string; without escapes it is a part of b.
func unquote(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, ErrSyntax
	}
	if inner := b[1 : len(b)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, ErrSyntax
	}
	return []byte(s), nil
}

// end checks that nothing follows a value.
func end(b []byte, i int) error {
	if space(b, i) != len(b) {
		return ErrSyntax
	}
	return nil
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

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

// skipNested counts brackets without distinguishing their kinds: the reader that walks into the value
// does that.
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
