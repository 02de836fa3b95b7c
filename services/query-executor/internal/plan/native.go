package plan

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// nativeRows plans a native query.
func (p *readPlanner) nativeRows(m schema.NativeRows, f *schema.Field, s *selected) (*ir.Select, error) {
	return p.nativeSelect(m.Query, m.Table, f, s)
}

// nativeRelation plans the rows of another native query that belong to a row.
func (p *readPlanner) nativeRelation(m schema.NativeRelation, f *schema.Field, s *selected) (ir.Field, error) {
	query, err := p.nativeSelect(m.NativeRelationship.Target, m.Target, f, s)
	if err != nil {
		return ir.Field{}, err
	}
	if query.One = !m.Array; query.One {
		query.MaxRows = 0
	}
	return ir.Field{Nested: &ir.Nested{Join: m.Join, Root: query}}, nil
}

func (p *readPlanner) nativeSelect(q *resolve.NativeQuery, t *schema.Table, f *schema.Field, s *selected) (*ir.Select, error) {
	query := &ir.Select{Rows: p.rows(relation{table: t, estimate: -1})}
	args := make(map[string]ir.Value, len(q.Args))
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		if in.Means == schema.ArgNative {
			return p.nativeArguments(args, in.Type, v)
		}
		return p.argument(&query.Rows, in, v)
	})
	if err != nil {
		return nil, err
	}
	for _, a := range q.Args {
		if args[a.Name] == nil {
			args[a.Name] = ir.Literal{Null: true, Type: a.Type} // only those that may be null are left out
		}
	}
	query.From = q.Relation(args)
	query.Fields, err = p.fields(t, s)
	return query, err
}

// nativeArguments plans the argument `args`.
func (p *readPlanner) nativeArguments(args map[string]ir.Value, at schema.Ref, v input.Value) error {
	v, null, err := p.IsNull(at, v, input.LookShape)
	if err != nil || null && !at.NonNull() {
		return err
	}
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		a, _ := in.Means.(*resolve.NativeArgument)
		of := p.Scalar(a.Type, in.Type.Named)
		of.Nullable = a.Nullable
		arg, err := p.Operand(in.Type, v, of)
		args[a.Name] = arg
		return err
	})
}

// embedded plans the rows that a field of a logical model holds.
func (p *readPlanner) embedded(m schema.EmbeddedRows, s *selected) (ir.Field, error) {
	from := m.Relation()
	if m.Redact != nil {
		from.When = ir.Rule{Exp: m.Redact}
	}
	query := &ir.Select{Rows: p.rows(relation{From: from, table: m.Target, estimate: -1}), One: !m.Array}
	if query.One {
		query.MaxRows = 0
	}
	if err := p.arguments(s, nil, nil); err != nil {
		return ir.Field{}, err
	}
	var err error
	query.Fields, err = p.fields(m.Target, s)
	return ir.Field{Nested: &ir.Nested{Root: query}}, err
}
