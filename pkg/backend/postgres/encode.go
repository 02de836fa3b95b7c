package postgres

import (
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/ir"
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
	page   *page  // of a partPage
	// seal encrypts the text of a partBase64, nil for not.
	seal ir.Sealer
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
	// partSame is an object from the cells of the same row, which is always there.
	partSame
	// partBase64 is the base64 of a JSON text that is made from the cells of the same row.
	partBase64
	// partPage is a page of rows, from an array of records.
	partPage
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

// encoder appends the JSON of a value in the binary format of the wire; the value isn't
// NULL. It refuses bytes that aren't a value of its type.
type encoder func(dst, value []byte) ([]byte, bool)

// cells is one row: values that point into the driver's buffer, nil for NULL, and their types.
type cells struct {
	values [][]byte
	types  []uint32
}

// rowWriter appends the JSON of rows. The first fault stays in err; what is written after it
// has no meaning.
type rowWriter struct {
	err error
	// The cells of the records that are being read, one above the other.
	values [][]byte
	types  []uint32
	// encoded and sealed are memory to encode in.
	encoded, sealed []byte
}

// reset makes the writer ready for another answer.
func (w *rowWriter) reset() { w.err, w.values, w.types = nil, w.values[:0], w.types[:0] }

func (w *rowWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// object appends one row.
func (w *rowWriter) object(dst []byte, s *shape, row cells) []byte {
	for i := range s.parts {
		p := &s.parts[i]
		dst = append(dst, p.lead...)
		if p.column >= len(row.values) {
			w.fail("short row")
			return dst
		}
		value := row.values[p.column]
		switch {
		case p.kind == partSame:
			dst = w.object(dst, p.shape, row)
		case p.kind == partBase64:
			dst = w.base64(dst, p, row)
		case p.kind == partPage:
			dst = w.page(dst, p.page, value, row)
		case value == nil && p.kind != partList:
			dst = append(dst, "null"...)
		case p.kind == partCell:
			if oid := row.types[p.column]; oid != p.cell.oid && (!p.cell.user || oid < firstUserOID) {
				dst = w.otherType(dst, &p.cell, value, oid)
				continue
			}
			var ok bool
			if dst, ok = p.cell.encode(dst, value); !ok {
				w.fail("malformed value of type %d", p.cell.oid)
			}
		case p.kind == partObject:
			dst = w.object(dst, p.shape, row)
		case p.kind == partRecord:
			dst = w.record(dst, p.shape, value)
		case value == nil:
			dst = append(dst, "[]"...)
		default:
			dst = w.list(dst, p.shape, value)
		}
	}
	return append(dst, s.tail...)
}

// otherType appends a value of a type that the plan didn't expect.
func (w *rowWriter) otherType(dst []byte, c *cell, value []byte, oid uint32) []byte {
	encode := encoderOf(oid, c.quoted)
	if encode == nil || oid == pgtype.TimestamptzOID { // the statement wasn't made for its zone
		w.fail("a column has a type that isn't the one of the catalog: %d in place of %d", oid, c.oid)
		return dst
	}
	dst, ok := encode(dst, value)
	if !ok {
		w.fail("malformed value of type %d", oid)
	}
	return dst
}

// record appends a row that came as the bytes of record_send: the number of columns, and
// for each its type, its length (-1 for NULL) and its value.
func (w *rowWriter) record(dst []byte, s *shape, value []byte) []byte {
	base := len(w.values)
	if len(value) < 4 {
		w.fail("short record")
		return dst
	}
	n := int(binary.BigEndian.Uint32(value))
	rest := value[4:]
	for range n {
		if len(rest) < 8 {
			w.fail("short record")
			return dst
		}
		oid, size := binary.BigEndian.Uint32(rest), int32(binary.BigEndian.Uint32(rest[4:]))
		rest = rest[8:]
		var v []byte
		if size >= 0 {
			if int(size) > len(rest) {
				w.fail("short record")
				return dst
			}
			v, rest = rest[:size:size], rest[size:]
		}
		w.values = append(w.values, v)
		w.types = append(w.types, oid)
	}
	dst = w.object(dst, s, cells{values: w.values[base:], types: w.types[base:]})
	w.values, w.types = w.values[:base], w.types[:base]
	return dst
}

// list appends an array of records (bytea[], of what record_send gives).
func (w *rowWriter) list(dst []byte, s *shape, value []byte) []byte {
	a, ok := readArray(value)
	if !ok || a.ndims > 1 {
		w.fail("malformed list")
		return dst
	}
	dst = append(dst, '[')
	for i := range a.size() {
		element, ok := a.next()
		if !ok || element == nil {
			w.fail("malformed list")
			return dst
		}
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = w.record(dst, s, element)
	}
	return append(dst, ']')
}
