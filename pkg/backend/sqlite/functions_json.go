package sqlite

import (
	"bytes"
	"encoding/json"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/jsonwalk"
)

// The functions on JSON mean what the operators of PostgreSQL's jsonb mean.

// parseJSON reads a JSON text. Numbers keep their digits.
func parseJSON(text string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, apierror.New(apierror.DataException, "malformed JSON")
	}
	return v, nil
}

// jsonContains reports whether a contains b (@>).
func jsonContains(a, b string) (bool, error) {
	left, err := parseJSON(a)
	if err != nil {
		return false, err
	}
	right, err := parseJSON(b)
	if err != nil {
		return false, err
	}
	if list, ok := left.([]any); ok {
		if _, ok := right.([]any); !ok {
			if _, ok := right.(map[string]any); !ok {
				// An array contains a plain value that is one of its elements.
				return containsElement(list, right), nil
			}
		}
	}
	return contains(left, right), nil
}

func contains(a, b any) bool {
	switch b := b.(type) {
	case map[string]any:
		object, ok := a.(map[string]any)
		if !ok {
			return false
		}
		for key, want := range b {
			have, ok := object[key]
			if !ok || !contains(have, want) {
				return false
			}
		}
		return true
	case []any:
		list, ok := a.([]any)
		if !ok {
			return false
		}
		for _, want := range b {
			if !containsElement(list, want) {
				return false
			}
		}
		return true
	case json.Number:
		n, ok := a.(json.Number)
		return ok && sameNumber(n, b)
	}
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func containsElement(list []any, want any) bool {
	for _, have := range list {
		if contains(have, want) {
			return true
		}
	}
	return false
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y
}

// hasKey reports whether a value is an object with a key, or an array with a text (?).
func hasKey(v any, key string) bool {
	switch v := v.(type) {
	case map[string]any:
		_, ok := v[key]
		return ok
	case []any:
		for _, e := range v {
			if e == key {
				return true
			}
		}
		return false
	}
	return v == key
}

func jsonHasKey(text, key string) (bool, error) {
	v, err := parseJSON(text)
	return err == nil && hasKey(v, key), err
}

func jsonHasAny(text, keys string) (bool, error) {
	return hasKeys(text, keys, true)
}

func jsonHasAll(text, keys string) (bool, error) {
	return hasKeys(text, keys, false)
}

// hasKeys reports whether a value has any of some keys, or all of them. A key that is NULL is none.
func hasKeys(text, keys string, any bool) (bool, error) {
	v, err := parseJSON(text)
	if err != nil {
		return false, err
	}
	list, err := input.ListValues([]byte(keys))
	if err != nil {
		return false, err
	}
	for _, key := range list {
		if key != nil && hasKey(v, string(key)) == any {
			return any, nil
		}
	}
	return !any, nil
}

// jsonPath is the part of a JSON value that a path leads to (#>): keys of objects, and positions in
// arrays, from their ends if negative. NULL where there is none.
func jsonPath(args []sqlite.Value) (sqlite.Value, error) {
	steps, err := input.ListValues([]byte(args[1].Text()))
	if err != nil {
		return sqlite.Value{}, err
	}
	at := []byte(args[0].Text())
	for _, step := range steps {
		if at = member(at, string(step)); at == nil {
			return sqlite.Value{}, nil
		}
	}
	return sqlite.TextValue(string(bytes.TrimSpace(at))), nil
}

// member is the value of a key of an object, or of a position of an array; nil if there is none.
func member(v []byte, step string) []byte {
	var found []byte
	switch jsonwalk.KindOf(v) {
	case jsonwalk.Object:
		_ = jsonwalk.Fields(v, func(key, value []byte) error {
			if string(key) == step {
				found = value // the last one counts
			}
			return nil
		})
	case jsonwalk.Array:
		var items [][]byte
		_ = jsonwalk.Items(v, func(_ int, item []byte) error {
			items = append(items, item)
			return nil
		})
		var i int
		if err := json.Unmarshal([]byte(step), &i); err != nil {
			return nil
		}
		if i < 0 {
			i += len(items)
		}
		if i >= 0 && i < len(items) {
			found = items[i]
		}
	}
	return found
}
