package dataop

import (
	"encoding/json"
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// member is one key of an object. Objects keep the order of their keys, so that of several
// faults always the same is reported.
type member struct {
	key   string
	value []byte
}

type object []member

// readObject reads an object; what names it in errors.
func readObject(what string, raw []byte) (object, error) {
	if jsonwalk.KindOf(raw) != jsonwalk.Object {
		return nil, wrongKind(what, "Object", raw)
	}
	var o object
	err := jsonwalk.Fields(raw, func(key, value []byte) error {
		o = append(o, member{string(key), value})
		return nil
	})
	return o, err
}

// get is the value of a key, nil when it is missing.
func (o object) get(key string) []byte {
	for i := len(o) - 1; i >= 0; i-- { // of several, the last counts
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

// optional is get, with null as if it were missing.
func (o object) optional(key string) []byte {
	v := o.get(key)
	if jsonwalk.KindOf(v) == jsonwalk.Null {
		return nil
	}
	return v
}

func (o object) required(key string) ([]byte, error) {
	if v := o.get(key); v != nil {
		return v, nil
	}
	return nil, missingKey(key)
}

// readList reads an array; what names it in errors.
func readList(what string, raw []byte) ([][]byte, error) {
	if jsonwalk.KindOf(raw) != jsonwalk.Array {
		return nil, wrongKind(what, "Array", raw)
	}
	list := [][]byte{}
	err := jsonwalk.Items(raw, func(_ int, value []byte) error {
		list = append(list, value)
		return nil
	})
	return list, err
}

// readListOf reads an array with read for each element.
func readListOf[T any](what string, raw []byte, read func([]byte) (T, error)) ([]T, error) {
	items, err := readList(what, raw)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(items))
	for i, item := range items {
		if list[i], err = read(item); err != nil {
			return nil, apierror.At(err, i)
		}
	}
	return list, nil
}

func readText(raw []byte) (string, error) {
	if jsonwalk.KindOf(raw) != jsonwalk.String {
		return "", wrongKind("Text", "String", raw)
	}
	return jsonwalk.Text(raw)
}

func readInt(raw []byte) (int64, error) {
	if jsonwalk.KindOf(raw) != jsonwalk.Number {
		return 0, wrongKind("Int", "Number", raw)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0, apierror.Newf(apierror.ParseFailed, "parsing Int failed, %s is not an integer, or too large", raw)
	}
	return n, nil
}

func readTruth(raw []byte) (bool, error) {
	if jsonwalk.KindOf(raw) != jsonwalk.Boolean {
		return false, wrongKind("Bool", "Boolean", raw)
	}
	return string(raw) == "true", nil
}

// readTable reads the name of a table, as text or {"schema","name"}.
func readTable(raw []byte) (catalog.Name, error) {
	var n catalog.Name
	return n, json.Unmarshal(raw, &n)
}

func wrongKind(what, want string, got []byte) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s", what, want, jsonwalk.KindOf(got))
}

func missingKey(key string) error {
	return apierror.Newf(apierror.ParseFailed, "key %q not found", key)
}
