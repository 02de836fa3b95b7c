package dataop

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/env"
)

// relate counts a use of related rows, of which one statement may have as many as a root field of
// a GraphQL operation.
func (p *planner) relate() error {
	if p.relations++; p.relations > env.DefaultLimits.Relations {
		return apierror.New(apierror.ValidationFailed, "the operation looks at too many relationships")
	}
	return p.budget.Take(budget.Relations, 1)
}

// nest is called inside of related rows, and leave at their end.
func (p *planner) nest() error {
	if p.depth++; p.depth > env.DefaultLimits.Depth {
		return apierror.New(apierror.ValidationFailed, "the columns are nested too deeply")
	}
	return nil
}

func (p *planner) leave() { p.depth-- }

// condition counts what a condition of the request looks at. What the rules of permissions add to
// it is not the request's.
func (p *planner) condition(exp ir.BoolExp, depth, relations int) error {
	if depth > env.DefaultLimits.InputDepth {
		return apierror.New(apierror.ValidationFailed, "the condition is nested too deeply")
	}
	if relations > env.DefaultLimits.RelationDepth {
		return apierror.New(apierror.ValidationFailed, "conditions on relationships are nested too deeply")
	}
	if err := p.budget.Take(budget.InputValues, 1); err != nil {
		return err
	}
	each := func(list []ir.BoolExp) error {
		for _, e := range list {
			if err := p.condition(e, depth+1, relations); err != nil {
				return err
			}
		}
		return nil
	}
	switch e := exp.(type) {
	case ir.And:
		return each(e.Exps)
	case ir.Or:
		return each(e.Exps)
	case ir.Not:
		return p.condition(e.Exp, depth+1, relations)
	case ir.Compare:
		return p.budget.Take(budget.InputValues, len(e.Args))
	case ir.Exists:
		if err := p.relate(); err != nil {
			return err
		}
		return p.condition(e.Where, depth+1, relations+1)
	case ir.AggregateCompare:
		if err := p.relate(); err != nil {
			return err
		}
		return p.condition(e.Filter, depth+1, relations+1)
	}
	return nil
}
