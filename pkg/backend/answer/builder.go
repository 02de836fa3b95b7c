package answer

import "queryengine/pkg/ir"

// Style is the spacing of an object.
type Style struct{ Colon, Comma string }

// The styles. Objects of fields are compact; what stands around them, and lists of them, is
// spaced.
var (
	Compact = Style{":", ","}
	Spaced  = Style{" : ", ", "}
)

// longestAlias is how long a key can be for its object to be compact, in bytes: the wire format
// has it from the length of names in PostgreSQL, whose functions for longer keys put blanks
// around colons.
const longestAlias = 63

// StyleOf is the style of an object with these fields.
func StyleOf(fields []ir.Field) Style {
	for _, f := range fields {
		if len(f.Alias) > longestAlias {
			return Spaced
		}
	}
	return Compact
}

// Builder makes a Shape of fixed text and parts, in their order. The zero value is ready.
type Builder struct {
	shape Shape
	text  []byte
}

// Text appends fixed text.
func (b *Builder) Text(text string) { b.text = append(b.text, text...) }

// String appends a JSON string as fixed text.
func (b *Builder) String(s string) { b.text = AppendString(b.text, s) }

// Key appends what stands in front of the i-th value of an object.
func (b *Builder) Key(i int, alias string, s Style) {
	if i > 0 {
		b.Text(s.Comma)
	}
	b.String(alias)
	b.Text(s.Colon)
}

// Add appends a part; its Lead is the text since the last one.
func (b *Builder) Add(p Part) {
	p.Lead = b.Take()
	b.shape.Parts = append(b.shape.Parts, p)
}

// Take is the text since the last part, which is removed.
func (b *Builder) Take() string {
	text := string(b.text)
	b.text = b.text[:0]
	return text
}

// Shape is the built shape.
func (b *Builder) Shape() *Shape {
	b.shape.Tail = b.Take()
	return &b.shape
}
