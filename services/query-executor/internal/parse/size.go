package parse

import "strings"

// Size is how much an operation asks for, its fragments opened. Fields of introspection
// don't count.
type Size struct {
	// Depth is how deep fields with selection sets are nested.
	Depth int
	// Nodes is the number of fields with a selection set, at most largestSize.
	Nodes int
}

// largestSize bounds the count: fragments that use others twice can stand for more fields
// than a number can tell.
const largestSize = 1 << 30

// measure adds up a selection set. Each fragment is measured once.
func measure(set []Selection, fragments map[*Fragment]Size) Size {
	var sum Size
	for _, s := range set {
		var part Size
		switch s := s.(type) {
		case *Field:
			if len(s.Selections) == 0 || strings.HasPrefix(s.Name, "__") {
				continue
			}
			part = measure(s.Selections, fragments)
			part.Depth++
			part.Nodes++
		case *Inline:
			part = measure(s.Selections, fragments)
		case *Spread:
			known, ok := fragments[s.Fragment]
			if !ok {
				known = measure(s.Fragment.Selections, fragments)
				fragments[s.Fragment] = known
			}
			part = known
		}
		sum.Depth = max(sum.Depth, part.Depth)
		sum.Nodes = min(sum.Nodes+part.Nodes, largestSize)
	}
	return sum
}
