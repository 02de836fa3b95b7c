package read

import (
	"slices"

	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// orderBy plans a list of orderings. A null takes its item away.
func (p *Planner) orderBy(at schema.Ref, v input.Value) ([]ir.OrderItem, error) {
	var items []ir.OrderItem
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		return p.Order(item, v, func(i ir.OrderItem) { items = append(items, i) })
	})
	return items, err
}

// Order plans the keys of one ordering.
func (p *Planner) Order(at schema.Ref, v input.Value, add func(ir.OrderItem)) error {
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		v, null, err := p.IsNull(in.Type, v, input.LookValue)
		if err != nil || null {
			return err
		}
		switch m := in.Meaning.(type) {
		case schema.Column:
			return p.direction(in.Type, v, ir.OrderExpr{Expr: Column(m.SelectColumn)}, add)
		case schema.Computed:
			return p.direction(in.Type, v, ir.OrderExpr{Expr: p.computed(m.SelectComputedField)}, add)
		case schema.AtPath:
			return p.orderAt(in.Type, v, add)
		case *schema.Relation:
			if err := p.Relate(); err != nil {
				return err
			}
			return p.Order(in.Type, v, func(i ir.OrderItem) {
				i.Target = ir.OrderRelated{
					From: From(m.Target), Join: m.Join, Unique: m.Unique, Where: p.Visible(m.Target), Target: i.Target,
				}
				add(i)
			})
		case *schema.RelationAggregate:
			return p.orderAggregate(in.Type, v, ir.OrderAggregate{From: From(m.Target), Join: m.Join, Where: p.Visible(m.Target)}, add)
		case *schema.ComputedAggregate:
			return p.orderAggregate(in.Type, v, ir.OrderAggregate{From: p.computedFrom(m.ComputedRows, m.CallArgs()), Where: p.Visible(m.Target)}, add)
		}
		return p.Fail("unknown ordering '%s'", in.Name)
	})
}

// orderAggregate plans orderings by aggregates of the rows of target.
func (p *Planner) orderAggregate(at schema.Ref, v input.Value, target ir.OrderAggregate, add func(ir.OrderItem)) error {
	direction := func(at schema.Ref, v input.Value, of ir.OrderAggregate) error {
		if err := p.Relate(); err != nil { // each is a statement within the statement
			return err
		}
		return p.direction(at, v, of, add)
	}
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		v, null, err := p.IsNull(in.Type, v, input.LookValue)
		if err != nil || null {
			return err
		}
		if _, ok := in.Meaning.(schema.Count); ok {
			target.Function = "count"
			return direction(in.Type, v, target)
		}
		f, _ := in.Meaning.(schema.AggregateFunction)
		target.Function = f.Name
		return p.Object(in.Type, v, func(in *schema.Input, v input.Value) error {
			v, null, err := p.IsNull(in.Type, v, input.LookValue)
			if err != nil || null {
				return err
			}
			of := target
			of.Expr = p.valueOf(in)
			return direction(in.Type, v, of)
		})
	})
}

// valueOf is the value of the column or computed field that an input stands for.
func (p *Planner) valueOf(in *schema.Input) ir.Expr {
	if c, ok := in.Meaning.(schema.Column); ok {
		return Column(c.SelectColumn)
	}
	c, _ := in.Meaning.(schema.Computed)
	return p.computed(c.SelectComputedField)
}

func (p *Planner) direction(at schema.Ref, v input.Value, target ir.OrderTarget, add func(ir.OrderItem)) error {
	e, err := p.Enum(at, v)
	if err != nil {
		return err
	}
	o, _ := e.Meaning.(schema.Order)
	add(ir.OrderItem{Target: target, Desc: o.Desc, NullsFirst: o.NullsFirst})
	return nil
}

// columns plans a list of columns by their names.
func (p *Planner) columns(at schema.Ref, v input.Value) ([]*resolve.SelectColumn, error) {
	var list []*resolve.SelectColumn
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		e, err := p.Enum(item, v)
		if err != nil {
			return err
		}
		c, _ := e.Meaning.(schema.Column)
		list = append(list, c.SelectColumn)
		return nil
	})
	return list, err
}

// countedColumns plans the columns that rows are counted by: a list, or one.
func (p *Planner) countedColumns(at schema.Ref, v input.Value) ([]*resolve.SelectColumn, error) {
	if _, isList := at.Item(); isList {
		return p.columns(at, v)
	}
	e, err := p.Enum(at, v)
	if err != nil {
		return nil, err
	}
	c, _ := e.Meaning.(schema.Column)
	return []*resolve.SelectColumn{c.SelectColumn}, nil
}

// distinctOn plans the columns whose values are wanted once. When an order is given, it
// has to begin with them.
func (p *Planner) distinctOn(columns []*resolve.SelectColumn, order []ir.OrderItem) ([]ir.Expr, error) {
	var names []string
	var list []ir.Expr
	for _, c := range columns {
		if !slices.Contains(names, c.Column.Name) {
			names = append(names, c.Column.Name)
			list = append(list, Column(c))
		}
	}
	if len(order) == 0 {
		return list, nil
	}
	var first []string
	for _, o := range order[:min(len(order), len(names))] {
		if name, ok := PlainColumn(o.Target); ok && slices.Contains(names, name) && !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
	if len(first) != len(names) {
		return nil, p.Fail(`"distinct_on" columns must match initial "order_by" columns`)
	}
	return list, nil
}

// PlainColumn is the column that an ordering is by, if it is by a column of the row.
func PlainColumn(t ir.OrderTarget) (string, bool) {
	o, ok := t.(ir.OrderExpr)
	if !ok {
		return "", false
	}
	e := o.Expr
	if r, ok := e.(ir.Redacted); ok {
		e = r.Expr
	}
	if m, ok := e.(ir.Masked); ok {
		e = m.Expr
	}
	c, ok := e.(ir.Column)
	return c.Name, ok
}
