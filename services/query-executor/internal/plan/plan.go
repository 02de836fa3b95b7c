package plan

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Plan is a planned operation. It is immutable and safe for concurrent use.
type Plan struct {
	// Parts are what the value of "data" consists of, in order.
	Parts []Part
	// Looks says of each variable, by parse.Variable.Index, how much of its value decided
	// the plan.
	Looks []input.Look
	// Tables, Writes, Functions and Remotes are what the plan depends on: it stays good as long
	// as these are the same.
	Tables    []*schema.Table
	Writes    []*schema.Writable
	Functions []Function
	Remotes   []*resolve.Remote
	// Lookups are asked before anything else.
	Lookups []Lookup
	// Live is set for a subscription: all its queries are one statement.
	Live *Live
	// Mutates says that the operation is a mutation, Separate that its root fields have a
	// transaction each.
	Mutates, Separate bool
	// Once says that the plan depends on values that are hardly ever the same, as global ids
	// and cursors are: it isn't worth being kept.
	Once bool
}

// Function is a function that a plan calls.
type Function struct {
	Source   *resolve.Source
	Function *catalog.Function
	// Meta is nil for the function of a computed field.
	Meta *metadata.Function
}

// Query is one statement for one source.
type Query struct {
	Named
	Source *resolve.Source
	Root   ir.Root
	// Bindings give the values of ir.Variable, by Index.
	Bindings input.Bindings
	// Joins are the fields of its answer that other sources give.
	Joins []JoinMember
}

// Options are the server settings that change plans.
type Options struct {
	// NullCollapse makes a null operand switch its operator off.
	NullCollapse bool
	// DropUnset takes a variable without a value and without a default as not given,
	// rather than as null.
	DropUnset bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
	// RemoteSkipNulls leaves nulls out of what remote schemas are asked.
	RemoteSkipNulls bool
	Limits          Limits
	// Budget is that of the request, nil for the one of an empty request.
	Budget *budget.Budget
}

// Build plans an operation. values are the variables' values, by parse.Variable.Index.
func Build(op *parse.Operation, role *schema.Role, values [][]byte, o Options) (*Plan, error) {
	return Grow(op, role, values, o, nil)
}

// Grow plans an operation again whose plan had too few nodes. The ones that its inserts had are in
// the new plan, too.
func Grow(op *parse.Operation, role *schema.Role, values [][]byte, o Options, inserts []*Insert) (*Plan, error) {
	if o.Budget == nil {
		none := budget.New(0)
		o.Budget = &none
	}
	o.Budget.Allow(budget.Constants, sizeOf(values))
	p := newPlanner(state{
		env: env{
			role: role, options: o, operation: op.Name,
			mutates: op.Kind == parse.Mutation, subscribes: op.Kind == parse.Subscription,
		},
		Reader: input.NewReader(input.Env{
			Values: values, DropUnset: o.DropUnset, MaxDepth: o.Limits.InputDepth, Budget: o.Budget,
		}, len(op.Variables)),
	}, inserts)
	if op.Kind == parse.Subscription {
		p.live = &live{several: op.HasDirective(severalFields)}
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
	if err := p.operationDirectives(op); err != nil {
		return nil, err
	}
	if err := p.live.check(); err != nil {
		return nil, err
	}
	lookups, err := p.lookups()
	if err != nil {
		return nil, err
	}
	return &Plan{
		Lookups: lookups,
		Parts:   p.answer.parts(), Looks: p.Looks(), Tables: p.tables, Writes: p.writes, Functions: p.functions,
		Remotes: p.remotes, Mutates: p.mutates, Separate: p.separate, Once: p.Once(), Live: p.subscription(),
	}, nil
}
