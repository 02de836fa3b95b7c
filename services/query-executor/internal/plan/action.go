package plan

import (
	"strconv"

	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/action"
	"queryengine/services/query-executor/internal/schema"
)

// ActionCall is a root field that the handler of an action answers.
type ActionCall struct {
	Named
	Action *resolve.Action
	Inputs ActionInputs
	// Shape is what clients get of the answer; nil for all of it.
	Shape *action.Shape
	// Joins are the fields of the answer that sources give.
	Joins []JoinMember
}

// root plans a root field that the handler of an action answers.
func (p *actionPlanner) root(name string, f *schema.Field, m *schema.Action, s *selected) error {
	p.separate = p.separate || p.mutates
	inputs, err := p.actionInputs(f, s)
	if err != nil {
		return err
	}
	c := &ActionCall{Named: Named{Field: name}, Action: m.Action, Inputs: inputs}
	if f.Type.Named.Kind != schema.Object {
		err = p.scalarField(s)
	} else {
		c.Shape, err = p.actionObject(f.Type.Named, s, false)
		c.Joins = p.takeJoins()
	}
	p.answer.add(c)
	return err
}

// actionObject plans what is selected of an object of an action's answer.
func (p *actionPlanner) actionObject(t *schema.Type, s *selected, nested bool) (*action.Shape, error) {
	shape := &action.Shape{Nested: nested}
	err := p.within(t.Name, s, func(s *selected) error {
		f, err := p.fieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			shape.Members = append(shape.Members, action.Member{Key: s.Alias, Typename: t.Name})
			return nil
		}
		switch m := f.Means.(type) {
		case *schema.TypeRelation:
			return p.typeRelation(shape, m, s, func() (ir.Root, error) {
				if m.Array {
					return p.selectRows(tableRelation(m.Target), s, f.Args(), nil)
				}
				return p.oneRow(m.Target, s)
			})
		case *schema.TypeAggregate:
			return p.typeRelation(shape, m.TypeRelation, s, func() (ir.Root, error) {
				return p.aggregateRows(tableRelation(m.Target), s, f.Args(), nil)
			})
		}
		if err := p.arguments(s, nil, nil); err != nil {
			return err
		}
		member := action.Member{Key: s.Alias, Name: f.Name}
		if f.Type.Named.Kind == schema.Object {
			member.Below, err = p.actionObject(f.Type.Named, s, true)
		} else {
			err = p.scalarField(s)
		}
		shape.Members = append(shape.Members, member)
		return err
	})
	return shape, err
}

// typeRelation plans a field that a table gives: the fields that it is joined by are part of
// the shape, the first one in its place.
func (p *actionPlanner) typeRelation(shape *action.Shape, m *schema.TypeRelation, s *selected, plan func() (ir.Root, error)) error {
	query, err := p.joinQuery(&resolve.SourceTarget{Array: m.Array, Table: m.Table, Columns: m.Columns, Unique: m.Unique}, plan)
	if err != nil {
		return err
	}
	p.joined = &joined{
		Join: Join{Parts: len(m.Fields), Nulls: m.Array, Query: query, Joins: p.takeJoins()}, key: make([]ir.Field, len(m.Fields)),
	}
	for i, name := range m.Fields {
		key := s.Alias
		if i > 0 {
			key = "?" + strconv.Itoa(len(shape.Members)) // a name that no client could give
		}
		p.joined.key[i].Alias = key
		shape.Members = append(shape.Members, action.Member{Key: key, Name: name})
	}
	return nil
}
