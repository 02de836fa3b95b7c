package transform

import (
	"encoding/json"
	"maps"
	"slices"

	"queryengine/pkg/apierror"
)

// engineName is the value of template_engine; it names the template language.
const engineName = "Kriti"

// fields are the keys of a JSON object. Its methods return parse errors of the wire format
// whose paths are relative to the object; null counts as an absent key.
type fields map[string]json.RawMessage

func parseFields(raw json.RawMessage) (fields, error) {
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return nil, mismatch("Object", "Object", raw)
	}
	maps.DeleteFunc(f, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return f, nil
}

func mismatch(what, want string, raw json.RawMessage) error {
	var v any
	_ = json.Unmarshal(raw, &v) // valid: it was part of a document that was read
	got := "Null"
	switch v.(type) {
	case bool:
		got = "Boolean"
	case float64:
		got = "Number"
	case string:
		got = "String"
	case []any:
		got = "Array"
	case map[string]any:
		got = "Object"
	}
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s", what, want, got)
}

func (f fields) text(key string) (*string, error) {
	raw, given := f[key]
	if !given {
		return nil, nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, apierror.At(mismatch("Text", "String", raw), key)
	}
	return &s, nil
}

func (f fields) object(key string) (fields, error) {
	raw, given := f[key]
	if !given {
		return nil, nil
	}
	inner, err := parseFields(raw)
	return inner, apierror.At(err, key)
}

// texts reads an object of texts under key.
func (f fields) texts(key string) (map[string]string, error) {
	inner, err := f.object(key)
	if err != nil || inner == nil {
		return nil, err
	}
	texts := make(map[string]string, len(inner))
	for _, name := range slices.Sorted(maps.Keys(inner)) {
		s, err := inner.text(name)
		if err != nil {
			return nil, apierror.At(err, key)
		}
		texts[name] = *s
	}
	return texts, nil
}

// list reads an array of texts under key.
func (f fields) list(key string) ([]string, error) {
	raw, given := f[key]
	if !given {
		return nil, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, apierror.At(mismatch("[]", "Array", raw), key)
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if json.Unmarshal(item, &texts[i]) != nil || string(item) == "null" {
			return nil, apierror.At(mismatch("Text", "String", item), key, i)
		}
	}
	return texts, nil
}

// head reads what requests and responses have in common: the version, and the name of the
// template language, which must be known.
func (f fields) head() (version int, err error) {
	version = 1
	if raw, given := f["version"]; given {
		if json.Unmarshal(raw, &version) != nil {
			return 0, apierror.At(mismatch("Int", "Number", raw), "version")
		}
		if version != 1 && version != 2 {
			return 0, apierror.At(apierror.Newf(apierror.ParseFailed, "expected 1 or 2, encountered %d", version), "version")
		}
	}
	engine, err := f.text("template_engine")
	if err == nil && engine != nil && *engine != engineName {
		err = apierror.At(apierror.Newf(apierror.ParseFailed,
			"expected %s, encountered %s", engineName, *engine), "template_engine")
	}
	return version, err
}
