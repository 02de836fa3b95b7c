package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
)

// refuseActionSubscription tells subscriptions to queries that actions answer from those that
// don't exist.
func (p *planner) refuseActionSubscription(set []parse.Selection) error {
	for _, s := range set {
		if f, ok := s.(*parse.Field); ok && p.Role.IsQueryAction(f.Name) {
			return apierror.New(apierror.NotSupported, "query actions cannot be run as a subscription")
		}
	}
	return nil
}

// Live is what makes a plan that of a subscription. The queries among its parts belong to one
// source and have no bindings of their own.
type Live struct {
	Source *resolve.Source
	// Bindings give the values of ir.Variable, by Index, in all queries.
	Bindings input.Bindings
	// Cursor is set for a streaming subscription.
	Cursor *ir.Cursor
}

// subscription is the plan's part about the subscription, nil for other operations.
func (p *planner) subscription() *Live {
	if p.Live == nil {
		return nil
	}
	l := &Live{Source: p.Live.Source, Cursor: p.Live.Cursor}
	if p.Live.Source != nil {
		l.Bindings = p.Bindings()
	}
	return l
}
