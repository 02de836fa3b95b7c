package read

import (
	"fmt"
	"reflect"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// grouping are groups under construction.
type grouping struct {
	*Planner
	table *schema.Table
	from  ir.Groups
	// keys are the columns of the groups by the names of those that they are grouped by.
	keys map[string]ir.Column
}

// Groups plans groups of the rows of a table. The limit of the role is for groups.
func (p *Planner) Groups(t *schema.Table, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	rows := p.Rows(TableRelation(t))
	query := &ir.Select{Rows: ir.Rows{MaxRows: rows.MaxRows, Estimate: -1}}
	rows.MaxRows = 0
	g := &grouping{Planner: p, table: t, from: ir.Groups{Rows: rows}, keys: map[string]ir.Column{}}
	if err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error { return g.argument(&query.Rows, in, v) }); err != nil {
		return nil, err
	}
	err := p.Within(f.Type.Named.Name, s, func(s *walk.Selected) error {
		field, err := g.field(f.Type.Named, s)
		field.Alias = s.Alias
		query.Fields = append(query.Fields, field)
		return err
	})
	query.From = g.from
	return query, err
}

func (g *grouping) argument(rows *ir.Rows, in *schema.Input, v input.Value) error {
	switch in.Meaning {
	case schema.ArgKeys:
		return g.addKeys(in.Type, v)
	case schema.ArgWhere:
		return g.Argument(&g.from.Rows, in, v)
	case schema.ArgLimit, schema.ArgOffset:
		return g.Argument(rows, in, v)
	}
	v, null, err := g.IsNull(in.Type, v, input.LookShape)
	if err != nil || null {
		return err
	}
	if in.Meaning == schema.ArgHaving {
		rows.Where, err = g.having(in.Type, v)
		return err
	}
	return g.List(in.Type, v, func(item schema.Ref, v input.Value) error {
		return g.order(item, v, func(i ir.OrderItem) { rows.OrderBy = append(rows.OrderBy, i) })
	})
}

func (g *grouping) addKeys(at schema.Ref, v input.Value) error {
	columns, err := g.columns(at, v)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if _, known := g.keys[c.Column.Name]; known {
			continue
		}
		if c.Column.Scalar.Incomparable {
			return g.Fail("rows can't be grouped by '%s'", c.Column.Field)
		}
		key := ir.Column{Name: fmt.Sprintf("k%d", len(g.keys)), Type: c.Column.Type}
		g.keys[c.Column.Name] = key
		g.from.Keys = append(g.from.Keys, ir.GroupKey{Name: key.Name, Expr: Column(c)})
	}
	if len(columns) == 0 {
		return g.Fail("expected at least one key")
	}
	return nil
}

// key is the column of the groups that has the values of a column of the table.
func (g *grouping) key(c schema.Column) (ir.Column, error) {
	key, ok := g.keys[c.Column.Name]
	if !ok {
		return key, g.Fail("'%s' is not among the keys", c.Column.Field)
	}
	return key, nil
}

// aggregate is the column of the groups that has an aggregate.
func (g *grouping) aggregate(a ir.GroupAggregate) ir.Column {
	for _, known := range g.from.Aggregates {
		if a.Name = known.Name; reflect.DeepEqual(a, known) {
			return g.column(a)
		}
	}
	a.Name = fmt.Sprintf("a%d", len(g.from.Aggregates))
	g.from.Aggregates = append(g.from.Aggregates, a)
	return g.column(a)
}

func (g *grouping) column(a ir.GroupAggregate) ir.Column {
	return ir.Column{Name: a.Name, Type: g.Source.Dialect.Builtin(backend.TypeBigInt)}
}

// field plans a field of a group.
func (g *grouping) field(t *schema.Type, s *walk.Selected) (ir.Field, error) {
	f, err := g.FieldOf(t, s)
	if err != nil {
		return ir.Field{}, err
	}
	if f == nil {
		return ir.Field{Value: ir.Typename(t.Name)}, nil
	}
	if err := g.Arguments(s, nil, nil); err != nil {
		return ir.Field{}, err
	}
	member := g.aggregateMember
	if _, ok := f.Meaning.(schema.GroupKey); ok {
		member = g.keyMember
	}
	return g.object(f.Type.Named, s, member)
}

// object plans a selection set whose fields are about the same group.
func (g *grouping) object(t *schema.Type, s *walk.Selected, member func(*schema.Field, *walk.Selected) (ir.Field, error)) (ir.Field, error) {
	object := ir.Object{}
	err := g.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := g.FieldOf(t, s)
		if err != nil {
			return err
		}
		field := ir.Field{Value: ir.Typename(t.Name)}
		if f != nil {
			if field, err = member(f, s); err != nil {
				return err
			}
		}
		field.Alias = s.Alias
		object = append(object, field)
		return nil
	})
	return ir.Field{Value: object}, err
}

func (g *grouping) keyMember(f *schema.Field, s *walk.Selected) (ir.Field, error) {
	if err := g.ScalarField(s); err != nil {
		return ir.Field{}, err
	}
	if err := g.Arguments(s, nil, nil); err != nil {
		return ir.Field{}, err
	}
	c, _ := f.Meaning.(schema.Column)
	key, err := g.key(c)
	var value ir.Expr = key
	if c.Column.Enum != nil && g.table.UpperEnums() {
		value = ir.Upper{Expr: key}
	}
	return ir.Field{Value: ir.Scalar{Expr: value, Type: c.Column.Type}}, err
}

func (g *grouping) aggregateMember(f *schema.Field, s *walk.Selected) (ir.Field, error) {
	m, ok := f.Meaning.(schema.AggregateFunction)
	if !ok {
		count, err := g.count(f, s)
		if err != nil {
			return ir.Field{}, err
		}
		of := g.aggregate(ir.GroupAggregate{Function: "count", Distinct: count.Distinct, Args: count.Args})
		return ir.Field{Value: ir.Aggregated{Column: of, Function: "count", Type: of.Type}}, nil
	}
	if err := g.Arguments(s, nil, nil); err != nil {
		return ir.Field{}, err
	}
	return g.object(f.Type.Named, s, func(f *schema.Field, s *walk.Selected) (ir.Field, error) {
		c, ok := f.Meaning.(schema.Column)
		if !ok {
			return ir.Field{}, g.Fail("aggregates of '%s' are not supported in groups", s.Name)
		}
		if err := g.ScalarField(s); err != nil {
			return ir.Field{}, err
		}
		of := g.aggregate(ir.GroupAggregate{Function: m.Name, Args: []ir.Expr{Column(c.SelectColumn)}})
		return ir.Field{Value: ir.Aggregated{Column: of, Function: m.Name, Type: c.Column.Type}}, g.Arguments(s, nil, nil)
	})
}

// order plans the keys of one ordering of groups.
func (g *grouping) order(at schema.Ref, v input.Value, add func(ir.OrderItem)) error {
	return g.given(at, v, func(in *schema.Input, v input.Value) error {
		switch m := in.Meaning.(type) {
		case schema.Count:
			return g.direction(in.Type, v, ir.OrderExpr{Expr: g.aggregate(ir.GroupAggregate{Function: "count"})}, add)
		case schema.GroupKey:
			return g.given(in.Type, v, func(in *schema.Input, v input.Value) error {
				c, _ := in.Meaning.(schema.Column)
				key, err := g.key(c)
				if err != nil {
					return err
				}
				return g.direction(in.Type, v, ir.OrderExpr{Expr: key}, add)
			})
		case schema.AggregateFunction:
			return g.given(in.Type, v, func(in *schema.Input, v input.Value) error {
				c, ok := in.Meaning.(schema.Column)
				if !ok {
					return g.Fail("aggregates of '%s' are not supported in groups", in.Name)
				}
				of := g.aggregate(ir.GroupAggregate{Function: m.Name, Args: []ir.Expr{Column(c.SelectColumn)}})
				return g.direction(in.Type, v, ir.OrderExpr{Expr: of}, add)
			})
		}
		return g.Fail("unknown ordering '%s'", in.Name)
	})
}

// given walks the fields of an object that aren't null.
func (g *grouping) given(at schema.Ref, v input.Value, f func(in *schema.Input, v input.Value) error) error {
	return g.Object(at, v, func(in *schema.Input, v input.Value) error {
		v, null, err := g.IsNull(in.Type, v, input.LookValue)
		if err != nil || null {
			return err
		}
		return f(in, v)
	})
}

// having plans a condition on groups. All given keys hold together.
func (g *grouping) having(at schema.Ref, v input.Value) (ir.BoolExp, error) {
	var all []ir.BoolExp
	err := g.Object(at, v, func(in *schema.Input, v input.Value) error {
		e, err := g.havingKey(in, v)
		if e != nil {
			all = append(all, e)
		}
		return err
	})
	return All(all), err
}

func (g *grouping) havingKey(in *schema.Input, v input.Value) (ir.BoolExp, error) {
	list := func() (list []ir.BoolExp, err error) {
		err = g.List(in.Type, v, func(item schema.Ref, v input.Value) error {
			e, err := g.having(item, v)
			list = append(list, truth(e))
			return err
		})
		return list, err
	}
	switch m := in.Meaning.(type) {
	case schema.And:
		exps, err := list()
		return All(exps), err
	case schema.Or:
		exps, err := list()
		return either(exps), err
	case schema.Not:
		e, err := g.having(in.Type, v)
		return ir.Not{Exp: truth(e)}, err
	case schema.Count:
		return g.comparison(in.Type, v, g.aggregate(ir.GroupAggregate{Function: "count"}), g.Source.Dialect.Builtin(backend.TypeInt))
	case schema.AggregateFunction:
		var all []ir.BoolExp
		err := g.Object(in.Type, v, func(in *schema.Input, v input.Value) error {
			c, _ := in.Meaning.(schema.AggregatedColumn)
			of := g.aggregate(ir.GroupAggregate{Function: m.Name, Args: []ir.Expr{Column(c.SelectColumn)}})
			of.Type = c.Type
			e, err := g.comparison(in.Type, v, of, c.Type)
			if e != nil {
				all = append(all, e)
			}
			return err
		})
		return All(all), err
	}
	return nil, g.Fail("unknown condition '%s'", in.Name)
}
