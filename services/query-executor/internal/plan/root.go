package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// root is the type that an operation selects from.
func (p *planner) root(op *parse.Operation) (*schema.Type, error) {
	switch op.Kind {
	case parse.Mutation:
		if t := p.role.Mutation(); t != nil {
			return t, nil
		}
		return nil, apierror.New(apierror.ValidationFailed, "no mutations exist")
	case parse.Subscription:
		if t := p.role.Subscription(); t != nil {
			return t, nil
		}
		return nil, apierror.New(apierror.ValidationFailed, "no subscriptions exist")
	}
	return p.role.Query(), nil
}

// document plans the selection set of the operation.
func (p *planner) document(root *schema.Type, set []parse.Selection) error {
	return p.rootObject(root, &selected{Field: &parse.Field{}, sets: [][]parse.Selection{set}}, "")
}

// rootObject plans the root fields of an object: of the operation, or of a namespace.
func (p *planner) rootObject(t *schema.Type, s *selected, namespace string) error {
	p.answer.open()
	err := p.within(t.Name, s, func(s *selected) error {
		p.answer.key(s.Alias)
		if p.live != nil && namespace == "" {
			if err := p.live.rootField(s.Name); err != nil {
				return err
			}
		}
		if namespace == "" && t == p.role.Query() && isIntrospection(s.Name) {
			return p.introspection(s)
		}
		f, err := p.fieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			p.separate = p.mutates
			p.answer.constant(qualified(namespace, s.Alias), t.Name)
			return nil
		}
		if p.live != nil && namespace != "" {
			p.live.members++
		}
		return p.rootField(f, s, namespace)
	})
	p.answer.close()
	return err
}

func (p *planner) rootField(f *schema.Field, s *selected, namespace string) error {
	p.relations = 0
	if err := p.Take(budget.RootFields, 1); err != nil {
		return err
	}
	name := qualified(namespace, s.Alias)
	switch m := f.Means.(type) {
	case schema.Namespace:
		if err := p.arguments(s, nil, nil); err != nil {
			return err
		}
		return p.rootObject(m.Type, s, s.Alias)
	case schema.NoQueries:
		p.answer.constant(name, schema.NoQueriesText)
		if err := p.scalarField(s); err != nil {
			return err
		}
		return p.arguments(s, nil, nil)
	case *schema.Action:
		return p.action.root(name, f, m, s)
	case *schema.QueuedAction:
		return p.action.queuedRoot(name, f, m, s)
	case *schema.ActionCall:
		return p.action.callRoot(name, f, m, s)
	case *schema.RemoteField:
		return p.remote.root(name, f, m, s)
	case schema.Service:
		sdl, err := p.metaField(f, s)
		p.answer.add(&Introspection{Query: sdl})
		return err
	case schema.Entities:
		return p.federation.entities(name, f, s)
	case schema.Node:
		return p.relay.node(name, f, s)
	case schema.Connection:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.relay.Connection(tableRelation(m.Table), s, f.Args(), nil) })
	case schema.FunctionConnection:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.relay.functionConnection(m, f, s) })
	case schema.Stream:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.stream(m.Table, f, s) })
	case schema.Rows:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.selectRows(tableRelation(m.Table), s, f.Args(), nil) })
	case schema.ByPK:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.byPK(m.Table, f, s) })
	case schema.Aggregated:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.aggregateRows(tableRelation(m.Table), s, f.Args(), nil) })
	case schema.FunctionRows:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.functionRows(m, f, s) })
	case schema.NativeRows:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.nativeRows(m, f, s) })
	case schema.FunctionAggregated:
		return p.read.query(name, m.Table.Source, func() (ir.Root, error) { return p.read.functionAggregate(m, f, s) })
	}
	return p.write.field(name, f, s)
}

// qualified is the name of a root field with its namespace, if any.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "." + name
}

// query plans one statement.
func (p *readPlanner) query(field string, source *resolve.Source, plan func() (ir.Root, error)) error {
	if p.live != nil {
		return p.liveQuery(field, source, plan)
	}
	p.begin(source)
	root, err := plan()
	if err != nil {
		return err
	}
	q := &Query{Named: Named{Field: field}, Source: source, Root: root, Bindings: p.Bindings(), Joins: p.takeJoins()}
	p.separate = p.separate || p.mutates && len(q.Joins) > 0
	p.answer.add(q)
	return nil
}

// byPK plans one row by its primary key; the role's limit does not count.
func (p *readPlanner) byPK(t *schema.Table, f *schema.Field, s *selected) (ir.Root, error) {
	query := &ir.Select{Rows: ir.Rows{From: from(t), Where: p.visible(t), Estimate: 1}, One: true}
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		c, _ := in.Means.(*resolve.SelectColumn)
		arg, err := p.Operand(in.Type, v, p.Column(c.Column.Type, in.Type))
		query.Where = both(query.Where, ir.Compare{Left: column(c), Op: ir.OpEq, Args: []ir.Value{arg}})
		return err
	})
	if err != nil {
		return nil, err
	}
	query.Fields, err = p.fields(t, s)
	return query, err
}

func (p *readPlanner) functionRows(m schema.FunctionRows, f *schema.Field, s *selected) (ir.Root, error) {
	c := functionCall(m.Function)
	query, err := p.selectRows(relation{table: m.Table, estimate: -1}, s, f.Args(), c)
	if err != nil {
		return nil, err
	}
	query.From = p.functionFrom(m.Function, c)
	if query.One = !m.Function.Catalog.ReturnsSet; query.One {
		query.MaxRows = 0
	}
	return query, nil
}

func (p *readPlanner) functionAggregate(m schema.FunctionAggregated, f *schema.Field, s *selected) (ir.Root, error) {
	c := functionCall(m.Function)
	query, err := p.aggregateRows(relation{table: m.Table, estimate: -1}, s, f.Args(), c)
	if err != nil {
		return nil, err
	}
	query.From = p.functionFrom(m.Function, c)
	return query, nil
}

// answer collects the parts of the answer; constant text next to each other is one part.
type answer struct {
	list      []Part
	text      []byte
	constants []string // the root fields in text
	first     bool
}

func (a *answer) open() { a.text, a.first = append(a.text, '{'), true }

func (a *answer) close() { a.text, a.first = append(a.text, '}'), false }

func (a *answer) key(name string) {
	if !a.first {
		a.text = append(a.text, ',')
	}
	a.first = false
	a.text = append(jsontext.AppendString(a.text, name), ':')
}

// constant is a root field whose value is known.
func (a *answer) constant(field, value string) {
	a.text = jsontext.AppendString(a.text, value)
	a.constants = append(a.constants, field)
}

// add adds a part that isn't text.
func (a *answer) add(p Part) {
	a.flush()
	a.list = append(a.list, p)
}

func (a *answer) flush() {
	if len(a.text) > 0 {
		a.list = append(a.list, &Text{Text: string(a.text), Constants: a.constants})
		a.text, a.constants = a.text[:0], nil
	}
}

func (a *answer) parts() []Part {
	a.flush()
	return a.list
}
