package rowstream

import (
	"encoding/binary"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/rowimage"
)

// rows implements backend.StreamRows. images are in the order of the cursor.
type rows struct {
	stream *Stream
	images []image
	writer *answer.Writer
}

// image is a row as a change has left it.
type image struct {
	values      []rowimage.Value
	transaction uint64
	// json is made when it is first needed.
	json []byte
}

// Read implements backend.LiveStream.
func (s *Stream) Read(changed *backend.ChangedRows) backend.StreamRows {
	if changed == nil {
		return nil
	}
	places := make([]int, len(s.columns))
	for i := range s.columns {
		if places[i] = slices.Index(changed.Columns, s.columns[i].Name); places[i] < 0 {
			return nil
		}
	}
	last, ok := s.lastImages(changed.Rows, places)
	if !ok {
		return nil
	}
	r := &rows{stream: s, images: make([]image, 0, len(last))}
	for _, row := range last {
		if row == nil {
			continue
		}
		m := image{values: make([]rowimage.Value, len(s.columns)), transaction: row.Transaction}
		for i := range s.columns {
			m.values[i] = valueOf(row.New[places[i]], &s.columns[i])
		}
		// Nothing is past NULL, and NULL not past anything.
		if !m.values[s.cursor].IsNull() {
			r.images = append(r.images, m)
		}
	}
	if !r.sort() {
		return nil
	}
	return r
}

func valueOf(c backend.Cell, column *rowimage.Column) rowimage.Value {
	switch c.State {
	case backend.CellNull:
		return rowimage.NullValue
	case backend.CellText:
		return column.Value(c.Text)
	}
	return rowimage.Value{}
}

// lastImages are the changes that rows were left by, in their order, with nil for others; ok is false when rows can't
// be distinguished.
func (s *Stream) lastImages(changed []backend.ChangedRow, places []int) (last []*backend.ChangedRow, ok bool) {
	last = make([]*backend.ChangedRow, len(changed))
	found := make(map[string]int, len(changed))
	for i := range changed {
		row := &changed[i]
		if row.Transaction == 0 {
			return nil, false
		}
		if row.Old != nil {
			key, known := s.keyOf(row.Old, places)
			if !known {
				return nil, false
			}
			if before, again := found[key]; again {
				last[before] = nil
				delete(found, key)
			}
		}
		if row.New == nil {
			continue
		}
		last[i] = row
		if len(s.key) == 0 {
			continue // a change that isn't an insert ends all
		}
		key, known := s.keyOf(row.New, places)
		if !known {
			return nil, false
		}
		found[key] = i
	}
	return last, true
}

// keyOf identifies a row.
func (s *Stream) keyOf(cells []backend.Cell, places []int) (key string, known bool) {
	var b []byte
	for _, k := range s.key {
		c := cells[places[k]]
		if c.State != backend.CellText {
			return "", false
		}
		b = append(binary.AppendUvarint(b, uint64(len(c.Text))), c.Text...)
	}
	return string(b), len(s.key) > 0
}

// sort puts the rows in the order of the cursor; false where that isn't known.
func (r *rows) sort() bool {
	at, sorted := r.stream.cursor, true
	order := func(a, b image) int {
		n, ok := rowimage.Compare(a.values[at], b.values[at])
		sorted = sorted && ok
		if r.stream.desc {
			return -n
		}
		return n
	}
	if len(r.images) == 1 {
		order(r.images[0], r.images[0])
	}
	slices.SortStableFunc(r.images, order)
	return sorted
}

// Batches implements backend.StreamRows.
func (r *rows) Batches(of backend.StreamCohort, seen backend.Snapshot) (batches []backend.StreamBatch, known bool) {
	c, ok := of.(*cohort)
	if !ok || !c.known {
		return nil, false
	}
	var list []*image
	for i := range r.images {
		m := &r.images[i]
		if seen.Sees(m.transaction) {
			continue
		}
		t := r.stream.condition.Test(m.values, c.operands)
		if !t.Maybe() {
			continue
		}
		if t != rowimage.True || !r.write(m) {
			return nil, false
		}
		list = append(list, m)
	}
	if c.size == 0 {
		return nil, true
	}
	for len(list) > 0 {
		n := r.first(list, c.size)
		batches = append(batches, r.batch(list[:n]))
		list = list[n:]
	}
	return batches, true
}

// first is how many rows the first batch has: those that tie with its last one belong to it.
func (r *rows) first(list []*image, size int) int {
	n := min(size, len(list))
	for n < len(list) {
		order, _ := rowimage.Compare(list[n-1].values[r.stream.cursor], list[n].values[r.stream.cursor])
		if order != 0 {
			break
		}
		n++
	}
	return n
}

func (r *rows) batch(list []*image) backend.StreamBatch {
	size := len("[]")
	for _, m := range list {
		size += len(m.json) + len(answer.Spaced.Comma)
	}
	root := append(make([]byte, 0, size), '[')
	for i, m := range list {
		if i > 0 {
			root = append(root, answer.Spaced.Comma...)
		}
		root = append(root, m.json...)
	}
	return backend.StreamBatch{Root: append(root, ']'), Cursor: []byte(list[len(list)-1].values[r.stream.cursor].Text)}
}

// write writes the JSON of a row; false where a value isn't known.
func (r *rows) write(m *image) bool {
	if m.json != nil {
		return true
	}
	cells := answer.Cells{Values: make([][]byte, len(m.values))}
	for _, i := range r.stream.fields {
		switch v := m.values[i]; {
		case !v.IsKnown():
			return false
		case !v.IsNull():
			cells.Values[i] = []byte(v.Text)
		}
	}
	if r.writer == nil {
		r.writer = encode.NewWriter(false)
	}
	r.writer.Reset()
	if json := r.writer.Row(nil, r.stream.shape, cells); r.writer.Err == nil {
		m.json = json
	}
	return m.json != nil
}
