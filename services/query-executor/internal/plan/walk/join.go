package walk

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/answer"
)

// JoinedField is the field that was planned last, when its value comes from elsewhere.
type JoinedField struct {
	answer.Join
	// Key are the fields that hold the parts of its key. The first one stands in the place
	// of the field itself, the others follow it.
	Key []ir.Field
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
	list = append(list, answer.Member{Key: alias, Join: &j.Join})
	for _, f := range j.Key[1:] {
		list = append(list, answer.Member{Key: f.Alias, Hidden: true})
	}
	return list
}
