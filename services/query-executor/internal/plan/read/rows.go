package read

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// NotNull reports whether rows are ordered by a column that holds no NULL. What a function returns is
// not bound by the constraints of the table.
func (r Relation) NotNull(t ir.OrderTarget) bool {
	o, _ := t.(ir.OrderExpr)
	c, ok := o.Expr.(ir.Column)
	if _, table := r.From.(ir.Table); !ok || !table {
		return false
	}
	column := r.Table.Column(c.Name)
	return column != nil && !column.Nullable
}

// Relation is what rows are read from.
type Relation struct {
	ir.From
	// Table is what the role sees of the rows.
	Table    *schema.Table
	Estimate float64
}

// TableRelation is a table as a relation.
func TableRelation(t *schema.Table) Relation {
	return Relation{From: From(t), Table: t, Estimate: t.Catalog.RowEstimate}
}

// Rows are the rows of a relation that the role sees, without any arguments.
func (p *Planner) Rows(r Relation) ir.Rows {
	rows := ir.Rows{From: r.From, Where: p.Visible(r.Table), MaxRows: r.Table.Permission.Limit, Estimate: r.Estimate}
	if r.Table.Permission.NoRows {
		rows.MaxRows = ir.NoRows
	}
	return rows
}

// Argument plans an argument that selects rows.
func (p *Planner) Argument(rows *ir.Rows, in *schema.Input, v input.Value) error {
	switch in.Meaning {
	case schema.ArgLimit:
		return p.number(in, v, p.Limit(in.Type.Named), &rows.Limit)
	case schema.ArgOffset:
		return p.number(in, v, p.Offset(in.Type.Named), &rows.Offset)
	}
	v, null, err := p.IsNull(in.Type, v, input.LookShape)
	if err != nil || null {
		return err
	}
	switch in.Meaning {
	case schema.ArgWhere:
		where, err := p.Where(in.Type, v)
		rows.Where = Both(rows.Where, where)
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
func (p *Planner) number(in *schema.Input, v input.Value, c input.Coercion, to *ir.Value) (err error) {
	if v.Literal != nil && v.Literal.Kind == parse.Null {
		return nil
	}
	c.Nullable = true
	*to, err = p.Operand(in.Type, v, c)
	return err
}

// SelectRows plans a list of rows. When they come from a function, its arguments go to c.
func (p *Planner) SelectRows(r Relation, s *walk.Selected, inputs []schema.Input, c *Call) (*ir.Select, error) {
	query := &ir.Select{Rows: p.Rows(r)}
	if err := p.rowArguments(&query.Rows, s, inputs, c); err != nil {
		return nil, err
	}
	var err error
	query.Fields, err = p.Fields(r.Table, s)
	return query, err
}

func (p *Planner) rowArguments(rows *ir.Rows, s *walk.Selected, inputs []schema.Input, c *Call) error {
	return p.Arguments(s, inputs, func(in *schema.Input, v input.Value) error {
		if in.Meaning == schema.ArgFunction {
			return p.CallArguments(c, in.Type, v)
		}
		return p.Argument(rows, in, v)
	})
}

// Fields plans the selection set on rows of a table.
func (p *Planner) Fields(t *schema.Table, s *walk.Selected) ([]ir.Field, error) {
	var fields []ir.Field
	err := p.Within(t.Type().Name, s, func(s *walk.Selected) error {
		f, err := p.field(t, s)
		f.Alias = s.Alias
		fields = p.withKey(append(fields, f))
		return err
	})
	return fields, err
}

func (p *Planner) field(t *schema.Table, s *walk.Selected) (ir.Field, error) {
	f, err := p.FieldOf(t.Type(), s)
	if err != nil {
		return ir.Field{}, err
	}
	if f == nil || f.Meaning == (schema.Placeholder{}) {
		return ir.Field{Value: ir.Typename(t.Type().Name)}, nil
	}
	switch m := f.Meaning.(type) {
	case schema.Column:
		return p.columnField(t, m.SelectColumn, f, s)
	case schema.Computed:
		return p.computedField(m.SelectComputedField, f, s)
	}
	if err := p.Relate(); err != nil {
		return ir.Field{}, err
	}
	switch m := f.Meaning.(type) {
	case *schema.Relation:
		if m.Array {
			query, err := p.SelectRows(TableRelation(m.Target), s, f.Args(), nil)
			return nested(m, query), err
		}
		query, err := p.OneRow(m.Target, s)
		return nested(m, query), err
	case *schema.RelationAggregate:
		query, err := p.AggregateRows(TableRelation(m.Target), s, f.Args(), nil)
		return nested(m.Relation, query), err
	case schema.NativeRelation:
		return p.nativeRelation(m, f, s)
	case schema.EmbeddedRows:
		return p.embedded(m, s)
	case *schema.RelationConnection:
		query, err := p.Relay.Connection(TableRelation(m.Target), s, f.Args(), nil)
		return nested(m.Relation, query), err
	case schema.NodeID:
		return p.Relay.NodeID(m.Table, s)
	case *schema.RemoteRelation:
		return p.remoteField(m.RemoteRelationship, func() error { return p.JoinRows(m, f, s) })
	case *schema.RemoteAggregate:
		return p.remoteField(m.RemoteRelationship, func() error { return p.JoinAggregate(m, f, s) })
	case *schema.RemoteJoin:
		return p.remoteField(m.RemoteRelationship, func() error { return p.Remote.JoinField(m, f, s) })
	case *schema.ComputedRows:
		query, err := p.computedRows(m, f, s)
		return ir.Field{Value: &ir.Nested{Root: query}}, err
	}
	return ir.Field{}, p.Fail("unknown field '%s'", s.Name)
}

func nested(m *schema.Relation, root ir.Root) ir.Field {
	return ir.Field{Value: &ir.Nested{Join: m.Join, Unique: m.Unique, Root: root}}
}

// OneRow plans the row that an object relationship leads to.
func (p *Planner) OneRow(target *schema.Table, s *walk.Selected) (*ir.Select, error) {
	query := &ir.Select{Rows: p.Rows(TableRelation(target)), One: true}
	query.MaxRows = 0
	if err := p.rowArguments(&query.Rows, s, nil, nil); err != nil {
		return nil, err
	}
	var err error
	query.Fields, err = p.Fields(target, s)
	return query, err
}

// columnField plans a column.
func (p *Planner) columnField(t *schema.Table, c *resolve.SelectColumn, f *schema.Field, s *walk.Selected) (ir.Field, error) {
	e := Column(c)
	if c.Column.Enum != nil && t.UpperEnums() {
		e = ir.Upper{Expr: e}
	}
	if err := p.ScalarField(s); err != nil {
		return ir.Field{}, err
	}
	var path []string
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		path, err = p.jsonPath(in, v)
		return err
	})
	return ir.Field{Value: ir.Scalar{Expr: part(e, path), Type: c.Column.Type}}, err
}

// computedField plans a scalar computed field.
func (p *Planner) computedField(c *resolve.SelectComputedField, f *schema.Field, s *walk.Selected) (ir.Field, error) {
	if err := p.ScalarField(s); err != nil {
		return ir.Field{}, err
	}
	call := computedCall(c.Field)
	var path []string
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		if in.Meaning == schema.ArgPath {
			path, err = p.jsonPath(in, v)
			return err
		}
		return p.CallArguments(call, in.Type, v)
	})
	if err != nil {
		return ir.Field{}, err
	}
	return ir.Field{Value: ir.Scalar{Expr: part(p.call(c, call.args()), path), Type: c.Field.Type}}, nil
}

// computedRows plans a table computed field.
func (p *Planner) computedRows(m *schema.ComputedRows, f *schema.Field, s *walk.Selected) (*ir.Select, error) {
	call := computedCall(m.ComputedField)
	query, err := p.SelectRows(Relation{Table: m.Target, Estimate: -1}, s, f.Args(), call)
	if err != nil {
		return nil, err
	}
	query.From = p.computedFrom(m, call.args())
	return query, nil
}
