// Package encode writes values in the binary format of the wire as JSON, each type by an encoder that
// makes no Go value of it.
package encode

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend/answer"
)

// firstUserOID is where the numbers of types begin that aren't built in.
const firstUserOID = 16384

// NewWriter makes a writer that appends the JSON of results. Records are those of record_send or, when they
// are plain, arrays of JSON.
func NewWriter(plain bool) *answer.Writer {
	if plain {
		return &answer.Writer{Format: plainFormat{}}
	}
	return &answer.Writer{Format: binaryFormat{}}
}

// binaryFormat reads the binary format of the wire. A record is the bytes of record_send, and a
// list of records an array of those (bytea[]).
type binaryFormat struct{}

// Record reads the number of columns, and for each its type, its length (-1 for NULL) and its
// value.
func (binaryFormat) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	if len(record) < 4 {
		return values, types, false
	}
	n := int(binary.BigEndian.Uint32(record))
	rest := record[4:]
	for range n {
		if len(rest) < 8 {
			return values, types, false
		}
		oid, size := binary.BigEndian.Uint32(rest), int32(binary.BigEndian.Uint32(rest[4:]))
		rest = rest[8:]
		var v []byte
		if size >= 0 {
			if int(size) > len(rest) {
				return values, types, false
			}
			v, rest = rest[:size:size], rest[size:]
		}
		values = append(values, v)
		types = append(types, oid)
	}
	return values, types, true
}

// List reads the head of an array of one dimension.
func (binaryFormat) List(list []byte) (n int, rest []byte, ok bool) {
	a, ok := readArray(list)
	if !ok || a.ndims > 1 {
		return 0, nil, false
	}
	return a.size(), a.rest, true
}

// Next reads an element of an array, which is not NULL.
func (binaryFormat) Next(rest []byte) (record, after []byte, ok bool) {
	record, after, ok = nextElement(rest)
	return record, after, ok && record != nil
}

// True reports whether a value is the boolean true.
func (binaryFormat) True(value []byte) bool { return len(value) == 1 && value[0] == 1 }

// Encoder is the encoder of a type that the plan didn't expect. The text of an instant needs a
// session whose time zone is known, which the statement wasn't made for.
func (binaryFormat) Encoder(oid uint32, quoted bool) answer.Encoder {
	if oid == pgtype.TimestamptzOID {
		return nil
	}
	return encoderOf(oid, quoted)
}
