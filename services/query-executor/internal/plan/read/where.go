package read

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Where plans a condition on the rows of a table. All given keys hold together; no key is
// true.
func (p *Planner) Where(at schema.Ref, v input.Value) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		e, err := p.predicate(in, v)
		if e != nil {
			list = append(list, e)
		}
		return err
	})
	return All(list), err
}

// predicate plans one key of a condition.
func (p *Planner) predicate(in *schema.Input, v input.Value) (ir.BoolExp, error) {
	switch m := in.Meaning.(type) {
	case schema.And:
		list, err := p.conditions(in.Type, v)
		return All(list), err
	case schema.Or:
		list, err := p.conditions(in.Type, v)
		return either(list), err
	case schema.Not:
		e, err := p.Where(in.Type, v)
		return ir.Not{Exp: truth(e)}, err
	case schema.Column:
		return p.comparison(in.Type, v, Column(m.SelectColumn), m.Column.Type)
	case schema.Computed:
		return p.comparison(in.Type, v, p.computed(m.SelectComputedField), m.Field.Type)
	case *schema.Relation:
		e, err := p.relatedRows(in.Type, v)
		return ir.Exists{From: From(m.Target), Join: m.Join, Unique: m.Unique, Where: Both(p.Visible(m.Target), e)}, err
	case *schema.ComputedRows:
		e, err := p.relatedRows(in.Type, v)
		return ir.Exists{From: p.computedFrom(m, m.CallArgs()), Where: Both(p.Visible(m.Target), e)}, err
	case *schema.RelationAggregate:
		var e ir.BoolExp
		err := p.RelatedWhere(func() (err error) {
			e, err = p.aggregatePredicate(m, in.Type, v)
			return err
		})
		return e, err
	}
	return nil, p.Fail("unknown condition '%s'", in.Name)
}

// relatedRows plans a condition on related rows.
func (p *Planner) relatedRows(at schema.Ref, v input.Value) (e ir.BoolExp, err error) {
	err = p.RelatedWhere(func() error {
		e, err = p.Where(at, v)
		return err
	})
	return e, err
}

// conditions plans a list of conditions.
func (p *Planner) conditions(at schema.Ref, v input.Value) ([]ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		e, err := p.Where(item, v)
		list = append(list, truth(e))
		return err
	})
	return list, err
}

// truth spells a condition that holds always, where one has to stand.
func truth(e ir.BoolExp) ir.BoolExp {
	if e == nil {
		return ir.And{}
	}
	return e
}

func either(list []ir.BoolExp) ir.BoolExp {
	if len(list) == 1 {
		return list[0]
	}
	return ir.Or{Exps: list}
}

// comparison plans the operators on one expression.
func (p *Planner) comparison(at schema.Ref, v input.Value, left ir.Expr, t catalog.Type) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		e, err := p.operator(in, v, left, t)
		if e != nil {
			list = append(list, e)
		}
		return err
	})
	return All(list), err
}

func (p *Planner) operator(in *schema.Input, v input.Value, left ir.Expr, t catalog.Type) (ir.BoolExp, error) {
	if p.Options.NullCollapse {
		if _, null, err := p.IsNull(in.Type, v, input.LookShape); null || err != nil {
			return nil, err
		}
	}
	switch m := in.Meaning.(type) {
	case schema.IsNull:
		yes, err := p.Boolean(in.Type, v)
		return ir.IsNull{Expr: left, Not: !yes}, err
	case schema.Cast:
		return p.cast(in.Type, v, left)
	case schema.AtPath:
		return p.conditionsAt(in.Type, v, left)
	case schema.PathExists:
		path, err := p.Keys(in.Type, v)
		return ir.IsNull{Expr: part(left, path), Not: true}, err
	case schema.Operator:
		if m.Operand == backend.OperandList && t.IsArray() {
			return p.amongArrays(m.Operator, in.Type, v, left, t)
		}
		args, err := p.operands(m.Operator, in.Type, v, t)
		return ir.Compare{Left: left, Op: m.Op, Args: args}, err
	}
	return nil, p.Fail("unknown operator '%s'", in.Name)
}

func (p *Planner) cast(at schema.Ref, v input.Value, left ir.Expr) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		to, _ := in.Meaning.(schema.CastTo)
		e, err := p.comparison(in.Type, v, ir.Cast{Expr: left, Type: to.Type}, to.Type)
		if e != nil {
			list = append(list, e)
		}
		return err
	})
	return All(list), err
}

// operands plans what an operator is given.
func (p *Planner) operands(o *backend.Operator, at schema.Ref, v input.Value, t catalog.Type) ([]ir.Value, error) {
	var c input.Coercion
	switch o.Operand {
	case backend.OperandSame:
		c = p.Column(t, at)
	case backend.OperandList:
		c = p.ColumnList(t, at)
	case backend.OperandText:
		c = p.Text(at.Named)
	case backend.OperandTextList:
		c = p.Texts(at.Named)
	case backend.OperandType:
		c = p.Scalar(o.Type, at.Named)
	case backend.OperandObject:
		return p.operandObject(o, at, v)
	}
	c.Nullable = o.Nullable
	arg, err := p.Operand(at, v, c)
	return []ir.Value{arg}, err
}

// operandObject plans the operands of an operator that takes an object, in the order of the
// operator. One that isn't given has its default, or is left out at the end.
func (p *Planner) operandObject(o *backend.Operator, at schema.Ref, v input.Value) ([]ir.Value, error) {
	given := map[string]ir.Value{}
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		f, _ := in.Meaning.(schema.OperandField)
		opened, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null && !f.Required {
			return err
		}
		given[f.Name], err = p.Operand(in.Type, opened, p.Scalar(f.Type, in.Type.Named))
		return err
	})
	if err != nil {
		return nil, err
	}
	var args []ir.Value
	for _, f := range o.ObjectFields {
		switch arg := given[f.Name]; {
		case arg != nil:
			args = append(args, arg)
		case f.Default != "":
			args = append(args, ir.Literal{Text: f.Default, Type: f.Type})
		default:
			args = append(args, ir.Literal{Null: true, Type: f.Type})
		}
	}
	return args, nil
}

// amongArrays plans _in and _nin on an array column: a list of arrays is not an array of
// arrays, so each is compared by itself.
func (p *Planner) amongArrays(o *backend.Operator, at schema.Ref, v input.Value, left ir.Expr, t catalog.Type) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		arg, err := p.Operand(item, v, p.Scalar(t, item.Named))
		list = append(list, ir.Compare{Left: left, Op: ir.OpEq, Args: []ir.Value{arg}})
		return err
	})
	if o.Op == ir.OpNin {
		return ir.Not{Exp: either(list)}, err
	}
	return either(list), err
}

// aggregatePredicate plans a condition on an aggregate of related rows.
func (p *Planner) aggregatePredicate(m *schema.RelationAggregate, at schema.Ref, v input.Value) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		of, _ := in.Meaning.(*schema.Predicate)
		e, err := p.aggregateCompare(m, of, in.Type, v)
		list = append(list, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, p.Fail("exactly one predicate should be specified")
	}
	return list[0], nil
}

func (p *Planner) aggregateCompare(m *schema.RelationAggregate, of *schema.Predicate, at schema.Ref, v input.Value) (ir.BoolExp, error) {
	c := ir.AggregateCompare{From: From(m.Target), Join: m.Join, Function: of.Function}
	var filter ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) (err error) {
		switch in.Meaning {
		case schema.ArgPredicate:
			return p.aggregateOperators(&c, of, in.Type, v)
		case schema.ArgArguments:
			c.Args, err = p.predicateArguments(of, in.Type, v)
			return err
		}
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		if in.Meaning == schema.ArgDistinct {
			// It is accepted and changes nothing, as in the established engine.
			_, err = p.Boolean(in.Type, v)
			return err
		}
		filter, err = p.Where(in.Type, v)
		return err
	})
	c.Filter = Both(p.Visible(m.Target), filter)
	if len(c.Predicate) == 0 && c.Null == nil {
		return ir.And{}, err // compared with nothing, an aggregate is always right
	}
	return c, err
}

// aggregateOperators plans what the aggregate is compared with.
func (p *Planner) aggregateOperators(c *ir.AggregateCompare, of *schema.Predicate, at schema.Ref, v input.Value) error {
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		e, err := p.operator(in, v, nil, of.Operand)
		switch e := e.(type) {
		case ir.Compare:
			c.Predicate = append(c.Predicate, e)
		case ir.IsNull:
			isNull := !e.Not
			c.Null = &isNull
		}
		return err
	})
}

// predicateArguments plans the columns that a predicate's function takes.
func (p *Planner) predicateArguments(of *schema.Predicate, at schema.Ref, v input.Value) ([]ir.Expr, error) {
	var args []ir.Expr
	add := func(at schema.Ref, v input.Value) error {
		e, err := p.Enum(at, v)
		if err != nil {
			return err
		}
		c, _ := e.Meaning.(schema.Column)
		args = append(args, Column(c.SelectColumn))
		return nil
	}
	if _, isList := at.Item(); isList {
		opened, null, err := p.IsNull(at, v, input.LookShape)
		if err != nil || null {
			return nil, err
		}
		return args, p.List(at, opened, add)
	}
	if !of.Pair {
		return args, add(at, v)
	}
	// X comes before Y, whichever is given first.
	pair := map[string]input.Value{}
	if err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		pair[in.Name] = v
		return nil
	}); err != nil {
		return nil, err
	}
	for _, in := range at.Named.Inputs() {
		p.Push(in.Name)
		if err := add(in.Type, pair[in.Name]); err != nil {
			return nil, err
		}
		p.Pop()
	}
	return args, nil
}
