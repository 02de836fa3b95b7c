package engine

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"time"
)

// decode decodes JSON as package json does. Where a Go type doesn't take a value, it gets the other forms that databases
// and clients write the same value in; see forms. That takes time in proportion to the JSON, however deep it is.
func decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	v := reflect.ValueOf(into)
	if err == nil || !json.Valid(raw) || v.Kind() != reflect.Pointer || v.IsNil() {
		return err
	}
	f := fitter{from: json.NewDecoder(bytes.NewReader(raw))}
	f.from.UseNumber()
	if err := f.value(v.Type().Elem()); err != nil {
		return err
	}
	return json.Unmarshal(f.to.Bytes(), into)
}

// fitter copies JSON, and replaces the values that a Go type doesn't take by forms that it takes. It leaves values without
// such a form.
type fitter struct {
	from *json.Decoder
	to   bytes.Buffer
}

func (f *fitter) value(t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !hasParts(t) {
		var raw json.RawMessage
		err := f.from.Decode(&raw)
		f.to.Write(fit(t, raw))
		return err
	}
	token, err := f.from.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return f.members(t)
	case json.Delim('['):
		return f.items(t)
	}
	raw, err := json.Marshal(token) // which t won't take
	f.to.Write(raw)
	return err
}

// members copies an object after its brace.
func (f *fitter) members(t reflect.Type) error {
	var fields []jsonField
	if t.Kind() == reflect.Struct {
		fields = jsonFields(t)
	}
	f.to.WriteByte('{')
	for n := 0; f.from.More(); n++ {
		token, err := f.from.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if n > 0 {
			f.to.WriteByte(',')
		}
		f.to.Write(quoted(name))
		f.to.WriteByte(':')
		switch field := fieldOf(fields, name); {
		case field != nil && field.option("string"):
			err = f.text(field.Type)
		case field != nil:
			err = f.value(field.Type)
		case t.Kind() == reflect.Map:
			err = f.value(t.Elem())
		default:
			err = f.value(rawType)
		}
		if err != nil {
			return err
		}
	}
	return f.end('}')
}

// items copies a list after its bracket.
func (f *fitter) items(t reflect.Type) error {
	item := rawType
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		item = t.Elem()
	}
	f.to.WriteByte('[')
	for n := 0; f.from.More(); n++ {
		if n > 0 {
			f.to.WriteByte(',')
		}
		if err := f.value(item); err != nil {
			return err
		}
	}
	return f.end(']')
}

func (f *fitter) end(delimiter byte) error {
	_, err := f.from.Token()
	f.to.WriteByte(delimiter)
	return err
}

// text copies the value of a field with the option "string", which has package json want text.
func (f *fitter) text(t reflect.Type) error {
	var raw json.RawMessage
	err := f.from.Decode(&raw)
	switch {
	case err != nil:
		return err
	case raw[0] == '"', string(raw) == "null":
		f.to.Write(fit(t, raw))
	default:
		f.to.Write(quoted(string(raw)))
	}
	return nil
}

// hasParts reports whether package json decodes the parts of t by themselves.
func hasParts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Array:
		return !decodesItself(t)
	case reflect.Slice:
		return !decodesItself(t) && t.Elem().Kind() != reflect.Uint8
	}
	return false
}

// fit is a form of a value that t takes.
func fit(t reflect.Type, raw json.RawMessage) json.RawMessage {
	if !takes(t, raw) {
		for form := range forms(raw) {
			if takes(t, form) {
				return form
			}
		}
	}
	return raw
}

// takes reports whether a value can be decoded into t.
func takes(t reflect.Type, raw json.RawMessage) bool {
	return json.Unmarshal(raw, reflect.New(t).Interface()) == nil
}

func decodesItself(t reflect.Type) bool {
	return implements(t, reflect.TypeFor[json.Unmarshaler]()) || implements(t, reflect.TypeFor[encoding.TextUnmarshaler]())
}

// forms are other forms of a value in JSON: a number as text and text as a number, a time of PostgreSQL as that of
// RFC 3339, bytea as base64.
func forms(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		var text string
		switch {
		case isNumber(string(raw)):
			yield(quoted(string(raw)))
			return
		case json.Unmarshal(raw, &text) != nil:
			return
		case isNumber(text) && !yield(json.RawMessage(text)):
			return
		}
		if at, err := parseTime(text); err == nil && !yield(quoted(at.Format(time.RFC3339Nano))) {
			return
		}
		if digits, ok := strings.CutPrefix(text, `\x`); ok {
			if content, err := hex.DecodeString(digits); err == nil {
				yield(quoted(base64.StdEncoding.EncodeToString(content)))
			}
		}
	}
}

// isNumber reports whether text is a number of JSON.
func isNumber(text string) bool {
	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && n.String() == text
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a string has no error
	return raw
}

var errTime = errors.New("not a date or time")

// parseTime reads a date, a time of day or both as PostgreSQL writes them in JSON. Without a zone it is in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "15:04:05"} {
		for _, zone := range []string{"", "Z07:00", "Z07", "Z07:00:00"} {
			t, err := time.Parse(layout+zone, text)
			if err != nil {
				continue
			}
			if _, offset := t.Zone(); offset%60 != 0 {
				t = t.UTC() // RFC 3339 has no seconds in zones
			}
			return t, nil
		}
	}
	return time.Time{}, errTime
}
