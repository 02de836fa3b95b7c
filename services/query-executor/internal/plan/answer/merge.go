package answer

import "slices"

// MergeJoins adds the joins of another selection on the same objects. Those under the same key are the
// same.
func MergeJoins(to, list []Member) []Member {
	for _, m := range list {
		i := slices.IndexFunc(to, func(known Member) bool { return known.Key == m.Key })
		if i < 0 {
			to = append(to, m) // what is hidden follows it
			continue
		}
		to[i].Below = MergeJoins(slices.Clone(to[i].Below), m.Below)
	}
	return to
}
