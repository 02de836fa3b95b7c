package parse

import (
	"crypto/sha1" //nolint:gosec // a name for a shape, which nothing relies on
	"encoding/hex"
	"slices"
	"strings"

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
	p := shapePrinter{values: values}
	p.selections(o.Selections)
	sum := sha1.Sum([]byte(p.text.String())) //nolint:gosec // see above
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

type shapePrinter struct {
	values [][]byte
	text   strings.Builder
}

func (p *shapePrinter) full() bool { return p.text.Len() > longestShape }

func (p *shapePrinter) selections(set []Selection) {
	if len(set) == 0 {
		return
	}
	p.text.WriteString("{")
	p.members(set)
	p.text.WriteString("}")
}

func (p *shapePrinter) members(set []Selection) {
	for _, s := range set {
		if p.full() {
			return
		}
		switch s := s.(type) {
		case *Field:
			p.text.WriteString(" " + s.Name)
			if len(s.Arguments) > 0 {
				p.text.WriteString("(")
				p.arguments(s.Arguments)
				p.text.WriteString(")")
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
		p.text.WriteString(" " + list[i].Name + ":")
		p.value(&list[i].Value)
	}
}

func (p *shapePrinter) value(v *Value) {
	switch {
	case p.full():
	case v.Kind == List:
		p.text.WriteString("[")
		for i := range v.Items {
			p.value(&v.Items[i])
		}
		p.text.WriteString("]")
	case v.Kind == Object:
		p.text.WriteString("{")
		p.arguments(v.Fields)
		p.text.WriteString("}")
	case v.Kind == VariableUse && v.Variable.Index < len(p.values):
		p.json(p.values[v.Variable.Index])
	default:
		p.text.WriteString(" null")
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
		p.text.WriteString("[")
		err = c.Array(func() error { return p.next(c) })
		p.text.WriteString("]")
	case kind == jsonwalk.Object:
		p.text.WriteString("{")
		err = c.Object(func(key []byte) error {
			p.text.WriteString(" " + string(key) + ":")
			return p.next(c)
		})
		p.text.WriteString("}")
	default:
		p.text.WriteString(" null")
		err = c.Skip()
	}
	return err
}
