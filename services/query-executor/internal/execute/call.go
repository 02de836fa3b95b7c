package execute

import (
	"context"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/services/query-executor/internal/plan/action"
)

// queuedCall is a root field that has the handler of an asynchronous action called.
type queuedCall struct {
	*action.Queued
	at int
}

func (c *queuedCall) index() int { return c.at }

func (c *queuedCall) needs() Needs { return NeedsActions }

func (c *queuedCall) bind(r *Run) error {
	input, err := c.Inputs.JSON(r.Values)
	r.Bodies = append(r.Bodies, input)
	return err
}

func (c *queuedCall) call(ctx context.Context, r *Run) (called, error) {
	id, err := r.Calls.Enqueue(ctx, c.Action.Meta, r.Bodies[c.at])
	return called{value: jsontext.AppendString(nil, id)}, err
}

func (c *queuedCall) project(dst, value []byte) ([]byte, error) { return append(dst, value...), nil }

func (c *queuedCall) texts() []string { return []string{c.Action.Meta.Name} }

// callResult is a root field with the state of such a call.
type callResult struct {
	*action.Result
	at int
}

func (c *callResult) index() int { return c.at }

func (c *callResult) needs() Needs { return NeedsActions }

func (c *callResult) bind(r *Run) error {
	id, err := c.ID.Text(r.Values)
	r.Bodies = append(r.Bodies, []byte(id))
	return err
}

func (c *callResult) call(ctx context.Context, r *Run) (called, error) {
	value, err := r.Calls.Read(ctx, c.Action, string(r.Bodies[c.at]), c.OwnerOnly)
	switch {
	case err != nil:
		return called{}, err
	case value != nil:
		return called{value: value}, nil
	case c.Related:
		return called{value: []byte("null")}, nil
	}
	return called{}, apierror.Newf(apierror.Unexpected, "no call of action %q has this id", c.Action)
}

func (c *callResult) project(dst, value []byte) ([]byte, error) { return c.Shape.Append(dst, value) }

func (c *callResult) texts() []string { return []string{c.Action} }

// LooksCallsUp reports whether the answer has the states of calls, which a cache can't know.
func (p *Prepared) LooksCallsUp() bool {
	return slices.ContainsFunc(p.pieces, func(p piece) bool { return callResultOf(p) != nil })
}

// callResultOf is the call that a piece reports on, nil for none.
func callResultOf(p piece) *callResult {
	call, ok := p.(*callPiece)
	if !ok {
		return nil
	}
	result, _ := call.rootCall.(*callResult)
	return result
}

// Calls are the ids of the calls that a run reports on, after Bind; lasting reports whether the answer
// may still change when they have ended.
func (p *Prepared) Calls(r *Run) (ids []string, lasting bool) {
	for _, piece := range p.pieces {
		if c := callResultOf(piece); c != nil {
			ids = append(ids, string(r.Bodies[c.at]))
			lasting = lasting || c.Related
		}
	}
	return ids, lasting
}
