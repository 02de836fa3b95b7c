package metadata

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/apierror"
)

// decode reads raw, which is valid JSON, into the value that into points to, with the
// parse errors and paths of the wire format. Unknown keys are ignored, null counts as
// absent where a key may be absent.
//
// Struct fields take their key from the json tag. A meta tag adds rules, separated by
// commas: "required", "nonempty" (a text), "default=x" (what an absent key means) and
// "alias=x" (another spelling of the key). Types with decode or UnmarshalJSON decode themselves; one
// with check is asked after its fields are set.
func decode(raw json.RawMessage, into any) error {
	return decodeValue(raw, reflect.ValueOf(into).Elem())
}

// checker looks at a struct after it was decoded, and may normalise it. The path of its
// error is relative.
type checker interface{ check() error }

// decoder is a type that reads itself from what a client sent, with all checks, where its
// UnmarshalJSON is for what was checked before.
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
	if text, ok := plainText(raw); ok {
		v.SetString(text)
		return nil
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return apierror.Newf(apierror.ParseFailed,
			"parsing %s failed, value is either floating or will cause over or underflow %s", name, raw)
	}
	return nil
}

// plainText reads a JSON text without escapes, as nearly all of a document's are: a decoder
// for each of them would be most of what decoding a large document allocates.
func plainText(raw json.RawMessage) (text string, ok bool) {
	raw = bytes.Trim(raw, " \t\r\n")
	if raw[0] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') >= 0 || !utf8.Valid(inner) {
		return "", false
	}
	return string(inner), true
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
	fields, err := object(raw)
	if err != nil {
		return err
	}
	if err := decodeFields(fields, v); err != nil {
		return err
	}
	if c, ok := v.Addr().Interface().(checker); ok {
		return c.check()
	}
	return nil
}

func decodeFields(fields map[string]json.RawMessage, v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if err := decodeFields(fields, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		if err := decodeField(fields, key, parseRules(f.Tag.Get("meta")), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeField(fields map[string]json.RawMessage, key string, r rules, v reflect.Value) error {
	raw, given := fields[key]
	if !given && r.alias != "" {
		if raw, given = fields[r.alias]; given {
			key = r.alias
		}
	}
	if !given && r.required {
		return missingKey(key)
	}
	if !given || isNull(raw) && !r.required {
		if r.fallback != "" {
			raw = json.RawMessage(r.fallback)
		} else {
			return nil
		}
	}
	if err := decodeValue(raw, v); err != nil {
		return apierror.At(err, key)
	}
	if r.nonempty && v.String() == "" {
		return apierror.At(apierror.New(apierror.ParseFailed, "empty string not allowed"), key)
	}
	return nil
}

// rules are the rules of one struct field.
type rules struct {
	required, nonempty bool
	fallback           string // JSON
	alias              string
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

// object splits a JSON object into its fields.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if got := JSONType(raw); got != "Object" {
		return nil, typeMismatch("Object", "Object", got)
	}
	var fields map[string]json.RawMessage
	return fields, parseFailure(json.Unmarshal(raw, &fields))
}

// array splits a JSON array into its elements.
func array(raw json.RawMessage) ([]json.RawMessage, error) {
	if got := JSONType(raw); got != "Array" {
		return nil, typeMismatch("[]", "Array", got)
	}
	var items []json.RawMessage
	return items, parseFailure(json.Unmarshal(raw, &items))
}

// JSONType names the type of a JSON value as parse errors do; nothing is Null.
func JSONType(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "Null"
	}
	switch raw[0] {
	case '{':
		return "Object"
	case '[':
		return "Array"
	case '"':
		return "String"
	case 't', 'f':
		return "Boolean"
	case 'n':
		return "Null"
	}
	return "Number"
}

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
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return slices.Clone(raw)
	}
	return b.Bytes()
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
