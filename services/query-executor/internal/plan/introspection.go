package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// introspection plans __schema and __type.
func (p *planner) introspection(s *walk.Selected) error {
	if p.Options.NoIntrospection {
		return apierror.Newf(apierror.NotSupported, "introspection is disabled for role: %q", p.Role.Name)
	}
	if err := p.Take(budget.RootFields, 1); err != nil {
		return err
	}
	f, err := p.metaField(p.Role.MetaField(s.Name), s)
	if err != nil {
		return err
	}
	p.Answer.Add(&answer.Introspection{Query: f})
	return nil
}

// metaField plans a field of the introspection types.
func (p *planner) metaField(f *schema.Field, s *walk.Selected) (introspect.Field, error) {
	out := introspect.Field{Alias: s.Alias, Name: s.Name}
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		if in.Name == "name" {
			out.Argument, err = p.Constant(in.Type, v)
			return err
		}
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		out.Deprecated, err = p.Boolean(in.Type, v)
		return err
	})
	if err != nil {
		return out, err
	}
	t := f.Type.Named
	if t.Kind != schema.Object {
		return out, p.ScalarField(s)
	}
	err = p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			out.Fields = append(out.Fields, introspect.Field{Alias: s.Alias, Name: s.Name, Argument: t.Name})
			return nil
		}
		field, err := p.metaField(f, s)
		out.Fields = append(out.Fields, field)
		return err
	})
	return out, err
}
