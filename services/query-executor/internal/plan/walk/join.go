package walk

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/answer"
)

// JoinedField is the field that was planned last, when its value comes from elsewhere.
type JoinedField struct {
	answer.Join
	// Key are the fields that hold the parts of its key. The first one stands in the place
	// of the field itself, unless that is apart, the others follow it.
	Key   []ir.Field
	Apart bool
}

// TakeJoins are the joins in the selection set that was planned last.
func (p *Walker) TakeJoins() []answer.Member {
	joins := p.Joins
	p.Joins = nil
	return joins
}

// AddJoins adds to the joins of a selection set those of the field that was planned last.
func (p *Walker) AddJoins(list []answer.Member, alias string) []answer.Member {
	if p.Joined == nil {
		if below := p.TakeJoins(); len(below) > 0 {
			list = append(list, answer.Member{Key: alias, Below: below})
		}
		return list
	}
	j := p.Joined
	p.Joined = nil
	j.First = len(list)
	list = append(list, answer.Member{Key: alias, Joins: []*answer.Join{&j.Join}})
	hidden := j.Key
	if j.Apart {
		j.First++
	} else {
		hidden = hidden[1:]
	}
	for _, f := range hidden {
		list = append(list, answer.Member{Key: f.Alias, Hidden: true})
	}
	return list
}
