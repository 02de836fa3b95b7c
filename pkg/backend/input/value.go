package input

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/jsonwalk"
)

// Number reads a JSON number.
func Number(value []byte, k jsonwalk.Kind, expected string, parse func(string) (string, error)) (backend.Input, error) {
	if k != jsonwalk.Number {
		return backend.Input{}, Unexpected(expected, "Number", value)
	}
	text, err := parse(string(value))
	return backend.Input{Text: text}, err
}

// Text decodes a JSON string.
func Text(value []byte) (backend.Input, error) {
	s, err := Unquote(value)
	return backend.Input{Text: s}, err
}

// JSON keeps keys and numbers as they were given and drops the space between them,
// so that a value is stored alike however the client wrote it.
func JSON(value []byte) (backend.Input, error) {
	var b bytes.Buffer
	b.Grow(len(value))
	if err := json.Compact(&b, value); err != nil {
		return backend.Input{}, apierror.New(apierror.ParseFailed, "invalid JSON: "+err.Error())
	}
	return backend.Input{Text: b.String()}, nil
}

// Unexpected is the error of a value of another kind.
func Unexpected(parsing, expected string, value []byte) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s",
		parsing, expected, jsonwalk.KindOf(value))
}

// Unquote decodes a JSON string.
func Unquote(value []byte) (string, error) {
	s, err := jsonwalk.Text(value)
	if err != nil {
		return "", apierror.New(apierror.ParseFailed, "invalid JSON: "+err.Error())
	}
	return s, nil
}
