package action

import (
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Shape is what is selected of the objects at one place of an answer, whatever lists are around
// them. Nil takes the value as it is.
type Shape struct {
	Members []Member
	// Nested reports whether the objects are inside of others. Objects that aren't there are left out
	// of such, as the established engine does; all else that isn't there is null.
	Nested bool
}

// Member is a member of the objects that clients get.
type Member struct {
	Key string
	// Name is that of the field in the handler's answer, empty for Typename.
	Name, Typename string
	Below          *Shape
}

// Append appends what is selected of a value: the members of objects in the order of the
// shape, and null for those that aren't there.
func (s *Shape) Append(dst, value []byte) ([]byte, error) {
	c := jsonwalk.NewCursor(value)
	return s.append(dst, &c)
}

// append walks past a value, lists and what is in them in one go: handlers may answer with many
// lists in each other.
func (s *Shape) append(dst []byte, c *jsonwalk.Cursor) ([]byte, error) {
	if s == nil {
		text, err := c.Value()
		return append(dst, text...), err
	}
	switch c.Kind() {
	case jsonwalk.Array:
		dst = append(dst, '[')
		first := true
		err := c.Array(func() (err error) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, err = s.append(dst, c)
			return err
		})
		return append(dst, ']'), err
	case jsonwalk.Object:
		return s.object(dst, c)
	}
	return append(dst, "null"...), c.Skip()
}

func (s *Shape) object(dst []byte, c *jsonwalk.Cursor) ([]byte, error) {
	values := make([][]byte, len(s.Members))
	err := c.Object(func(key []byte) error {
		value, err := c.Value()
		for i := range s.Members {
			if s.Members[i].Name == string(key) {
				values[i] = value
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	first := true
	for i := range s.Members {
		m := &s.Members[i]
		if values[i] == nil && m.Below != nil && s.Nested {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsontext.AppendString(dst, m.Key), ':')
		switch {
		case m.Typename != "":
			dst = jsontext.AppendString(dst, m.Typename)
		case values[i] == nil:
			dst = append(dst, "null"...)
		default:
			if dst, err = m.Below.Append(dst, values[i]); err != nil {
				return nil, err
			}
		}
	}
	return append(dst, '}'), nil
}
