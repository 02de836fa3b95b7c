package input

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
)

// Cursor is a place in the document.
type Cursor struct{ Path []Step }

// Step is one step of a path: a key or an index.
type Step struct {
	Key   string
	Index int // counts when Key is empty
	// Single is the index of a value that stands for a list of one without being in a list. The
	// faults of values leave it out, those of what rows mean together don't.
	Single bool
}

// Push goes to a key below the place.
func (c *Cursor) Push(key string) { c.Path = append(c.Path, Step{Key: key}) }

// PushIndex goes to an index below the place.
func (c *Cursor) PushIndex(i int) { c.Path = append(c.Path, Step{Index: i}) }

// Pop goes back to the place above.
func (c *Cursor) Pop() { c.Path = c.Path[:len(c.Path)-1] }

// Fail is a validation error at the place.
func (c *Cursor) Fail(format string, args ...any) error {
	return c.FailWith(apierror.ValidationFailed, fmt.Sprintf(format, args...))
}

// FailWith is an error at the place.
func (c *Cursor) FailWith(code apierror.Code, message string) error {
	e := apierror.New(code, message)
	e.Path = Spell(c.Path)
	return e
}

// FailAt is a validation error at a key below the place.
func (c *Cursor) FailAt(key, format string, args ...any) error {
	c.Push(key)
	return c.Fail(format, args...)
}

// Place moves a relative error to the place.
func (c *Cursor) Place(err error) error { return Under(Spell(c.Path), err) }

// Mismatch is the error for a value of the wrong kind.
func (c *Cursor) Mismatch(typeName, expected string, v Value) error {
	return c.Fail("expected %s for type '%s', but found %s", expected, typeName, v.Kind())
}

// Spell writes a path as clients see it.
func Spell(path []Step) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range path {
		switch {
		case s.Single:
		case s.Key == "":
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case isPlainKey(s.Key):
			b.WriteString("." + s.Key)
		default:
			b.WriteString("[" + strconv.Quote(s.Key) + "]")
		}
	}
	return b.String()
}

// isPlainKey reports whether a key is written with a dot.
func isPlainKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
