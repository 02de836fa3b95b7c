// Package jsonscan finds the parts of a JSON text without building values of it.
//
// It checks everything it passes over, so a text that it accepted is valid JSON, and gives
// the parts as slices of the text. It never copies, except for strings with escapes.
package jsonscan

import (
	"fmt"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind byte

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the name of the kind in error messages.
func (k Kind) String() string {
	return [...]string{"Null", "Boolean", "Number", "String", "Array", "Object"}[k]
}

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

// Value is one value within a text.
type Value struct {
	// Raw is its text, without space around it.
	Raw  []byte
	Kind Kind
}

// Parse checks a whole text.
func Parse(text []byte) (Value, error) {
	if !utf8.Valid(text) {
		return Value{}, &SyntaxError{0, "the text is not valid UTF-8"}
	}
	s := scanner{text: text}
	v, err := s.value(0)
	if err != nil {
		return Value{}, err
	}
	if s.space(); s.pos < len(text) {
		return Value{}, s.unexpected()
	}
	return v, nil
}

// Members calls f for each member of an object that Parse has accepted, in order. The key
// comes unquoted, and is only valid during the call.
func (v Value) Members(f func(key []byte, member Value) error) error {
	s := scanner{text: v.Raw, pos: 1}
	for s.next('}') {
		key, err := s.value(0)
		if err != nil {
			return err
		}
		s.space()
		s.pos++ // the colon
		member, err := s.value(0)
		if err != nil {
			return err
		}
		if err := f(key.content(), member); err != nil {
			return err
		}
	}
	return nil
}

// Elements calls f for each element of an array that Parse has accepted.
func (v Value) Elements(f func(i int, element Value) error) error {
	s := scanner{text: v.Raw, pos: 1}
	for i := 0; s.next(']'); i++ {
		element, err := s.value(0)
		if err != nil {
			return err
		}
		if err := f(i, element); err != nil {
			return err
		}
	}
	return nil
}

type scanner struct {
	text []byte
	pos  int
}

// next moves to the next part of a list that was checked before, and reports whether there is one
// before the end mark.
func (s *scanner) next(end byte) bool {
	s.space()
	if s.text[s.pos] == ',' {
		s.pos++
		s.space()
	}
	return s.text[s.pos] != end
}

func (s *scanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) unexpected() error {
	if s.pos >= len(s.text) {
		return &SyntaxError{s.pos, "not enough input"}
	}
	r, _ := utf8.DecodeRune(s.text[s.pos:])
	return &SyntaxError{s.pos, fmt.Sprintf("unexpected %q", r)}
}

func (s *scanner) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, &SyntaxError{s.pos, "the value is nested too deeply"}
	}
	s.space()
	if s.pos >= len(s.text) {
		return Value{}, s.unexpected()
	}
	start := s.pos
	var kind Kind
	var err error
	switch c := s.text[s.pos]; c {
	case '"':
		kind, err = String, s.string()
	case '{':
		kind, err = Object, s.object(depth)
	case '[':
		kind, err = Array, s.array(depth)
	case 't':
		kind, err = Bool, s.word("true")
	case 'f':
		kind, err = Bool, s.word("false")
	case 'n':
		kind, err = Null, s.word("null")
	default:
		kind, err = Number, s.number()
	}
	if err != nil {
		return Value{}, err
	}
	return Value{Raw: s.text[start:s.pos], Kind: kind}, nil
}

func (s *scanner) word(w string) error {
	for i := range len(w) {
		if s.pos >= len(s.text) || s.text[s.pos] != w[i] {
			return s.unexpected()
		}
		s.pos++
	}
	return nil
}

func (s *scanner) object(depth int) error {
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
		_, err := s.value(depth + 1)
		return err
	})
}

func (s *scanner) array(depth int) error {
	return s.list(']', func() error {
		_, err := s.value(depth + 1)
		return err
	})
}

// list passes over a list in brackets, whose parts part passes over.
func (s *scanner) list(end byte, part func() error) error {
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

func (s *scanner) number() error {
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
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}
