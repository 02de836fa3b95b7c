package metadata

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/apierror"
)

// A document is looked at from the outside in: each object and list is split where it stands,
// without a copy, and each text is made once. What is split is known to be valid JSON; of what isn't,
// an error comes back.

// member is a key of a JSON object with its value; both are part of the object's bytes, but for keys
// with escapes.
type member struct {
	key   []byte
	value json.RawMessage
}

// fewMembers is as many as most objects have, for lists on the stack.
const fewMembers = 12

var errMalformed = apierror.New(apierror.ParseFailed, "malformed JSON")

// members appends what a JSON object has to list, in its order; a key that is there twice stays so.
func members(list []member, raw json.RawMessage) ([]member, error) {
	if got := JSONType(raw); got != "Object" {
		return nil, typeMismatch("Object", "Object", got)
	}
	first := true
	for i := next(raw, next(raw, 0)+1); ; first = false {
		switch {
		case i >= len(raw):
			return nil, errMalformed
		case raw[i] == '}':
			return list, nil
		case raw[i] == ',' && !first:
			i = next(raw, i+1)
		}
		end := skip(raw, i)
		if end < 0 || raw[i] != '"' {
			return nil, errMalformed
		}
		key := raw[i+1 : end-1]
		if !isPlain(key) {
			unescaped, err := text(raw[i:end])
			if err != nil {
				return nil, err
			}
			key = []byte(unescaped)
		}
		if i = next(raw, end); i >= len(raw) || raw[i] != ':' {
			return nil, errMalformed
		}
		i = next(raw, i+1)
		if end = skip(raw, i); end < 0 {
			return nil, errMalformed
		}
		list = append(list, member{key, raw[i:end:end]})
		i = next(raw, end)
	}
}

// object is members by their keys, of which the last one of a name counts.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var few [fewMembers]member
	list, err := members(few[:0], raw)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		fields[string(m.key)] = m.value
	}
	return fields, nil
}

// value is the value of a key, of which the last one counts.
func value(list []member, key string) (raw json.RawMessage, given bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if string(list[i].key) == key {
			return list[i].value, true
		}
	}
	return nil, false
}

// sorted brings members into the order of their keys, of which the last one of a name stays.
func sorted(list []member) []member {
	slices.SortStableFunc(list, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	last := 0
	for i := range list {
		if i > 0 && !bytes.Equal(list[i].key, list[last].key) {
			last++
		}
		list[last] = list[i]
	}
	return list[:min(len(list), last+1)]
}

// array splits a JSON array into its elements.
func array(raw json.RawMessage) ([]json.RawMessage, error) {
	if got := JSONType(raw); got != "Array" {
		return nil, typeMismatch("[]", "Array", got)
	}
	list := []json.RawMessage{}
	for i := next(raw, next(raw, 0)+1); ; {
		switch {
		case i >= len(raw):
			return nil, errMalformed
		case raw[i] == ']':
			return list, nil
		case raw[i] == ',' && len(list) > 0:
			i = next(raw, i+1)
		}
		end := skip(raw, i)
		if end < 0 {
			return nil, errMalformed
		}
		list = append(list, raw[i:end:end])
		i = next(raw, end)
	}
}

// next is the place of the first byte from i on that isn't a blank.
func next(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// skip is the place behind the value that begins at i, -1 when it doesn't end.
func skip(raw []byte, i int) int {
	if i >= len(raw) {
		return -1
	}
	switch raw[i] {
	case '"':
		return skipText(raw, i)
	case '{', '[':
	case '}', ']', ',', ':':
		return -1
	default:
		for i < len(raw) && strings.IndexByte(",]}: \n\r\t", raw[i]) < 0 {
			i++
		}
		return i
	}
	for depth := 0; i >= 0 && i < len(raw); {
		switch raw[i] {
		case '"':
			i = skipText(raw, i)
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

// skipText is skip for a text.
func skipText(raw []byte, i int) int {
	for at := i + 1; ; {
		n := bytes.IndexByte(raw[at:], '"')
		if n < 0 {
			return -1
		}
		at += n + 1
		slashes := 0
		for raw[at-2-slashes] == '\\' { // the quote before ends it
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// text reads a JSON text.
func text(raw json.RawMessage) (string, error) {
	if s, ok := plainText(raw); ok {
		return s, nil
	}
	var s string
	return s, parseFailure(json.Unmarshal(raw, &s))
}

// plainText reads a JSON text without escapes, as nearly all of a document's are: a decoder
// for each of them would be most of what decoding a large document allocates.
func plainText(raw json.RawMessage) (s string, ok bool) {
	raw = bytes.Trim(raw, " \t\r\n")
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if !isPlain(inner) {
		return "", false
	}
	return string(inner), true
}

func isPlain(inner []byte) bool { return bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) }
