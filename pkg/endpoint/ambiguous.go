package endpoint

import (
	"slices"
	"strings"

	"queryengine/pkg/metadata"
)

// withoutAmbiguous leaves out the endpoints that a request could mean together with
// another. Each group of them is one inconsistency.
func withoutAmbiguous(list []*Endpoint) ([]*Endpoint, []metadata.Inconsistency) {
	// The groups are found by merging those of each pair that clashes.
	group := make([]int, len(list))
	for i := range group {
		group[i] = i
	}
	clashing := make([]bool, len(list))
	own := slices.IndexFunc(list, func(e *Endpoint) bool { return e.Derived }) // the derived ones follow, and don't clash among themselves
	if own < 0 {
		own = len(list)
	}
	for i, a := range list {
		for j, b := range list[:min(i, own)] {
			if !a.clashes(b) {
				continue
			}
			clashing[i], clashing[j] = true, true
			from, to := group[i], group[j]
			for k := range group {
				if group[k] == from {
					group[k] = to
				}
			}
		}
	}
	var usable []*Endpoint
	members := map[int][]*Endpoint{}
	var order []int
	for i, e := range list {
		if !clashing[i] {
			usable = append(usable, e)
			continue
		}
		if members[group[i]] == nil {
			order = append(order, group[i])
		}
		members[group[i]] = append(members[group[i]], e)
	}
	problems := make([]metadata.Inconsistency, len(order))
	for i, g := range order {
		problems[i] = ambiguity(members[g])
	}
	return usable, problems
}

// clashes reports whether some request fits both endpoints.
func (e *Endpoint) clashes(o *Endpoint) bool {
	return slices.EqualFunc(e.Path, o.Path, func(a, b Segment) bool { return a.Variable || b.Variable || a.Text == b.Text }) &&
		slices.ContainsFunc(e.Meta.Methods, o.Takes)
}

func ambiguity(list []*Endpoint) metadata.Inconsistency {
	urls := make([]string, len(list))
	conflicts := make([]metadata.ConflictingEndpoint, len(list))
	for i, e := range list {
		urls[i] = e.Meta.URL
		conflicts[i] = metadata.ConflictingEndpoint{
			Comment: e.Meta.Comment, Methods: e.Meta.Methods, Name: e.Meta.Name, URL: e.Meta.URL,
		}
		conflicts[i].Definition.Query = e.Query
	}
	return metadata.Inconsistency{
		Reason: "Ambiguous URL paths: " + strings.Join(slices.Compact(urls), ", "), Conflicts: conflicts,
	}
}
