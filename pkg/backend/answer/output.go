package answer

import "strconv"

// Output is the answer of a mutation: text, and in between the number of rows or the rows.
type Output struct {
	Parts []OutputPart
	Tail  string
}

// OutputPart is the number of rows when Count is set, else the rows themselves.
type OutputPart struct {
	Lead  string
	Count bool
	// Shape is that of the rows; One takes the first row only, or null.
	Shape *Shape
	One   bool
}

// Handed is what Tx.Exec hands out of a row: the first columns as they are, and the JSON of the object of
// each shape.
type Handed struct {
	Columns int
	Objects []*Shape
}

// Of is what is handed out of a row. It is valid until the next call.
func (h *Handed) Of(w *Writer, row Cells) [][]byte {
	values := row.Values[:h.Columns:h.Columns]
	if len(h.Objects) == 0 {
		return values
	}
	w.handed, w.objects = append(w.handed[:0], values...), w.objects[:0]
	for _, s := range h.Objects {
		start := len(w.objects)
		w.objects = w.Row(w.objects, s, row)
		// Where the memory is moved, the objects before stay valid in what it was.
		w.handed = append(w.handed, w.objects[start:len(w.objects):len(w.objects)])
	}
	return w.handed
}

// Outcome collects the rows of one run of a mutation. Counts may stand in front of rows, so
// the rows of each part are collected apart.
type Outcome struct {
	output *Output
	lists  [][]byte
	rows   int
}

// Begin is the outcome of a run that has written nothing yet.
func (o *Output) Begin() Outcome { return Outcome{output: o, lists: make([][]byte, len(o.Parts))} }

// Add writes a row that the mutation gave back.
func (c *Outcome) Add(w *Writer, row Cells) {
	for i := range c.output.Parts {
		p := &c.output.Parts[i]
		if p.Shape == nil || p.One && c.rows > 0 {
			continue
		}
		if c.rows > 0 {
			c.lists[i] = append(c.lists[i], Spaced.Comma...)
		}
		c.lists[i] = w.Row(c.lists[i], p.Shape, row)
	}
	c.rows++
}

// Append appends the answer; affected is the number of rows that were written.
func (c *Outcome) Append(dst []byte, affected int64) []byte {
	for i := range c.output.Parts {
		p := &c.output.Parts[i]
		dst = append(dst, p.Lead...)
		switch {
		case p.Count:
			dst = strconv.AppendInt(dst, affected, 10)
		case p.One && c.rows == 0:
			dst = append(dst, "null"...)
		case p.One:
			dst = append(dst, c.lists[i]...)
		default:
			dst = append(append(append(dst, '['), c.lists[i]...), ']')
		}
	}
	return append(dst, c.output.Tail...)
}
