package remote

import (
	"encoding/json"
	"errors"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Shape is what an answer has at one place: the members of the objects there, whatever lists
// are around them. Nil is a value that is taken as it is.
type Shape struct{ Members []Member }

// Member is a key that was requested.
type Member struct {
	Key   string
	Below *Shape
	// Names are the names of types for clients, by those at the remote, when the value is the
	// name of a type that clients may know by another one.
	Names map[string]string
}

// Append appends a value to dst with the members of its objects in the order of the shape, and
// no others. Members that aren't there are left out. What it appends is JSON, or it fails.
func (s *Shape) Append(dst, value []byte) ([]byte, error) {
	w := writer{dst: dst, text: value, cursor: jsonwalk.NewCursor(value)}
	if err := w.value(s); err != nil {
		return nil, err
	}
	if err := w.cursor.End(); err != nil {
		return nil, err
	}
	w.copy(len(value))
	return w.dst, nil
}

// writer walks a text once. As long as it is what is wanted, nothing is written; from is where the part
// of it begins that is still to be copied.
type writer struct {
	dst, text []byte
	cursor    jsonwalk.Cursor
	from      int
	// lists is how many lists there are around the value.
	lists int
}

// maxLists is how many lists may stand in each other: a server could answer with so many that they
// take all of the stack. A Fit takes no more either.
const maxLists = maxFitting

var errNested = errors.New("the lists of the answer are nested too deeply")

func (w *writer) copy(to int) {
	w.dst = append(w.dst, w.text[w.from:to]...)
	w.from = to
}

// value walks past a value.
func (w *writer) value(s *Shape) error {
	switch kind := w.cursor.Kind(); {
	case s != nil && kind == jsonwalk.Array:
		if w.lists++; w.lists > maxLists {
			return errNested
		}
		err := w.cursor.Array(func() error { return w.value(s) })
		w.lists--
		return err
	case s != nil && kind == jsonwalk.Object:
		return w.object(s)
	}
	value, err := w.cursor.Value()
	if err == nil && !valid(value) {
		err = jsonwalk.ErrSyntax
	}
	return err
}

// valid reports whether a value that ends where it seems to is JSON. Short answers consist of texts
// and numbers, for which this is faster than the standard library.
func valid(value []byte) bool {
	switch value[0] {
	case '"':
		for _, c := range value {
			if c < ' ' || c == '\\' {
				return json.Valid(value)
			}
		}
		return true
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		for _, c := range value[1:] {
			if c < '0' || c > '9' {
				return json.Valid(value)
			}
		}
		return value[0] != '0' || len(value) == 1
	}
	return json.Valid(value)
}

// object walks past an object. One that has other members than the shape, or in another order, is
// rewritten.
func (w *writer) object(s *Shape) error {
	start := *w
	next, same := 0, true
	err := w.cursor.Object(func(key []byte) error {
		if !same {
			return w.cursor.Skip()
		}
		for next < len(s.Members) && s.Members[next].Key != string(key) {
			next++
		}
		if same = next < len(s.Members); !same {
			return w.cursor.Skip()
		}
		next++
		return w.member(&s.Members[next-1])
	})
	if err != nil || same {
		return err
	}
	end := w.cursor
	w.dst, w.from, w.cursor = start.dst, start.from, start.cursor
	if err := w.ordered(s); err != nil {
		return err
	}
	w.cursor, w.from = end, end.At()
	return nil
}

// member walks past the value of a member.
func (w *writer) member(m *Member) error {
	if m.Names == nil {
		return w.value(m.Below)
	}
	start := w.cursor.At()
	value, err := w.cursor.Value()
	switch {
	case err != nil:
		return err
	case !valid(value):
		return jsonwalk.ErrSyntax
	case jsonwalk.KindOf(value) != jsonwalk.String:
		return nil
	}
	name, err := jsonwalk.Text(value)
	if err != nil {
		return err
	}
	if known, ok := m.Names[name]; ok && known != name {
		w.copy(start)
		w.dst = jsontext.AppendString(w.dst, known)
		w.from = w.cursor.At()
	}
	return nil
}

// ordered writes an object member by member.
func (w *writer) ordered(s *Shape) error {
	values := make([][]byte, len(s.Members))
	w.copy(w.cursor.At())
	err := w.cursor.Object(func(key []byte) error {
		value, err := w.cursor.Value()
		for i := range s.Members {
			if s.Members[i].Key == string(key) {
				values[i] = value
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	w.dst = append(w.dst, '{')
	first := true
	for i, value := range values {
		if value == nil {
			continue
		}
		if !first {
			w.dst = append(w.dst, ',')
		}
		first = false
		w.dst = append(jsontext.AppendString(w.dst, s.Members[i].Key), ':')
		part := writer{dst: w.dst, text: value, cursor: jsonwalk.NewCursor(value)}
		if err := part.member(&s.Members[i]); err != nil {
			return err
		}
		part.copy(len(value))
		w.dst = part.dst
	}
	w.dst = append(w.dst, '}')
	return nil
}
