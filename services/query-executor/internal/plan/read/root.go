package read

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Query is one statement for one source.
type Query struct {
	answer.Named
	Source *resolve.Source
	Root   ir.Root
	// Bindings give the values of ir.Variable, by Index.
	Bindings input.Bindings
	// Joins are the fields of its answer that other sources give.
	Joins []answer.Member
}

// Root plans one statement.
func (p *Planner) Root(field string, source *resolve.Source, plan func() (ir.Root, error)) error {
	if p.Live != nil {
		return p.liveQuery(field, source, plan)
	}
	p.Begin(source)
	root, err := plan()
	if err != nil {
		return err
	}
	q := &Query{Named: answer.Named{Field: field}, Source: source, Root: root, Bindings: p.Bindings(), Joins: p.TakeJoins()}
	p.Separate = p.Separate || p.Mutates && len(q.Joins) > 0
	p.Answer.Add(q)
	return nil
}

// ByPK plans one row by its primary key; the role's limit does not count.
func (p *Planner) ByPK(t *schema.Table, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	query := &ir.Select{Rows: ir.Rows{From: From(t), Where: p.Visible(t), Estimate: 1}, One: true}
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		c, _ := in.Meaning.(schema.Column)
		arg, err := p.Operand(in.Type, v, p.Column(c.Column.Type, in.Type))
		query.Where = Both(query.Where, ir.Compare{Left: Column(c.SelectColumn), Op: ir.OpEq, Args: []ir.Value{arg}})
		return err
	})
	if err != nil {
		return nil, err
	}
	query.Fields, err = p.Fields(t, s)
	return query, err
}

// FunctionRows plans the rows that a function returns.
func (p *Planner) FunctionRows(m schema.FunctionRows, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	c := FunctionCall(m.Function)
	query, err := p.SelectRows(Relation{Table: m.Table, Estimate: -1}, s, f.Args(), c)
	if err != nil {
		return nil, err
	}
	query.From = p.FunctionFrom(m.Function, c)
	if query.One = !m.Function.Catalog.ReturnsSet; query.One {
		query.MaxRows = 0
	}
	return query, nil
}

// FunctionAggregate plans the aggregates of these rows.
func (p *Planner) FunctionAggregate(m schema.FunctionAggregated, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	c := FunctionCall(m.Function)
	query, err := p.AggregateRows(Relation{Table: m.Table, Estimate: -1}, s, f.Args(), c)
	if err != nil {
		return nil, err
	}
	query.From = p.FunctionFrom(m.Function, c)
	return query, nil
}
