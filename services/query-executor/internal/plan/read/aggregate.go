package read

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// AggregateRows plans the aggregates of rows, and the rows themselves as nodes. When they
// come from a function, its arguments go to c.
func (p *Planner) AggregateRows(r Relation, s *walk.Selected, inputs []schema.Input, c *Call) (*ir.Aggregate, error) {
	query := &ir.Aggregate{Rows: p.Rows(r)}
	if err := p.rowArguments(&query.Rows, s, inputs, c); err != nil {
		return nil, err
	}
	t := r.Table.AggregateType()
	err := p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.aggregateField(t, s)
		f.Alias = s.Alias
		query.Fields = append(query.Fields, f)
		return err
	})
	return query, err
}

func (p *Planner) aggregateField(t *schema.Type, s *walk.Selected) (ir.AggregateField, error) {
	f, err := p.FieldOf(t, s)
	if err != nil {
		return ir.AggregateField{}, err
	}
	if f == nil {
		return ir.AggregateField{Value: ir.Typename(t.Name)}, nil
	}
	if err := p.Arguments(s, nil, nil); err != nil {
		return ir.AggregateField{}, err
	}
	if m, ok := f.Meaning.(schema.Nodes); ok {
		fields, err := p.Fields(m.Table, s)
		return ir.AggregateField{Value: ir.Nodes(fields)}, err
	}
	of := f.Type.Named
	var out ir.Aggregates
	err = p.Within(of.Name, s, func(s *walk.Selected) error {
		e, err := p.aggregateExpr(of, s)
		e.Alias = s.Alias
		out = append(out, e)
		return err
	})
	return ir.AggregateField{Value: out}, err
}

func (p *Planner) aggregateExpr(t *schema.Type, s *walk.Selected) (ir.AggregateExpr, error) {
	f, err := p.FieldOf(t, s)
	if err != nil {
		return ir.AggregateExpr{}, err
	}
	if f == nil {
		return ir.AggregateExpr{Value: ir.Typename(t.Name)}, nil
	}
	m, ok := f.Meaning.(schema.AggregateFunction)
	if !ok {
		count, err := p.count(f, s)
		return ir.AggregateExpr{Value: count}, err
	}
	if err := p.Arguments(s, nil, nil); err != nil {
		return ir.AggregateExpr{}, err
	}
	of := f.Type.Named
	call := &ir.AggregateCall{Function: m.Name}
	err = p.Within(of.Name, s, func(s *walk.Selected) error {
		c, err := p.aggregateColumn(of, s)
		c.Alias = s.Alias
		call.Columns = append(call.Columns, c)
		return err
	})
	return ir.AggregateExpr{Value: call}, err
}

func (p *Planner) aggregateColumn(t *schema.Type, s *walk.Selected) (ir.AggregateColumn, error) {
	f, err := p.FieldOf(t, s)
	if err != nil {
		return ir.AggregateColumn{}, err
	}
	if f == nil {
		return ir.AggregateColumn{Value: ir.Typename(t.Name)}, nil
	}
	if err := p.ScalarField(s); err != nil {
		return ir.AggregateColumn{}, err
	}
	if c, ok := f.Meaning.(schema.Column); ok {
		return ir.AggregateColumn{Value: ir.Scalar{Expr: Column(c.SelectColumn), Type: c.Column.Type}}, p.Arguments(s, nil, nil)
	}
	c, _ := f.Meaning.(schema.Computed)
	call := computedCall(c.Field)
	err = p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error { return p.CallArguments(call, in.Type, v) })
	if err != nil {
		return ir.AggregateColumn{}, err
	}
	return ir.AggregateColumn{Value: ir.Scalar{Expr: p.call(c.SelectComputedField, call.args()), Type: c.Field.Type}}, nil
}

// count plans a count. distinct counts only with columns.
func (p *Planner) count(f *schema.Field, s *walk.Selected) (*ir.Count, error) {
	if err := p.ScalarField(s); err != nil {
		return nil, err
	}
	count := &ir.Count{}
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		if in.Meaning == schema.ArgDistinct {
			count.Distinct, err = p.Boolean(in.Type, v)
			return err
		}
		columns, err := p.countedColumns(in.Type, v)
		for _, c := range columns {
			count.Args = append(count.Args, Column(c))
		}
		return err
	})
	if len(count.Args) == 0 {
		count.Distinct = false
	}
	return count, err
}
