package bigquery

import (
	"math"
	"strconv"
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
	"queryengine/pkg/jsonwalk"
)

// format reads cells as the REST API has them: {"v": "text"}, {"v": [cells]} of an array and {"v": {"f": [cells]}} of
// a record. Arrays and records stay JSON until they are written.
type format struct{}

// cellValue is the value of a cell: the text of a string, nil of null, and else the JSON.
func cellValue(cell []byte) (value []byte, err error) {
	err = jsonwalk.Fields(cell, func(key, v []byte) error {
		if string(key) != "v" {
			return nil
		}
		switch jsonwalk.KindOf(v) {
		case jsonwalk.Null:
		case jsonwalk.String:
			s, err := jsonwalk.Text(v)
			value = []byte(s)
			return err
		default:
			value = v
		}
		return nil
	})
	return value, err
}

// Record reads the cells of a record, or of a cell that holds one.
func (f format) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	found := false
	err := jsonwalk.Fields(record, func(key, v []byte) error {
		switch string(key) {
		case "v":
			values, types, found = f.Record(values, types, v)
		case "f":
			found = true
			return jsonwalk.Items(v, func(_ int, cell []byte) error {
				value, err := cellValue(cell)
				values = append(values, value)
				return err
			})
		}
		return nil
	})
	return values, types, found && err == nil
}

// List is the number of cells of an array, and where they begin.
func (format) List(list []byte) (n int, rest []byte, ok bool) {
	err := jsonwalk.Items(list, func(int, []byte) error {
		n++
		return nil
	})
	if err != nil {
		return 0, nil, false
	}
	return n, list[strings.IndexByte(string(list), '[')+1:], true
}

// Next is the first cell of rest, and what stands behind it.
func (format) Next(rest []byte) (record, after []byte, ok bool) {
	start := 0
	for start < len(rest) && rest[start] != '{' {
		start++
	}
	if start == len(rest) {
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

// cellOf is how values of a type are written. Numbers are strings, as BigQuery has them.
func cellOf(t catalog.Type) answer.Cell {
	encode := answer.AppendText
	switch rowOf(t).family {
	case familyBoolean:
		encode = encodeBoolean
	case familyFloat:
		encode = encodeFloat
	case familyJSON:
		encode = answer.AppendJSON
	case familyText, familyInteger, familyDecimal, familyTime, familyBytes, familyGeography, familyOpaque:
	}
	if t.IsArray() {
		encode = encodeArray(encode)
	}
	return answer.Cell{Encode: encode}
}

func encodeBoolean(dst, value []byte) ([]byte, bool) {
	return answer.AppendBool(dst, (format{}).True(value)), true
}

// encodeFloat writes a number as BigQuery does: 1.0, 1.23E23, NaN.
func encodeFloat(dst, value []byte) ([]byte, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return dst, false
	}
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...), true
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...), true
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...), true
	case size != 0 && (size < 1e-3 || size >= 1e7):
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
		n, _ := strconv.Atoi(exponent)
		return answer.AppendString(dst, withPoint(mantissa)+"E"+strconv.Itoa(n)), true
	}
	return answer.AppendString(dst, withPoint(strconv.FormatFloat(f, 'f', -1, 64))), true
}

func withPoint(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}

// encodeArray writes an array, each of its values by encode.
func encodeArray(encode answer.Encoder) answer.Encoder {
	return func(dst, value []byte) ([]byte, bool) {
		dst = append(dst, '[')
		ok := true
		err := jsonwalk.Items(value, func(i int, cell []byte) error {
			if i > 0 {
				dst = append(dst, answer.Spaced.Comma...)
			}
			v, err := cellValue(cell)
			if v == nil {
				dst = append(dst, "null"...)
				return err
			}
			var fits bool
			dst, fits = encode(dst, v)
			ok = ok && fits
			return err
		})
		return append(dst, ']'), ok && err == nil
	}
}
