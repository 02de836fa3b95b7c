package answer

import (
	"encoding/base64"
	"slices"

	"queryengine/pkg/ir"
)

// Page is how the rows of a connection become its JSON. The list has one row more than the
// page when there are more rows; the last page's rows come in the opposite order.
type Page struct {
	// Size is how many rows the page has at most, -1 for all.
	Size int
	Last bool
	// Excluded is the column that reports whether there are rows on the other side of the cursor, -1
	// for none; After, whether they are before the page.
	Excluded int
	After    bool
	Cursor   *Shape
	Seal     ir.Sealer // of cursors
	Parts    []PagePart
	Tail     string
}

// PagePart is a part of a page and the text in front of it: its edges, or something that is
// known of it.
type PagePart struct {
	Lead  string
	Edges *Shape
	Info  ir.PageInfo
}

// page appends a page of rows.
func (w *Writer) page(dst []byte, p *Page, value []byte, row Cells) []byte {
	rows, ok := w.records(value)
	if !ok {
		w.fail("malformed list")
		return dst
	}
	more := p.Size >= 0 && len(rows) > p.Size
	if more {
		rows = rows[:p.Size]
	}
	if p.Last {
		slices.Reverse(rows)
	}
	other := false
	if p.Excluded >= 0 && p.Excluded < len(row.Values) {
		other = w.Format.True(row.Values[p.Excluded])
	}
	for i := range p.Parts {
		part := &p.Parts[i]
		dst = append(dst, part.Lead...)
		switch part.Info {
		case "":
			dst = w.edges(dst, part.Edges, rows)
		case ir.StartCursor:
			dst = w.cursor(dst, p, rows, 0)
		case ir.EndCursor:
			dst = w.cursor(dst, p, rows, len(rows)-1)
		case ir.HasNextPage:
			dst = AppendBool(dst, more && !p.Last || other && !p.After)
		case ir.HasPreviousPage:
			dst = AppendBool(dst, more && p.Last || other && p.After)
		}
	}
	return append(dst, p.Tail...)
}

func (w *Writer) edges(dst []byte, s *Shape, rows [][]byte) []byte {
	dst = append(dst, '[')
	for i, r := range rows {
		if i > 0 {
			dst = append(dst, Spaced.Comma...)
		}
		dst = w.record(dst, s, r)
	}
	return append(dst, ']')
}

// cursor appends the cursor of the i-th row; a page without rows has an empty one.
func (w *Writer) cursor(dst []byte, p *Page, rows [][]byte, i int) []byte {
	if len(rows) == 0 {
		return append(dst, `""`...)
	}
	return w.encode(dst, p.Seal, func(dst []byte) []byte { return w.record(dst, p.Cursor, rows[i]) })
}

// base64 appends the base64 of a JSON text.
func (w *Writer) base64(dst []byte, p *Part, row Cells) []byte {
	return w.encode(dst, p.Seal, func(dst []byte) []byte { return w.Row(dst, p.Shape, row) })
}

func (w *Writer) encode(dst []byte, seal ir.Sealer, text func([]byte) []byte) []byte {
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

// records are the records of a list; NULL has none.
func (w *Writer) records(value []byte) ([][]byte, bool) {
	if value == nil {
		return nil, true
	}
	n, rest, ok := w.Format.List(value)
	if !ok {
		return nil, false
	}
	list := make([][]byte, 0, min(n, len(value)))
	for range n {
		var record []byte
		if record, rest, ok = w.Format.Next(rest); !ok {
			return nil, false
		}
		list = append(list, record)
	}
	return list, true
}
