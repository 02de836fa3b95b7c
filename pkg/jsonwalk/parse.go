package jsonwalk

import (
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds the nesting, and with it the stack.
const maxDepth = 1000

// SyntaxError reports why a text is not JSON, and at which byte.
type SyntaxError struct {
	Offset  int
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("Error in $: %s at byte %d", e.Message, e.Offset)
}

// Value is one value of a text that Parse has checked.
type Value struct {
	// Raw is its text, without space around it.
	Raw  []byte
	Kind Kind
}

// Parse checks a whole text, also that it is UTF-8. Its error is a *SyntaxError.
func Parse(text []byte) (Value, error) {
	if !utf8.Valid(text) {
		return Value{}, &SyntaxError{0, "the text is not valid UTF-8"}
	}
	c := checker{text: text}
	c.space()
	start := c.pos
	if err := c.value(0); err != nil {
		return Value{}, err
	}
	end := c.pos
	if c.space(); c.pos < len(text) {
		return Value{}, c.unexpected()
	}
	return valueOf(text[start:end]), nil
}

func valueOf(raw []byte) Value { return Value{Raw: raw, Kind: KindOf(raw)} }

// Members calls f for each member of an object, in order, until f fails. The key comes unescaped,
// and is only valid during the call.
func (v Value) Members(f func(key []byte, member Value) error) error {
	return Fields(v.Raw, func(key, member []byte) error { return f(key, valueOf(member)) })
}

// Elements calls f for each element of an array, until f fails.
func (v Value) Elements(f func(i int, element Value) error) error {
	return Items(v.Raw, func(i int, element []byte) error { return f(i, valueOf(element)) })
}

// Text is the content of a string.
func (v Value) Text() string {
	t, _ := unquote(v.Raw) // Parse has checked it
	return string(t)
}

// checker walks over a text and checks all of it.
type checker struct {
	text []byte
	pos  int
}

func (s *checker) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *checker) unexpected() error {
	if s.pos >= len(s.text) {
		return &SyntaxError{s.pos, "not enough input"}
	}
	r, _ := utf8.DecodeRune(s.text[s.pos:])
	return &SyntaxError{s.pos, fmt.Sprintf("unexpected %q", r)}
}

func (s *checker) value(depth int) error {
	if depth > maxDepth {
		return &SyntaxError{s.pos, "the value is nested too deeply"}
	}
	s.space()
	if s.pos >= len(s.text) {
		return s.unexpected()
	}
	switch s.text[s.pos] {
	case '"':
		return s.string()
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *checker) word(w string) error {
	for i := range len(w) {
		if s.pos >= len(s.text) || s.text[s.pos] != w[i] {
			return s.unexpected()
		}
		s.pos++
	}
	return nil
}

func (s *checker) object(depth int) error {
	return s.list('}', func() error {
		s.space()
		if s.pos >= len(s.text) || s.text[s.pos] != '"' {
			return s.unexpected()
		}
		if err := s.string(); err != nil {
			return err
		}
		s.space()
		if s.pos >= len(s.text) || s.text[s.pos] != ':' {
			return s.unexpected()
		}
		s.pos++
		return s.value(depth + 1)
	})
}

func (s *checker) array(depth int) error {
	return s.list(']', func() error { return s.value(depth + 1) })
}

// list passes over a list in brackets, whose parts part passes over.
func (s *checker) list(end byte, part func() error) error {
	s.pos++
	if s.space(); s.pos < len(s.text) && s.text[s.pos] == end {
		s.pos++
		return nil
	}
	for {
		if err := part(); err != nil {
			return err
		}
		if s.space(); s.pos >= len(s.text) {
			return s.unexpected()
		}
		switch s.text[s.pos] {
		case ',':
			s.pos++
		case end:
			s.pos++
			return nil
		default:
			return s.unexpected()
		}
	}
}

func (s *checker) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	switch c := s.peek(); {
	case c == '0':
		s.pos++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return s.unexpected()
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.unexpected()
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.unexpected()
		}
	}
	return nil
}

// peek is the next byte, 0 at the end.
func (s *checker) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *checker) digits() bool {
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// string passes over a string literal.
func (s *checker) string() error {
	s.pos++
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			_, length := escaped(s.text[s.pos:])
			if length == 0 {
				return s.wrongEscape()
			}
			s.pos += length
		case c < ' ':
			return s.unexpected()
		default:
			s.pos++
		}
	}
	return s.unexpected()
}

// wrongEscape is the error at the first byte of an escape that is wrong.
func (s *checker) wrongEscape() error {
	s.pos++
	if s.peek() == 'u' {
		for s.pos++; isHex(s.peek()); {
			s.pos++
		}
	}
	return s.unexpected()
}
