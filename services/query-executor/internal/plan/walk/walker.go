// Package walk goes through the selection sets of an operation, and holds what the planners of its
// fields share meanwhile.
//
// It opens fragments, merges fields of one response key, checks directives and arguments, bounds
// depth, and collects what the plan depends on and which fields of the answer are joined to it. It
// knows nothing about what a field means; the packages read, relay, federation, remote, action and
// write plan that.
package walk

import (
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/plan/input"
)

// Walker is the state of planning one operation. After an error it isn't used any more, so nothing is
// undone on the way out.
type Walker struct {
	env.Env
	// Reader has the place in the document.
	*input.Reader
	// depth counts selection sets.
	depth int
	rootState
	Dependencies

	Answer answer.Collector
	// Separate gives each root field a transaction of its own.
	Separate bool
	// Live is set for a subscription.
	Live *Subscription
}

// rootState belongs to the root field that is being planned.
type rootState struct {
	Statement
	// Relations counts related rows, relationDepth how deep conditions on them are nested.
	Relations, relationDepth int
	// Joins are those inside of the selection set that was planned last.
	Joins []answer.Member
	// Joined is the field that was planned last, when its value comes from elsewhere.
	Joined *JoinedField
}

// Statement is the one that is being planned: that of the root field, or of a join in its answer.
type Statement struct {
	Source *resolve.Source
	*input.Binder
}

// Begin begins a statement for a source, and gives the one that was planned before.
func (p *Walker) Begin(s *resolve.Source) Statement {
	before := p.Statement
	p.Statement = Statement{Source: s, Binder: input.NewBinder(p.Reader, s.Dialect)}
	return before
}

// Relate counts a use of related rows in the statement that is being planned.
func (p *Walker) Relate() error {
	if p.Relations++; p.Relations > p.Options.Limits.Relations {
		return p.Fail("the field looks at too many relationships")
	}
	return p.Take(budget.Relations, 1)
}

// RelatedWhere plans a condition on related rows.
func (p *Walker) RelatedWhere(plan func() error) error {
	if err := p.Relate(); err != nil {
		return err
	}
	if p.relationDepth++; p.relationDepth > p.Options.Limits.RelationDepth {
		return p.Fail("conditions on relationships are nested too deeply")
	}
	err := plan()
	p.relationDepth--
	return err
}
