package api

import (
	"encoding/json"

	"queryengine/pkg/jsonwalk"
)

// firstRows is an answer without what comes after a number of rows, which are the objects in lists, and reports whether it has
// cut off any.
func firstRows(answer json.RawMessage, most int) (json.RawMessage, bool) {
	c := cutter{left: most}
	if c.value(answer) != nil || !c.cut {
		return answer, false
	}
	return c.out, true
}

// cutter copies JSON up to a number of rows.
type cutter struct {
	left int
	cut  bool
	out  []byte
}

func (c *cutter) value(text []byte) error {
	switch jsonwalk.KindOf(text) {
	case jsonwalk.Object:
		before := byte('{')
		err := jsonwalk.Fields(text, func(key, value []byte) error {
			name, err := json.Marshal(string(key))
			c.out = append(append(append(c.out, before), name...), ':')
			before = ','
			if err != nil {
				return err
			}
			return c.value(value)
		})
		if before == '{' {
			c.out = append(c.out, before)
		}
		c.out = append(c.out, '}')
		return err
	case jsonwalk.Array:
		before := byte('[')
		err := jsonwalk.Items(text, func(_ int, value []byte) error {
			if jsonwalk.KindOf(value) == jsonwalk.Object {
				if c.left == 0 {
					c.cut = true
					return nil
				}
				c.left--
			}
			c.out = append(c.out, before)
			before = ','
			return c.value(value)
		})
		if before == '[' {
			c.out = append(c.out, before)
		}
		c.out = append(c.out, ']')
		return err
	}
	c.out = append(c.out, text...)
	return nil
}
