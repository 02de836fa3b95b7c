package remote

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Fit recognises answers that can be passed on unchanged: those that consist of one root field, and
// whose objects have the members of a shape in their order. It is immutable and safe for concurrent
// use.
//
// Positions in a text are passed and returned, -1 for a text that doesn't fit, so that they stay
// in registers: it looks at each byte of large answers.
type Fit struct {
	data, root fitName
	value      *fitShape
}

// NewFit makes the Fit of a root field and the shape of its value.
func NewFit(key string, s *Shape) *Fit {
	return &Fit{data: newFitName("data"), root: newFitName(key), value: newFitShape(s)}
}

// fitShape is a Shape, ready to be compared.
type fitShape struct{ members []fitMember }

type fitMember struct {
	fitName
	below *fitShape
	names map[string]string
}

func newFitShape(s *Shape) *fitShape {
	if s == nil {
		return nil
	}
	out := &fitShape{members: make([]fitMember, len(s.Members))}
	for i, m := range s.Members {
		out.members[i] = fitMember{fitName: newFitName(m.Key), below: newFitShape(m.Below), names: m.Names}
	}
	return out
}

// fitName is a key in quotes and its colon: the first eight bytes as a number, and the others.
type fitName struct {
	word, mask uint64
	text, rest string
}

func newFitName(key string) fitName {
	text := string(append(jsontext.AppendString(nil, key), ':'))
	var first, mask [8]byte
	n := copy(first[:], text)
	for i := range n {
		mask[i] = 0xff
	}
	return fitName{word: binary.LittleEndian.Uint64(first[:]), mask: binary.LittleEndian.Uint64(mask[:]), text: text, rest: text[n:]}
}

// at walks past the name and its colon, to the value. -1 means that it isn't there.
func (n *fitName) at(text []byte, at int) int {
	end := at + len(n.text)
	if at+8 <= len(text) && end < len(text) && binary.LittleEndian.Uint64(text[at:])&n.mask == n.word &&
		(n.rest == "" || string(text[at+8:end]) == n.rest) {
		if text[end] > ' ' {
			return end
		}
		return fitSpace(text, end)
	}
	// At the end of the text, or with blanks before the colon.
	end--
	if end >= len(text) || string(text[at:end]) != n.text[:len(n.text)-1] {
		return -1
	}
	if end = fitSpace(text, end); end >= len(text) || text[end] != ':' {
		return -1
	}
	return fitSpace(text, end+1)
}

// Value finds the value of the root field in the body of an answer that has nothing else. ok is false
// for an answer that doesn't fit, be it valid or not.
func (f *Fit) Value(body []byte) (value []byte, ok bool) {
	at := fitSpace(body, 0)
	for _, name := range []*fitName{&f.data, &f.root} {
		if at < 0 || at >= len(body) || body[at] != '{' {
			return nil, false
		}
		at = name.at(body, fitSpace(body, at+1))
	}
	if at < 0 {
		return nil, false
	}
	start := at
	if at = f.value.fit(body, at, 0); at < 0 {
		return nil, false
	}
	value = body[start:at]
	for range 2 {
		if at = fitSpace(body, at); at >= len(body) || body[at] != '}' {
			return nil, false
		}
		at++
	}
	return value, fitSpace(body, at) == len(body)
}

func fitSpace(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' {
		switch text[at] {
		case ' ', '\n', '\t', '\r':
			at++
		default:
			return at
		}
	}
	return at
}

// maxFitting is how deep values may be nested that are looked at here.
const maxFitting = 200

// fit walks past a value.
func (s *fitShape) fit(text []byte, at, depth int) int {
	if at >= len(text) || depth > maxFitting {
		return -1
	}
	switch c := text[at]; {
	case c == '"':
		return fitString(text, at)
	case c >= '1' && c <= '9':
		return fitNumber(text, at)
	case c == 'n':
		return fitLiteral(text, at, "null")
	case c == 't':
		return fitLiteral(text, at, "true")
	case c == 'f':
		return fitLiteral(text, at, "false")
	case c == '{' && s != nil:
		return s.object(text, at+1, depth+1)
	case c == '[' && s != nil:
		return s.list(text, at+1, depth+1)
	}
	return fitOther(text, at)
}

// list walks past the items of a list, and its end.
func (s *fitShape) list(text []byte, at, depth int) int {
	if at = fitSpace(text, at); at < len(text) && text[at] == ']' {
		return at + 1
	}
	for {
		if at = s.fit(text, at, depth); at < 0 {
			return -1
		}
		at = fitSpace(text, at)
		switch {
		case at >= len(text):
			return -1
		case text[at] == ']':
			return at + 1
		case text[at] != ',':
			return -1
		}
		at = fitSpace(text, at+1)
	}
}

// object walks past the members of an object, and its end.
func (s *fitShape) object(text []byte, at, depth int) int {
	if at = fitSpace(text, at); at < len(text) && text[at] == '}' {
		return at + 1
	}
	for i := range s.members {
		m := &s.members[i]
		start := m.at(text, at)
		if start < 0 {
			continue // it isn't there, or there is something else: then no other one fits
		}
		if start < len(text) && text[start] == '"' {
			at = fitString(text, start)
		} else {
			at = m.below.fit(text, start, depth)
		}
		if at < 0 || len(m.names) > 0 && m.renames(text[start:at]) {
			return -1
		}
		if at < len(text) && text[at] <= ' ' {
			at = fitSpace(text, at)
		}
		switch {
		case at >= len(text):
			return -1
		case text[at] == '}':
			return at + 1
		case text[at] != ',':
			return -1
		}
		at = fitSpace(text, at+1)
	}
	return -1
}

// renames reports whether a value is the name of a type that clients know by another one.
func (m *fitMember) renames(value []byte) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	name := value[1 : len(value)-1]
	known, ok := m.names[string(name)]
	return ok && known != string(name)
}

func fitLiteral(text []byte, at int, literal string) int {
	end := at + len(literal)
	if end > len(text) || string(text[at:end]) != literal {
		return -1
	}
	return end
}

// fitNumber walks past a number that begins with a digit other than zero.
func fitNumber(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
		case c == '.' || c == 'e' || c == 'E':
			return fitOther(text, at)
		default:
			return i
		}
	}
	return len(text)
}

// fitOther walks past a value of unknown type: the standard library checks whether it is valid.
func fitOther(text []byte, at int) int {
	c := jsonwalk.NewCursor(text[at:])
	value, err := c.Value()
	if err != nil || !json.Valid(value) || !utf8.Valid(value) {
		return -1
	}
	return at + len(value)
}

// fitString walks past a string, eight bytes at a time.
func fitString(text []byte, start int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	at := start + 1
	high := uint64(0)
	for ; at+8 <= len(text); at += 8 {
		w := binary.LittleEndian.Uint64(text[at:])
		quote, escape := w^(ones*'"'), w^(ones*'\\')
		// A byte's top bit is set where the byte was zero, or less than a blank. Bits above the
		// lowest one may be wrong: only that one counts.
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (w-ones*' ')&^w) & tops
		if found != 0 {
			n := bits.TrailingZeros64(found) / 8
			high |= w & (1<<(8*n) - 1)
			at += n
			break
		}
		high |= w
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		high |= uint64(text[at])
		at++
	}
	switch {
	case at >= len(text):
		return -1
	case text[at] == '\\':
		return fitOther(text, start)
	case text[at] != '"', high&tops != 0 && !utf8.Valid(text[start:at]):
		return -1
	}
	return at + 1
}
