package plan

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// relation is what rows are read from.
type relation struct {
	ir.From
	// table says what the role sees of the rows.
	table    *schema.Table
	estimate float64
}

func tableRelation(t *schema.Table) relation {
	return relation{From: from(t), table: t, estimate: t.Catalog.RowEstimate}
}

// rows are the rows of a relation that the role sees, without any arguments.
func (p *readPlanner) rows(r relation) ir.Rows {
	rows := ir.Rows{From: r.From, Where: p.visible(r.table), MaxRows: r.table.Permission.Limit, Estimate: r.estimate}
	if r.table.Permission.NoRows {
		rows.MaxRows = ir.NoRows
	}
	return rows
}

// argument plans an argument that says which rows are wanted.
func (p *readPlanner) argument(rows *ir.Rows, in *schema.Input, v input.Value) error {
	switch in.Means {
	case schema.ArgLimit:
		return p.number(in, v, p.Limit(in.Type.Named), &rows.Limit)
	case schema.ArgOffset:
		return p.number(in, v, p.Offset(in.Type.Named), &rows.Offset)
	}
	v, null, err := p.IsNull(in.Type, v, input.LookShape)
	if err != nil || null {
		return err
	}
	switch in.Means {
	case schema.ArgWhere:
		where, err := p.where(in.Type, v)
		rows.Where = both(rows.Where, where)
		return err
	case schema.ArgOrderBy:
		rows.OrderBy, err = p.orderBy(in.Type, v)
		return err
	case schema.ArgDistinctOn:
		columns, err := p.columns(in.Type, v)
		if err != nil {
			return err
		}
		p.Pop() // the fault is in the arguments together
		rows.DistinctOn, err = p.distinctOn(columns, rows.OrderBy)
		p.Push(in.Name)
		return err
	}
	return p.Fail("unknown argument '%s'", in.Name)
}

// number plans limit or offset. A variable may be null, which is no limit; a null in the
// document is nothing at all.
func (p *readPlanner) number(in *schema.Input, v input.Value, c input.Coercion, to *ir.Value) (err error) {
	if v.Literal != nil && v.Literal.Kind == parse.Null {
		return nil
	}
	c.Nullable = true
	*to, err = p.Operand(in.Type, v, c)
	return err
}

// selectRows plans a list of rows. When they come from a function, its arguments go to c.
func (p *readPlanner) selectRows(r relation, s *selected, inputs []schema.Input, c *call) (*ir.Select, error) {
	query := &ir.Select{Rows: p.rows(r)}
	if err := p.rowArguments(&query.Rows, s, inputs, c); err != nil {
		return nil, err
	}
	var err error
	query.Fields, err = p.fields(r.table, s)
	return query, err
}

func (p *readPlanner) rowArguments(rows *ir.Rows, s *selected, inputs []schema.Input, c *call) error {
	return p.arguments(s, inputs, func(in *schema.Input, v input.Value) error {
		if in.Means == schema.ArgFunction {
			return p.callArguments(c, in.Type, v)
		}
		return p.argument(rows, in, v)
	})
}

// fields plans the selection set on rows of a table.
func (p *readPlanner) fields(t *schema.Table, s *selected) ([]ir.Field, error) {
	var fields []ir.Field
	err := p.within(t.Type().Name, s, func(s *selected) error {
		f, err := p.field(t, s)
		f.Alias = s.Alias
		fields = p.withKey(append(fields, f))
		return err
	})
	return fields, err
}

func (p *readPlanner) field(t *schema.Table, s *selected) (ir.Field, error) {
	f, err := p.fieldOf(t.Type(), s)
	if err != nil {
		return ir.Field{}, err
	}
	if f == nil {
		return ir.Field{Typename: t.Type().Name}, nil
	}
	switch m := f.Means.(type) {
	case *resolve.SelectColumn:
		return p.columnField(t, m, f, s)
	case *resolve.SelectComputedField:
		return p.computedField(m, f, s)
	}
	if err := p.relate(); err != nil {
		return ir.Field{}, err
	}
	switch m := f.Means.(type) {
	case *schema.Relation:
		if m.Array {
			query, err := p.selectRows(tableRelation(m.Target), s, f.Args(), nil)
			return nested(m, query), err
		}
		query, err := p.oneRow(m.Target, s)
		return nested(m, query), err
	case *schema.RelationAggregate:
		query, err := p.aggregateRows(tableRelation(m.Target), s, f.Args(), nil)
		return nested(m.Relation, query), err
	case schema.NativeRelation:
		return p.nativeRelation(m, f, s)
	case schema.EmbeddedRows:
		return p.embedded(m, s)
	case *schema.RelationConnection:
		query, err := p.relay.Connection(tableRelation(m.Target), s, f.Args(), nil)
		return nested(m.Relation, query), err
	case schema.NodeID:
		return p.relay.NodeID(m.Table, s)
	case *schema.RemoteRelation:
		return p.remoteField(m.RemoteRelationship, func() error { return p.joinRows(m, f, s) })
	case *schema.RemoteAggregate:
		return p.remoteField(m.RemoteRelationship, func() error { return p.joinAggregate(m, f, s) })
	case *schema.RemoteJoin:
		return p.remoteField(m.RemoteRelationship, func() error { return p.remote.JoinField(m, f, s) })
	case *schema.ComputedRows:
		query, err := p.computedRows(m, f, s)
		return ir.Field{Nested: &ir.Nested{Root: query}}, err
	}
	return ir.Field{}, p.Fail("unknown field '%s'", s.Name)
}

func nested(m *schema.Relation, root ir.Root) ir.Field {
	return ir.Field{Nested: &ir.Nested{Join: m.Join, Unique: m.Unique, Root: root}}
}

// oneRow plans the row that an object relationship leads to.
func (p *readPlanner) oneRow(target *schema.Table, s *selected) (*ir.Select, error) {
	query := &ir.Select{Rows: p.rows(tableRelation(target)), One: true}
	query.MaxRows = 0
	if err := p.rowArguments(&query.Rows, s, nil, nil); err != nil {
		return nil, err
	}
	var err error
	query.Fields, err = p.fields(target, s)
	return query, err
}

// columnField plans a column.
func (p *readPlanner) columnField(t *schema.Table, c *resolve.SelectColumn, f *schema.Field, s *selected) (ir.Field, error) {
	e := column(c)
	if c.Column.Enum != nil && t.UpperEnums() {
		e = ir.Upper{Expr: e}
	}
	if err := p.scalarField(s); err != nil {
		return ir.Field{}, err
	}
	var path []string
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		path, err = p.jsonPath(in, v)
		return err
	})
	return ir.Field{Expr: part(e, path), ExprType: c.Column.Type}, err
}

// computedField plans a scalar computed field.
func (p *readPlanner) computedField(c *resolve.SelectComputedField, f *schema.Field, s *selected) (ir.Field, error) {
	if err := p.scalarField(s); err != nil {
		return ir.Field{}, err
	}
	call := computedCall(c.Field)
	var path []string
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		if in.Means == schema.ArgPath {
			path, err = p.jsonPath(in, v)
			return err
		}
		return p.callArguments(call, in.Type, v)
	})
	if err != nil {
		return ir.Field{}, err
	}
	return ir.Field{Expr: part(p.call(c, call.args()), path), ExprType: c.Field.Type}, nil
}

// computedRows plans a table computed field.
func (p *readPlanner) computedRows(m *schema.ComputedRows, f *schema.Field, s *selected) (*ir.Select, error) {
	call := computedCall(m.ComputedField)
	query, err := p.selectRows(relation{table: m.Target, estimate: -1}, s, f.Args(), call)
	if err != nil {
		return nil, err
	}
	query.From = p.computedFrom(m, call.args())
	return query, nil
}
