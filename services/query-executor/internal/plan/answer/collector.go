package answer

import "queryengine/pkg/jsontext"

// Collector collects the parts of the answer; constant text next to each other is one part.
type Collector struct {
	list      []Part
	text      []byte
	constants []string // the root fields in text
	first     bool
}

// Open opens an object.
func (a *Collector) Open() { a.text, a.first = append(a.text, '{'), true }

// Close closes an object.
func (a *Collector) Close() { a.text, a.first = append(a.text, '}'), false }

// Key begins a member of the object.
func (a *Collector) Key(name string) {
	if !a.first {
		a.text = append(a.text, ',')
	}
	a.first = false
	a.text = append(jsontext.AppendString(a.text, name), ':')
}

// Constant is a root field whose value is known.
func (a *Collector) Constant(field, value string) {
	a.text = jsontext.AppendString(a.text, value)
	a.constants = append(a.constants, field)
}

// Add adds a part that isn't text.
func (a *Collector) Add(p Part) {
	a.flush()
	a.list = append(a.list, p)
}

func (a *Collector) flush() {
	if len(a.text) > 0 {
		a.list = append(a.list, &Text{Text: string(a.text), Constants: a.constants})
		a.text, a.constants = a.text[:0], nil
	}
}

// Parts are all parts that were collected.
func (a *Collector) Parts() []Part {
	a.flush()
	return a.list
}
