package resolve

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// The readers of this file keep the order of keys, which a map doesn't: errors must be the
// same every time, and a rewritten rule keeps the order it was given in. They take JSON
// that is known to be valid.

// member is one key of an object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// members lists the keys of an object; false when raw is something else.
func members(raw json.RawMessage) ([]member, bool) {
	i := space(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return nil, false
	}
	var list []member
	for i = space(raw, i+1); raw[i] != '}'; i = next(raw, i) {
		end := skip(raw, i)
		key, _ := text(raw[i:end])
		i = space(raw, space(raw, end)+1)
		end = skip(raw, i)
		list = append(list, member{key: key, value: raw[i:end:end]})
		i = end
	}
	return list, true
}

// elements lists the values of an array; false when raw is something else.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	i := space(raw, 0)
	if i == len(raw) || raw[i] != '[' {
		return nil, false
	}
	var list []json.RawMessage
	for i = space(raw, i+1); raw[i] != ']'; i = next(raw, i) {
		end := skip(raw, i)
		list = append(list, raw[i:end:end])
		i = end
	}
	return list, true
}

// text decodes a JSON string; false when raw is something else.
func text(raw json.RawMessage) (string, bool) {
	raw = raw[space(raw, 0):]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if end := skip(raw, 0); bytes.IndexByte(raw[:end], '\\') < 0 && utf8.Valid(raw[:end]) {
		return string(raw[1 : end-1]), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// isNull reports whether raw is null or absent.
func isNull(raw json.RawMessage) bool { return metadata.JSONType(raw) == "Null" }

// unexpected is the error for a value of the wrong JSON type.
func unexpected(parsing, expected string, raw json.RawMessage) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s", parsing, expected, metadata.JSONType(raw))
}

// space is the index of the first byte at or after i that isn't white space.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// next is the start of the member or element after the one that ends at i, or the closing
// bracket.
func next(raw []byte, i int) int {
	if i = space(raw, i); raw[i] == ',' {
		i = space(raw, i+1)
	}
	return i
}

// skip is the end of the value that starts at i.
func skip(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of what a bare value is part of
				return i
			}
			depth--
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}
