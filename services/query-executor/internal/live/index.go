package live

import (
	"queryengine/pkg/backend"
)

// mostWork bounds the comparisons that deciding about one change of a table takes: beyond, all cohorts are run.
const mostWork = 500_000

// index finds the cohorts that changed rows may matter to.
type index struct {
	keyed map[backend.RowKey]cohortSet
	// open are those that rows with any key may matter to.
	open map[*cohort]struct{}
}

// cohortSet is a set that most often has one cohort.
type cohortSet struct {
	one  *cohort
	more map[*cohort]struct{}
}

func newIndex() *index {
	return &index{keyed: map[backend.RowKey]cohortSet{}, open: map[*cohort]struct{}{}}
}

func (x *index) add(c *cohort) {
	keys, ok := c.test.Keys()
	if !ok {
		x.open[c] = struct{}{}
		return
	}
	for _, key := range keys {
		set := x.keyed[key]
		switch {
		case set.one == nil || set.one == c:
			set.one = c
		case set.more == nil:
			set.more = map[*cohort]struct{}{c: {}}
		default:
			set.more[c] = struct{}{}
		}
		x.keyed[key] = set
	}
}

func (x *index) remove(c *cohort) {
	delete(x.open, c)
	keys, _ := c.test.Keys()
	for _, key := range keys {
		set := x.keyed[key]
		delete(set.more, c)
		if set.one == c {
			set.one = nil
			for other := range set.more {
				set.one = other
				delete(set.more, other)
				break
			}
		}
		if set.one == nil {
			delete(x.keyed, key)
		} else {
			x.keyed[key] = set
		}
	}
}

// find calls touch for the cohorts that a row may matter to, as long as no more than work is left; it returns what is
// left then, below 0 when it wasn't enough.
func (x *index) find(row backend.RowImage, all map[string]*cohort, work int, touch func(*cohort)) (left int) {
	try := func(c *cohort) bool {
		if c.due {
			return true
		}
		if work -= c.test.Cost(); work < 0 {
			return false
		}
		if c.test.Maybe(row) {
			touch(c)
		}
		return true
	}
	key, known := row.Key()
	if !known {
		for _, c := range all {
			if !try(c) {
				break
			}
		}
		return work
	}
	set := x.keyed[key]
	if set.one != nil && !try(set.one) {
		return work
	}
	for _, cohorts := range []map[*cohort]struct{}{set.more, x.open} {
		for c := range cohorts {
			if !try(c) {
				return work
			}
		}
	}
	return work
}
