package metadata

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// decode reads raw, which is valid JSON, into the value that into points to, with the
// parse errors and paths of the wire format. Unknown keys are ignored, null counts as
// absent where a key may be absent.
//
// Struct fields take their key from the json tag. A meta tag adds rules, separated by
// commas: "required", "nonempty" (a text), "nullable" (null isn't absent), "default=x" (what an absent key means) and
// "alias=x" (another spelling of the key). Types with decode or UnmarshalJSON decode themselves; one
// with check is called after its fields are set.
func decode(raw json.RawMessage, into any) error {
	return decodeValue(raw, reflect.ValueOf(into).Elem())
}

// checker is Checker for the structs of this package.
type checker interface{ check() error }

// decoder is a type that decodes a client's input, with all checks, where its UnmarshalJSON is for
// values that were checked before.
type decoder interface {
	decode(raw json.RawMessage) error
}

var rawMessageType = reflect.TypeFor[json.RawMessage]()

func decodeValue(raw json.RawMessage, v reflect.Value) error {
	if v.Type() == rawMessageType {
		v.SetBytes(compact(raw))
		return nil
	}
	if v.Kind() == reflect.Pointer {
		if isNull(raw) {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem())
	}
	if d, ok := v.Addr().Interface().(decoder); ok {
		return d.decode(raw)
	}
	if u, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return parseFailure(u.UnmarshalJSON(raw))
	}
	switch v.Kind() {
	case reflect.String:
		return decodeScalar(raw, v, "Text", "String")
	case reflect.Bool:
		return decodeScalar(raw, v, "Bool", "Boolean")
	case reflect.Int, reflect.Int64:
		return decodeScalar(raw, v, "Int", "Number")
	case reflect.Slice:
		return decodeSlice(raw, v)
	case reflect.Map:
		return decodeMap(raw, v)
	case reflect.Struct:
		return decodeStruct(raw, v)
	}
	return apierror.Newf(apierror.Unexpected, "cannot decode %s", v.Type())
}

func decodeScalar(raw json.RawMessage, v reflect.Value, name, want string) error {
	if got := JSONType(raw); got != want {
		return typeMismatch(name, want, got)
	}
	if want == "String" {
		s, err := text(raw)
		v.SetString(s)
		return err
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return apierror.Newf(apierror.ParseFailed,
			"parsing %s failed, value is either floating or will cause over or underflow %s", name, raw)
	}
	return nil
}

func decodeSlice(raw json.RawMessage, v reflect.Value) error {
	items, err := array(raw)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := decodeValue(item, v.Index(i)); err != nil {
			return apierror.At(err, i)
		}
	}
	return nil
}

func decodeMap(raw json.RawMessage, v reflect.Value) error {
	fields, err := object(raw)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(fields)))
	for _, key := range sortedKeys(fields) {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := decodeValue(fields[key], item); err != nil {
			return apierror.At(err, key)
		}
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
	return nil
}

func decodeStruct(raw json.RawMessage, v reflect.Value) error {
	var few [fewMembers]member
	fields, err := members(few[:0], raw)
	if err != nil {
		return err
	}
	for _, f := range fieldsOf(v.Type()) {
		if err := f.decode(fields, v.FieldByIndex(f.index)); err != nil {
			return err
		}
	}
	switch c := v.Addr().Interface().(type) {
	case checker:
		return c.check()
	case Checker:
		return c.Check()
	}
	return nil
}

// structField is a field of a struct that has a key in JSON.
type structField struct {
	rules
	key   string
	index []int
	typ   reflect.Type
}

// structFields are the fields of the structs that were requested, by their types.
var structFields sync.Map

// fieldsOf are the fields of a struct with those of the structs that are embedded in it.
func fieldsOf(t reflect.Type) []structField {
	if known, ok := structFields.Load(t); ok {
		return known.([]structField)
	}
	var list []structField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key != "" && key != "-" {
			list = append(list, structField{parseRules(f.Tag.Get("meta")), key, []int{i}, f.Type})
		}
	}
	structFields.Store(t, list)
	return list
}

func (f *structField) decode(fields []member, v reflect.Value) error {
	key := f.key
	raw, given := value(fields, key)
	if !given && f.alias != "" {
		if raw, given = value(fields, f.alias); given {
			key = f.alias
		}
	}
	if !given && f.required {
		return missingKey(key)
	}
	if !given || isNull(raw) && !f.required && !f.nullable {
		if f.fallback == "" {
			return nil
		}
		raw = json.RawMessage(f.fallback)
	}
	if err := decodeValue(raw, v); err != nil {
		return apierror.At(err, key)
	}
	if f.nonempty && v.String() == "" {
		return apierror.At(apierror.New(apierror.ParseFailed, "empty string not allowed"), key)
	}
	return nil
}

// rules are the rules of one struct field.
type rules struct {
	required, nonempty, nullable bool
	fallback                     string // JSON
	alias                        string
}

func parseRules(tag string) rules {
	var r rules
	for rule := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "required":
			r.required = true
		case "nonempty":
			r.nonempty = true
		case "nullable":
			r.nullable = true
		case "default":
			r.fallback = value
			if value != "true" && value != "false" {
				r.fallback = strconv.Quote(value)
			}
		case "alias":
			r.alias = value
		}
	}
	return r
}

// JSONType names the type of a JSON value as parse errors do; nothing is Null.
func JSONType(raw json.RawMessage) string { return jsonwalk.KindOf(raw).String() }

func isNull(raw json.RawMessage) bool { return JSONType(raw) == "Null" }

func typeMismatch(name, want, got string) error {
	return apierror.Newf(apierror.ParseFailed, "parsing %s failed, expected %s, but encountered %s", name, want, got)
}

func missingKey(key string) error {
	return apierror.Newf(apierror.ParseFailed, "key %q not found", key)
}

// parseFailure makes a parse error of the wire format out of any other error.
func parseFailure(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*apierror.Error); ok { //nolint:errorlint // json wraps no error of ours
		return e
	}
	return apierror.New(apierror.ParseFailed, err.Error())
}

// compact returns raw without the blanks between its tokens, in memory of its own.
func compact(raw json.RawMessage) json.RawMessage {
	b := bytes.NewBuffer(make([]byte, 0, len(raw)))
	if err := json.Compact(b, raw); err != nil {
		return slices.Clone(raw)
	}
	return slices.Clip(b.Bytes())
}

// Encode is json.Marshal without the escapes that HTML would need.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
