package input

import (
	"slices"

	"queryengine/pkg/jsonwalk"
)

// jsonPlace is a value inside of the JSON of a variable.
type jsonPlace struct {
	above *jsonPlace // nil for all of the JSON
	// key is that of a member, "" for an item; index counts members as well as items.
	key   string
	index int
}

// jsonPart names a part of the value of a variable.
type jsonPart struct {
	variable int
	place    *jsonPlace // never nil
}

// Origin is where in the variables of a request a value is.
type Origin struct {
	// variable is the index of the variable that the value is (a part of), and place where in it,
	// nil for all of it.
	variable int
	place    *jsonPlace
	// isPart reports whether the value is a part of a variable, and part which of all.
	isPart bool
	part   int
}

// From is the origin of a value, which comes from a variable.
func From(v Value) Origin { return Origin{variable: v.Variable.Index, place: v.place} }

// FromVariable is the origin of all of a variable, by its index.
func FromVariable(index int) Origin { return Origin{variable: index} }

// Locate numbers the origins that are parts of variables. From then on In takes what the Parts find.
func Locate(origins []*Origin) *Parts {
	var found []jsonPart
	for _, o := range origins {
		found = o.number(found)
	}
	return newParts(found)
}

// number adds the place to those found, if the value is a part; from then on its number stands
// for it.
func (o *Origin) number(found []jsonPart) []jsonPart {
	if o.place == nil {
		return found
	}
	o.isPart, o.part = true, len(found)
	found = append(found, jsonPart{o.variable, o.place})
	o.place = nil
	return found
}

// In is the value, given those of the variables and the parts that were found in them.
func (o *Origin) In(values, parts [][]byte) []byte {
	if o.isPart {
		return parts[o.part]
	}
	return values[o.variable]
}

// Parts finds parts of variables in the values of a request, reading each value once. It holds
// nothing of the values that the parts were found in first.
type Parts struct {
	roots []partRoot
	n     int
}

// partRoot are parts of one variable.
type partRoot struct {
	variable int
	way      *way
}

// way is the value at a place, with the places below it that lead to parts, in the order of the
// text.
type way struct {
	key   string
	index int
	// found are the parts that the value is, by their number.
	found []int
	below []*way
}

// newParts is nil for no parts.
func newParts(list []jsonPart) *Parts {
	if len(list) == 0 {
		return nil
	}
	p, known := &Parts{n: len(list)}, map[*jsonPlace]*way{}
	for i, of := range list {
		w := p.wayTo(of.variable, of.place, known)
		w.found = append(w.found, i)
	}
	for _, r := range p.roots {
		r.way.sort()
	}
	return p
}

// wayTo finds the way to a place, or makes it.
func (p *Parts) wayTo(variable int, at *jsonPlace, known map[*jsonPlace]*way) *way {
	if at == nil {
		i := slices.IndexFunc(p.roots, func(r partRoot) bool { return r.variable == variable })
		if i < 0 {
			i, p.roots = len(p.roots), append(p.roots, partRoot{variable, &way{}})
		}
		return p.roots[i].way
	}
	w := known[at]
	if w == nil {
		w = &way{key: at.key, index: at.index}
		known[at] = w
		above := p.wayTo(variable, at.above, known)
		above.below = append(above.below, w)
	}
	return w
}

// sort puts the ways in the order of the text. Those of one place may be several, of several
// uses of the variable.
func (w *way) sort() {
	slices.SortStableFunc(w.below, func(a, b *way) int { return a.index - b.index })
	for _, b := range w.below {
		b.sort()
	}
}

// Find gives the parts, nil for one that isn't there. The values look like those that the parts
// were found in first, or it fails with ErrReshape.
func (p *Parts) Find(values [][]byte) ([][]byte, error) {
	if p == nil {
		return nil, nil
	}
	found := make([][]byte, p.n)
	for _, r := range p.roots {
		value := values[r.variable]
		if value == nil {
			continue
		}
		f := finder{found: found, value: value}
		f.cursor = jsonwalk.NewCursor(value)
		if err := f.walk([]*way{r.way}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// finder walks through one value.
type finder struct {
	found  [][]byte
	value  []byte
	cursor jsonwalk.Cursor
}

// walk walks past a value to which all of the ways lead.
func (f *finder) walk(ways []*way) error {
	start := f.cursor.At()
	below := ways[0].below
	if len(ways) > 1 {
		below = nil
		for _, w := range ways {
			below = append(below, w.below...)
		}
		slices.SortStableFunc(below, func(a, b *way) int { return a.index - b.index })
	}
	err := f.into(below)
	if err != nil {
		return err
	}
	for _, w := range ways {
		for _, i := range w.found {
			f.found[i] = f.value[start:f.cursor.At()]
		}
	}
	return nil
}

// into walks past a value, along the ways to what is below it.
func (f *finder) into(below []*way) error {
	if len(below) == 0 {
		return f.cursor.Skip()
	}
	index := -1
	next := func(key []byte) error {
		index++
		n := 0
		for n < len(below) && below[n].index == index {
			if below[n].key != string(key) {
				return ErrReshape
			}
			n++
		}
		if n == 0 {
			return f.cursor.Skip()
		}
		here := below[:n]
		below = below[n:]
		return f.walk(here)
	}
	switch f.cursor.Kind() {
	case jsonwalk.Object:
		return f.cursor.Object(next)
	case jsonwalk.Array:
		return f.cursor.Array(func() error { return next(nil) })
	}
	return f.cursor.Skip()
}
