package plan

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/remote"
)

// mergeMembers makes one list of those of several types that the objects at one place may have.
// The members of each type keep their order in it, unless two types have some in different
// orders.
func mergeMembers(lists [][]remote.Member) []remote.Member {
	if len(lists) == 1 && !repeats(lists[0]) {
		return lists[0]
	}
	lists = slices.Clone(lists)
	// later counts the lists that have a key behind another one.
	later := map[string]int{}
	for _, list := range lists {
		for i := 1; i < len(list); i++ {
			later[list[i].Key]++
		}
	}
	var merged []remote.Member
	index := map[string]int{}
	below := map[string][][]remote.Member{}
	take := func(n int) {
		m := lists[n][0]
		if lists[n] = lists[n][1:]; len(lists[n]) > 0 {
			later[lists[n][0].Key]--
		}
		if _, known := index[m.Key]; !known {
			index[m.Key] = len(merged)
			merged = append(merged, m)
		}
		if m.Below != nil {
			below[m.Key] = append(below[m.Key], m.Below.Members)
		}
	}
	for {
		first, next := -1, -1
		for n, list := range lists {
			if len(list) == 0 {
				continue
			}
			if first < 0 {
				first = n
			}
			if _, known := index[list[0].Key]; known || later[list[0].Key] == 0 {
				next = n
				break
			}
		}
		if next < 0 {
			next = first
		}
		if next < 0 {
			break
		}
		take(next)
	}
	for key, members := range below {
		merged[index[key]].Below = &remote.Shape{Members: mergeMembers(members)}
	}
	return merged
}

// repeats says whether a key is in a list more than once.
func repeats(list []remote.Member) bool {
	known := make(map[string]bool, len(list))
	for i := range list {
		if known[list[i].Key] {
			return true
		}
		known[list[i].Key] = true
	}
	return false
}

// mergeJoins adds the joins of another selection on the same objects.
func mergeJoins(to, list []JoinMember) ([]JoinMember, error) {
	at := make([]int, len(list)) // where the members of the list are in the other one
	for n, m := range list {
		i := slices.IndexFunc(to, func(known JoinMember) bool { return known.Key == m.Key })
		if at[n] = i; i < 0 {
			at[n] = len(to)
			to = append(to, JoinMember{Key: m.Key, Below: m.Below, Hidden: m.Hidden})
			continue
		}
		if (len(to[i].Joins) == 0) != (len(m.Joins) == 0) {
			return nil, apierror.Newf(apierror.NotSupported, "the response name '%s' is that of a relationship and of another field on one abstract type", m.Key)
		}
		below, err := mergeJoins(slices.Clone(to[i].Below), m.Below)
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
