package remote

import (
	"slices"

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

// repeats reports whether a key is in a list more than once.
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
