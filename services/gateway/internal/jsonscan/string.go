package jsonscan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"queryengine/pkg/jsontext"
)

// string passes over a string literal.
func (s *scanner) string() error {
	s.pos++
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			s.pos++
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.unexpected()
		default:
			s.pos++
		}
	}
	return s.unexpected()
}

// escape passes over what follows a backslash.
func (s *scanner) escape() error {
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		s.pos++
		for range 4 {
			if !isHex(s.peek()) {
				return s.unexpected()
			}
			s.pos++
		}
		return nil
	}
	return s.unexpected()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// Text is the content of a string. An escaped half of a surrogate pair on its own becomes
// U+FFFD.
func (v Value) Text() string { return string(v.content()) }

// content is Text as bytes: those of the text itself where it has no escapes.
func (v Value) content() []byte {
	raw := v.Raw[1 : len(v.Raw)-1]
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i >= 0 {
		out = append(out, raw[:i]...)
		var r rune
		r, raw = unescape(raw[i+1:])
		out = utf8.AppendRune(out, r)
		i = bytes.IndexByte(raw, '\\')
	}
	return append(out, raw...)
}

// unescape reads what follows a backslash and gives what follows that.
func unescape(raw []byte) (rune, []byte) {
	switch c := raw[0]; c {
	case 'b':
		return '\b', raw[1:]
	case 'f':
		return '\f', raw[1:]
	case 'n':
		return '\n', raw[1:]
	case 'r':
		return '\r', raw[1:]
	case 't':
		return '\t', raw[1:]
	case 'u':
		r := hex4(raw[1:])
		raw = raw[5:]
		if utf16.IsSurrogate(r) && len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(raw[2:])); pair != utf8.RuneError {
				return pair, raw[6:]
			}
		}
		return r, raw // AppendRune makes U+FFFD of half a pair
	default:
		return rune(c), raw[1:]
	}
}

func hex4(raw []byte) rune {
	n, _ := strconv.ParseUint(string(raw[:4]), 16, 32) // checked by escape
	return rune(n)                                     //nolint:gosec // G115: four hex digits
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte { return jsontext.AppendString(b, s) }
