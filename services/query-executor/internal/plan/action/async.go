package action

import (
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/action"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Queued is a root field that has the handler of an asynchronous action called. Its value is
// the id of the call.
type Queued struct {
	answer.Named
	Action *resolve.Action
	Inputs Inputs
}

// Result is a root field with the state of a call of an asynchronous action.
type Result struct {
	answer.Named
	Action string
	ID     ID
	// Related reports whether the output leads to tables.
	Related bool
	// OwnerOnly reports whether the call must be one of this very session.
	OwnerOnly bool
	// Shape is what clients get of it, Joins the fields that sources give.
	Shape *action.Shape
	Joins []answer.Member
}

// ID is the id of a call, as it is spelt or from a variable.
type ID struct {
	text     string
	variable *parse.Variable
	path     []input.Step
}

// Text is the id, for the values of the operation's variables.
func (i *ID) Text(values [][]byte) (string, error) {
	if i.variable == nil {
		return i.text, nil
	}
	return uuid(&input.Cursor{Path: i.path}, input.JSON(values[i.variable.Index]))
}

// QueuedRoot plans a root field that has the handler of an action called.
func (p *Planner) QueuedRoot(name string, f *schema.Field, m *schema.QueuedAction, s *walk.Selected) error {
	p.Separate = true
	inputs, err := p.actionInputs(f, s)
	if err == nil {
		err = p.ScalarField(s)
	}
	p.Answer.Add(&Queued{Named: answer.Named{Field: name}, Action: m.Action, Inputs: inputs})
	return err
}

// CallRoot plans a root field that tells what became of a call.
func (p *Planner) CallRoot(name string, f *schema.Field, m *schema.ActionCall, s *walk.Selected) error {
	related := m.Output.Kind == resolve.CustomObject && len(m.Output.Object.Relationships) > 0
	c := &Result{
		Named: answer.Named{Field: name}, Action: m.Meta.Name, Shape: &action.Shape{},
		Related: related, OwnerOnly: related && p.Role.Name != session.Admin,
	}
	if p.Live != nil {
		p.Live.Calls++
		if !related {
			p.Live.Lone++
		}
	}
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		c.ID, err = p.callID(in, v)
		return err
	})
	if err != nil {
		return err
	}
	t := f.Type.Named
	err = p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			c.Shape.Members = append(c.Shape.Members, action.Member{Key: s.Alias, Typename: t.Name})
			return nil
		}
		if err := p.Arguments(s, nil, nil); err != nil {
			return err
		}
		member := action.Member{Key: s.Alias, Name: f.Name}
		if f.Type.Named.Kind == schema.Object {
			member.Below, err = p.actionObject(f.Type.Named, s, false)
		} else {
			err = p.ScalarField(s)
		}
		c.Shape.Members = append(c.Shape.Members, member)
		return err
	})
	c.Joins = p.TakeJoins()
	p.Answer.Add(c)
	return err
}

// callID plans the id of a call.
func (p *Planner) callID(in *schema.Input, v input.Value) (ID, error) {
	v, err := p.Open(in.Type, v)
	if err != nil {
		return ID{}, err
	}
	text, err := uuid(&p.Cursor, v)
	return ID{text: text, variable: v.Variable, path: append([]input.Step(nil), p.Path...)}, err
}

// uuid is the text of an id.
func uuid(at *input.Cursor, v input.Value) (string, error) {
	switch v.Kind() {
	case input.Null:
		return "", at.Fail("unexpected null value for type 'uuid'")
	case input.String:
	default:
		return "", at.Mismatch("uuid", "a UUID", v)
	}
	text := v.Text()
	if !isUUID(text) {
		return "", at.FailWith(apierror.ParseFailed, "invalid UUID")
	}
	return text, nil
}

// isUUID reports whether a text is an id in the form that clients are given.
func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for _, part := range []string{s[:8], s[9:13], s[14:18], s[19:23], s[24:28], s[28:]} {
		if _, err := strconv.ParseUint(part, 16, 64); err != nil {
			return false
		}
	}
	return true
}
