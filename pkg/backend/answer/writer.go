package answer

import "fmt"

// Format is the form in which a dialect's driver gives values. Its methods don't keep what they
// are given.
type Format interface {
	// Record appends the cells of a record to values and types: a row that is in one cell of
	// another one.
	Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool)
	// List is the number of records of a list, and the bytes that Next reads them from.
	List(list []byte) (n int, rest []byte, ok bool)
	// Next is the first record of rest, and what stands behind it.
	Next(rest []byte) (record, after []byte, ok bool)
	// True reports whether a value is the boolean true.
	True(value []byte) bool
	// Encoder is the encoder of a type that the plan didn't expect, nil when there is none.
	Encoder(typ uint32, quoted bool) Encoder
}

// Writer appends the JSON of rows. The first fault stays in Err; what is written after it has no
// meaning. Not safe for concurrent use.
type Writer struct {
	// Format is set once, before the first row.
	Format Format
	Err    error
	// The cells of the records that are being read, one above the other.
	values [][]byte
	types  []uint32
	// encoded and sealed are memory to encode in.
	encoded, sealed []byte
	// handed and objects are memory of Handed.Of.
	handed  [][]byte
	objects []byte
}

// Reset makes the writer ready for another answer.
func (w *Writer) Reset() { w.Err, w.values, w.types = nil, w.values[:0], w.types[:0] }

func (w *Writer) fail(format string, args ...any) {
	if w.Err == nil {
		w.Err = fmt.Errorf(format, args...)
	}
}

// Row appends one row.
func (w *Writer) Row(dst []byte, s *Shape, row Cells) []byte {
	for i := range s.Parts {
		p := &s.Parts[i]
		dst = append(dst, p.Lead...)
		if p.Column >= len(row.Values) {
			w.fail("short row")
			return dst
		}
		value := row.Values[p.Column]
		switch {
		case p.Kind == Same:
			dst = w.Row(dst, p.Shape, row)
		case p.Kind == Base64:
			dst = w.base64(dst, p, row)
		case p.Kind == PageOfRows:
			dst = w.page(dst, p.Page, value, row)
		case value == nil && p.Kind != List:
			dst = append(dst, "null"...)
		case p.Kind == Value:
			if row.Types != nil {
				if t := row.Types[p.Column]; t != p.Cell.Type && (p.Cell.UserTypes == 0 || t < p.Cell.UserTypes) {
					dst = w.otherType(dst, &p.Cell, value, t)
					continue
				}
			}
			var ok bool
			if dst, ok = p.Cell.Encode(dst, value); !ok {
				w.fail("malformed value of type %d", p.Cell.Type)
			}
		case p.Kind == Object:
			dst = w.Row(dst, p.Shape, row)
		case p.Kind == Record:
			dst = w.record(dst, p.Shape, value)
		case value == nil:
			dst = append(dst, "[]"...)
		default:
			dst = w.list(dst, p.Shape, value)
		}
	}
	return append(dst, s.Tail...)
}

// otherType appends a value of a type that the plan didn't expect.
func (w *Writer) otherType(dst []byte, c *Cell, value []byte, typ uint32) []byte {
	encode := w.Format.Encoder(typ, c.Quoted)
	if encode == nil {
		w.fail("a column's type differs from the catalog: got %d, want %d", typ, c.Type)
		return dst
	}
	dst, ok := encode(dst, value)
	if !ok {
		w.fail("malformed value of type %d", typ)
	}
	return dst
}

// record appends a row that came as a record.
func (w *Writer) record(dst []byte, s *Shape, value []byte) []byte {
	base := len(w.values)
	var ok bool
	if w.values, w.types, ok = w.Format.Record(w.values, w.types, value); !ok {
		w.fail("short record")
		return dst
	}
	row := Cells{Values: w.values[base:]}
	if len(w.types) > 0 {
		row.Types = w.types[base:]
	}
	dst = w.Row(dst, s, row)
	w.values, w.types = w.values[:base], w.types[:min(base, len(w.types))]
	return dst
}

// list appends a list of records.
func (w *Writer) list(dst []byte, s *Shape, value []byte) []byte {
	n, rest, ok := w.Format.List(value)
	dst = append(dst, '[')
	for i := range n {
		var element []byte
		if element, rest, ok = w.Format.Next(rest); !ok {
			break
		}
		if i > 0 {
			dst = append(dst, Spaced.Comma...)
		}
		dst = w.record(dst, s, element)
	}
	if !ok {
		w.fail("malformed list")
		return dst
	}
	return append(dst, ']')
}
