package plan

import (
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Plan is a planned operation. It is immutable and safe for concurrent use.
type Plan struct {
	// Parts are what the value of "data" consists of, in order.
	Parts []answer.Part
	// Looks is, for each variable by parse.Variable.Index, how much of its value decided the plan.
	Looks []input.Look
	// Tables, Writes, Functions and Remotes are what the plan depends on: it stays valid as
	// long as these are the same.
	Tables    []*schema.Table
	Writes    []*schema.Writable
	Functions []walk.Function
	Remotes   []*resolve.Remote
	// Inserts are those of a mutation, in order; see Grow.
	Inserts []*insert.Tree
	// Lookups run before anything else.
	Lookups []Lookup
	// Live is set for a subscription: all its queries are one statement.
	Live *Live
	// Mutates reports whether the operation is a mutation.
	Mutates bool
	// Separate reports whether each root field of a mutation has a transaction of its own.
	Separate bool
	// Once marks a plan that is not worth caching, because it depends on values that rarely repeat,
	// such as global ids and cursors.
	Once bool
}

// Build plans an operation. values are the variables' values, by parse.Variable.Index.
func Build(op *parse.Operation, role *schema.Role, values [][]byte, o env.Options) (*Plan, error) {
	return Grow(op, role, values, o, nil)
}

// Grow plans an operation again whose plan had too few nodes. The ones that its inserts had are in
// the new plan, too.
func Grow(op *parse.Operation, role *schema.Role, values [][]byte, o env.Options, inserts []*insert.Tree) (*Plan, error) {
	if o.Budget == nil {
		none := budget.New(0)
		o.Budget = &none
	}
	o.Budget.Allow(budget.Constants, sizeOf(values))
	p := newPlanner(walk.Walker{
		Env: env.Env{
			Role: role, Options: o, Operation: op.Name,
			Mutates: op.Kind == parse.Mutation, Subscribes: op.Kind == parse.Subscription,
		},
		Reader: input.NewReader(input.Env{
			Values: values, DropUnset: o.DropUnset, MaxDepth: o.Limits.InputDepth, Budget: o.Budget,
		}, len(op.Variables)),
	}, inserts)
	if op.Kind == parse.Subscription {
		p.Live = &walk.Subscription{Several: op.HasDirective(walk.SeveralFields)}
		if err := p.refuseActionSubscription(op.Selections); err != nil {
			return nil, err
		}
	}
	root, err := p.root(op)
	if err != nil {
		return nil, err
	}
	if err := p.document(root, op.Selections); err != nil {
		return nil, err
	}
	if err := p.OperationDirectives(op); err != nil {
		return nil, err
	}
	if err := p.Live.Check(); err != nil {
		return nil, err
	}
	lookups, err := p.lookups()
	if err != nil {
		return nil, err
	}
	return &Plan{
		Lookups: lookups,
		Parts:   p.Answer.Parts(), Looks: p.Looks(), Tables: p.Tables, Writes: p.Writes, Functions: p.Functions,
		Remotes: p.Remotes, Mutates: p.Mutates, Separate: p.Separate, Once: p.Once(), Live: p.subscription(), Inserts: p.write.Trees,
	}, nil
}
