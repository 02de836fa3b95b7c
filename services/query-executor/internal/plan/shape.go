package plan

import (
	"queryengine/services/query-executor/internal/rawjson"
)

// Look is how much of a variable's value decided a plan.
type Look uint8

// The looks, each more than the one before.
const (
	// LookNone leaves the value to the bindings.
	LookNone Look = iota
	// LookShape takes its structure: keys, lengths, kinds, booleans and nulls, but not
	// numbers and texts.
	LookShape
	// LookValue takes all of it.
	LookValue
)

// AppendShape appends the part of the values that plans with these looks may differ by.
func AppendShape(dst []byte, looks []Look, values [][]byte) []byte {
	for i, l := range looks {
		switch {
		case l == LookNone:
			continue
		case values[i] == nil:
			dst = append(dst, '-')
		case l == LookShape:
			dst = appendMask(dst, values[i])
		default:
			dst = append(dst, values[i]...)
		}
		dst = append(dst, 0)
	}
	return dst
}

// Union sets each look to the greater of the two, and reports whether one changed.
func Union(looks, other []Look) bool {
	changed := false
	for i, l := range other {
		if l > looks[i] {
			looks[i], changed = l, true
		}
	}
	return changed
}

// appendMask appends JSON with its numbers and texts blotted out. A list of nothing but
// them is one operand, whatever its length.
func appendMask(dst, b []byte) []byte {
	switch rawjson.KindOf(b) {
	case rawjson.Number:
		return append(dst, '0')
	case rawjson.String:
		return append(dst, '"')
	case rawjson.Array:
		if isOperandList(b) {
			return append(dst, "[0"...)
		}
		dst = append(dst, '[')
		start := len(dst)
		err := rawjson.Items(b, func(_ int, v []byte) error {
			dst = append(appendMask(dst, v), ',')
			return nil
		})
		if err != nil {
			return append(dst[:start], b...)
		}
		return append(dst, ']')
	case rawjson.Object:
		dst = append(dst, '{')
		start := len(dst)
		err := rawjson.Fields(b, func(k, v []byte) error {
			dst = append(append(dst, k...), ':')
			dst = append(appendMask(dst, v), ',')
			return nil
		})
		if err != nil {
			return append(dst[:start], b...)
		}
		return append(dst, '}')
	}
	return append(dst, b...)
}

func isOperandList(b []byte) bool {
	n := 0
	err := rawjson.Items(b, func(_ int, v []byte) error {
		n++
		if k := rawjson.KindOf(v); k != rawjson.Number && k != rawjson.String {
			return rawjson.ErrSyntax
		}
		return nil
	})
	return err == nil && n > 0
}
