package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
)

// RemoteField is the way to a field of a remote schema: the calls from its root down.
type RemoteField []RemoteCall

// RemoteCall is one field on the way.
type RemoteCall struct {
	Name string
	// Arguments are the arguments that the definition fixes, as they were given: a text that
	// begins with "$" stands for the value of a field of the left side.
	Arguments json.RawMessage
}

// remoteCall is what stands under the name of a call on the wire.
type remoteCall struct {
	Arguments json.RawMessage `json:"arguments" meta:"required"`
	Field     RemoteField     `json:"field,omitempty"`
}

// MarshalJSON writes the calls as objects in one another.
func (f RemoteField) MarshalJSON() ([]byte, error) {
	if len(f) == 0 {
		return []byte("null"), nil
	}
	return Encode(map[string]remoteCall{f[0].Name: {f[0].Arguments, f[1:]}})
}

// UnmarshalJSON reads the objects, each with a single key.
func (f *RemoteField) UnmarshalJSON(raw []byte) error {
	*f = nil
	fields, err := object(raw)
	if err != nil {
		return err
	}
	switch len(fields) {
	case 0:
		return apierror.New(apierror.ParseFailed, "Expecting one single mapping, received none.")
	case 1:
	default:
		return apierror.New(apierror.ParseFailed, "Expecting one single mapping, received too many.")
	}
	for name, value := range fields {
		var call remoteCall
		err := decode(value, &call)
		if err == nil {
			err = apierror.At(checkArguments(call.Arguments), "arguments")
		}
		if err != nil {
			return apierror.At(err, name)
		}
		*f = append(RemoteField{{name, call.Arguments}}, call.Field...)
	}
	return nil
}

// checkArguments looks at the references in fixed arguments.
func checkArguments(raw json.RawMessage) error {
	fields, err := object(raw)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(fields) {
		if err := checkReferences(fields[name]); err != nil {
			return apierror.At(err, name)
		}
	}
	return nil
}

func checkReferences(raw json.RawMessage) error {
	switch JSONType(raw) {
	case "Object":
		return checkArguments(raw)
	case "Array":
		items, err := array(raw)
		if err != nil {
			return err
		}
		for i, item := range items {
			if err := checkReferences(item); err != nil {
				return apierror.At(err, i)
			}
		}
	case "String":
		var text string
		if err := decode(raw, &text); err != nil {
			return err
		}
		return checkReference(text)
	}
	return nil
}

// checkReference refuses a text that begins like a reference and isn't one.
func checkReference(text string) error {
	switch {
	case text == "" || text[0] != '$':
		return nil
	case text == "$":
		return apierror.New(apierror.ParseFailed, "Empty variable name")
	case !gqlname.Valid(text[1:]):
		return apierror.Newf(apierror.ParseFailed, "Invalid variable name '%s'", text[1:])
	}
	return nil
}
