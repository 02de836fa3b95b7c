package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// root is the type that an operation selects from.
func (p *planner) root(op *parse.Operation) (*schema.Type, error) {
	switch op.Kind {
	case parse.Mutation:
		if t := p.Role.Mutation(); t != nil {
			return t, nil
		}
		return nil, apierror.New(apierror.ValidationFailed, "no mutations exist")
	case parse.Subscription:
		if t := p.Role.Subscription(); t != nil {
			return t, nil
		}
		return nil, apierror.New(apierror.ValidationFailed, "no subscriptions exist")
	}
	return p.Role.Query(), nil
}

// document plans the selection set of the operation.
func (p *planner) document(root *schema.Type, set []parse.Selection) error {
	return p.rootObject(root, &walk.Selected{Field: &parse.Field{}, Sets: [][]parse.Selection{set}}, "")
}

// rootObject plans the root fields of an object: of the operation, or of a namespace.
func (p *planner) rootObject(t *schema.Type, s *walk.Selected, namespace string) error {
	p.Answer.Open()
	err := p.Within(t.Name, s, func(s *walk.Selected) error {
		p.Answer.Key(s.Alias)
		if p.Live != nil && namespace == "" {
			if err := p.Live.RootField(s.Name); err != nil {
				return err
			}
		}
		if namespace == "" && t == p.Role.Query() && walk.IsIntrospection(s.Name) {
			return p.introspection(s)
		}
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			p.Separate = p.Mutates
			p.Answer.Constant(qualified(namespace, s.Alias), t.Name)
			return nil
		}
		if p.Live != nil && namespace != "" {
			p.Live.Members++
		}
		return p.rootField(f, s, namespace)
	})
	p.Answer.Close()
	return err
}

func (p *planner) rootField(f *schema.Field, s *walk.Selected, namespace string) error {
	p.Relations = 0
	if err := p.Take(budget.RootFields, 1); err != nil {
		return err
	}
	name := qualified(namespace, s.Alias)
	switch m := f.Meaning.(type) {
	case schema.Namespace:
		if err := p.Arguments(s, nil, nil); err != nil {
			return err
		}
		return p.rootObject(m.Type, s, s.Alias)
	case schema.NoQueries:
		p.Answer.Constant(name, schema.NoQueriesText)
		if err := p.ScalarField(s); err != nil {
			return err
		}
		return p.Arguments(s, nil, nil)
	case *schema.Action:
		return p.action.Root(name, f, m, s)
	case *schema.QueuedAction:
		return p.action.QueuedRoot(name, f, m, s)
	case *schema.ActionCall:
		return p.action.CallRoot(name, f, m, s)
	case *schema.RemoteField:
		return p.remote.Root(name, f, m, s)
	case schema.Service:
		sdl, err := p.metaField(f, s)
		p.Answer.Add(&answer.Introspection{Query: sdl})
		return err
	case schema.Entities:
		return p.federation.Entities(name, f, s)
	case schema.Node:
		return p.relay.Node(name, f, s)
	case schema.Connection:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.relay.Connection(read.TableRelation(m.Table), s, f.Args(), nil) })
	case schema.FunctionConnection:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.relay.FunctionConnection(m, f, s) })
	case schema.Stream:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.Stream(m.Table, f, s) })
	case schema.Rows:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.SelectRows(read.TableRelation(m.Table), s, f.Args(), nil) })
	case schema.ByPK:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.ByPK(m.Table, f, s) })
	case schema.Aggregated:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.AggregateRows(read.TableRelation(m.Table), s, f.Args(), nil) })
	case schema.Grouped:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.Groups(m.Table, f, s) })
	case schema.FunctionRows:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.FunctionRows(m, f, s) })
	case schema.NativeRows:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.NativeRows(m, f, s) })
	case schema.FunctionAggregated:
		return p.read.Root(name, m.Table.Source, func() (ir.Root, error) { return p.read.FunctionAggregate(m, f, s) })
	}
	return p.write.Field(name, f, s)
}

// qualified is the name of a root field with its namespace, if any.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "." + name
}
