package plan

import "queryengine/services/query-executor/internal/budget"

// Limits bound the shape of one operation, and what it asks of a source. How much of anything it
// may ask for is said by its budget.
type Limits struct {
	// Depth is how deep selection sets may nest.
	Depth int
	// InputDepth is how deep input values may nest.
	InputDepth int
	// Relations is how many related rows one statement may look at, and RelationDepth how
	// deep conditions on related rows may nest: the time in which a database plans a
	// statement grows faster than both.
	Relations, RelationDepth int
}

// DefaultLimits let through whatever a person or a code generator would write.
var DefaultLimits = Limits{Depth: 100, InputDepth: 200, Relations: 500, RelationDepth: 25}

// take draws on the budget.
func (p *planner) take(k budget.Kind, n int) error {
	if err := p.options.Budget.Take(k, n); err != nil {
		return p.place(err)
	}
	return nil
}

// relate counts a use of related rows in the statement that is being planned.
func (p *planner) relate() error {
	if p.relations++; p.relations > p.options.Limits.Relations {
		return p.fail("the field looks at too many relationships")
	}
	return p.take(budget.Relations, 1)
}

// relatedWhere plans a condition on related rows.
func (p *planner) relatedWhere(plan func() error) error {
	if err := p.relate(); err != nil {
		return err
	}
	if p.relationDepth++; p.relationDepth > p.options.Limits.RelationDepth {
		return p.fail("conditions on relationships are nested too deeply")
	}
	err := plan()
	p.relationDepth--
	return err
}
