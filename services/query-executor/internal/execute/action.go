package execute

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	planaction "queryengine/services/query-executor/internal/plan/action"
	"queryengine/services/query-executor/internal/share"
)

// actionCall is a root field that the handler of an action answers.
type actionCall struct {
	*planaction.Call
	handler *action.Handler
	at      int
	label   label
}

func newActionCall(c *planaction.Call, at int) (*actionCall, error) {
	h, err := action.Compile(c.Action)
	return &actionCall{c, h, at, label{name: `Action "` + c.Action.Meta.Name + `"`}}, err
}

func (c *actionCall) index() int { return c.at }

func (c *actionCall) needs() Needs { return NeedsActions }

func (c *actionCall) bind(r *Run) error {
	input, err := c.Inputs.JSON(r.Values)
	r.Bodies = append(r.Bodies, input)
	return err
}

func (c *actionCall) call(ctx context.Context, r *Run) (called, error) {
	place, err := r.Places.Take(share.Action, c.Action.Meta.Name)
	if err != nil {
		return called{}, err
	}
	defer place.Leave()
	r.calls(ctx, Action)
	ctx, end := r.span(ctx, trace.SpanKindClient, &c.label)
	result, err := r.Actions.Call(ctx, c.handler, r.Bodies[c.at])
	end(err)
	return called{value: result.Value, cookies: result.Cookies}, err
}

func (c *actionCall) project(dst, value []byte) ([]byte, error) { return c.Shape.Append(dst, value) }

func (c *actionCall) texts() []string { return []string{c.Action.Meta.Name} }
