package input

import (
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
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
	start, c := len(dst), jsonwalk.NewCursor(b)
	dst, err := maskValue(dst, &c)
	if err != nil || c.End() != nil {
		return append(dst[:start], b...)
	}
	return dst
}

func maskValue(dst []byte, c *jsonwalk.Cursor) ([]byte, error) {
	var err error
	switch c.Kind() {
	case jsonwalk.Number:
		return append(dst, '0'), c.Skip()
	case jsonwalk.String:
		return append(dst, '"'), c.Skip()
	case jsonwalk.Array:
		start, scalars := len(dst), true
		dst = append(dst, '[')
		err = c.Array(func() error {
			k := c.Kind()
			scalars = scalars && (k == jsonwalk.Number || k == jsonwalk.String)
			dst, err = maskValue(dst, c)
			dst = append(dst, ',')
			return err
		})
		if scalars && len(dst) > start+1 {
			return append(dst[:start], "[0"...), err
		}
		return append(dst, ']'), err
	case jsonwalk.Object:
		dst = append(dst, '{')
		err = c.Object(func(key []byte) error {
			dst = append(jsontext.AppendString(dst, string(key)), ':')
			dst, err = maskValue(dst, c)
			dst = append(dst, ',')
			return err
		})
		return append(dst, '}'), err
	default:
		value, err := c.Value()
		return append(dst, value...), err
	}
}
