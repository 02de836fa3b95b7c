package api

import (
	"encoding/json"
	"errors"

	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/querydoc"
)

// cut is what was left out of an answer.
type cut uint8

const (
	whole cut = iota
	// fewer rows than there are, because of their number, or because of their size.
	fewer
	smaller
	// unfit is an answer of which no row fits, or of which what isn't in rows doesn't: its text is too long.
	unfit
)

// firstRows is the beginning of an answer to a query, which may end anywhere: at most a number of rows, which are the objects in lists of
// objects, and no more of the outermost ones than make a size.
func firstRows(answer json.RawMessage, query string, rows, size int) (json.RawMessage, cut) {
	var of *querydoc.Selection
	if document, err := querydoc.Parse(query); err == nil {
		of = document.Selection()
	}
	c := cutter{left: rows, size: size - size/10} // what isn't in lists comes after them, too
	cursor := jsonwalk.NewCursor(answer)
	_ = c.root(&cursor, of)
	switch {
	case c.cut == smaller && c.kept == 0:
		return answer, unfit
	case c.cut != whole && len(c.out) > size:
		return c.out, unfit
	}
	return c.out, c.cut
}

// cutter copies JSON up to a number of rows and a size. kept counts the outermost rows.
type cutter struct {
	left, size, kept int
	cut              cut
	out              []byte
}

// errEnd is the end of an answer that isn't whole.
var errEnd = errors.New("the answer ends")

// end notes that the rest of the answer is missing.
func (c *cutter) end() error {
	c.cut = smaller
	return errEnd
}

// root copies what isn't in a list.
func (c *cutter) root(cursor *jsonwalk.Cursor, of *querydoc.Selection) error {
	kind := cursor.Kind()
	switch {
	case of != nil && kind == jsonwalk.Object:
		before := byte('{')
		err := cursor.Object(func(key []byte) error {
			mark := len(c.out)
			c.key(before, key)
			err := c.root(cursor, of.Field(string(key)))
			switch {
			case err == nil, errors.Is(err, errEnd):
				before = ','
			default:
				c.out = c.out[:mark]
				err = c.end()
			}
			return err
		})
		c.close(before, '{', '}')
		if err != nil {
			err = c.end()
		}
		return err
	case of != nil && kind == jsonwalk.Array:
		before := byte('[')
		err := cursor.Array(func() error {
			row, err := cursor.Value()
			if err != nil {
				return c.end()
			}
			mark, previous := len(c.out), before
			err = c.item(&before, row, of)
			switch {
			case len(c.out) > c.size:
				c.out, before, c.left, c.cut = c.out[:mark], previous, 0, smaller
			case len(c.out) > mark:
				c.kept++
			}
			return err
		})
		c.close(before, '[', ']')
		if err != nil {
			err = c.end()
		}
		return err
	}
	value, err := cursor.Value()
	c.out = append(c.out, value...)
	return err
}

func (c *cutter) key(before byte, key []byte) {
	name, _ := json.Marshal(string(key)) // a string can always be encoded
	c.out = append(append(append(c.out, before), name...), ':')
}

// close ends an object or a list, which begins here when it is empty.
func (c *cutter) close(before, begin, end byte) {
	if before == begin {
		c.out = append(c.out, begin)
	}
	c.out = append(c.out, end)
}

// item copies an item of a list, unless it is a row too many.
func (c *cutter) item(before *byte, value []byte, of *querydoc.Selection) error {
	if jsonwalk.KindOf(value) == jsonwalk.Object {
		if c.left == 0 {
			c.cut = max(c.cut, fewer)
			return nil
		}
		c.left--
	}
	c.out = append(c.out, *before)
	*before = ','
	return c.value(value, of)
}

// value copies a part of a row.
func (c *cutter) value(text []byte, of *querydoc.Selection) error {
	kind := jsonwalk.KindOf(text)
	switch {
	case of != nil && kind == jsonwalk.Object:
		before := byte('{')
		err := jsonwalk.Fields(text, func(key, value []byte) error {
			c.key(before, key)
			before = ','
			return c.value(value, of.Field(string(key)))
		})
		c.close(before, '{', '}')
		return err
	case of != nil && kind == jsonwalk.Array:
		before := byte('[')
		err := jsonwalk.Items(text, func(_ int, value []byte) error { return c.item(&before, value, of) })
		c.close(before, '[', ']')
		return err
	}
	c.out = append(c.out, text...)
	return nil
}
