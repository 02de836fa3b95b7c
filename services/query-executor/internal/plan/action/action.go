// Package action plans the fields that the handlers of actions answer: calls, queued calls, and what
// became of these.
package action

import (
	"strconv"

	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/action"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Call is a root field that the handler of an action answers.
type Call struct {
	answer.Named
	Action *resolve.Action
	Inputs Inputs
	// Shape is what clients get of the answer; nil for all of it.
	Shape *action.Shape
	// Joins are the fields of the answer that sources give.
	Joins []answer.Member
}

// Root plans a root field that the handler of an action answers.
func (p *Planner) Root(name string, f *schema.Field, m *schema.Action, s *walk.Selected) error {
	p.Separate = p.Separate || p.Mutates
	inputs, err := p.actionInputs(f, s)
	if err != nil {
		return err
	}
	c := &Call{Named: answer.Named{Field: name}, Action: m.Action, Inputs: inputs}
	if f.Type.Named.Kind != schema.Object {
		err = p.ScalarField(s)
	} else {
		c.Shape, err = p.actionObject(f.Type.Named, s, false)
		c.Joins = p.TakeJoins()
	}
	p.Answer.Add(c)
	return err
}

// actionObject plans what is selected of an object of an action's answer.
func (p *Planner) actionObject(t *schema.Type, s *walk.Selected, nested bool) (*action.Shape, error) {
	shape := &action.Shape{Nested: nested}
	err := p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			shape.Members = append(shape.Members, action.Member{Key: s.Alias, Typename: t.Name})
			return nil
		}
		switch m := f.Meaning.(type) {
		case *schema.TypeRelation:
			return p.typeRelation(shape, m, s, func() (ir.Root, error) {
				if m.Array {
					return p.SelectRows(read.TableRelation(m.Target), s, f.Args(), nil)
				}
				return p.OneRow(m.Target, s)
			})
		case *schema.TypeAggregate:
			return p.typeRelation(shape, m.TypeRelation, s, func() (ir.Root, error) {
				return p.AggregateRows(read.TableRelation(m.Target), s, f.Args(), nil)
			})
		}
		if err := p.Arguments(s, nil, nil); err != nil {
			return err
		}
		member := action.Member{Key: s.Alias, Name: f.Name}
		if f.Type.Named.Kind == schema.Object {
			member.Below, err = p.actionObject(f.Type.Named, s, true)
		} else {
			err = p.ScalarField(s)
		}
		shape.Members = append(shape.Members, member)
		return err
	})
	return shape, err
}

// typeRelation plans a field that a table gives: the fields that it is joined by are part of
// the shape, the first one in its place.
func (p *Planner) typeRelation(shape *action.Shape, m *schema.TypeRelation, s *walk.Selected, plan func() (ir.Root, error)) error {
	query, err := p.JoinQuery(&resolve.SourceTarget{Array: m.Array, Table: m.Table, Columns: m.Columns, Unique: m.Unique}, plan)
	if err != nil {
		return err
	}
	p.Joined = &walk.JoinedField{
		Join: answer.Join{Parts: len(m.Fields), Nulls: m.Array, Query: query, Joins: p.TakeJoins()}, Key: make([]ir.Field, len(m.Fields)),
	}
	for i, name := range m.Fields {
		key := s.Alias
		if i > 0 {
			key = "?" + strconv.Itoa(len(shape.Members)) // a name that no client could give
		}
		p.Joined.Key[i].Alias = key
		shape.Members = append(shape.Members, action.Member{Key: key, Name: name})
	}
	return nil
}

// Planner plans the calls of actions.
type Planner struct{ *read.Planner }
