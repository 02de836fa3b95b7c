package metadata

import (
	"bytes"
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
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
	c := jsonwalk.NewCursor(raw)
	if c.OpenObject() != nil {
		return nil, typeMismatch("Object", "Object", JSONType(raw))
	}
	for {
		key, ok, err := c.NextMember()
		if err != nil {
			return nil, errMalformed
		}
		if !ok {
			return list, nil
		}
		value, err := c.Value()
		if err != nil {
			return nil, errMalformed
		}
		list = append(list, member{key, value[:len(value):len(value)]})
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
	c := jsonwalk.NewCursor(raw)
	if c.OpenArray() != nil {
		return nil, typeMismatch("[]", "Array", JSONType(raw))
	}
	list := []json.RawMessage{}
	for {
		ok, err := c.NextElement()
		if err != nil {
			return nil, errMalformed
		}
		if !ok {
			return list, nil
		}
		value, err := c.Value()
		if err != nil {
			return nil, errMalformed
		}
		list = append(list, value[:len(value):len(value)])
	}
}

// text reads a JSON text.
func text(raw json.RawMessage) (string, error) {
	s, err := jsonwalk.Text(raw)
	if err != nil {
		return "", errMalformed
	}
	return s, nil
}
