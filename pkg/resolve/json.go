package resolve

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
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
	c := jsonwalk.NewCursor(raw)
	if c.OpenObject() != nil {
		return nil, false
	}
	var list []member
	for {
		key, ok, _ := c.NextMember() // it is known to be valid
		if !ok {
			return list, true
		}
		value, _ := c.Value()
		list = append(list, member{key: string(key), value: value[:len(value):len(value)]})
	}
}

// elements lists the values of an array; false when raw is something else.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	c := jsonwalk.NewCursor(raw)
	if c.OpenArray() != nil {
		return nil, false
	}
	list := make([]json.RawMessage, 0, 4) // as most lists of rules are
	for {
		if ok, _ := c.NextElement(); !ok { // as above
			return list, true
		}
		value, _ := c.Value()
		list = append(list, value[:len(value):len(value)])
	}
}

// text decodes a JSON string; false when raw is something else.
func text(raw json.RawMessage) (string, bool) {
	s, err := jsonwalk.Text(raw)
	return s, err == nil
}

// isNull reports whether raw is null or absent.
func isNull(raw json.RawMessage) bool { return metadata.JSONType(raw) == "Null" }

// unexpected is the error for a value of the wrong JSON type.
func unexpected(parsing, expected string, raw json.RawMessage) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s", parsing, expected, metadata.JSONType(raw))
}
