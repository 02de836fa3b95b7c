package engine

import (
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"
)

// decode decodes JSON as package json does. Where a Go type doesn't take a value, it gets the other forms that databases
// and clients write the same value in; see forms.
func decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if v := reflect.ValueOf(into); err != nil && json.Valid(raw) && v.Kind() == reflect.Pointer && !v.IsNil() {
		return json.Unmarshal(fit(v.Type().Elem(), raw), into)
	}
	return err
}

// fit replaces the values in raw that t doesn't take by forms that it takes. It leaves values without such a form.
func fit(t reflect.Type, raw json.RawMessage) json.RawMessage {
	if takes(t, raw) {
		return raw
	}
	var fitted any
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return fit(t.Elem(), raw)
	case decodesItself(t), kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
	case kind == reflect.Struct:
		members := map[string]json.RawMessage{}
		if json.Unmarshal(raw, &members) != nil {
			return raw
		}
		fields := jsonFields(t)
		for name, member := range members {
			if f := fieldOf(fields, name); f != nil {
				members[name] = f.fit(member)
			}
		}
		fitted = members
	case kind == reflect.Map:
		members := map[string]json.RawMessage{}
		if json.Unmarshal(raw, &members) != nil {
			return raw
		}
		for name, member := range members {
			members[name] = fit(t.Elem(), member)
		}
		fitted = members
	case kind == reflect.Slice, kind == reflect.Array:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return raw
		}
		for i, item := range items {
			items[i] = fit(t.Elem(), item)
		}
		fitted = items
	}
	if fitted == nil {
		for _, form := range forms(raw) {
			if takes(t, form) {
				return form
			}
		}
		return raw
	}
	text, err := json.Marshal(fitted)
	if err != nil {
		return raw
	}
	return text
}

// fit is fit for the value of a field; the option "string" has package json want text.
func (f *jsonField) fit(raw json.RawMessage) json.RawMessage {
	if f.option("string") && raw[0] != '"' && string(raw) != "null" {
		return quoted(string(raw))
	}
	return fit(f.Type, raw)
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
func forms(raw json.RawMessage) []json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		if isNumber(string(raw)) {
			return []json.RawMessage{quoted(string(raw))}
		}
		return nil
	}
	var found []json.RawMessage
	if isNumber(text) {
		found = append(found, json.RawMessage(text))
	}
	if at, err := parseTime(text); err == nil {
		found = append(found, quoted(at.Format(time.RFC3339Nano)))
	}
	if digits, ok := strings.CutPrefix(text, `\x`); ok {
		if content, err := hex.DecodeString(digits); err == nil {
			found = append(found, quoted(base64.StdEncoding.EncodeToString(content)))
		}
	}
	return found
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
