package parse

import (
	"crypto/sha1" //nolint:gosec // a name for a shape, which nothing relies on
	"encoding/hex"
	"slices"
	"sync"

	"queryengine/pkg/jsonwalk"
)

// longestShape bounds the text that Hash is made of: fragments that are left out by a directive
// may stand for more fields than fit anywhere.
const longestShape = 256 << 10

// Hash identifies the shape of an operation's selection: 40 hex digits that are the same for operations
// that differ in operands, aliases, directives, fragments and names only. values are the values of the
// variables, by Variable.Index.
func (o *Operation) Hash(values [][]byte) string {
	if !o.structured {
		return o.hash()
	}
	return o.hashOf(values)
}

func (o *Operation) hashOf(values [][]byte) string {
	p := shapes.Get().(*shapePrinter)
	p.values = values
	p.selections(o.Selections)
	sum := sha1.Sum(p.text)            //nolint:gosec // see above
	if cap(p.text) <= 2*longestShape { // a single name may be of any length
		p.text, p.values = p.text[:0], nil
		shapes.Put(p)
	}
	return hex.EncodeToString(sum[:])
}

// hasStructure reports whether a value of one of the variables may be a list or an object.
func hasStructure(variables []*Variable) bool {
	return slices.ContainsFunc(variables, func(v *Variable) bool {
		switch v.Type.Name {
		case "Int", "Float", "String", "Boolean", "ID", "uuid":
			return false
		}
		return true
	})
}

// shapes are printers that are used again, with their buffers: a variable with many rows has a long
// shape, which is printed for each request.
var shapes = sync.Pool{New: func() any { return &shapePrinter{} }}

type shapePrinter struct {
	values [][]byte
	text   []byte
}

func (p *shapePrinter) full() bool { return len(p.text) > longestShape }

func (p *shapePrinter) write(text string) { p.text = append(p.text, text...) }

func (p *shapePrinter) selections(set []Selection) {
	if len(set) == 0 {
		return
	}
	p.write("{")
	p.members(set)
	p.write("}")
}

func (p *shapePrinter) members(set []Selection) {
	for _, s := range set {
		if p.full() {
			return
		}
		switch s := s.(type) {
		case *Field:
			p.write(" ")
			p.write(s.Name)
			if len(s.Arguments) > 0 {
				p.write("(")
				p.arguments(s.Arguments)
				p.write(")")
			}
			p.selections(s.Selections)
		case *Spread:
			p.members(s.Fragment.Selections)
		case *Inline:
			p.members(s.Selections)
		}
	}
}

func (p *shapePrinter) arguments(list []Argument) {
	for i := range list {
		p.write(" ")
		p.write(list[i].Name)
		p.write(":")
		p.value(&list[i].Value)
	}
}

func (p *shapePrinter) value(v *Value) {
	switch {
	case p.full():
	case v.Kind == List:
		p.write("[")
		for i := range v.Items {
			p.value(&v.Items[i])
		}
		p.write("]")
	case v.Kind == Object:
		p.write("{")
		p.arguments(v.Fields)
		p.write("}")
	case v.Kind == VariableUse && v.Variable.Index < len(p.values):
		p.json(p.values[v.Variable.Index])
	default:
		p.write(" null")
	}
}

// json prints the form of JSON, reading it once.
func (p *shapePrinter) json(text []byte) {
	c := jsonwalk.NewCursor(text)
	_ = p.next(&c) // values were parsed before
}

func (p *shapePrinter) next(c *jsonwalk.Cursor) error {
	var err error
	switch kind := c.Kind(); {
	case p.full():
		return jsonwalk.ErrSyntax // enough
	case kind == jsonwalk.Array:
		p.write("[")
		err = c.Array(func() error { return p.next(c) })
		p.write("]")
	case kind == jsonwalk.Object:
		p.write("{")
		err = c.Object(func(key []byte) error {
			p.write(" ")
			p.text = append(p.text, key...)
			p.write(":")
			return p.next(c)
		})
		p.write("}")
	default:
		p.write(" null")
		err = c.Skip()
	}
	return err
}
