package template

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/jsontext"
)

// Decode reads a value from JSON text.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, json.Unmarshal(text, &v) // says what follows the value
	}
	return v, nil
}

// Encode is the compact JSON text of a value.
func Encode(v any) []byte {
	text, _ := appendJSON(nil, v, int(^uint(0)>>1))
	return text
}

// TypeName is the name of the value's type in errors.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "Null"
	case bool:
		return "Boolean"
	case json.Number:
		return "Number"
	case string:
		return "String"
	case []any:
		return "Array"
	}
	return "Object"
}

// appendJSON appends the compact text of v, keys sorted. It stops, and says so, when text
// would be longer than limit.
func appendJSON(text []byte, v any, limit int) (result []byte, ok bool) {
	if len(text) > limit {
		return text, false
	}
	switch v := v.(type) {
	case nil:
		text = append(text, "null"...)
	case bool:
		if v {
			text = append(text, "true"...)
		} else {
			text = append(text, "false"...)
		}
	case json.Number:
		text = append(text, canonical(string(v))...)
	case string:
		text = jsontext.AppendString(text, v)
	case []any:
		text = append(text, '[')
		for i, element := range v {
			if i > 0 {
				text = append(text, ',')
			}
			if text, ok = appendJSON(text, element, limit); !ok {
				return text, false
			}
		}
		text = append(text, ']')
	case map[string]any:
		return appendObject(text, v, limit)
	}
	return text, len(text) <= limit
}

func appendObject(text []byte, object map[string]any, limit int) (result []byte, ok bool) {
	text = append(text, '{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(jsontext.AppendString(text, key), ':')
		if text, ok = appendJSON(text, object[key], limit); !ok {
			return text, false
		}
	}
	text = append(text, '}')
	return text, len(text) <= limit
}

// rank is the order of the types.
func rank(v any) int {
	switch v.(type) {
	case map[string]any:
		return 0
	case []any:
		return 1
	case string:
		return 2
	case json.Number:
		return 3
	case bool:
		return 4
	}
	return 5
}

// compare orders any two values: by type, then by value.
func (m *machine) compare(a, b any, at Span) (int, *Error) {
	if err := m.spend(1, at); err != nil {
		return 0, err
	}
	if order := cmp.Compare(rank(a), rank(b)); order != 0 {
		return order, nil
	}
	switch a := a.(type) {
	case map[string]any:
		return m.compareObjects(a, b.(map[string]any), at)
	case []any:
		b := b.([]any)
		for i := range min(len(a), len(b)) {
			if order, err := m.compare(a[i], b[i], at); order != 0 || err != nil {
				return order, err
			}
		}
		return cmp.Compare(len(a), len(b)), nil
	case string:
		return strings.Compare(a, b.(string)), m.spend(len(a)/64, at)
	case json.Number:
		return compareNumbers(string(a), string(b.(json.Number))), nil
	case bool:
		b := b.(bool)
		switch {
		case a == b:
			return 0, nil
		case b:
			return -1, nil
		}
		return 1, nil
	}
	return 0, nil
}

// compareObjects compares the members in the order of their keys.
func (m *machine) compareObjects(a, b map[string]any, at Span) (int, *Error) {
	if err := m.spend(len(a)+len(b), at); err != nil {
		return 0, err
	}
	keysA, keysB := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	for i := range min(len(keysA), len(keysB)) {
		if order := strings.Compare(keysA[i], keysB[i]); order != 0 {
			return order, nil
		}
		if order, err := m.compare(a[keysA[i]], b[keysB[i]], at); order != 0 || err != nil {
			return order, err
		}
	}
	return cmp.Compare(len(keysA), len(keysB)), nil
}
