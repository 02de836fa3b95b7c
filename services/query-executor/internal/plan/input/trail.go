package input

import "slices"

// trail is a path that shares its beginning with others: spelt out for each of many values, deep
// paths would take their depth times their number. nil is the root.
type trail struct {
	above *trail
	step  Step
}

// spell writes the path as clients see it.
func (t *trail) spell() string {
	var path []Step
	for ; t != nil; t = t.above {
		path = append(path, t.step)
	}
	slices.Reverse(path)
	return Spell(path)
}

// trails makes trails of paths that follow each other.
type trails struct{ last []*trail }

func (t *trails) of(path []Step) *trail {
	shared := 0
	for shared < min(len(t.last), len(path)) && t.last[shared].step == path[shared] {
		shared++
	}
	t.last = t.last[:shared]
	var at *trail
	if shared > 0 {
		at = t.last[shared-1]
	}
	for _, s := range path[shared:] {
		at = &trail{at, s}
		t.last = append(t.last, at)
	}
	return at
}
