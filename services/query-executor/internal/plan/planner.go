package plan

import (
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// state is that of one Build. After an error it is not used any more, so nothing is undone on
// the way out.
type state struct {
	env
	// Reader has the place in the document.
	*input.Reader
	// depth counts selection sets.
	depth int
	rootState
	dependencies

	answer answer
	// separate is Plan.Separate.
	separate bool
	// live is set for a subscription.
	live *live
}

// env is what an operation is planned with. It doesn't change.
type env struct {
	role    *schema.Role
	options Options
	// operation is its name, "" for none.
	operation string
	// mutates is set for a mutation, subscribes for a subscription.
	mutates, subscribes bool
}

// rootState belongs to the root field that is being planned.
type rootState struct {
	statement
	// relations counts related rows, relationDepth how deep conditions on them are nested.
	relations, relationDepth int
	// joins are those inside of the selection set that was planned last.
	joins []JoinMember
	// joined is the field that was planned last, when its value comes from elsewhere.
	joined *joined
}

// statement is the one that is being planned: that of the root field, or of a join in its answer.
type statement struct {
	source *resolve.Source
	*input.Binder
}

// begin begins a statement for a source, and gives the one that was planned before.
func (p *state) begin(s *resolve.Source) statement {
	before := p.statement
	p.statement = statement{source: s, Binder: input.NewBinder(p.Reader, s.Dialect)}
	return before
}

// dependencies are what the plan depends on.
type dependencies struct {
	tables    []*schema.Table
	writes    []*schema.Writable
	functions []Function
	remotes   []*resolve.Remote
}

// relate counts a use of related rows in the statement that is being planned.
func (p *state) relate() error {
	if p.relations++; p.relations > p.options.Limits.Relations {
		return p.Fail("the field looks at too many relationships")
	}
	return p.Take(budget.Relations, 1)
}

// relatedWhere plans a condition on related rows.
func (p *state) relatedWhere(plan func() error) error {
	if err := p.relate(); err != nil {
		return err
	}
	if p.relationDepth++; p.relationDepth > p.options.Limits.RelationDepth {
		return p.Fail("conditions on relationships are nested too deeply")
	}
	err := plan()
	p.relationDepth--
	return err
}
