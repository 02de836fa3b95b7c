package jsonwalk

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is the content of a string. As with encoding/json, a byte that isn't UTF-8 becomes U+FFFD,
// and so does an escaped half of a surrogate pair.
func Text(b []byte) (string, error) {
	t, err := unquote(bytes.TrimSpace(b))
	return string(t), err
}

// unquote is the content of a string: a part of b where nothing in it has to be replaced.
func unquote(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, ErrSyntax
	}
	if inner := b[1 : len(b)-1]; isPlain(inner) {
		return inner, nil
	}
	return unescape(b[1 : len(b)-1])
}

// isPlain reports whether a string's content stands for itself.
func isPlain(inner []byte) bool {
	if len(inner) >= shortString {
		return bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner)
	}
	for _, c := range inner {
		if c == '\\' || c >= utf8.RuneSelf {
			return c != '\\' && bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner)
		}
	}
	return true
}

// unescape replaces escapes and bytes that aren't UTF-8.
func unescape(raw []byte) ([]byte, error) {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			i = len(raw)
		}
		out = appendValid(out, raw[:i])
		if raw = raw[i:]; len(raw) == 0 {
			break
		}
		r, length := escaped(raw)
		if length == 0 {
			return nil, ErrSyntax
		}
		out, raw = utf8.AppendRune(out, r), raw[length:]
	}
	return out, nil
}

func appendValid(out, raw []byte) []byte {
	if utf8.Valid(raw) {
		return append(out, raw...)
	}
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		out, raw = utf8.AppendRune(out, r), raw[size:]
	}
	return out
}

// escaped reads an escape, which begins with a backslash; its length is 0 when it is none.
func escaped(raw []byte) (r rune, length int) {
	if len(raw) < 2 {
		return 0, 0
	}
	switch c := raw[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return 0, 0
	}
	r = hex4(raw[2:])
	if r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(raw[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6 // AppendRune makes U+FFFD of half a pair
}

// hex4 reads four hex digits, -1 when there are fewer.
func hex4(raw []byte) rune {
	if len(raw) < 4 {
		return -1
	}
	for _, c := range raw[:4] {
		if !isHex(c) {
			return -1
		}
	}
	n, _ := strconv.ParseUint(string(raw[:4]), 16, 32) // only digits
	return rune(n)                                     //nolint:gosec // G115: four hex digits
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
