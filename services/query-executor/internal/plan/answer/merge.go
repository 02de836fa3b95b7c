package answer

import (
	"slices"

	"queryengine/pkg/apierror"
)

// MergeJoins adds the joins of another selection on the same objects.
func MergeJoins(to, list []Member) ([]Member, error) {
	at := make([]int, len(list)) // where the members of the list are in the other one
	for n, m := range list {
		i := slices.IndexFunc(to, func(known Member) bool { return known.Key == m.Key })
		if at[n] = i; i < 0 {
			at[n] = len(to)
			to = append(to, Member{Key: m.Key, Below: m.Below, Hidden: m.Hidden})
			continue
		}
		if (len(to[i].Joins) == 0) != (len(m.Joins) == 0) {
			return nil, apierror.Newf(apierror.NotSupported, "the response name '%s' is that of a relationship and of another field on one abstract type", m.Key)
		}
		below, err := MergeJoins(slices.Clone(to[i].Below), m.Below)
		if err != nil {
			return nil, err
		}
		to[i].Below = below
	}
	for n, m := range list {
		joins := slices.Clone(to[at[n]].Joins)
		for _, j := range m.Joins {
			moved := *j
			moved.First = at[j.First] // what is hidden stays together
			joins = append(joins, &moved)
		}
		to[at[n]].Joins = joins
	}
	return to, nil
}
