package read

import (
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// JoinRows plans the rows that a remote relationship leads to.
func (p *Planner) JoinRows(m *schema.RemoteRelation, f *schema.Field, s *walk.Selected) error {
	return p.joinSource(m, func() (ir.Root, error) {
		if m.Source.Array {
			return p.SelectRows(TableRelation(m.Target), s, f.Args(), nil)
		}
		return p.OneRow(m.Target, s)
	})
}

// JoinAggregate plans the aggregates of these rows.
func (p *Planner) JoinAggregate(m *schema.RemoteAggregate, f *schema.Field, s *walk.Selected) error {
	return p.joinSource(m.RemoteRelation, func() (ir.Root, error) {
		return p.AggregateRows(TableRelation(m.Target), s, f.Args(), nil)
	})
}

// joinSource plans a field whose value another source gives; plan plans the request there for
// one key.
func (p *Planner) joinSource(m *schema.RemoteRelation, plan func() (ir.Root, error)) error {
	query, err := p.JoinQuery(m.Source, plan)
	if err != nil {
		return err
	}
	p.Joined = &walk.JoinedField{Join: answer.Join{Parts: len(m.Left), Query: query, Joins: p.TakeJoins()}}
	return nil
}

// remoteField plans a field of rows whose value comes from elsewhere; plan sets p.joined. What
// it gives is the field that holds the place in the answer.
func (p *Planner) remoteField(m *resolve.RemoteRelationship, plan func() error) (ir.Field, error) {
	if p.Subscribes {
		return ir.Field{}, p.FailWith(apierror.NotSupported, "Remote relationships are not allowed in subscriptions")
	}
	key := p.keyFields(m)
	if err := plan(); err != nil {
		return ir.Field{}, err
	}
	p.Joined.Key = key
	return key[0], nil
}

// keyFields are the values that are joined by: those of the row itself, as in any relationship,
// whatever the role may see of them.
func (p *Planner) keyFields(m *resolve.RemoteRelationship) []ir.Field {
	if len(m.Left) == 0 {
		return []ir.Field{{Value: ir.Typename(m.Name)}} // holds the place
	}
	fields := make([]ir.Field, len(m.Left))
	for i, left := range m.Left {
		if c := left.Column; c != nil {
			fields[i] = ir.Field{Value: ir.Scalar{Expr: ColumnOf(c), Type: c.Type}}
			continue
		}
		f := left.Computed
		p.Calls(f.Function, nil)
		fields[i] = ir.Field{Value: ir.Scalar{Expr: f.Call(f.CallArgs()), Type: f.Type}}
	}
	return fields
}

// JoinQuery plans the statement that answers the keys of a join.
func (p *Planner) JoinQuery(t *resolve.SourceTarget, plan func() (ir.Root, error)) (*answer.JoinQuery, error) {
	if err := p.Take(budget.Statements, 1); err != nil {
		return nil, err
	}
	before := p.Begin(t.Table.Source)
	root, err := plan()
	if err != nil {
		return nil, err
	}
	q := &answer.JoinQuery{Source: t.Table.Source, Bindings: p.Bindings()}
	p.Statement = before

	keys := ir.Keys{Index: q.Bindings.Len(), Ordinal: "n"}
	related := &ir.Nested{Unique: t.Unique, Root: root}
	for i, c := range t.Columns {
		name := "k" + strconv.Itoa(i+1)
		q.Columns = append(q.Columns, name)
		q.Keys = append(q.Keys, backend.KeyOf(c.Type, t.Table.Source.Catalog.Version))
		keys.Columns = append(keys.Columns, ir.Column{Name: name, Type: c.Type})
		related.Join = append(related.Join, ir.JoinPair{Outer: name, Inner: c.Name})
	}
	q.Root = &ir.Select{
		Rows: ir.Rows{
			From: keys, Estimate: -1,
			OrderBy: []ir.OrderItem{{Target: ir.OrderExpr{Expr: ir.Column{Name: keys.Ordinal, Type: t.Table.Source.Dialect.Builtin(backend.TypeBigInt)}}}},
		},
		Fields: []ir.Field{{Alias: answer.JoinAnswer, Value: related}},
	}
	return q, nil
}

// withKey adds the rest of the key of the field that was added last. Its names are none that a
// client could give.
func (p *Planner) withKey(fields []ir.Field) []ir.Field {
	if p.Joined == nil {
		return fields
	}
	for i := range p.Joined.Key[1:] {
		p.Joined.Key[i+1].Alias = "?" + strconv.Itoa(len(fields))
		fields = append(fields, p.Joined.Key[i+1])
	}
	return fields
}
