package remote

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// Joined finds the data in the body of an answer to a join, under the rules for joins.
func Joined(body []byte, dataFirst bool) ([]byte, error) {
	a, err := parse(body)
	switch {
	case err != nil:
		return nil, apierror.New(apierror.Unexpected, "Remote server response is not valid JSON: "+err.Error())
	case a.Errors != nil && (a.Data == nil || !dataFirst):
		return nil, apierror.New(apierror.Unexpected, "Errors from remote server").WithStatus(http.StatusBadRequest).
			WithInternal(json.RawMessage(`{"errors":` + string(a.Errors) + `}`))
	case a.Data == nil:
		return nil, apierror.New(apierror.Unexpected, `"data" field not found in remote response`)
	}
	return a.Data, nil
}

// Alias is the name of the i-th of the fields that are requested together.
func Alias(i int) string { return aliasPrefix + strconv.Itoa(i) }

const aliasPrefix = "f"

// Values are the values of n fields of the data, which are called Alias, each at the end of a
// path and in a shape.
func Values(data []byte, n int, path []string, s *Shape) ([][]byte, error) {
	found := make([][]byte, n)
	if err := members(data, found); err != nil {
		return nil, err
	}
	buf := make([]byte, 0, len(data))
	for i, value := range found {
		if value == nil {
			return nil, apierror.Newf(apierror.Unexpected, "failed to lookup key '%s' in response", Alias(i))
		}
		value, err := follow(value, path)
		if err != nil {
			return nil, err
		}
		start := len(buf)
		if buf, err = s.Append(buf, value); err != nil {
			return nil, apierror.New(apierror.Unexpected, "the answer of the remote is malformed: "+err.Error())
		}
		found[i] = buf[start:len(buf):len(buf)]
	}
	return found, nil
}

// members finds the fields of the data.
func members(data []byte, found [][]byte) error {
	if jsonwalk.KindOf(data) != jsonwalk.Object {
		return notAnObject(nil)
	}
	return jsonwalk.Fields(data, func(key, value []byte) error {
		digits, ok := bytes.CutPrefix(key, []byte(aliasPrefix))
		if i, err := strconv.Atoi(string(digits)); ok && err == nil && i >= 0 && i < len(found) {
			found[i] = value
		}
		return nil
	})
}

// follow follows a path. Where there is nothing on the way, there is nothing at its end.
func follow(value []byte, path []string) ([]byte, error) {
	for i, key := range path {
		switch jsonwalk.KindOf(value) {
		case jsonwalk.Null:
			return value, nil
		case jsonwalk.Object:
		default:
			return nil, notAnObject(path[i:])
		}
		var next []byte
		err := jsonwalk.Fields(value, func(k, v []byte) error {
			if string(k) == key {
				next = v
			}
			return nil
		})
		if err != nil || next == nil {
			return nil, apierror.Newf(apierror.Unexpected, "failed to lookup key '%s' in response", key)
		}
		value = next
	}
	return value, nil
}

func notAnObject(path []string) error {
	return apierror.New(apierror.Unexpected, "unexpected non-object json value found while path not empty: "+strings.Join(path, "."))
}
