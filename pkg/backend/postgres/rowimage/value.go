package rowimage

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/catalog"
)

// Value is what is known of a column of a row. The zero value is not known.
type Value struct {
	// Text is the value as it was given.
	Text  string
	state state
	// Values of a type that can be compared are in the order of number, and then of text.
	number int64
	text   string
}

type state uint8

const (
	unknown state = iota
	null
	// written values have a text and can't be compared.
	written
	compared
)

// NullValue is NULL.
var NullValue = Value{state: null}

// IsKnown reports whether the value is known, as NULL or as a text; IsNull whether it is NULL.
func (v Value) IsKnown() bool { return v.state != unknown }

// IsNull reports whether the value is known to be NULL.
func (v Value) IsNull() bool { return v.state == null }

// Compare compares two values of a column; ok is false when their order isn't known.
func Compare(a, b Value) (order int, ok bool) {
	if a.state != compared || b.state != compared {
		return 0, false
	}
	return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text)), true
}

// Key is the same for equal values of a column; ok is false for NULL and when it isn't known.
func (v Value) Key() (number int64, text string, ok bool) {
	return v.number, v.text, v.state == compared
}

// kind is how the values of a type are compared. Values are of the same kind when they can be compared with
// each other.
type kind struct {
	// collated reports whether the order, or even equality, is up to a collation.
	collated bool
	parse    func(text string) (number int64, order string, ok bool)
}

var (
	integers = &kind{parse: func(text string) (int64, string, bool) {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		return n, "", err == nil
	}}
	numbers  = &kind{parse: parseNumber}
	booleans = &kind{parse: func(text string) (int64, string, bool) {
		switch text {
		case "t", "true":
			return 1, "", true
		case "f", "false":
			return 0, "", true
		}
		return 0, "", false
	}}
	texts = &kind{collated: true, parse: func(text string) (int64, string, bool) { return 0, text, true }}
	uuids = &kind{parse: parseUUID}
	dates = &kind{parse: func(text string) (int64, string, bool) { return parseTime(text, time.DateOnly) }}
	times = &kind{parse: func(text string) (int64, string, bool) { return parseTime(text, time.DateTime) }}
	// instants are only taken with a zone: without one it is the session's.
	instants = &kind{parse: parseInstant}
)

var kinds = map[string]*kind{
	"int2": integers, "int4": integers, "int8": integers, "numeric": numbers, "bool": booleans,
	"text": texts, "varchar": texts, "uuid": uuids, "date": dates, "timestamp": times, "timestamptz": instants,
}

// kindOf is nil for types whose values aren't compared here.
func kindOf(t catalog.Type) *kind {
	if t.Schema != "" || t.Kind != "" && t.Kind != catalog.TypeBase || t.IsArray() || t.Domain != nil {
		return nil
	}
	return kinds[t.Name]
}

// valueOf is a value of a kind, nil for one that isn't compared.
func valueOf(text string, k *kind) Value {
	v := Value{Text: text, state: written}
	if k == nil {
		return v
	}
	var ok bool
	if v.number, v.text, ok = k.parse(text); ok {
		v.state = compared
	}
	return v
}

// decimals is how many digits numbers are compared with after the point.
const decimals = 6

// parseNumber takes what fits an integer of millionths.
func parseNumber(text string) (int64, string, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if text == "" || len(fraction) > decimals || strings.ContainsAny(fraction, "+-") {
		return 0, "", false
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	return n, "", err == nil
}

// parseUUID takes the form with hyphens: its order is that of the bytes.
func parseUUID(text string) (int64, string, bool) {
	text = strings.ToLower(text)
	if len(text) != 36 {
		return 0, "", false
	}
	for i, c := range []byte(text) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if hyphen && c != '-' || !hyphen && !digit {
			return 0, "", false
		}
	}
	return 0, text, true
}

// parseTime takes the years 0 to 9999; the database has microseconds.
func parseTime(text, layout string) (int64, string, bool) {
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == 'T' {
		text = text[:len(time.DateOnly)] + " " + text[len(time.DateOnly)+1:]
	}
	t, err := time.Parse(layout, text)
	return t.UnixMicro(), "", err == nil && t.Nanosecond()%1000 == 0 && t.Year() > 0 && !strings.Contains(text, ",")
}

func parseInstant(text string) (int64, string, bool) {
	zone := strings.LastIndexAny(text, "Z+-")
	if zone < len(time.DateTime) {
		return 0, "", false
	}
	layout := time.DateTime + "-07"
	switch strings.Count(text[zone:], ":") {
	case 1:
		layout += ":00"
	case 2:
		layout += ":00:00"
	}
	if text[zone] == 'Z' {
		layout = time.DateTime + "Z07"
	}
	return parseTime(text, layout)
}
