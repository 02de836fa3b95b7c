package encode

import (
	"bytes"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/jsonwalk"
)

// plainFormat reads the binary format of the wire with records that are arrays of JSON, whose elements are
// the JSON of the values, and lists that are arrays of records.
type plainFormat struct{ binaryFormat }

// jsonbVersion begins the binary form of jsonb, which no JSON text begins with.
const jsonbVersion = 1

func elements(list []byte) jsonwalk.Cursor {
	return jsonwalk.NewCursor(bytes.TrimPrefix(list, []byte{jsonbVersion}))
}

// Record reads the elements of an array.
func (plainFormat) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	c := elements(record)
	if c.OpenArray() != nil {
		return values, types, false
	}
	for {
		more, err := c.NextElement()
		if err != nil || !more {
			return values, types, err == nil
		}
		v, err := c.Value()
		if err != nil {
			return values, types, false
		}
		if string(v) == "null" {
			v = nil
		}
		values, types = append(values, v), append(types, pgtype.JSONOID)
	}
}

// List counts the elements of an array.
func (plainFormat) List(list []byte) (n int, rest []byte, ok bool) {
	c := elements(list)
	if c.OpenArray() != nil {
		return 0, nil, false
	}
	start := c.At()
	for {
		more, err := c.NextElement()
		if err != nil || !more {
			list = bytes.TrimPrefix(list, []byte{jsonbVersion})
			return n, list[start:], err == nil
		}
		if c.Skip() != nil {
			return 0, nil, false
		}
		n++
	}
}

// Next reads an element of what List left.
func (plainFormat) Next(rest []byte) (record, after []byte, ok bool) {
	c := jsonwalk.NewCursor(rest)
	record, err := c.Value()
	if err != nil {
		return nil, nil, false
	}
	after = bytes.TrimLeft(rest[c.At():], ", \n\t\r")
	return record, after, true
}

// True reports whether a value is the boolean true, in either form.
func (f plainFormat) True(value []byte) bool {
	return f.binaryFormat.True(value) || string(value) == "true"
}

// Encoder is the encoder of JSON in a record, and of a type that the plan didn't expect.
func (f plainFormat) Encoder(oid uint32, quoted bool) answer.Encoder {
	if oid == pgtype.JSONOID && quoted {
		return encodeQuotedJSON
	}
	return f.binaryFormat.Encoder(oid, quoted)
}

// encodeQuotedJSON makes a string of a number.
func encodeQuotedJSON(dst, value []byte) ([]byte, bool) {
	if jsonwalk.KindOf(value) != jsonwalk.Number {
		return append(dst, value...), true
	}
	dst = append(dst, '"')
	dst = append(dst, value...)
	return append(dst, '"'), true
}
