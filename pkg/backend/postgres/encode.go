package postgres

import (
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
)

// shape is how one row becomes the text of a JSON value: fixed text, and cells of the row
// in between. It is made when a plan is rendered and never changes.
type shape struct {
	parts []part
	tail  string
}

// part is one cell of a shape and the text in front of it.
type part struct {
	lead   string
	kind   partKind
	column int
	cell   cell   // of a partCell
	shape  *shape // of all others
}

type partKind uint8

const (
	// partCell is a value.
	partCell partKind = iota
	// partObject is an object from the cells of the same row, or null when the column is
	// NULL: a row of a relation that was joined.
	partObject
	// partRecord is an object from the record in the column, or null: see record_send.
	partRecord
	// partList is a list of objects, from an array of records.
	partList
)

// cell is how the values of one column are written.
type cell struct {
	// oid is the type that the plan expects. When the server sends another one, because
	// the column was changed since the catalog was read, its own encoder is used.
	oid    uint32
	encode encoder
	// user says that the expected type is one that a user or an extension defined (an enum,
	// a domain), whose number isn't known.
	user bool
	// quoted cells are numbers that the answer has as strings.
	quoted bool
}

// firstUserOID is where the numbers of types begin that aren't built in.
const firstUserOID = 16384

// encoder appends the JSON of a value in the binary format of the wire; the value isn't NULL.
type encoder func(w *rowWriter, value []byte)

// cells is one row: values that point into the driver's buffer, nil for NULL, and their types.
type cells struct {
	values [][]byte
	types  []uint32
}

// rowWriter appends the JSON of rows to a buffer. The first fault stays in err; what is
// written after it has no meaning.
type rowWriter struct {
	buf []byte
	err error
	// The cells of the records that are being read, one above the other.
	values [][]byte
	types  []uint32
}

func (w *rowWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// object appends one row.
func (w *rowWriter) object(s *shape, row cells) {
	for i := range s.parts {
		p := &s.parts[i]
		w.buf = append(w.buf, p.lead...)
		if p.column >= len(row.values) {
			w.fail("short row")
			return
		}
		value := row.values[p.column]
		switch {
		case value == nil && p.kind == partList:
			w.buf = append(w.buf, "[]"...)
		case value == nil:
			w.buf = append(w.buf, "null"...)
		case p.kind == partCell:
			w.cell(&p.cell, value, row.types[p.column])
		case p.kind == partObject:
			w.object(p.shape, row)
		case p.kind == partRecord:
			w.record(p.shape, value)
		default:
			w.list(p.shape, value)
		}
	}
	w.buf = append(w.buf, s.tail...)
}

func (w *rowWriter) cell(c *cell, value []byte, oid uint32) {
	if oid == c.oid || c.user && oid >= firstUserOID {
		c.encode(w, value)
		return
	}
	encode := encoderOf(oid, c.quoted)
	if encode == nil || oid == pgtype.TimestamptzOID { // the statement wasn't made for its zone

		w.fail("a column has a type that isn't the one of the catalog: %d in place of %d", oid, c.oid)
		return
	}
	encode(w, value)
}

// record appends a row that came as the bytes of record_send: the number of columns, and
// for each its type, its length (-1 for NULL) and its value.
func (w *rowWriter) record(s *shape, value []byte) {
	base := len(w.values)
	if len(value) < 4 {
		w.fail("short record")
		return
	}
	n := int(binary.BigEndian.Uint32(value))
	rest := value[4:]
	for range n {
		if len(rest) < 8 {
			w.fail("short record")
			return
		}
		oid, size := binary.BigEndian.Uint32(rest), int32(binary.BigEndian.Uint32(rest[4:]))
		rest = rest[8:]
		var v []byte
		if size >= 0 {
			if int(size) > len(rest) {
				w.fail("short record")
				return
			}
			v, rest = rest[:size:size], rest[size:]
		}
		w.values = append(w.values, v)
		w.types = append(w.types, oid)
	}
	w.object(s, cells{values: w.values[base:], types: w.types[base:]})
	w.values, w.types = w.values[:base], w.types[:base]
}

// list appends an array of records (bytea[], of what record_send gives).
func (w *rowWriter) list(s *shape, value []byte) {
	a, ok := readArray(value)
	if !ok || a.ndims > 1 {
		w.fail("malformed array")
		return
	}
	w.buf = append(w.buf, '[')
	for i := range a.size() {
		element, ok := a.next()
		if !ok || element == nil {
			w.fail("malformed array")
			return
		}
		if i > 0 {
			w.buf = append(w.buf, ", "...)
		}
		w.record(s, element)
	}
	w.buf = append(w.buf, ']')
}
