package request

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// OperationType is the type of a metadata, schema or data request, "" when it has none; the service
// that runs the request then reports what is wrong with it. The body must be JSON.
func OperationType(body []byte) (string, error) {
	v, err := parse(body)
	if err != nil {
		return "", err
	}
	kind, _ := envelope(v)
	return kind, nil
}

// BulkSize is how many requests a bulk request holds, and 1 for any other. One in another, whose
// size costs more to find than the request is long, is refused.
func BulkSize(body []byte) (int, error) {
	v, err := parse(body)
	if err != nil {
		return 0, err
	}
	kind, args := envelope(v)
	if kind != "bulk" || args.Kind != jsonwalk.Array {
		return 1, nil
	}
	size := 0
	err = args.Elements(func(i int, element jsonwalk.Value) error {
		size++
		if kind, _ := envelope(element); kind == "bulk" {
			return apierror.At(apierror.New(apierror.NotSupported, "a bulk request can't hold another one"), "args", i)
		}
		return nil
	})
	return size, err
}

// envelope is the type of a request and its arguments, nothing where there is none.
func envelope(v jsonwalk.Value) (kind string, args jsonwalk.Value) {
	if v.Kind != jsonwalk.Object {
		return "", args
	}
	_ = v.Members(func(key []byte, m jsonwalk.Value) error { // it was parsed before
		switch string(key) {
		case "type":
			if m.Kind == jsonwalk.String {
				kind = m.Text()
			}
		case "args":
			args = m
		}
		return nil
	})
	return kind, args
}
