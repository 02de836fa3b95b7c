package plan

// Limits bound the work on one operation, and what it asks of a source.
type Limits struct {
	// Depth is how deep selection sets may nest.
	Depth int
	// InputDepth is how deep input values may nest.
	InputDepth int
	// RootFields is how many fields may be asked of the root: each of them is a statement.
	RootFields int
	// InputValues is how many members of input objects and items of lists of them may be looked
	// at, those of a variable each time it is used.
	InputValues int
	// Relations is how many related rows one statement may look at, and RelationDepth how
	// deep conditions on related rows may nest: the time in which a database plans a
	// statement grows faster than both.
	Relations, RelationDepth int
	// Selections is how many selections may be looked at, those of fragments each time
	// they are used.
	Selections int
}

// DefaultLimits let through whatever a person or a code generator would write.
var DefaultLimits = Limits{
	Depth: 100, InputDepth: 200, RootFields: 1000, Relations: 500, RelationDepth: 25, Selections: 50_000, InputValues: 100_000,
}

// relate counts a use of related rows in the statement that is being planned.
func (p *planner) relate() error {
	if p.relations++; p.relations > p.options.Limits.Relations {
		return p.fail("the field looks at too many relationships")
	}
	return nil
}

// input counts values that are members of an input object, or items of a list.
func (p *planner) input(n int) error {
	if p.inputValues += n; p.inputValues > p.options.Limits.InputValues {
		return p.fail("the query has too many input values")
	}
	return nil
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
