package mssql

import (
	"bytes"
	"strconv"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// format reads related rows from the text that FOR JSON makes: an array of objects whose members are the cells
// of a row, in their order. A cell is the plain text of a value, as the driver's values are made texts, too, so
// that values look alike wherever they come from. A list in a cell is the text of it.
type format struct{}

// Record reads the cells of the first object of an array.
func (f format) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	if jsonwalk.KindOf(record) == jsonwalk.Array {
		n, rest, ok := f.List(record)
		if !ok || n == 0 {
			return values, types, false
		}
		if record, _, ok = f.Next(rest); !ok {
			return values, types, false
		}
	}
	err := jsonwalk.Fields(record, func(_, v []byte) error {
		cell, err := cellText(v)
		values = append(values, cell)
		return err
	})
	return values, types, err == nil
}

// cellText is the text of a JSON value, nil of null.
func cellText(v []byte) ([]byte, error) {
	switch jsonwalk.KindOf(v) {
	case jsonwalk.Null:
		return nil, nil
	case jsonwalk.String:
		if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
			return inner[:len(inner):len(inner)], nil // not nil where it is empty
		}
		s, err := jsonwalk.Text(v)
		return []byte(s), err
	}
	return v, nil
}

// List is the number of objects of an array, and where they begin.
func (format) List(list []byte) (n int, rest []byte, ok bool) {
	err := jsonwalk.Items(list, func(int, []byte) error {
		n++
		return nil
	})
	list = bytes.TrimSpace(list)
	if err != nil || len(list) == 0 {
		return 0, nil, false
	}
	return n, list[1:], true
}

// Next is the first object of rest, and what stands behind it.
func (format) Next(rest []byte) (record, after []byte, ok bool) {
	start := bytes.IndexByte(rest, '{')
	if start < 0 {
		return nil, nil, false
	}
	c := jsonwalk.NewCursor(rest[start:])
	record, err := c.Value()
	return record, rest[start+c.At():], err == nil
}

// True reports whether a value is the boolean true.
func (format) True(value []byte) bool { return string(value) == "true" || string(value) == "1" }

// Encoder isn't asked for: cells have no types.
func (format) Encoder(uint32, bool) answer.Encoder { return nil }

// cellOf is how values of a type are written. Numbers are never texts, whatever stringify-numeric-types says.
func cellOf(t catalog.Type) answer.Cell {
	row := rowOf(t)
	switch row.family {
	case familyInteger, familyDecimal, familyFloat:
		if row.bits == 32 && row.family == familyFloat {
			return answer.Cell{Encode: encodeReal}
		}
		return answer.Cell{Encode: encodeNumber}
	case familyBoolean:
		return answer.Cell{Encode: encodeBoolean}
	case familyTime:
		return answer.Cell{Encode: encodeTime}
	case familyText:
		if t.Name == typeJSON.Name {
			return answer.Cell{Encode: answer.AppendJSON}
		}
	case familyOpaque, familyUUID, familyBytes, familyPath, familySpatial:
	}
	return answer.Cell{Encode: answer.AppendText}
}

// encodeNumber keeps the digits of exact numbers. Floating-point numbers have an exponent in FOR JSON.
func encodeNumber(dst, value []byte) ([]byte, bool) {
	if exact(value) {
		return append(dst, value...), true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return answer.AppendFloat(dst, f, 64), err == nil
}

// exact reports whether a value is digits, with a sign and a point: a column may have changed its type.
func exact(value []byte) bool {
	digits := false
	for i, c := range value {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c == '-' && i == 0, c == '.' && digits:
		default:
			return false
		}
	}
	return digits
}

func encodeReal(dst, value []byte) ([]byte, bool) {
	f, err := strconv.ParseFloat(string(value), 32)
	return answer.AppendFloat(dst, f, 32), err == nil
}

func encodeBoolean(dst, value []byte) ([]byte, bool) {
	return answer.AppendBool(dst, format{}.True(value)), true
}

// encodeTime writes a time without zeros at the end of its fraction, and with Z for no distance from UTC.
func encodeTime(dst, value []byte) ([]byte, bool) {
	clock, zone := value, []byte(nil)
	if i := bytes.IndexByte(value, ':'); i >= 0 {
		if j := bytes.IndexAny(value[i:], "+-Zz"); j >= 0 {
			clock, zone = value[:i+j], value[i+j:]
		}
	}
	if bytes.IndexByte(clock, '.') >= 0 {
		clock = bytes.TrimRight(bytes.TrimRight(clock, "0"), ".")
	}
	if string(zone) == "+00:00" {
		zone = []byte("Z")
	}
	// What isn't a time is still a text.
	dst = answer.AppendString(dst, clock)
	middle := len(dst) - 1
	dst = answer.AppendString(dst[:middle], zone)
	return append(dst[:middle], dst[middle+1:]...), true
}
