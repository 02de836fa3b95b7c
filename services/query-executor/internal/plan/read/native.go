package read

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// NativeRows plans a native query.
func (p *Planner) NativeRows(m schema.NativeRows, f *schema.Field, s *walk.Selected) (*ir.Select, error) {
	return p.nativeSelect(m.Query, m.Table, f, s)
}

// nativeRelation plans the rows of another native query that belong to a row.
func (p *Planner) nativeRelation(m schema.NativeRelation, f *schema.Field, s *walk.Selected) (ir.Field, error) {
	query, err := p.nativeSelect(m.NativeRelationship.Target, m.Target, f, s)
	if err != nil {
		return ir.Field{}, err
	}
	if query.One = !m.Array; query.One {
		query.MaxRows = 0
	}
	return ir.Field{Value: &ir.Nested{Join: m.Join, Root: query}}, nil
}

func (p *Planner) nativeSelect(q *resolve.NativeQuery, t *schema.Table, f *schema.Field, s *walk.Selected) (*ir.Select, error) {
	query := &ir.Select{Rows: p.Rows(Relation{Table: t, Estimate: -1})}
	args := make(map[string]ir.Value, len(q.Args))
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		if in.Meaning == schema.ArgNative {
			return p.nativeArguments(args, in.Type, v)
		}
		return p.Argument(&query.Rows, in, v)
	})
	if err != nil {
		return nil, err
	}
	for _, a := range q.Args {
		if args[a.Name] == nil && q.Procedure == nil {
			args[a.Name] = ir.Literal{Null: true, Type: a.Type} // only those that may be null are left out
		}
	}
	query.From = q.Relation(args)
	query.Fields, err = p.Fields(t, s)
	return query, err
}

// nativeArguments plans the argument `args`.
func (p *Planner) nativeArguments(args map[string]ir.Value, at schema.Ref, v input.Value) error {
	v, null, err := p.IsNull(at, v, input.LookShape)
	if err != nil || null && !at.NonNull() {
		return err
	}
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		a, _ := in.Meaning.(schema.NativeArgument)
		of := p.Scalar(a.Type, in.Type.Named)
		of.Nullable = a.Nullable
		arg, err := p.Operand(in.Type, v, of)
		args[a.Name] = arg
		return err
	})
}

// embedded plans the rows that a field of a logical model holds.
func (p *Planner) embedded(m schema.EmbeddedRows, s *walk.Selected) (ir.Field, error) {
	from := m.Relation()
	if m.Redact != nil {
		from.When = ir.Rule{Exp: m.Redact}
	}
	query := &ir.Select{Rows: p.Rows(Relation{From: from, Table: m.Target, Estimate: -1}), One: !m.Array}
	if query.One {
		query.MaxRows = 0
	}
	if err := p.Arguments(s, nil, nil); err != nil {
		return ir.Field{}, err
	}
	var err error
	query.Fields, err = p.Fields(m.Target, s)
	return ir.Field{Value: &ir.Nested{Root: query}}, err
}
