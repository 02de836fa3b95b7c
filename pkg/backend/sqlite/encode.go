package sqlite

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// format reads cells as conn gives them: bytes of texts and blobs, numbers as text, and the storage
// class of each as its type. Columns take values of any class, unless their table is strict: what isn't
// of the class that the type of the column has is written as what it is.
//
// A record is a cell after the other: its class, the length of its bytes, and these. A list is the
// number of its records, and each of them with its length before it. The functions of functions.go make
// them.
type format struct{}

// Record reads the cells of a record.
func (format) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	for len(record) > 0 {
		c := class(record[0])
		size, n := binary.Uvarint(record[1:])
		if n <= 0 || size > uint64(len(record)-1-n) {
			return values, types, false
		}
		v := record[1+n : 1+n+int(size) : 1+n+int(size)]
		record = record[1+n+int(size):]
		if c == classNull {
			v = nil
		}
		values, types = append(values, v), append(types, uint32(c))
	}
	return values, types, true
}

// listHead is the size of the number of records of a list.
const listHead = 8

// List reads the number of records.
func (format) List(list []byte) (n int, rest []byte, ok bool) {
	if len(list) < listHead {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint64(list)), list[listHead:], true
}

// Next reads a record of a list.
func (format) Next(rest []byte) (record, after []byte, ok bool) {
	size, n := binary.Uvarint(rest)
	if n <= 0 || size > uint64(len(rest)-n) {
		return nil, nil, false
	}
	return rest[n : n+int(size)], rest[n+int(size):], true
}

// True reports whether a value is the boolean true.
func (format) True(value []byte) bool { return string(value) == "1" }

// Encoder is the encoder of a storage class.
func (format) Encoder(typ uint32, quoted bool) answer.Encoder {
	switch class(typ) {
	case classInteger:
		if quoted {
			return encodeQuotedInteger
		}
		return answer.AppendJSON
	case classReal:
		if quoted {
			return encodeQuotedReal
		}
		return encodeReal
	case classText:
		return encodeText
	case classBlob:
		return encodeBytes
	case classNull:
	}
	return nil
}

var (
	encodeQuotedInteger = answer.Quoted(answer.AppendJSON)
	encodeQuotedReal    = answer.Quoted(encodeReal)
	encodeQuotedDecimal = answer.Quoted(encodeDecimal)
)

// anyClass takes cells of every storage class.
const anyClass = 1

// cellOf is how values of a type are written.
func cellOf(t catalog.Type, quoted bool) answer.Cell {
	switch rowOf(t).family {
	case familyInteger:
		c := answer.Cell{Type: uint32(classInteger), Encode: answer.AppendJSON, Quoted: quoted}
		if quoted {
			c.Encode = encodeQuotedInteger
		}
		return c
	case familyFloat:
		return answer.Cell{Type: uint32(classReal), Encode: encodeReal, Quoted: quoted}
	case familyNumeric:
		c := answer.Cell{Type: uint32(classReal), Encode: encodeDecimal, Quoted: quoted}
		if quoted {
			c.Encode = encodeQuotedDecimal
		}
		return c
	case familyBoolean:
		return answer.Cell{Type: uint32(classInteger), Encode: encodeBoolean}
	case familyTime:
		return answer.Cell{Type: uint32(classText), Encode: timeEncoders[t.Name]}
	case familyJSON:
		return answer.Cell{Type: uint32(classText), Encode: encodeJSON}
	case familyBytes:
		return answer.Cell{Type: uint32(classBlob), UserTypes: anyClass, Encode: encodeBytes}
	case familyText, familyUUID:
	}
	return answer.Cell{Type: uint32(classText), UserTypes: anyClass, Encode: encodeText}
}

func encodeBoolean(dst, value []byte) ([]byte, bool) {
	return answer.AppendBool(dst, string(value) != "0"), true
}

// encodeReal writes a number as PostgreSQL writes a double.
func encodeReal(dst, value []byte) ([]byte, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	return answer.AppendFloat(dst, f, 64), err == nil
}

// decimalDigits are the digits that SQLite keeps of a decimal number.
const decimalDigits = 15

// encodeDecimal writes a number in digits: as many as the database keeps, and no exponent as long as
// they aren't too many.
func encodeDecimal(dst, value []byte) ([]byte, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.IsInf(f, 0) {
		return answer.AppendFloat(dst, f, 64), err == nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', decimalDigits-1, 64), 64)
	if a := math.Abs(rounded); err != nil || a != 0 && (a >= 1e40 || a < 1e-40) {
		return answer.AppendFloat(dst, f, 64), true
	}
	return strconv.AppendFloat(dst, rounded, 'f', -1, 64), true
}

// encodeText writes text. What isn't UTF-8, which the database doesn't mind, would not be JSON.
func encodeText(dst, value []byte) ([]byte, bool) {
	if !utf8.Valid(value) {
		value = bytes.ToValidUTF8(value, []byte("\uFFFD"))
	}
	return answer.AppendString(dst, value), true
}

func encodeBytes(dst, value []byte) ([]byte, bool) {
	dst = append(dst, `"\\x`...)
	dst = hex.AppendEncode(dst, value)
	return append(dst, '"'), true
}

// encodeJSON writes JSON as it is stored. A text that isn't JSON would break the answer: it is a string.
func encodeJSON(dst, value []byte) ([]byte, bool) {
	if !json.Valid(value) {
		return encodeText(dst, value)
	}
	return append(dst, value...), true
}

// timeEncoders write times in the form of the wire. What isn't a time stays as it is.
var timeEncoders = map[string]answer.Encoder{
	"date":        timeEncoder("date", storedDate),
	"time":        timeEncoder("time", storedClock),
	"timestamp":   timeEncoder("timestamp", storedDate+"T"+storedClock),
	"timestamptz": timeEncoder("timestamptz", storedDate+"T"+storedClock+"-07:00"),
}

func timeEncoder(name, layout string) answer.Encoder {
	t := catalog.Type{Name: name}
	return func(dst, value []byte) ([]byte, bool) {
		if bytes.Equal(value, []byte("now")) {
			return encodeText(dst, value)
		}
		at, ok := timeOf(t, value)
		if !ok {
			return encodeText(dst, value)
		}
		return append(at.In(time.UTC).AppendFormat(append(dst, '"'), layout), '"'), true
	}
}
