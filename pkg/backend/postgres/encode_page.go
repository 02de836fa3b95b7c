package postgres

import (
	"encoding/base64"
	"slices"

	"queryengine/pkg/ir"
)

// page is how the rows of a connection become its JSON. The list has one row more than the
// page when there are more rows; those of the last page come in the opposite order.
type page struct {
	// size is how many rows the page has at most, -1 for all.
	size int
	last bool
	// excluded is the column that says whether there are rows on the other side of the
	// cursor, -1 for none; after says that they are before the page.
	excluded int
	after    bool
	cursor   *shape
	seal     ir.Sealer // of cursors
	parts    []pagePart
	tail     string
}

// pagePart is a part of a page and the text in front of it: its edges, or something that is
// known of it.
type pagePart struct {
	lead  string
	edges *shape
	info  ir.PageInfo
}

// page appends a page of rows.
func (w *rowWriter) page(dst []byte, p *page, value []byte, row cells) []byte {
	rows, ok := records(value)
	if !ok {
		w.fail("malformed list")
		return dst
	}
	more := p.size >= 0 && len(rows) > p.size
	if more {
		rows = rows[:p.size]
	}
	if p.last {
		slices.Reverse(rows)
	}
	other := false
	if p.excluded >= 0 && p.excluded < len(row.values) {
		v := row.values[p.excluded]
		other = len(v) == 1 && v[0] == 1
	}
	for i := range p.parts {
		part := &p.parts[i]
		dst = append(dst, part.lead...)
		switch part.info {
		case "":
			dst = w.edges(dst, part.edges, rows)
		case ir.StartCursor:
			dst = w.cursor(dst, p, rows, 0)
		case ir.EndCursor:
			dst = w.cursor(dst, p, rows, len(rows)-1)
		case ir.HasNextPage:
			dst = appendBool(dst, more && !p.last || other && !p.after)
		case ir.HasPreviousPage:
			dst = appendBool(dst, more && p.last || other && p.after)
		}
	}
	return append(dst, p.tail...)
}

func (w *rowWriter) edges(dst []byte, s *shape, rows [][]byte) []byte {
	dst = append(dst, '[')
	for i, r := range rows {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = w.record(dst, s, r)
	}
	return append(dst, ']')
}

// cursor appends the cursor of the i-th row; a page without rows has an empty one.
func (w *rowWriter) cursor(dst []byte, p *page, rows [][]byte, i int) []byte {
	if len(rows) == 0 {
		return append(dst, `""`...)
	}
	return w.encode(dst, p.seal, func(dst []byte) []byte { return w.record(dst, p.cursor, rows[i]) })
}

// base64 appends the base64 of a JSON text.
func (w *rowWriter) base64(dst []byte, p *part, row cells) []byte {
	return w.encode(dst, p.seal, func(dst []byte) []byte { return w.object(dst, p.shape, row) })
}

func (w *rowWriter) encode(dst []byte, seal ir.Sealer, text func([]byte) []byte) []byte {
	start := len(dst)
	dst = text(dst)
	w.encoded = append(w.encoded[:0], dst[start:]...)
	dst = append(dst[:start], '"')
	if seal != nil {
		w.sealed = seal.Seal(w.sealed[:0], w.encoded)
		dst = base64.StdEncoding.AppendEncode(dst, w.sealed)
	} else {
		dst = base64.StdEncoding.AppendEncode(dst, w.encoded)
	}
	return append(dst, '"')
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// records are the elements of an array of records; NULL has none.
func records(value []byte) ([][]byte, bool) {
	if value == nil {
		return nil, true
	}
	a, ok := readArray(value)
	if !ok || a.ndims > 1 {
		return nil, false
	}
	list := make([][]byte, 0, min(a.size(), len(value)/4))
	for range a.size() {
		element, ok := a.next()
		if !ok || element == nil {
			return nil, false
		}
		list = append(list, element)
	}
	return list, true
}
