package jsonwalk

import "sort"

// docFrom is from what size on a text is worth a Doc: reading a smaller one again at each of
// its levels costs less than to note where they end.
const docFrom = 4 << 10

// Doc is a text that is walked level by level. It knows where the nested values end, so that
// walks of all levels together take as much as reading the text once, however deep it is. nil
// is a Doc that knows nothing, and good for any text. It is safe for concurrent use.
type Doc struct {
	text []byte
	// starts are the indexes of all brackets that open, in their order, and ends where what
	// they open ends.
	starts, ends []int32
}

// NewDoc reads a text. It gives nil for one that is small, or no JSON.
func NewDoc(text []byte) *Doc {
	if len(text) < docFrom {
		return nil
	}
	d := &Doc{text: text}
	var open []int32 // indexes in starts
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			if i = skipString(text, i); i < 0 {
				return nil
			}
			continue
		case '{', '[':
			open = append(open, int32(len(d.starts)))
			d.starts, d.ends = append(d.starts, int32(i)), append(d.ends, 0)
		case '}', ']':
			last := len(open) - 1
			if last < 0 {
				return nil
			}
			d.ends[open[last]] = int32(i + 1)
			open = open[:last]
		}
		i++
	}
	if len(open) > 0 {
		return nil
	}
	return d
}

// Fields is as the function of that name. The object is the text of the Doc, or a value that
// its Fields or Items handed out.
func (d *Doc) Fields(object []byte, f func(key, value []byte) error) error {
	c := d.cursor(object)
	return c.fields(f)
}

// Items is as the function of that name. The array is the text of the Doc, or a value that its
// Fields or Items handed out.
func (d *Doc) Items(array []byte, f func(index int, value []byte) error) error {
	c := d.cursor(array)
	return c.items(f)
}

// cursor walks a part of the text; of any other text it knows nothing.
func (d *Doc) cursor(part []byte) Cursor {
	c := NewCursor(part)
	if d == nil || len(part) == 0 {
		return c
	}
	// All parts share the array of the text, and end where it does.
	if offset := cap(d.text) - cap(part); offset >= 0 && offset < len(d.text) && &d.text[offset] == &part[0] {
		c.doc, c.offset = d, offset
	}
	return c
}

// end is the index behind the nested value that begins at an index, -1 when none does.
func (d *Doc) end(start int) int {
	i := sort.Search(len(d.starts), func(i int) bool { return int(d.starts[i]) >= start })
	if i == len(d.starts) || int(d.starts[i]) != start {
		return -1
	}
	return int(d.ends[i])
}
